"""A grid: a problem, the axes along which it varies and the quantities to compute; and its pieces in order."""

from __future__ import annotations

import functools
import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, spelled, suggestion
from theorycalc.model.activation import Activation
from theorycalc.model.problem import Problem
from theorycalc.model.teacher import Teacher
from theorycalc.results.quantities import CLEAN, COMPARED, RATES
from theorycalc.sweeps.axes import Axis, read_axes
from theorycalc.theory.limits import Values

LIMITS = (*Values._fields, *CLEAN, *RATES)
STEPS = (*COMPARED, *CLEAN, *RATES, "error", "converged")
_DEFAULT = ("train_gain", "test_gain", "train_loss", "train_error", "test_loss")
NUMBERS = ("phi", "psi", "ridge", "noise")
_MOST_POINTS = 10**15  # numbers of points stay exact in any file
_LIMITS_AT_ONCE = 1 << 18  # points: some megabytes, and a twentieth of a second
_RATES_AT_ONCE = 1 << 10  # points of limits: ten seconds or so
_STEPS_AT_ONCE = 64  # points: a second or so, with rates some ten


class GridPiece(NamedTuple):
    """Points ``start`` to ``stop`` of a grid in row order: a range of indices along every axis."""

    start: int
    stop: int
    ranges: tuple[range, ...]


@dataclass(frozen=True, eq=False)
class Grid:
    """The outer product of axes around a problem; the last axis varies fastest."""

    problem: Problem
    axes: tuple[Axis, ...]
    quantities: tuple[str, ...]
    finite: bool  # finite steps, not limits

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return tuple(map(len, self.axes))

    @property
    def has_gaps(self) -> bool:
        """True if points may lack a value: finite steps that cannot be computed, or α outside all windows."""
        return self.finite or any(isinstance(v, str) for a in self.axes if a.name == "alpha" for v in a.values)

    @property
    def size(self) -> int:
        """The number of points."""
        return math.prod(self.shape)

    def cell(self, index: int) -> str:
        """Return the name of the point with this number, for example ``ell=2, ridge=0.1``."""
        return self.name(tuple(map(int, np.unravel_index(index, self.shape))))

    def name(self, place: tuple[int | slice, ...]) -> str:
        """Return the name of the points at these indices; a slice means the whole axis, which is left out."""
        named = zip(self.axes, place, strict=True)
        return ", ".join(f"{axis.name}={axis.label(i)}" for axis, i in named if isinstance(i, int))

    @property
    def fixed(self) -> dict[str, object]:
        """The fixed part of the problem, as JSON shows it."""
        varying = {axis.name for axis in self.axes}
        return {name: value for name, value in self.problem.to_dict().items() if name not in varying}

    @property
    def guarantee(self) -> str:
        """The arithmetic guarantee: "rounded" (float64) or "estimated" (coefficients are estimates)."""
        given: dict[str, tuple[object, ...]] = {
            "activation": (self.problem.activation,),
            "teacher": (self.problem.teacher,),
        }
        given |= {axis.name: tuple(axis.values) for axis in self.axes if axis.name in given}
        estimated = any(isinstance(a, Activation) and a.guarantee == "estimated" for a in given["activation"])
        proven = not estimated and all(isinstance(t, Teacher) and t.is_proven for t in given["teacher"])
        return "rounded" if proven else "estimated"

    def to_dict(self) -> dict[str, object]:
        """Return everything that determines the grid's numbers, with a digest for each axis."""
        return {
            "problem": self.fixed,
            "axes": {axis.name: {"length": len(axis), "sha256": _digest(axis)} for axis in self.axes},
            "order": [axis.name for axis in self.axes],
            "quantities": list(self.quantities),
            "points_at_once": self._at_once,
        }

    @functools.cached_property
    def together(self) -> tuple[str, ...]:
        """The axes passed as arrays to a single call of predict(), step() or error_rate()."""
        if self.finite:
            return "alpha", "eta", "ridge"
        return ("ridge",) if set(self.quantities) & set(RATES) else NUMBERS

    def part(self, piece: GridPiece) -> Grid:
        """Return the grid of a piece with only the values it needs: a whole axis may be too long to send."""
        axes = []
        for axis, chosen in zip(self.axes, piece.ranges, strict=True):
            here = slice(chosen.start, chosen.stop)
            labels = axis.labels[here]
            axes.append(Axis(axis.name, labels if axis.name in self.together else axis.values[here], labels))
        return replace(self, axes=tuple(axes))

    def pieces(self) -> Iterator[GridPiece]:
        """Return the grid's pieces, each of bounded size and the same wherever they are computed."""
        return cut(self.shape, self._at_once)

    @property
    def _at_once(self) -> int:
        if self.finite:
            return _STEPS_AT_ONCE
        return _RATES_AT_ONCE if set(self.quantities) & set(RATES) else _LIMITS_AT_ONCE


