"""The base of all results: equality by value, one layout of plain data, data frames, and one table to look at."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from theorycalc._version import __version__
from theorycalc.numbers.exact import spell
from theorycalc.results import frames
from theorycalc.results.table import Table, is_proven, number_data, number_text

Row = dict[str, Any]  # plain Python: int, float, bool, text, or None for nothing


class Result:
    """The base of all results, which are frozen dataclasses.

    A result gives its ``rows`` and its ``table()``; ``notes``, ``conditions``, ``guarantee`` and ``digits`` where it
    has them.  Results are equal if they are of one kind and all their fields are equal; they have no hash.
    """

    kind: ClassVar[str]
    dimension: ClassVar[str | None] = "row"  # of the dataset made of rows; None where there is one row only
    __hash__ = None  # type: ignore[assignment]

    if TYPE_CHECKING:

        @property
        def rows(self) -> tuple[Row, ...]:
            """One dictionary for each point: inputs and quantities."""

        def table(self, full: bool = False) -> Table:
            """Return the table that ``repr`` shows; ``full``, with every row and all digits."""

        def _inputs(self) -> Row:
            """Return the inputs that all rows share, as JSON shows them."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return same_fields(self, other)

    def __repr__(self) -> str:
        return self.table().text()

    def _repr_html_(self) -> str:
        return self.table().html()

    def _details(self) -> dict[str, Any]:
        """Return the facts beside the rows that only this kind of result has."""
        return {}

    def _columns(self) -> dict[str, Any]:
        return columns_of(self.rows)

    def _about(self) -> dict[str, str]:
        said = {"theorycalc": __version__, "kind": self.kind, "guarantee": getattr(self, "guarantee", None)}
        notes = {"notes": "\n".join(getattr(self, "notes", ()))}
        return {name: text for name, text in (said | notes).items() if text}

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data for JSON, in the same layout for one point and for many.

        ``rows`` has a dictionary for each point.  There is no NaN; infinity and proven digits are text.
        """
        return layout(
            self.kind,
            self._inputs(),
            list(map(json_row, self.rows)),
            guarantee=getattr(self, "guarantee", None),
            digits=getattr(self, "digits", None),
            conditions=[{"statement": c.statement, "holds": c.holds} for c in getattr(self, "conditions", ())],
            notes=getattr(self, "notes", ()),
            **self._details(),
        )

    def to_dataframe(self) -> Any:
        """Return the rows as a ``pandas.DataFrame``; proven digits are text.

        Raises
        ------
        ArgumentError
            pandas is not installed: ``pip install 'theorycalc[pandas]'``.
        """
        return frames.data_frame(self._columns())

    def to_dataset(self) -> Any:
        """Return the result as an ``xarray.Dataset``: a dimension for each argument that is an array; else none.

        Raises
        ------
        ArgumentError
            xarray is not installed: ``pip install 'theorycalc[xarray]'``.
        """
        return frames.row_dataset(self._columns(), self.dimension, self._about())


class Points(Result):
    """A result whose quantities are numbers, or arrays over arguments that broadcast: a row for each point."""

    if TYPE_CHECKING:

        def _arguments(self) -> dict[str, Any]:
            """Return the inputs of rows by name: numbers, texts or None, and arrays of them."""

        def _quantities(self) -> dict[str, Any]:
            """Return the outputs by name."""

    def _plain(self) -> tuple[dict[str, Any], dict[str, Any]]:
        found = self._arguments(), self._quantities()
        arguments, quantities = ({name: _plain(value) for name, value in part.items()} for part in found)
        return arguments, quantities

    @property
    def size(self) -> int:
        """The number of points."""
        return int(np.prod(_shape(self._arguments() | self._quantities())))

    def first(self, most: int | None = None) -> tuple[Row, ...]:
        """Return the rows of the first points, or of all."""
        columns = {name: column[:most] for name, column in self._columns().items()}
        lists = [column.tolist() if isinstance(column, np.ndarray) else column for column in columns.values()]
        return tuple(dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True))

    @property
    def rows(self) -> tuple[Row, ...]:
        """One dictionary for each point: its inputs and every quantity, as plain Python numbers.

        Proven numbers are text with all their digits, and exact inputs beside them text, too.
        """
        return self.first()

    def _columns(self) -> dict[str, Any]:
        arguments, quantities = self._plain()
        everything = arguments | quantities
        shape = _shape(everything)
        return {name: _spread(value, shape) for name, value in everything.items()}

    def to_dataset(self) -> Any:
        """Return the quantities as an ``xarray.Dataset``: a dimension for each argument that is an array; else none.

        Raises
        ------
        ArgumentError
            xarray is not installed: ``pip install 'theorycalc[xarray]'``.
        """
        return frames.point_dataset(*self._plain(), self._about())


def _shape(values: Mapping[str, Any]) -> tuple[int, ...]:
    return np.broadcast_shapes(*(np.shape(value) for value in values.values()))


def _plain(value: Any) -> Any:
    """Return a number as plain Python has it, proven ones as text; of an array, all of them."""
    if isinstance(value, np.ndarray):
        if value.dtype != object:
            return value
        found = np.empty(value.shape, dtype=object)
        found.ravel()[:] = [_plain(item) for item in value.ravel()]
        return found
    if isinstance(value, np.generic):
        return value.item()
    return number_text(value) if is_proven(value) else value


def _spread(value: Any, shape: tuple[int, ...]) -> Any:
    """Return one entry for each point: an array of numbers, or a list."""
    if np.ndim(value) == 0:
        return [value] * int(np.prod(shape))
    spread = np.broadcast_to(value, shape).ravel()
    return spread.tolist() if spread.dtype == object else spread


def argument(value: Any, exact: bool) -> Any:
    """Return an input as rows show it: a float, or where digits are proven the exact number as text.

    >>> from fractions import Fraction
    >>> argument(Fraction(1, 3), exact=True), argument(Fraction(1, 4), exact=False)
    ('1/3', 0.25)
    """
    if not isinstance(value, np.ndarray):
        return spell(value) if exact else float(value)
    if value.dtype != object:
        return value
    found = np.empty(value.shape, dtype=object)
    found.ravel()[:] = [argument(item, exact) for item in value.ravel()]
    return found


def columns_of(rows: Sequence[Row]) -> dict[str, list[Any]]:
    """Return the columns of rows, with None where a row lacks one.

    >>> columns_of([{"ell": 1}, {"ell": 2, "test_gain": 0.5}])
    {'ell': [1, 2], 'test_gain': [None, 0.5]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def json_row(row: Row) -> Row:
    """Return a row as JSON can carry it: infinity is text.

    >>> json_row({"ell": float("inf"), "test_gain": 0.5})
    {'ell': 'inf', 'test_gain': 0.5}
    """
    return {name: number_data(value) for name, value in row.items()}


def layout(
    kind: str,
    inputs: Mapping[str, Any],
    rows: Sequence[Row],
    *,
    guarantee: str | None = None,
    digits: int | None = None,
    conditions: Sequence[Mapping[str, Any]] = (),
    notes: Sequence[str] = (),
    **details: Any,
) -> dict[str, Any]:
    """Return the layout of every result as plain data; the rows come last.

    >>> list(layout("sweep", {}, [], columns=["ell"]))
    ['theorycalc', 'kind', 'inputs', 'guarantee', 'digits', 'conditions', 'notes', 'columns', 'rows']
    """
    return {
        "theorycalc": __version__,
        "kind": kind,
        "inputs": dict(inputs),
        "guarantee": guarantee,
        "digits": digits,
        "conditions": list(conditions),
        "notes": list(notes),
        **details,
        "rows": list(rows),
    }


def joined(results: Sequence[Result]) -> dict[str, Any]:
    """Return results of one problem as one in the layout of each: all their rows, conditions and notes.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> [row["ell"] for row in joined([tc.predict(problem, ell=1), tc.predict(problem, ell=2)])["rows"]]
    [1, 2]
    """
    found = [result.to_dict() for result in results]
    conditions = {condition["statement"]: condition for one in found for condition in one["conditions"]}
    return found[0] | {
        "conditions": list(conditions.values()),
        "notes": list(dict.fromkeys(note for one in found for note in one["notes"])),
        "rows": [row for one in found for row in one["rows"]],
    }


def same_fields(one: Any, other: Any) -> bool:
    """Say whether all fields of two dataclasses of one type that count for equality are equal."""
    names = (field.name for field in dataclasses.fields(one) if field.compare)
    return all(same_value(getattr(one, name), getattr(other, name)) for name in names)


def same_value(one: Any, other: Any) -> bool:
    """Say whether two values are equal: arrays by shape and numbers, containers by what they hold.

    >>> same_value({"a": np.array([1.0, np.nan])}, {"a": np.array([1.0, np.nan])}), same_value((1, 2), (1, 3))
    (True, False)
    """
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        floats = all(np.asarray(value).dtype.kind == "f" for value in (one, other))
        return bool(np.array_equal(one, other, equal_nan=floats))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(same_value(one[key], other[key]) for key in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same_value, one, other))
    if type(one) is type(other) and dataclasses.is_dataclass(one) and type(one).__eq__ is object.__eq__:
        return same_fields(one, other)
    return bool(one == other)
