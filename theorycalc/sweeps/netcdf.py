"""Grids as NetCDF: the classic format with 64-bit offsets, written here since it is a header and plain arrays.

Every quantity is one array of big-endian float64 in the order of the grid, so that a piece has its place from the
start and nothing waits in memory.  Points not yet computed, and those without a value, hold the fill value NaN.
The format: https://docs.unidata.ucar.edu/netcdf-c/current/file_format_specifications.html
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError
from theorycalc.results.quantities import meaning
from theorycalc.sweeps.axes import Axis
from theorycalc.sweeps.evaluation import Evaluated
from theorycalc.sweeps.grid import Grid, GridPiece

_DIMENSION, _VARIABLE, _ATTRIBUTE, _CHAR, _DOUBLE = 10, 11, 12, 2, 6
_LARGEST_VARIABLE = 2**32 - 4  # bytes, in this format
_FILL_AT_ONCE = 1 << 20  # points
_MISSING_LENGTH = 1024  # bytes reserved for the first point without a value


class _Variable(NamedTuple):
    name: str
    dimensions: tuple[int, ...]
    kind: int
    size: int  # bytes, none of them padding
    is_axis: bool


class Layout(NamedTuple):
    """Where everything is: the header, the offset of every quantity and of the note on missing values."""

    header: bytes
    begins: tuple[int, ...]
    missing: int


def layout(grid: Grid) -> Layout:
    r"""Return the layout of the file of a grid.

    >>> from theorycalc.sweeps.grid import read_grid
    >>> from theorycalc.model.problem import Problem
    >>> grid = read_grid(Problem("relu", ["1"], 1, 1, 1), {"ell": [0, 1]}, ["test_gain"])
    >>> where = layout(grid)
    >>> where.header[:4], where.begins[0] - len(where.header)  # the two ℓ stand between them
    (b'CDF\x02', 16)
    """
    if grid.size * 8 > _LARGEST_VARIABLE:
        raise ArgumentError(
            f"the grid has {grid.size} points, and NetCDF holds {_LARGEST_VARIABLE // 8} of a quantity; "
            "sweep parts of it into several files"
        )
    lengths = [(axis.name, len(axis)) for axis in grid.axes]
    variables = []
    for i, axis in enumerate(grid.axes):
        width = _width(axis)
        if width:
            lengths.append((f"{axis.name}_length", width))
        kind, dimensions = (_CHAR, (i, len(lengths) - 1)) if width else (_DOUBLE, (i,))
        variables.append(_Variable(axis.name, dimensions, kind, len(axis) * (width or 8), True))
    everywhere = tuple(range(len(grid.axes)))
    variables += [_Variable(name, everywhere, _DOUBLE, grid.size * 8, False) for name in grid.quantities]
    about = [("theorycalc", __version__), ("problem", json.dumps(grid.fixed, allow_nan=False, ensure_ascii=False))]
    missing = [("missing", " " * _MISSING_LENGTH)] if grid.has_gaps else []
    about = [*missing, *about]  # the note first, where its blanks are the first blanks of their length
    length = len(_header(lengths, about, variables, [0] * len(variables)))
    begins = []
    end = length
    for variable in variables:
        begins.append(end)
        end += variable.size
    header = _header(lengths, about, variables, begins)
    return Layout(header, tuple(begins[len(grid.axes) :]), header.find(b" " * _MISSING_LENGTH))


def head(grid: Grid, where: Layout) -> Iterator[tuple[int, bytes]]:
    """Yield what stands before the first value, and where: the header, but for the note on missing values, and axes."""
    end = len(where.header)
    if grid.has_gaps:
        yield 0, where.header[: where.missing]
        yield where.missing + _MISSING_LENGTH, where.header[where.missing + _MISSING_LENGTH :]
    else:
        yield 0, where.header
    for axis in grid.axes:
        labels = _coordinate(axis)
        yield end, labels
        end += len(labels)


def blank(grid: Grid, where: Layout) -> Iterator[tuple[int, bytes]]:
    """Yield what is written over later, and where: no note on missing values, and NaN everywhere."""
    yield from no_note(grid, where)
    end, left = where.begins[0], grid.size * len(grid.quantities)
    fill = np.full(min(left, _FILL_AT_ONCE), np.nan, dtype=">f8").tobytes()
    while left > 0:
        yield end, fill[: left * 8]
        end += len(fill)
        left -= _FILL_AT_ONCE


def no_note(grid: Grid, where: Layout) -> Iterator[tuple[int, bytes]]:
    """Yield the note on missing values where there are none."""
    if grid.has_gaps:
        yield where.missing, b" " * _MISSING_LENGTH


def places(grid: Grid, where: Layout, piece: GridPiece, found: Evaluated, first: bool) -> Iterator[tuple[int, bytes]]:
    """Yield the bytes of a piece and where they belong; ``first``: no point before it was without a value."""
    for begin, row in zip(where.begins, found.values, strict=True):
        yield begin + piece.start * 8, row.astype(">f8").tobytes()
    if found.reasons and first:
        index = min(found.reasons)
        note = f"the first point without a value: {grid.cell(piece.start + index)}: {found.reasons[index]}".encode()
        yield where.missing, note[:_MISSING_LENGTH].decode(errors="ignore").encode().ljust(_MISSING_LENGTH)


def _width(axis: Axis) -> int:
    """Return the bytes of the longest label of texts, up to a multiple of four so that none needs padding; else 0."""
    return -(-max(len(str(label).encode()) for label in axis.labels) // 4) * 4 if axis.is_text else 0


def _coordinate(axis: Axis) -> bytes:
    """Return the labels of an axis."""
    if not axis.is_text:
        return np.asarray(axis.labels, dtype=">f8").tobytes()
    return b"".join(str(label).encode().ljust(_width(axis), b"\0") for label in axis.labels)


def _header(
    lengths: Sequence[tuple[str, int]],
    about: Sequence[tuple[str, str]],
    variables: Sequence[_Variable],
    begins: Sequence[int],
) -> bytes:
    parts = [b"CDF\x02", struct.pack(">i", 0), struct.pack(">ii", _DIMENSION, len(lengths))]
    parts += [_name(name) + struct.pack(">i", length) for name, length in lengths]
    parts.append(_attributes(about))
    parts.append(struct.pack(">ii", _VARIABLE, len(variables)))
    for variable, begin in zip(variables, begins, strict=True):
        attributes: list[tuple[str, str | float]] = []
        words = meaning(variable.name)
        if words is not None:
            attributes.append(("long_name", words))
        if variable.kind == _CHAR:
            attributes.append(("_Encoding", "utf-8"))
        if not variable.is_axis:
            attributes.append(("_FillValue", float("nan")))
        dimensions = (len(variable.dimensions), *variable.dimensions)
        parts.append(_name(variable.name) + struct.pack(f">{len(dimensions)}i", *dimensions))
        parts.append(_attributes(attributes) + struct.pack(">iIq", variable.kind, variable.size, begin))
    return b"".join(parts)


def _name(text: str) -> bytes:
    encoded = text.encode()
    return struct.pack(">i", len(encoded)) + _padded(encoded)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def _attributes(items: Sequence[tuple[str, str | float]]) -> bytes:
    if not items:
        return bytes(8)  # pragma: no cover - every axis has attributes
    parts = [struct.pack(">ii", _ATTRIBUTE, len(items))]
    for name, value in items:
        if isinstance(value, str):
            encoded = value.encode()
            parts.append(_name(name) + struct.pack(">ii", _CHAR, len(encoded)) + _padded(encoded))
        else:
            parts.append(_name(name) + struct.pack(">iid", _DOUBLE, 1, value))
    return b"".join(parts)
