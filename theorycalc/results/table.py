"""Table: rows of numbers with a title, as aligned text, HTML or CSV; and columns for pandas and xarray."""

from __future__ import annotations

import csv
import html
import importlib
import io
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError
from theorycalc.results.quantities import COLUMNS, INPUTS, MEASURED, Plain, meaning, number_data, number_text, shown
from theorycalc.running.terminal import width

if TYPE_CHECKING:
    import xarray as xr

MOST_LINES = 60  # of a table that a person reads
_LETTER = r"A-Za-z\u0370-\u03ff"  # Latin and Greek
_SUBSCRIPT = re.compile(rf"(?<![A-Za-z_])([{_LETTER}])_(?:\{{([^{{}}]+)\}}|(⋆?(?:\d+|[{_LETTER}ℓ]+|∞)|⋆))")

Row: TypeAlias = Mapping[str, object]  # of plain Python: int, float, bool, text, or None
AnyArray: TypeAlias = NDArray[np.generic]
Columns: TypeAlias = "Mapping[str, Sequence[object] | NDArray[np.float64]]"  # of one length, by name
_Variables: TypeAlias = Mapping[str, tuple[tuple[str, ...], object]]  # the dimensions and the numbers of each


class Column(NamedTuple):
    """A column of text and HTML: its heading, and a function that writes a row's cell, rounded or in full."""

    heading: str
    cell: Callable[[Row, bool], str]


def column(name: str, heading: str | None = None, spec: str = ".6g") -> Column:
    """Return a column by name, under its heading in :data:`COLUMNS` or another.

    >>> column("test_gain").heading, column("test_gain").cell({"test_gain": 1 / 3}, False)
    ('test gain', '0.333333')
    """
    words = COLUMNS[name].heading if heading is None else heading
    return Column(words, lambda row, full: shown(row[name], full, spec))


@dataclass(frozen=True)
class Table:
    """Data with a title, remarks, unmet conditions and notes.

    CSV has every column of the data.  Text and HTML have the ``seen`` columns; where these are None, they show each
    quantity of the only row on a line of its own: symbol, value and words.
    """

    title: str
    data: Columns
    seen: tuple[Column, ...] | None = None
    full: bool = False  # text and HTML with every row and all digits
    remarks: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()  # such as "FAILS: the teacher is Lipschitz"
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(next(iter(self.data.values()), ()))

    @property
    def rows(self) -> tuple[dict[str, Plain], ...]:
        """One dictionary for each row, in plain Python."""
        return rows_of(self.data)

    @property
    def lines(self) -> list[list[str]]:
        """The cells of text and HTML, line by line, below their headings if any.

        >>> Table("", {"ell": [np.inf], "test_gain": [0.25]}, (column("ell"), column("test_gain"))).lines
        [['ℓ', 'test gain'], ['∞', '0.25']]
        >>> Table("", {"ell": [2], "test_gain": [0.25], "test_loss": [0.5]}).lines
        [['L_te(F)', '0.5', 'test loss after the step'], ['Λ_2', '0.25', 'test loss gained']]
        """
        rows = rows_of(self.data, None if self.full else MOST_LINES)
        if self.seen is None:
            (row,) = rows
            index = f"_{shown(row['ell'])}" if "ell" in row else ""
            known = [(quantity, row[name]) for name, quantity in MEASURED.items() if name in row]
            return [[q.symbol.replace("_ℓ", index), shown(value, self.full), q.words] for q, value in known]
        heads = [one.heading for one in self.seen]
        return [*([heads] if any(heads) else []), *([one.cell(row, self.full) for one in self.seen] for row in rows)]

    def text(self) -> str:
        """Return the table as text for a terminal.

        >>> print(Table("A loss", {"test_loss": [0.5]}, conditions=("FAILS: c_1 ≠ 0",), notes=("rounded",)).text())
        A loss
          L_te(F)  0.5  test loss after the step
          condition FAILS: c_1 ≠ 0
          note  rounded
        """
        lines = [self.title, aligned(self.lines), *(f"  {remark}" for remark in self._remarks)]
        lines += [f"  condition {condition}" for condition in self.conditions]
        return "\n".join([*lines, *(f"  note  {note}" for note in self.notes)])

    def html(self) -> str:
        """Return the table as HTML for a notebook.

        >>> Table("A loss", {"test_loss": [0.5]}, (column("test_loss", "L_te(F)"),)).html()
        '<table><caption>A loss</caption><tr><th>L<sub>te</sub>(F)</th></tr><tr><td>0.5</td></tr></table>'
        """
        items = [html_symbol(remark) for remark in self._remarks]
        for condition in self.conditions:
            words = f"condition {html_symbol(condition)}"
            items.append(f"<strong>{words}</strong>" if condition.startswith("FAILS") else words)
        items += map(html_symbol, self.notes)
        headed = any(one.heading for one in self.seen or ())
        lines = [
            "".join(f"<{tag}>{html_symbol(cell)}</{tag}>" for cell in line)
            for i, line in enumerate(self.lines)
            for tag in ("th" if headed and i == 0 else "td",)
        ]
        table = "".join(f"<tr>{line}</tr>" for line in lines)
        listed = "".join(f"<li>{item}</li>" for item in items)
        below = f"<ul>{listed}</ul>" if listed else ""
        return f"<table><caption>{html_symbol(self.title)}</caption>{table}</table>{below}"

    def csv(self) -> str:
        """Return every row as CSV below the column names, with numbers in full and None as an empty cell.

        >>> print(Table("", {"ell": [1, 2], "gain": [0.1, None]}).csv())
        ell,gain
        1,0.1
        2,
        """
        buffer = io.StringIO()
        writer = csv.writer(buffer, lineterminator="\n")
        writer.writerow(self.data)
        for row in self.rows:
            writer.writerow(["" if cell is None else number_text(cell) for cell in row.values()])
        return buffer.getvalue().rstrip("\n")

    @property
    def _remarks(self) -> tuple[str, ...]:
        more = 0 if self.full else self.size - MOST_LINES
        return (*((f"… {more} more",) if more > 0 else ()), *self.remarks)