def read_grid(problem: object, over: object, quantities: object) -> Grid:
    """Return a grid; refuse any name or value that is wrong by itself.

    >>> grid = read_grid(Problem("relu", ["1"], 1, 1, 1), {"ell": [1, 2], "ridge": "0.1:0.3:3"}, ["test_gain"])
    >>> grid.shape, grid.cell(5)
    ((2, 3), 'ell=2, ridge=0.3')
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"sweep() takes a Problem, not {type(problem).__name__}", argument="problem")
    axes, finite = read_axes(over, problem.has_sizes)
    grid = Grid(problem, axes, _quantities(quantities, finite), finite)
    ridges = next((list(map(float, axis.labels)) for axis in axes if axis.name == "ridge"), [float(problem.ridge)])
    if finite and min(ridges) <= 0:
        raise DomainError(f"{spelled('ridge', 0)} is for limits; a finite step needs ridge > 0", argument="ridge")
    if grid.size > _MOST_POINTS:
        reason = f"the grid has {grid.size} points; at most {_MOST_POINTS:.0e} are computed"
        raise ArgumentError(reason, argument="over")
    return grid


def _quantities(given: object, finite: bool) -> tuple[str, ...]:
    if given is None:
        return (*_DEFAULT, "converged") if finite else _DEFAULT
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, (list, tuple)) else ()
    known = STEPS if finite else LIMITS
    for name in names:
        if name not in known:
            hint = suggestion(name, known) if isinstance(name, str) else ""
            raise ArgumentError(f"quantities: {name!r} is not one of {', '.join(known)}{hint}", argument="quantities")
    if not names or len(set(names)) < len(names):
        reason = f"{spelled('quantities', given)} is not a list of different names out of {', '.join(known)}"
        raise ArgumentError(reason, argument="quantities")
    return names


def _digest(axis: Axis) -> str:
    """Return a fingerprint of an axis's values and labels."""
    found = hashlib.sha256()
    for values in (axis.labels, axis.values):
        if isinstance(values, np.ndarray):
            found.update(np.ascontiguousarray(values, dtype="<f8").tobytes())
        else:
            plain = [value.to_dict() if hasattr(value, "to_dict") else str(value) for value in values]
            found.update(json.dumps(plain).encode())
    return found.hexdigest()


def cut(shape: tuple[int, ...], most: int) -> Iterator[GridPiece]:
    """Yield consecutive pieces of a grid, each a box of at most ``most`` points and not far fewer.

    >>> [piece[:2] for piece in cut((2, 5), 3)]
    [(0, 2), (2, 5), (5, 7), (7, 10)]
    """
    split, behind = len(shape) - 1, 1  # the axis that is cut, and the points behind each of its values
    while split > 0 and behind * shape[split] <= most:
        behind *= shape[split]
        split -= 1
    parts = -(-shape[split] // max(1, most // behind))
    ends = [shape[split] * i // parts for i in range(parts + 1)]
    start = 0
    for ahead in product(*map(range, shape[:split])):
        for low, high in pairwise(ends):
            stop = start + (high - low) * behind
            before = tuple(range(i, i + 1) for i in ahead)
            yield GridPiece(start, stop, (*before, range(low, high), *map(range, shape[split + 1 :])))
            start = stop
