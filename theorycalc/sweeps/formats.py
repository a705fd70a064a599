"""The file formats of a grid: CSV, JSON and NetCDF, written piece by piece and read back.

A format says which bytes belong where; :mod:`theorycalc.sweeps.writing` writes them.  Text grows at its end.  NetCDF is
the classic format with 64-bit offsets: a header, the axes, and every quantity as one array of big-endian float64 in
the order of the grid, so that each piece has its place from the start and nothing waits in memory.  Points that are not
computed yet, or have no value, hold the fill value NaN.  docs/decisions/0010-files.md says why it is written here;
https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html defines it.
"""

from __future__ import annotations

import csv
import io
import json
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, product
from pathlib import Path
from typing import TypeAlias

import numpy as np

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError, spelled
from theorycalc.results.layout import layout
from theorycalc.results.quantities import meaning
from theorycalc.results.table import json_row
from theorycalc.sweeps.axes import Axis
from theorycalc.sweeps.evaluation import Evaluated
from theorycalc.sweeps.grid import Grid, GridPiece

#: Offsets in a file, and the bytes that stand there.
Places: TypeAlias = Iterable[tuple[int, bytes]]

MOST_AS_TEXT = 10**7  # points, also of results in memory
REASON = "reason"  # the last column where points may lack a value
_DIMENSION, _VARIABLE, _ATTRIBUTE, _CHAR, _DOUBLE = 10, 11, 12, 2, 6  # tags of NetCDF
_LARGEST_VARIABLE = 2**32 - 4  # bytes, in this version of NetCDF
_FILL_AT_ONCE = 1 << 20  # points
_NOTE = 1024  # bytes reserved for the note on the first point without a value


class Format:
    """The bytes of a grid and their places in a file: here a text format of a head, a line for each point, and a tail.

    ``length`` is that of the whole file where it is known from the start.
    """

    length: int | None = None

    def __init__(self, grid: Grid, head: str, lines: Callable[[Grid, GridPiece, Evaluated], str], tail: str) -> None:
        """Keep the head, the function that writes a piece's lines, and the tail."""
        self._grid, self._head, self._lines, self._tail = grid, head, lines, tail

    def blank(self) -> Places:
        """Return the bytes to be overwritten later."""
        return ()

    def head(self) -> Places:
        """Return the bytes that do not depend on any value."""
        return [(0, self._head.encode())]

    def piece(self, piece: GridPiece, found: Evaluated, end: int, missing: int) -> Places:
        """Return a piece for a file that ends at ``end`` and has ``missing`` points without a value so far."""
        return [(end, self._lines(self._grid, piece, found).encode())]

    def tail(self, end: int, missing: int) -> Places:
        """Return the bytes that complete the file."""
        return [(end, self._tail.encode())]


def format_of(grid: Grid, path: Path) -> Format:
    """Return the format for the ending of a file name; refuse unknown endings."""
    ending = path.suffix.lower()
    if ending == ".nc":
        return NetCDF(grid)
    if ending not in (".csv", ".json"):
        reason = f"{spelled('output', str(path))} must end in .csv, .json or .nc (NetCDF)"
        raise ArgumentError(reason, argument="output")
    if grid.size > MOST_AS_TEXT:
        reason = f"the grid has {grid.size} points, and text is written up to {MOST_AS_TEXT}"
        raise ArgumentError(f"{reason}; end the name in .nc: {str(path.with_suffix('.nc'))!r}", argument="output")
    names = columns(grid)
    if ending == ".csv":
        return Format(grid, ",".join(names) + "\n", csv_rows, "")
    about = layout("sweep", grid.fixed, [], guarantee=grid.guarantee, columns=names)  # of all results; a line for a row
    return Format(grid, _json_line(about)[: -len("]}")] + "\n", _json_rows, "\n]}\n")


def columns(grid: Grid) -> list[str]:
    """Return the column names: parameters, quantities and, if points may lack a value, the reason.

    >>> from theorycalc.sweeps.grid import read_grid
    >>> from theorycalc.model.problem import Problem
    >>> columns(read_grid(Problem("relu", ["1"], 1, 1, 1), {"ell": [0, 1]}, ["test_gain"]))
    ['ell', 'test_gain']
    """
    return [*(axis.name for axis in grid.axes), *grid.quantities, *([REASON] if grid.has_gaps else [])]


