"""Grids as text, a row a point: CSV, and JSON with a row a line."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from itertools import product

from theorycalc.results.base import layout
from theorycalc.results.table import json_row
from theorycalc.sweeps.axes import Axis, Label
from theorycalc.sweeps.evaluation import Evaluated
from theorycalc.sweeps.grid import Grid, GridPiece

REASON = "reason"  # the last column where points may lack a value: why


def columns(grid: Grid) -> list[str]:
    """Return the names of the columns: parameters, quantities and, where a point may have no value, the reason.

    >>> from theorycalc.sweeps.grid import read_grid
    >>> from theorycalc.model.problem import Problem
    >>> grid = read_grid(Problem("relu", ["1"], 1, 1, 1), {"ell": [0, 1]}, ["test_gain"])
    >>> columns(grid)
    ['ell', 'test_gain']
    """
    return [*(axis.name for axis in grid.axes), *grid.quantities, *([REASON] if grid.has_gaps else [])]


def csv_head(grid: Grid) -> Iterator[bytes]:
    """Yield the line of names."""
    yield (",".join(columns(grid)) + "\n").encode()


def csv_rows(grid: Grid, piece: GridPiece, found: Evaluated) -> bytes:
    r"""Return the rows of a piece; floats in full, nothing where there is no value.

    >>> import numpy as np
    >>> from theorycalc.sweeps.grid import read_grid
    >>> from theorycalc.model.problem import Problem
    >>> grid = read_grid(Problem("relu", ["1"], 1, 1, 1), {"ell": [0, 1]}, ["test_gain"])
    >>> csv_rows(grid, next(grid.pieces()), Evaluated(np.array([[0.1, 0.2]]), {}))
    b'0,0.1\n1,0.2\n'
    """
    labels = [[_quoted(str(label)) for label in _cut(axis, chosen)] for axis, chosen in _axes(grid, piece)]
    quantities = [list(map(repr, row)) for row in found.values.tolist()]
    for i in found.reasons:
        for row in quantities:
            row[i] = ""
    parts: list[Iterable[str]] = [map(",".join, product(*labels)), *quantities]
    if grid.has_gaps:
        parts.append([_quoted(found.reasons.get(i, "")) for i in range(found.values.shape[1])])
    return ("\n".join(map(",".join, zip(*parts, strict=True))) + "\n").encode()


def about(grid: Grid) -> dict[str, object]:
    """Return a sweep in the layout of all results, without its rows yet.

    >>> from theorycalc.sweeps.grid import read_grid
    >>> from theorycalc.model.problem import Problem
    >>> about(read_grid(Problem("relu", ["1"], 1, 1, 1), {"ell": [0, 1]}, ["test_gain"]))["columns"]
    ['ell', 'test_gain']
    """
    return layout("sweep", grid.fixed, [], guarantee=grid.guarantee, columns=columns(grid))


def json_head(grid: Grid) -> Iterator[bytes]:
    """Yield what the rows are of, and the beginning of their list."""
    yield (json.dumps(about(grid), allow_nan=False, ensure_ascii=False)[: -len("]}")] + "\n").encode()


def json_rows(grid: Grid, piece: GridPiece, found: Evaluated) -> bytes:
    """Return the rows of a piece, each an object on a line; null where there is no value, infinity as text."""
    lines = (json.dumps(json_row(row), allow_nan=False, ensure_ascii=False) for row in rows(grid, piece, found))
    return ((",\n" if piece.start else "") + ",\n".join(lines)).encode()


JSON_TAIL = b"\n]}\n"


def rows(grid: Grid, piece: GridPiece, found: Evaluated) -> Iterator[dict[str, object]]:
    """Yield the rows of a piece: numbers and texts, and None where there is no value."""
    names = columns(grid)
    labels = [_cut(axis, chosen) for axis, chosen in _axes(grid, piece)]
    values = zip(*found.values.tolist(), strict=True)
    for i, (place, numbers) in enumerate(zip(product(*labels), values, strict=True)):
        reason = found.reasons.get(i)
        values_here = [None] * len(numbers) if reason else numbers
        yield dict(zip(names, [*place, *values_here, *([reason] if grid.has_gaps else [])], strict=True))


def _axes(grid: Grid, piece: GridPiece) -> Iterator[tuple[Axis, range]]:
    return zip(grid.axes, piece.ranges, strict=True)


def _cut(axis: Axis, chosen: range) -> list[Label]:
    return [axis.label(i) for i in chosen]


def _quoted(text: str) -> str:
    """Return one field as CSV writes it."""
    if not any(sign in text for sign in ',"\n\r'):
        return text
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow([text])
    return line.getvalue()
