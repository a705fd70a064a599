"""Labels ±1 of several directions, cut into lines along û, on each of which the label changes sign at a few places.

See docs/theory/error_rate.md#several-directions.

With t = uû + t_⊥ a line is given by t_⊥, whose coordinates are standard normal and independent of u and h.  For two
directions t_⊥ has panels between the places where lines gain or lose a change of sign, graded towards these; for more
it runs over an additive recurrence, whose first half says how good it is.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from scipy.special import ndtri

from theorycalc.functions.directions import Plane
from theorycalc.model.seen_part import frame
from theorycalc.model.several import MultiTeacher
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.multi_index import gathered

_END = 9.0  # standard deviations
_ON_LINE = {2: 2881, 3: 721, 4: 721}  # points where changes of sign are sought
_PARALLEL = 1e-12  # determinant of two normals
_COARSE = 721  # points of a line whose number of changes is compared with others
_HALVINGS = 46
_SCANNED = 2001  # lines of two directions
_PANEL, _ORDER = 0.75, 16
_GRADES = 30  # panels towards a place where lines change
_LINES = 8192  # of three or four directions
_AT_ONCE = 200_000  # pairs of lines and h
_SPACING = 0.03  # of u, for the limit


class SignLabels(NamedTuple):
    """A teacher ±1: the places where its sign changes, the signs between them, and the mean."""

    places: tuple[float, ...]
    signs: tuple[float, ...]  # between −1 and 1 averaged over directions other than û
    offset: float  # the mean of the fit's labels, which is added to the fit of labels without it


class Sections(NamedTuple):
    """Lines along û: their t_⊥ and weights, and the places where their labels change, padded with ∞."""

    across: Array  # over (line, coordinate)
    weights: Array
    places: Array  # over (place, line), rising
    signs: Array  # over (interval, line)
    offset: float = 0.0  # that of the labels

    def in_parts(self, points: int) -> Iterator[tuple[SignLabels, Array, Array]]:
        """Yield labels, t_⊥ and weights for a few lines at a time, as columns, for a number of points."""
        step = max(1, _AT_ONCE // points)
        for start in range(0, len(self.weights), step):
            at = slice(start, start + step)
            places, signs = (tuple(part[:, at, None]) for part in (self.places, self.signs))
            yield SignLabels(places, signs, self.offset), self.across[at], self.weights[at]

    @property
    def is_sampled(self) -> bool:
        """True for three or four directions, for which the lines are a sample."""
        return bool(self.across.shape[1] > 1)

    def half(self) -> Sections:
        """Return the first half of the lines."""
        count = len(self.weights) // 2
        weights = self.weights[:count] / self.weights[:count].sum()
        return Sections(self.across[:count], weights, self.places[:, :count], self.signs[:, :count], self.offset)

    def seen(self) -> SignLabels:
        """Return the labels averaged over lines, E[y | u]: the places merged, with signs between −1 and 1."""
        jumps = np.diff(self.signs, axis=0) * self.weights
        inside = np.isfinite(self.places)
        places, measures = gathered(self.places[inside], jumps[inside][None], _SPACING)
        signs = float(self.weights @ self.signs[0]) + np.concatenate([[0.0], np.cumsum(measures[0])])
        return SignLabels(tuple(places.tolist()), tuple(signs.tolist()), self.offset)


SomeSigns: TypeAlias = SignLabels | Sections


@functools.lru_cache(maxsize=16)
def sections_of(teacher: MultiTeacher) -> Sections:
    """Return the lines for a teacher ±1 of several directions.

    >>> from theorycalc.model.teacher import Teacher
    >>> found = sections_of(Teacher.from_text("sign(t1)*sign(1 + t2)"))
    >>> bool(abs(found.places[0, -1]) < 1e-12), found.signs[:, -1].tolist()
    (True, [-1.0, 1.0])
    """
    turn = frame([float(part) for part in teacher.seen])
    values, mean = teacher.centered_values(), float(teacher.mean)

    def positive(u: Array, across: Array) -> Array:
        shape = np.broadcast_shapes(u.shape, across.shape[:-1])
        parts = np.broadcast_to(u, shape)[..., None], np.broadcast_to(across, (*shape, across.shape[-1]))
        points = np.concatenate(parts, axis=-1) @ turn.T
        return values(points.reshape(-1, len(turn))).reshape(shape) + mean > 0

    if teacher.directions == 2:
        across, weights = _graded(positive, _crossings(teacher.planes) @ turn[:, 1])
    else:
        across, weights = _recurrence(teacher.directions - 1)
    return Sections(across, weights, *_changes(positive, across, _ON_LINE[teacher.directions]))


def _changes(positive: Callable[[Array, Array], Array], across: Array, points: int) -> tuple[Array, Array]:
    """Return the places on every line where the label changes, and the labels between them."""
    grid = np.linspace(-_END, _END, points)
    found = positive(grid, across[:, None, :])
    line, cell = np.nonzero(found[:, 1:] != found[:, :-1])
    low, high, before = grid[cell], grid[cell + 1], found[line, cell]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        same = positive(middle, across[line]) == before
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    most = int(np.bincount(line, minlength=1).max()) if len(line) else 0
    places = np.full((max(most, 1), len(across)), np.inf)
    starts = np.searchsorted(line, np.arange(len(across)))
    places[np.arange(len(line)) - starts[line], line] = (low + high) / 2
    first = np.where(found[:, 0], 1.0, -1.0)
    return places, first * (-1.0) ** np.arange(len(places) + 1)[:, None]


def _crossings(planes: Sequence[Plane]) -> Array:
    """Return the points where two lines cross at which labels of two directions change."""
    pairs = [[a, b] for a, b in itertools.combinations(planes, 2)]
    normals = np.array([[plane.normal for plane in pair] for pair in pairs]).reshape(-1, 2, 2)
    offsets = np.array([[plane.offset for plane in pair] for pair in pairs]).reshape(-1, 2)
    apart = np.abs(np.linalg.det(normals)) > _PARALLEL
    return np.linalg.solve(normals[apart], -offsets[apart][..., None])[..., 0]


def _graded(positive: Callable[[Array, Array], Array], crossings: Array) -> tuple[Array, Array]:
    """Return nodes of t_⊥ for two directions, on panels between places where lines gain, lose or swap changes."""
    grid = np.linspace(-_END, _END, _COARSE)

    def kind(t: Array) -> Array:
        found = positive(grid, t[:, None, None])
        return np.sum(found[:, 1:] != found[:, :-1], axis=1) * 2 + found[:, 0]

    scan = np.linspace(-_END, _END, _SCANNED)
    seen = kind(scan)
    cell = np.flatnonzero(seen[1:] != seen[:-1])
    low, high, before = scan[cell], scan[cell + 1], seen[cell]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        same = kind(middle) == before if len(middle) else np.zeros(0, dtype=bool)
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    steps = 2.0 ** -np.arange(_GRADES)
    turns = np.concatenate([low, crossings])
    near = (turns[:, None] + np.concatenate([-steps, [0.0], steps])).ravel()
    edges = np.concatenate([np.arange(-_END, _END + _PANEL / 2, _PANEL), near[np.abs(near) < _END]])
    edges = np.unique(edges)
    x, w = np.polynomial.legendre.leggauss(_ORDER)
    half = np.diff(edges)[:, None] / 2
    t = (edges[:-1, None] + half * (1 + x)).ravel()
    weights = (half * w).ravel() * np.exp(-(t**2) / 2) / math.sqrt(2 * math.pi)
    return t[:, None], weights / weights.sum()


def _recurrence(count: int) -> tuple[Array, Array]:
    """Return points of an additive recurrence with steps that are powers of the root of x^(count + 1) = x + 1."""
    root = 2.0
    for _ in range(_HALVINGS):
        root = (1 + root) ** (1 / (count + 1))
    steps = root ** -np.arange(1.0, count + 1)
    unit = (0.5 + np.arange(1, _LINES + 1)[:, None] * steps) % 1
    return np.asarray(ndtri(unit)), np.full(_LINES, 1 / _LINES)