def lines_table(
    title: str, lines: Iterable[tuple[str, object, str]], full: bool = False, **about: tuple[str, ...]
) -> Table:
    """Return a table without headings: each line has a name, its value and its meaning.

    >>> print(lines_table("Sizes", [("n", 300, "samples")], notes=("small",)).text())
    Sizes
      n  300  samples
      note  small
    """
    names = ("name", "value", "meaning")
    columns = {name: list(items) for name, items in zip(names, zip(*lines, strict=True), strict=True)}
    return Table(title, columns, tuple(column(name, "") for name in names), full, **about)


def rows_of(columns: Columns, most: int | None = None) -> tuple[dict[str, Plain], ...]:
    """Return columns as rows of plain Python: all of them, or up to a given number.

    >>> rows_of({"ell": [1, 2], "test_gain": np.array([0.25, 0.5])}, 1)
    ({'ell': 1, 'test_gain': 0.25},)
    """
    lists = [part.tolist() if isinstance(part, np.ndarray) else part for part in (c[:most] for c in columns.values())]
    return tuple(dict(zip(columns, row, strict=True)) for row in zip(*lists, strict=True))


def number(row: Row, name: str) -> float:
    """Return a number from a row that must have it.

    >>> number({"eta": 2.0, "alpha": None}, "eta")
    2.0
    """
    value = row[name]
    assert isinstance(value, (int, float)), f"{name} is {value!r}"
    return value


def number_or_none(row: Row, name: str) -> float | None:
    """Return a number from a row, or None.

    >>> number_or_none({"eta": 2.0, "alpha": None}, "alpha")
    """
    return None if row.get(name) is None else number(row, name)


def columns_of(rows: Sequence[Row]) -> dict[str, list[object]]:
    """Return rows as columns, with None where a row has no value.

    >>> columns_of([{"ell": 1}, {"ell": 2, "test_gain": 0.5}])
    {'ell': [1, 2], 'test_gain': [None, 0.5]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def json_row(row: Row) -> dict[str, object]:
    """Return a row for JSON, with infinity and proven digits as text.

    >>> json_row({"ell": float("inf"), "test_gain": 0.5})
    {'ell': 'inf', 'test_gain': 0.5}
    """
    return {name: number_data(value) for name, value in row.items()}


def html_symbol(text: str) -> str:
    """Return text as HTML, with indices as subscripts.

    >>> html_symbol("L_te(F) < m_1²"), html_symbol("c_{>1}"), html_symbol("second_layer")
    ('L<sub>te</sub>(F) &lt; m<sub>1</sub>²', 'c<sub>&gt;1</sub>', 'second_layer')
    """
    return _SUBSCRIPT.sub(lambda match: f"{match[1]}<sub>{match[2] or match[3]}</sub>", html.escape(text))


def aligned(rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Return rows of text with left-aligned columns.

    >>> print(aligned([["a", "1"], ["long", "2"]]))
      a     1
      long  2
    """
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    padded = ([cell + " " * (room - width(cell)) for cell, room in zip(row, widths, strict=True)] for row in rows)
    return "\n".join((indent + "  ".join(row)).rstrip() for row in padded)