def rows(grid: Grid, piece: GridPiece, found: Evaluated) -> Iterator[dict[str, object]]:
    """Yield the rows of a piece by column: numbers and texts, and None where there is no value."""
    names = columns(grid)
    labels = [[axis.label(i) for i in chosen] for axis, chosen in zip(grid.axes, piece.ranges, strict=True)]
    nothing, gaps = (None,) * len(grid.quantities), grid.has_gaps
    for i, (place, numbers) in enumerate(zip(product(*labels), zip(*found.values.tolist(), strict=True), strict=True)):
        reason = found.reasons.get(i)
        row = (*place, *(nothing if reason else numbers), *((reason,) if gaps else ()))
        yield dict(zip(names, row, strict=True))


def csv_rows(grid: Grid, piece: GridPiece, found: Evaluated) -> str:
    r"""Return the rows of a piece, with all digits of floats and empty fields for missing values.

    Whole columns are joined, which is twice as fast as rows through :func:`csv.writer`.

    >>> from theorycalc.sweeps.grid import read_grid
    >>> from theorycalc.model.problem import Problem
    >>> grid = read_grid(Problem("relu", ["1"], 1, 1, 1), {"ell": [0, 1]}, ["test_gain"])
    >>> csv_rows(grid, next(grid.pieces()), Evaluated(np.array([[0.1, 0.2]]), {}))
    '0,0.1\n1,0.2\n'
    """
    labels = [[_field(axis.label(i)) for i in chosen] for axis, chosen in zip(grid.axes, piece.ranges, strict=True)]
    quantities = [list(map(repr, row)) for row in found.values.tolist()]
    for i in found.reasons:
        for row in quantities:
            row[i] = ""
    parts: list[Iterable[str]] = [map(",".join, product(*labels)), *quantities]
    if grid.has_gaps:
        parts.append([_field(found.reasons.get(i, "")) for i in range(found.values.shape[1])])
    return "\n".join(map(",".join, zip(*parts, strict=True))) + "\n"


def _field(value: object) -> str:
    """Return one CSV field: numbers with all their digits, and text in quotes if it needs them."""
    if not isinstance(value, str) or not any(sign in value for sign in ',"\n\r'):
        return str(value)
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([value])
    return line.getvalue()


def _json_rows(grid: Grid, piece: GridPiece, found: Evaluated) -> str:
    """Return the rows of a piece, one on each line, with infinity as text."""
    lines = (_json_line(json_row(row)) for row in rows(grid, piece, found))
    return (",\n" if piece.start else "") + ",\n".join(lines)


def _json_line(data: object) -> str:
    return json.dumps(data, allow_nan=False, ensure_ascii=False)


