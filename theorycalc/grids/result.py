"""What a sweep gives: the grid with its values, in memory or in a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.grids import text
from theorycalc.grids.evaluation import Found
from theorycalc.grids.grid import Grid, Piece
from theorycalc.simulation.files import file_path, write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHOWN = 3  # values of an axis at either end


def _title(grid: Grid) -> str:
    shape = " × ".join(map(str, grid.shape))
    points = "1 point" if grid.size == 1 else f"{grid.size} points"
    return f"{shape} = {points}" if len(grid.shape) > 1 else points


def _lines(grid: Grid) -> list[str]:
    return [f"  {axis.name}: {_some([axis.label(i) for i in _ends(len(axis))], len(axis))}" for axis in grid.axes]


def _ends(length: int) -> list[int]:
    return list(range(length)) if length <= 2 * _SHOWN else [*range(_SHOWN), *range(length - _SHOWN, length)]


def _some(labels: list[Any], length: int) -> str:
    words = list(map(str, labels))
    if length > len(words):
        words.insert(_SHOWN, "…")
        words.append(f"({length} values)")
    return ", ".join(words).replace(", (", " (")


@dataclass(frozen=True, repr=False, eq=False)
class Sweep:
    """A grid of predictions in memory: ``sweep["test_gain"]`` is an array with one dimension an axis.

    Where a point has no value the array is masked, and ``reasons`` says why, by the number of the row.
    """

    grid: Grid
    values: np.ndarray[Any, Any]  # one line a quantity, the points of the grid in order
    reasons: dict[int, str]
    done: int  # points; fewer than all after an interruption

    @property
    def complete(self) -> bool:
        """Whether every point was computed."""
        return self.done == self.grid.size

    @property
    def axes(self) -> dict[str, Any]:
        """The values of every axis, as they are written."""
        return {axis.name: axis.labels for axis in self.grid.axes}

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.grid.shape

    def __getitem__(self, quantity: str) -> np.ndarray[Any, Any]:
        if quantity not in self.grid.quantities:
            raise ArgumentError(f"{quantity!r} is not in this sweep, which has {', '.join(self.grid.quantities)}")
        if not self.complete:
            raise DomainError(f"only {self.done} of {self.grid.size} points are done; .rows() has them")
        flat: np.ndarray[Any, Any] = self.values[self.grid.quantities.index(quantity)]
        if self.reasons:
            mask = np.zeros(flat.shape, dtype=bool)
            mask[list(self.reasons)] = True
            flat = np.ma.MaskedArray(flat, mask)
        return flat.reshape(self.shape)

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a dictionary a point: its parameters, its quantities and, where it may have none, the reason."""
        for piece, found in self._pieces():
            yield from text.rows(self.grid, piece, found)

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the rows as CSV to a file, wholly or not at all; without a path return the text."""
        parts = [b"".join(text.csv_head(self.grid))]
        parts += [text.csv_rows(self.grid, piece, found) for piece, found in self._pieces()]
        whole = b"".join(parts).decode()
        if path is None:
            return whole
        write_atomically(file_path(path, "path"), whole)
        return None

    def to_dict(self) -> dict[str, Any]:
        """Return the sweep as plain data for JSON: what it is of, and a row a point."""
        from theorycalc._version import __version__

        about = {"theorycalc": __version__, "inputs": self.grid.fixed, "columns": text.columns(self.grid)}
        return about | {"rows": list(self.rows())}

    def plot(
        self, ax: Any = None, *, quantity: str | None = None, at: Mapping[str, Any] | None = None, **style: Any
    ) -> Figure:
        """Draw a quantity as curves over one axis, or as a heat map over two; return the matplotlib figure.

        ``quantity`` is by default the test gain; ``at`` says where other axes stay, such as ``{"ell": 2}``.  ``ax`` is
        an Axes to draw into; ``style`` are properties of the curves, or of the heat map, such as ``cmap``.
        """
        from theorycalc.plots.sweeps import sweep_figure

        return sweep_figure(self, quantity, at, ax, **style)

    def to_dataset(self) -> Any:
        """Return the sweep as an ``xarray.Dataset``, missing values as xarray has them."""
        try:
            import xarray
        except ImportError:
            raise ArgumentError("to_dataset() needs xarray: pip install 'theorycalc[xarray]'") from None
        names = [axis.name for axis in self.grid.axes]
        data = {name: (names, np.ma.filled(self[name], np.nan)) for name in self.grid.quantities}
        return xarray.Dataset(data, {name: np.asarray(labels) for name, labels in self.axes.items()})

    def _pieces(self) -> Iterator[tuple[Piece, Found]]:
        for piece in self.grid.pieces():
            if piece.stop <= self.done:
                reasons = {i - piece.start: why for i, why in self.reasons.items() if piece.start <= i < piece.stop}
                yield piece, Found(self.values[:, piece.start : piece.stop], reasons)

    def __repr__(self) -> str:
        missing = f", {len(self.reasons)} without a value" if self.reasons else ""
        done = "" if self.complete else f", {self.done} of them done"
        lines = [f"Sweep of {_title(self.grid)}{done}{missing}", *_lines(self.grid)]
        return "\n".join([*lines, f"  → {', '.join(self.grid.quantities)}"])


@dataclass(frozen=True, repr=False, eq=False)
class SweepFile:
    """A complete sweep in a file."""

    path: Path
    grid: Grid
    missing: int  # points without a value
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        missing = f", {self.missing} without a value" if self.missing else ""
        lines = [f"Sweep of {_title(self.grid)}{missing}, in {self.path}", *_lines(self.grid)]
        lines.append(f"  → {', '.join(self.grid.quantities)}")
        return "\n".join([*lines, *(f"  note  {note}" for note in self.notes)])