def row_dataset(columns: Columns, dimension: str | None, about: Mapping[str, str]) -> xr.Dataset:
    """Return columns as an ``xarray.Dataset`` over one dimension or, without a dimension, their only row.

    Inputs are coordinates, and empty columns are left out.
    """
    arrays = {name: _array(column) for name, column in columns.items() if any(value is not None for value in column)}
    found: dict[str, tuple[tuple[str, ...], object]] = {
        name: ((), array[0]) if dimension is None else ((dimension,), array) for name, array in arrays.items()
    }
    inputs = {name: found.pop(name) for name in arrays if name in INPUTS}
    return _dataset(found, inputs, about)


def point_dataset(arguments: Row, quantities: Row, about: Mapping[str, str]) -> xr.Dataset:
    """Return quantities as an ``xarray.Dataset`` over the array-valued arguments; the others are scalar coordinates."""
    given = {name: np.asarray(value) for name, value in arguments.items() if value is not None}
    values = {name: np.asarray(value) for name, value in quantities.items() if value is not None}
    shape = np.broadcast_shapes(*(array.shape for array in (*given.values(), *values.values())))
    along = {name: _axes_of(array, shape) for name, array in given.items()}
    names = [_name_of(axis, along) for axis in range(len(shape))]
    coordinates = {
        name: (tuple(names[axis] for axis in along[name]), array.reshape([shape[axis] for axis in along[name]]))
        for name, array in given.items()
    }
    return _dataset(
        {name: (tuple(names), np.broadcast_to(array, shape)) for name, array in values.items()}, coordinates, about
    )


def grid_dataset(axes: Row, quantities: Mapping[str, AnyArray], about: Mapping[str, str]) -> xr.Dataset:
    """Return quantities over a grid's axes as an ``xarray.Dataset``."""
    coordinates = {name: ((name,), np.asarray(labels)) for name, labels in axes.items()}
    return _dataset({name: (tuple(axes), array) for name, array in quantities.items()}, coordinates, about)


def _axes_of(array: AnyArray, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the axes of the broadcast shape along which an array varies.

    >>> _axes_of(np.zeros((3, 1)), (2, 3, 5))
    (1,)
    """
    first = len(shape) - array.ndim
    return tuple(axis for axis in range(first, len(shape)) if array.shape[axis - first] == shape[axis])


def _name_of(axis: int, along: Mapping[str, Sequence[int]]) -> str:
    """Return the name of an axis: the only argument that varies along it and no other axis, else a numbered name.

    >>> _name_of(0, {"ridge": (0,), "phi": ()}), _name_of(0, {"ridge": (0,), "noise": (0,)})
    ('ridge', 'dim_0')
    """
    owners = [name for name, axes in along.items() if axis in axes]
    if "alpha" in owners and "eta" in owners:
        owners.remove("eta")  # which follows from α
    return owners[0] if len(owners) == 1 and list(along[owners[0]]) == [axis] else f"dim_{axis}"


def _array(column: Sequence[object] | AnyArray) -> AnyArray:
    """Return a column as an array, with NaN in place of missing numbers."""
    if isinstance(column, np.ndarray):
        return column
    known = [value for value in column if value is not None]
    if len(known) < len(column) and not any(isinstance(value, str) for value in known):
        return np.array([np.nan if value is None else value for value in column], dtype=float)
    return np.array(["" if value is None else value for value in column])


def _dataset(variables: _Variables, coordinates: _Variables, about: Mapping[str, str]) -> xr.Dataset:
    xarray = extra("xarray", "to_dataset()")
    found: xr.Dataset = xarray.Dataset(variables, coordinates, dict(about))
    for name in found.variables:
        words = meaning(str(name))
        if words is not None:
            found[name].attrs["long_name"] = words
    return found


def extra(package: str, method: str) -> ModuleType:
    """Return an optional package, or raise an error that says how to install it.

    >>> extra("no_such_package", "to_dataframe()")
    Traceback (most recent call last):
    ...
    theorycalc.errors.ArgumentError: to_dataframe() needs no_such_package: pip install 'theorycalc[no_such_package]'
    """
    try:
        return importlib.import_module(package)
    except ImportError:
        raise ArgumentError(f"{method} needs {package}: pip install 'theorycalc[{package}]'") from None