class NetCDF(Format):
    r"""NetCDF: the header with the axes, and the offset of every quantity.

    >>> from theorycalc.sweeps.grid import read_grid
    >>> from theorycalc.model.problem import Problem
    >>> file = NetCDF(read_grid(Problem("relu", ["1"], 1, 1, 1), {"ell": [0, 1]}, ["test_gain"]))
    >>> file.header[:4], file.begins[0] - len(file.header), file.length - file.begins[0]  # two values of 8 bytes
    (b'CDF\x02', 0, 16)
    """

    def __init__(self, grid: Grid) -> None:
        """Lay out a grid's file; refuse a grid too large for the format."""
        if grid.size * 8 > _LARGEST_VARIABLE:
            reason = f"the grid has {grid.size} points, and NetCDF holds {_LARGEST_VARIABLE // 8} of a quantity"
            raise ArgumentError(f"{reason}; sweep parts of it into several files", argument="over")
        self._grid = grid
        dimensions = [(axis.name, len(axis)) for axis in grid.axes]
        variables: list[tuple[str, tuple[int, ...], int]] = []  # name, dimensions, bytes
        for i, axis in enumerate(grid.axes):
            if width := _width(axis):
                dimensions.append((f"{axis.name}_length", width))
            shape = (i, len(dimensions) - 1) if width else (i,)
            variables.append((axis.name, shape, len(axis) * (width or 8)))
        variables += [(name, tuple(range(len(grid.axes))), grid.size * 8) for name in grid.quantities]
        about = [("theorycalc", __version__), ("problem", _json_line(grid.fixed))]
        if grid.has_gaps:  # first, so that its blanks are the first so many in the header
            about.insert(0, ("missing", " " * _NOTE))
        start = len(_header(grid, dimensions, about, variables, [0] * len(variables)))
        *begins, self.length = accumulate((size for *_, size in variables), initial=start)
        header = _header(grid, dimensions, about, variables, begins)
        self.header = header + b"".join(map(_coordinate, grid.axes))
        self.begins = begins[len(grid.axes) :]
        self._note = header.find(b" " * _NOTE) if grid.has_gaps else None

    def blank(self) -> Places:
        """Return an empty note on missing values, with NaN for every value."""
        yield from self._no_note()
        end, left = self.begins[0], self._grid.size * len(self.begins)
        fill = np.full(min(left, _FILL_AT_ONCE), np.nan, dtype=">f8").tobytes()
        while left > 0:
            yield end, fill[: left * 8]
            end += len(fill)
            left -= _FILL_AT_ONCE

    def head(self) -> Places:
        """Return the header with the axes, without the note on missing values."""
        if self._note is None:
            return [(0, self.header)]
        after = self._note + _NOTE
        return [(0, self.header[: self._note]), (after, self.header[after:])]

    def piece(self, piece: GridPiece, found: Evaluated, end: int, missing: int) -> Places:
        """Return the values of a piece and, once the first value is missing, the note about it."""
        for begin, row in zip(self.begins, found.values, strict=True):
            yield begin + piece.start * 8, row.astype(">f8").tobytes()
        if found.reasons and not missing and self._note is not None:
            index = min(found.reasons)
            where = self._grid.cell(piece.start + index)
            note = f"the first point without a value: {where}: {found.reasons[index]}".encode()
            yield self._note, note[:_NOTE].decode(errors="ignore").encode().ljust(_NOTE)

    def tail(self, end: int, missing: int) -> Places:
        """Return the empty note where no value is missing: blanks have no checksum, so they are written again."""
        return () if missing else self._no_note()

    def _no_note(self) -> Places:
        return [] if self._note is None else [(self._note, b" " * _NOTE)]


def _width(axis: Axis) -> int:
    """Return the longest label's length in bytes, rounded up to a multiple of four, or 0 for an axis of numbers."""
    return -(-max(len(str(label).encode()) for label in axis.labels) // 4) * 4 if axis.is_text else 0


def _coordinate(axis: Axis) -> bytes:
    if not axis.is_text:
        return np.asarray(axis.labels, dtype=">f8").tobytes()
    return b"".join(str(label).encode().ljust(_width(axis), b"\0") for label in axis.labels)


def _header(
    grid: Grid,
    dimensions: Sequence[tuple[str, int]],
    about: Sequence[tuple[str, str]],
    variables: Sequence[tuple[str, tuple[int, ...], int]],
    begins: Sequence[int],
) -> bytes:
    parts = [b"CDF\x02", struct.pack(">iii", 0, _DIMENSION, len(dimensions))]
    parts += [_text(name) + struct.pack(">i", length) for name, length in dimensions]
    parts += [_attributes(about), struct.pack(">ii", _VARIABLE, len(variables))]
    texts = {axis.name for axis in grid.axes if axis.is_text}
    for (name, shape, size), begin in zip(variables, begins, strict=True):
        words = meaning(name)
        attributes: list[tuple[str, str | float]] = [] if words is None else [("long_name", words)]
        if name in texts:
            attributes.append(("_Encoding", "utf-8"))
        if name in grid.quantities:
            attributes.append(("_FillValue", float("nan")))
        parts += [_text(name), struct.pack(f">{len(shape) + 1}i", len(shape), *shape), _attributes(attributes)]
        parts.append(struct.pack(">iIq", _CHAR if name in texts else _DOUBLE, size, begin))
    return b"".join(parts)


def _text(text: str) -> bytes:
    """Return text preceded by its length and padded to a multiple of four bytes."""
    encoded = text.encode()
    return struct.pack(">i", len(encoded)) + encoded + bytes(-len(encoded) % 4)


def _attributes(items: Sequence[tuple[str, str | float]]) -> bytes:
    parts = [struct.pack(">ii", _ATTRIBUTE if items else 0, len(items))]
    for name, value in items:
        content = (
            struct.pack(">i", _CHAR) + _text(value)
            if isinstance(value, str)
            else struct.pack(">iid", _DOUBLE, 1, value)
        )
        parts += [_text(name), content]
    return b"".join(parts)
