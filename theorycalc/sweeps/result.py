"""The result of a sweep: the grid and its values, in memory or in a file."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.model.figures import draw
from theorycalc.numbers.exact import Floats
from theorycalc.results.base import Result
from theorycalc.results.quantities import meaning, shown
from theorycalc.results.table import Columns, Row, Table, grid_dataset, lines_table
from theorycalc.running.files import file_path, write_atomically
from theorycalc.sweeps.axes import Axis
from theorycalc.sweeps.evaluation import Evaluated
from theorycalc.sweeps.finished import read_values
from theorycalc.sweeps.formats import REASON, columns, csv_rows, rows
from theorycalc.sweeps.grid import Grid, GridPiece

if TYPE_CHECKING:
    import xarray as xr
    from matplotlib.figure import Figure

_SHOWN = 3  # values of an axis at either end


def _title(grid: Grid) -> str:
    """Return the number of points of a sweep, and its theory."""
    shape = " × ".join(map(str, grid.shape))
    points = "1 point" if grid.size == 1 else f"{grid.size} points"
    varying = {axis.name for axis in grid.axes}
    if grid.finite:
        which = "finite steps" if "gradient" in varying else "finite steps of the literal network"
    else:
        which = "limits n → ∞" if "network" in varying else "the theorem's limits n → ∞"
    return f"Sweep of {f'{shape} = {points}' if len(grid.shape) > 1 else points}: {which}"


def _axis_lines(grid: Grid) -> list[tuple[str, str, str]]:
    """Return the name, values and meaning of every axis."""
    return [(axis.name, _some(axis), meaning(axis.name) or "") for axis in grid.axes]


def _some(axis: Axis) -> str:
    """Return the values of an axis, or for a long one those near its ends."""
    length = len(axis)
    ends = range(length) if length <= 2 * _SHOWN else [*range(_SHOWN), *range(length - _SHOWN, length)]
    words = [shown(axis.label(i)) for i in ends]
    if length > len(words):
        words.insert(_SHOWN, "…")
        words[-1] += f" ({length} values)"
    return ", ".join(words)


@dataclass(frozen=True, repr=False, eq=False)
class Sweep(Result):
    """A grid of predictions in memory, as returned by :func:`sweep`.

    ``sweep["test_gain"]`` is an array with one dimension for each axis.  Where a point has no value the array is
    masked, and ``reasons`` says why.

    Parameters
    ----------
    grid : Grid
        The problem, its axes and the names of the quantities.
    values : array
        One line for each quantity, with the points of the grid in order.
    reasons : dict
        Why a point has no value, by the number of its row.
    done : int
        Number of points computed, from 0 to all; fewer than all after an interruption.

    Examples
    --------
    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10")
    >>> found = tc.sweep(problem, {"ell": [1, 2], "noise": [0, "1/2"]}, quantities="test_loss")
    >>> found.shape, [round(row["test_loss"], 4) for row in found.rows]
    ((2, 2), [0.8979, 1.2563, 0.7504, 1.1278])
    """

    kind: ClassVar[str] = "sweep"
    has_gaps: ClassVar[bool] = True

    grid: Grid
    values: Floats
    reasons: dict[int, str]
    done: int

    @property
    def complete(self) -> bool:
        """True if every point was computed."""
        return self.done == self.grid.size

    @property
    def axes(self) -> dict[str, Sequence[object] | Floats]:
        """The values of every axis, as written."""
        return {axis.name: axis.labels for axis in self.grid.axes}

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self.grid.shape

    def __getitem__(self, quantity: str) -> Floats:
        if quantity not in self.grid.quantities:
            known = ", ".join(self.grid.quantities)
            raise ArgumentError(f"{quantity!r} is not in this sweep, which has {known}", argument="quantity")
        if not self.complete:
            raise DomainError(f"only {self.done} of {self.grid.size} points are done; .rows has them")
        flat: Floats = self.values[self.grid.quantities.index(quantity)]
        if self.reasons:
            mask = np.zeros(flat.shape, dtype=bool)
            mask[list(self.reasons)] = True
            flat = np.ma.MaskedArray(flat, mask)
        return flat.reshape(self.shape)

    @property
    def guarantee(self) -> str:
        """The arithmetic guarantee: "rounded" (float64) or "estimated" (c_k are estimates)."""
        return self.grid.guarantee

    @property
    def rows(self) -> tuple[Row, ...]:
        """One dictionary for each point: parameters, quantities and, if points may lack a value, the reason."""
        return tuple(row for piece, found in self._pieces() for row in rows(self.grid, piece, found))

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """Write the rows to a CSV file, completely or not at all.

        Parameters
        ----------
        path : str or path, optional
            The file.  Default: none, and the text is returned.

        Returns
        -------
        str or None
            The text, if there is no path.
        """
        parts = (csv_rows(self.grid, piece, found) for piece, found in self._pieces())
        text = "\n".join([",".join(columns(self.grid)), "".join(parts)])
        if path is None:
            return text
        write_atomically(file_path(path, "path"), text, "path")
        return None

    def _inputs(self) -> Row:
        return self.grid.fixed

    def _details(self) -> Row:
        return {"columns": columns(self.grid)}

    def plot(
        self, ax: object = None, *, quantity: str | None = None, at: Mapping[str, object] | None = None, **style: object
    ) -> Figure:
        """Draw a quantity as curves over one axis, or as a heat map over two.

        Parameters
        ----------
        ax : matplotlib Axes, or one for each panel, optional
            Axes to draw into.  Default: those of a new figure.
        quantity : str, optional
            The quantity.  Default: ``test_gain``, ``test_loss`` or the first that the sweep has.
        at : dict, optional
            Values at which other axes stay, such as ``{"ell": 2}``.
        style : optional
            Properties of the curves, or of the heat map, such as ``cmap``.
        """
        return draw(self, ax=ax, quantity=quantity, at=at, **style)

    def _dataset(self) -> xr.Dataset:  # over the axes, missing values as NaN
        filled = {name: np.ma.filled(self[name], np.nan) for name in self.grid.quantities}
        return grid_dataset(self.axes, filled, self._about())

    def _columns(self) -> Columns:
        places = np.unravel_index(np.arange(self.done), self.shape)
        axes = zip(self.axes.items(), places, strict=True)
        found: dict[str, Sequence[object] | Floats] = {name: np.asarray(labels)[at] for (name, labels), at in axes}
        found |= dict(zip(self.grid.quantities, self.values[:, : self.done], strict=True))
        if self.grid.has_gaps:
            found[REASON] = [self.reasons.get(i) for i in range(self.done)]
        return found

    def _pieces(self) -> Iterator[tuple[GridPiece, Evaluated]]:
        for piece in self.grid.pieces():
            if piece.stop <= self.done:
                reasons = {i - piece.start: why for i, why in self.reasons.items() if piece.start <= i < piece.stop}
                yield piece, Evaluated(self.values[:, piece.start : piece.stop], reasons)

    def _table(self, full: bool) -> Table:
        missing = f", {len(self.reasons)} without a value" if self.reasons else ""
        done = "" if self.complete else f", {self.done} of them done"
        found = np.delete(self.values[:, : self.done], list(self.reasons), axis=1)
        lines = [
            (name, f"{shown(row.min(), full)} … {shown(row.max(), full)}" if row.size else "–", meaning(name) or "")
            for name, row in zip(self.grid.quantities, found, strict=True)
        ]
        return lines_table(f"{_title(self.grid)}{done}{missing}", [*_axis_lines(self.grid), *lines], full)


@dataclass(frozen=True, repr=False, eq=False)
class SweepFile(Result):
    """A complete sweep in a file; rows, frames and figures read it into memory, up to ten million points."""

    kind: ClassVar[str] = "sweep"

    path: Path
    grid: Grid
    missing: int  # points without a value
    notes: tuple[str, ...]

    def load(self) -> Sweep:
        """Return the sweep with its values read into memory."""
        found = read_values(self.path, self.grid)
        return Sweep(self.grid, found.values, found.reasons, self.grid.size)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The rows of :attr:`Sweep.rows`, as read from the file."""
        return self.load().rows

    def to_dict(self) -> dict[str, object]:
        """Return the sweep as plain data for JSON, read from the file."""
        return self.load().to_dict()

    def _dataset(self) -> xr.Dataset:
        return self.load()._dataset()

    def _columns(self) -> Columns:
        return self.load()._columns()

    def plot(self, ax: object = None, **options: Any) -> Figure:  # Any: as Result.plot()
        """Draw a quantity from the file, as :meth:`Sweep.plot` does."""
        return self.load().plot(ax, **options)

    def _table(self, full: bool) -> Table:
        missing = f", {self.missing} without a value" if self.missing else ""
        lines = [(name, "", meaning(name) or "") for name in self.grid.quantities]
        title = f"{_title(self.grid)}{missing}, in {self.path}"
        return lines_table(title, [*_axis_lines(self.grid), *lines], full, notes=self.notes)
