"""The base of all results: equality by value, one layout for plain data, data frames, and one table for people."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from theorycalc._version import __version__
from theorycalc.model.figures import draw
from theorycalc.model.parameters import PARAMETERS
from theorycalc.model.signatures import documented_methods
from theorycalc.numbers.exact import Exact, spell
from theorycalc.numbers.overflow import refuse_nan
from theorycalc.results.layout import conditions_of, layout
from theorycalc.results.quantities import FIELDS, OBSERVED, Plain, is_proven, meaning, number_text
from theorycalc.results.table import (
    Columns,
    Row,
    Table,
    columns_of,
    extra,
    json_row,
    point_dataset,
    row_dataset,
    rows_of,
)

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr
    from matplotlib.figure import Figure


class Result:
    """The base of all results; each is a frozen dataclass.

    A result gives its ``rows`` and its ``table()``; ``notes``, ``conditions``, ``guarantee`` and ``digits`` where it
    has them.  Results are equal if they are of one kind and all their fields are equal; they have no hash.
    """

    kind: ClassVar[str]
    meanings: ClassVar[Mapping[str, str]] = {}  # of fields that the tables describe otherwise
    dimension: ClassVar[str | None] = "row"  # of the dataset made of rows; None where there is one row only
    has_gaps: ClassVar[bool] = False  # whether a NaN stands for a number that is missing
    __hash__ = None  # type: ignore[assignment]

    def __init_subclass__(cls) -> None:
        """Add to the docstring a section for the fields described in the tables of fields, columns and parameters."""
        documented_methods(cls)
        lines: list[str] = []
        kinds = [vars(one).get("__annotations__", {}) for one in reversed(cls.__mro__)]
        for name, kind in {name: kind for some in kinds for name, kind in some.items()}.items():
            words = cls.meanings.get(name) or FIELDS.get(name) or meaning(name)
            words = words or (PARAMETERS[name].label if name in PARAMETERS else None)
            if words is not None:
                words = words[0].upper() + words[1:] if words[:2].isascii() and words[:2].isalpha() else words
                lines += [f"    {name} : {kind.replace('Value', 'float, array or mpf')}", f"        {words}."]
        if cls.__doc__ is not None and lines:  # None if Python was started with -OO
            cls.__doc__ = "\n".join([cls.__doc__.rstrip(), "", "    Attributes", "    ----------", *lines, "    "])

    if TYPE_CHECKING:

        @property
        def rows(self) -> tuple[Row, ...]:
            """One dictionary for each point: inputs and quantities."""

        def _table(self, full: bool) -> Table:
            """Return the table shown by ``repr``; ``full`` gives every row with all digits."""

        def _inputs(self) -> Row:
            """Return the inputs shared by all rows, for JSON; most results return those of their problem."""

    def __post_init__(self) -> None:
        if not self.has_gaps:
            refuse_nan(vars(self))

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return same_fields(self, other)

    def __repr__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()

    def _details(self) -> Row:
        """Return the facts outside the rows that only this kind of result has."""
        return {}

    def _columns(self) -> Columns:
        return columns_of(self.rows)

    def _about(self) -> dict[str, str]:
        said = {"theorycalc": __version__, "kind": self.kind, "guarantee": getattr(self, "guarantee", None)}
        notes = {"notes": "\n".join(getattr(self, "notes", ()))}
        return {name: text for name, text in (said | notes).items() if text}

    def table(self, full: bool = False) -> Table:
        """Return the table shown by ``repr`` and notebooks.

        Parameters
        ----------
        full : bool, default False
            Whether the table has every row, and numbers all their digits.

        Returns
        -------
        Table
            The table; ``text()``, ``html()`` and ``csv()`` write it.

        Examples
        --------
        >>> import theorycalc as tc
        >>> found = tc.staircase(tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), 1)
        >>> len(found.table(full=True).text()) > len(found.table().text())
        True
        """
        return self._table(full)

    def plot(self, ax: object = None, **style: Any) -> Figure:  # Any: some results have options of their own
        """Draw the result and return the matplotlib figure.

        Parameters
        ----------
        ax : matplotlib Axes or sequence of Axes, optional
            Axes to draw into, one for each panel of the figure.  Default: those of a new figure.
        style : optional
            Properties of the points or curves, such as ``color``.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        TheoryError
            There is no figure of this result, or an option does not fit it.

        Examples
        --------
        >>> import theorycalc as tc
        >>> found = tc.predict(tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), ell=2)
        >>> found.plot(color="black").axes[0].get_xlabel()
        'loss or error'
        """
        return draw(self, ax=ax, **style)

    def to_dict(self) -> dict[str, object]:
        """Return the result as plain data for JSON, in the same layout for one point or many.

        Returns
        -------
        dict
            ``rows`` has a dictionary for each point.  There is no NaN; infinity and proven digits are text.

        Examples
        --------
        >>> import theorycalc as tc
        >>> found = tc.predict(tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), ell=2)
        >>> round(found.to_dict()["rows"][0]["test_gain"], 3)
        0.441
        """
        return layout(
            self.kind,
            self._inputs(),
            map(json_row, self.rows),
            guarantee=getattr(self, "guarantee", None),
            digits=getattr(self, "digits", None),
            conditions=conditions_of(self),
            notes=list(getattr(self, "notes", ())),
            **self._details(),
        )

    def to_dataframe(self) -> pd.DataFrame:
        """Return the rows as a data frame.

        Returns
        -------
        pandas.DataFrame
            A row for each point; proven digits are text.

        Raises
        ------
        ArgumentError
            pandas is not installed: ``pip install 'theorycalc[pandas]'``.

        Examples
        --------
        >>> import theorycalc as tc
        >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
        >>> tc.predict(problem, ell=2, ridge=[0.1, 1.0]).to_dataframe().shape[0]
        2
        """
        return extra("pandas", "to_dataframe()").DataFrame(dict(self._columns()))

    def to_dataset(self) -> xr.Dataset:
        """Return the result as a data set.

        Returns
        -------
        xarray.Dataset
            The quantities, with a dimension for each argument that is an array, or axis of a sweep.

        Raises
        ------
        ArgumentError
            xarray is not installed: ``pip install 'theorycalc[xarray]'``.

        Examples
        --------
        >>> import theorycalc as tc
        >>> problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
        >>> dict(tc.predict(problem, ell=2, ridge=[0.1, 1.0]).to_dataset().sizes)
        {'ridge': 2}
        """
        return self._dataset()

    def _dataset(self) -> xr.Dataset:
        return row_dataset(self._columns(), self.dimension, self._about())


class Points(Result):
    """A result with quantities that are numbers, or arrays over arguments that broadcast: one row for each point."""

    if TYPE_CHECKING:

        def _arguments(self) -> Row:
            """Return the inputs of the rows by name: numbers, texts, None, or arrays of them."""

        def _quantities(self) -> Row:
            """Return the outputs, keyed by name."""

    def _observable(self) -> dict[str, Any]:
        """Return the quantities that can be observed in a network, by name."""
        return {name: value for name, value in self._quantities().items() if name in OBSERVED}

    def _plain(self) -> tuple[Row, Row]:
        found = self._arguments(), self._quantities()
        arguments, quantities = ({name: _plain(value) for name, value in part.items()} for part in found)
        return arguments, quantities

    @property
    def size(self) -> int:
        """The number of points."""
        return int(np.prod(_shape({**self._arguments(), **self._quantities()})))

    @property
    def rows(self) -> tuple[dict[str, Plain], ...]:
        """One dictionary for each point: its inputs and every quantity, as plain Python numbers.

        Proven numbers are text with all their digits, and so are the exact inputs beside them.
        """
        return rows_of(self._columns())

    def _columns(self) -> Columns:
        arguments, quantities = self._plain()
        everything = {**arguments, **quantities}
        shape = _shape(everything)
        return {name: _spread(value, shape) for name, value in everything.items()}

    def _dataset(self) -> xr.Dataset:
        return point_dataset(*self._plain(), self._about())


def _shape(values: Row) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(np.asarray(value)) for value in values.values()))


def _plain(value: object) -> object:
    """Return a number, or each number in an array, in plain Python; proven numbers become text."""
    if isinstance(value, np.ndarray):
        return _mapped(_plain, value)
    if isinstance(value, np.generic):
        return value.item()
    return number_text(value) if is_proven(value) else value


def _mapped(change: Callable[[object], object], array: NDArray[np.generic]) -> NDArray[np.generic]:
    """Return an array of objects with ``change`` applied to each; an array of numbers is returned unchanged."""
    if array.dtype != object:
        return array
    found = np.empty(array.shape, dtype=object)
    found.ravel()[:] = [change(item) for item in array.ravel()]
    return found


def _spread(value: object, shape: tuple[int, ...]) -> list[object] | NDArray[np.float64]:
    """Return one entry for each point: an array of numbers, or a list."""
    if not isinstance(value, np.ndarray) or not value.ndim:
        return [value] * int(np.prod(shape))
    spread = np.broadcast_to(value, shape).ravel()
    return spread.tolist() if spread.dtype == object else spread


def argument(value: Exact | NDArray[np.float64] | NDArray[np.object_], exact: bool) -> object:
    """Return an input for a row: a float or, if digits are proven, the exact number as text.

    >>> from fractions import Fraction
    >>> argument(Fraction(1, 3), exact=True), argument(Fraction(1, 4), exact=False)
    ('1/3', 0.25)
    """
    if isinstance(value, np.ndarray):
        return _mapped(lambda item: argument(item, exact), value)
    return spell(value) if exact else float(value)


def same_fields(one: object, other: object) -> bool:
    """Return whether two dataclasses of one type are equal in all fields that count for equality."""
    assert dataclasses.is_dataclass(one)
    names = (field.name for field in dataclasses.fields(one) if field.compare)
    return all(same_value(getattr(one, name), getattr(other, name)) for name in names)


def same_value(one: object, other: object) -> bool:
    """Return whether two values are equal: arrays by shape and numbers, containers item by item.

    >>> same_value({"a": np.array([1.0, np.nan])}, {"a": np.array([1.0, np.nan])}), same_value((1, 2), (1, 3))
    (True, False)
    """
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        first, second = np.asarray(one), np.asarray(other)
        return np.array_equal(first, second, equal_nan=first.dtype.kind == second.dtype.kind == "f")
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_value, one, other))
    if type(one) is type(other) and dataclasses.is_dataclass(one) and type(one).__eq__ is object.__eq__:
        return same_fields(one, other)
    return bool(one == other)
