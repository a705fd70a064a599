"""Labels that depend on several directions t_j = β_j·x: their moments given h, and the law of the residual.

See docs/theory/several_directions.md#finite-steps.

û is the direction that the step sees, E∇g/|E∇g|.  Given h, û·t = ρh + √(1−ρ²)g', and all coordinates
orthogonal to û are independent of h.  So a mean given h is one over û·t = u with the kernel

    p(u | h)/p(u) = exp(u²/2 − (u − ρh)²/(2(1 − ρ²)))/√(1 − ρ²),

and all that is needed of the labels are their moments at each u; of the residual, those of t at each label.  Both are
sums over nodes in r dimensions, which are gathered at few places: Lagrange's weights keep the means of polynomials.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import sparse

from theorycalc.functions.directions import Plane
from theorycalc.model import cubature
from theorycalc.model.cubature import Level
from theorycalc.model.seen_part import frame
from theorycalc.model.several import MultiTeacher
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.systems import FLOATS, Array, Number, NumberSystem
from theorycalc.theory.dressed.responses import Function, normal_rule

_RADIUS = 9.0  # of the ball of nodes
_ACCURACY = {1: 1e-11, 2: 1e-11, 3: 1e-10, 4: 1e-8}  # of labels, by the number of directions
_STEPS = {1: 0.35, 2: 0.45, 3: 0.5, 4: 0.65}  # between nodes for labels given h, by the number of directions
_STEPS_FOR_S = {1: 0.2, 2: 0.25, 3: 0.35, 4: 0.65}  # and for the law of S, whose functions of labels are steeper
_REFINEMENTS = {1: 1.4, 2: 1.3, 3: 1.2, 4: 1.12}  # of them, with every level
_FINEST = 6  # level
_PANELS: dict[int, tuple[Level, ...]] = {  # their widths, and nodes on each, between kinks
    2: ((2.5, 12), (2.5, 18), (1.25, 18), (0.625, 18)),
    3: ((3.0, 8), (3.0, 12), (2.0, 12)),
    4: ((3.0, 5), (3.0, 6), (3.0, 8)),
}
_ALONG = 0.7  # times √(1−ρ²): steps along û, in which the kernel is to be resolved
_STENCIL = 12  # places to which a node gives its weight
_DIFFERENCES = np.array(  # Π(q − p) over all other places p
    [(-1) ** (_STENCIL - 1 - q) * math.factorial(q) * math.factorial(_STENCIL - 1 - q) for q in range(_STENCIL)]
)
_FEW = 400  # different values that need not be gathered
_SAMPLE = 4000  # of them, among which to look
_AT_ONCE = 20_000  # nodes
_DIGITS = 12  # to which values are equal
_U_SPACING = 0.1  # times √(1−ρ²)
LABEL_SPACING = 0.03  # of asinh(label/its size)


@dataclass(frozen=True)
class MultiIndex:
    """A function of points (…, r), less its mean, with û and M = E[g(ttᵀ − 1)]."""

    values: Callable[[Array], Array]
    seen: tuple[float, ...]  # û
    hessian: tuple[tuple[float, ...], ...]  # M
    planes: tuple[Plane, ...] = ()  # where it has kinks

    @property
    def accuracy(self) -> float:
        """The accuracy of labels that counts as sufficient."""
        return _ACCURACY[len(self.seen)]

    @property
    def finest(self) -> int:
        """The last level of the rules for labels."""
        return len(_PANELS[len(self.seen)]) - 1 if self.planes else _FINEST

    @property
    def spikes(self) -> tuple[Array, Array]:
        """The eigenvalues of M, and its eigenvectors in columns."""
        values, vectors = np.linalg.eigh(np.array(self.hessian))
        return values, vectors


@functools.lru_cache(maxsize=32)  # one for all steps: its rules are cached
def teacher_function(teacher: Teacher) -> Function | MultiIndex:
    """Return a teacher less its mean, as a function of x·β⋆, or of points with several coordinates.

    >>> teacher_function(Teacher.multi("t1 + t1*t2")).seen
    (1.0, 0.0)
    """
    values = teacher.centered_values()
    if isinstance(teacher, MultiTeacher):
        return MultiIndex(values, tuple(map(float, teacher.seen)), teacher.hessian, teacher.planes)
    return Function(values, teacher.kink_floats)


class Gathered(NamedTuple):
    """Positions, and the weights of several measures at each."""

    places: Array
    measures: Array


class GivenU(NamedTuple):
    """Nodes of u = û·t, with the weights there times y, y², y t and y|t|²."""

    u: Array
    label: Array
    square: Array
    along: Array
    norm: Array


class GivenLabel(NamedTuple):
    """Nodes of labels, with the weights there times 1, t and ttᵀ."""

    label: Array
    weights: Array
    first: Array
    second: Array


def nodes(teacher: MultiIndex, steps: dict[int, float], level: int, along: float = math.inf) -> tuple[Array, Array]:
    """Return points t (count, r) and weights: equally spaced, by at most ``along`` along û, or on panels."""
    count = len(teacher.seen)
    if teacher.planes:
        at = _PANELS[count][min(level, teacher.finest)]
        points, weights = zip(*cubature.nodes(count, cubature.cuts_of(teacher.planes, count), at), strict=True)
        return np.concatenate(points), np.concatenate(weights)
    step = steps[count] / _REFINEMENTS[count] ** level
    return _equal_steps(teacher, step, min(step, along))


def _equal_steps(teacher: MultiIndex, step: float, along: float) -> tuple[Array, Array]:
    rules = [normal_rule(along, _RADIUS)] + [normal_rule(step, _RADIUS)] * (len(teacher.seen) - 1)
    weights = functools.reduce(np.multiply.outer, [rule[1] for rule in rules])
    keep = np.nonzero(functools.reduce(np.add.outer, [rule[0] ** 2 for rule in rules]) <= _RADIUS**2)
    turned = np.stack([rule[0][index] for rule, index in zip(rules, keep, strict=True)], axis=-1)
    return turned @ frame(teacher.seen).T, weights[keep]


def gathered(x: Array, measures: Array, spacing: float, scale: float = math.inf) -> Gathered:
    """Return measures of nodes x at a few positions, equally spaced in x or in scale·asinh(x/scale).

    >>> x = np.linspace(-1, 1, 1001)
    >>> places, (weights,) = gathered(x, np.ones((1, 1001)) / 1001, 0.1)
    >>> len(places), bool(abs(weights @ np.exp(places) - np.mean(np.exp(x))) < 1e-12)
    (21, True)
    """
    if len(np.unique(np.round(x[:: max(1, len(x) // _SAMPLE)], _DIGITS))) <= _FEW:
        values, which = np.unique(np.round(x, _DIGITS), return_inverse=True)
        if len(values) <= _FEW:
            return Gathered(values, np.stack([np.bincount(which, part, len(values)) for part in measures]))
    bent = x if scale == math.inf else np.arcsinh(x / scale)
    low, high = float(bent.min()), float(bent.max())
    count = max(math.ceil((high - low) / spacing), _STENCIL) + 1
    position = (bent - low) * ((count - 1) / (high - low))
    sums = np.zeros((count, len(measures)))
    for start in range(0, len(x), _AT_ONCE):
        chosen = slice(start, start + _AT_ONCE)
        sums += _shares(position[chosen], count).T @ measures[:, chosen].T
    places = np.linspace(low, high, count)
    return Gathered(places if scale == math.inf else scale * np.sinh(places), sums.T)


def _shares(position: Array, count: int) -> sparse.csr_array:
    """Return the weights that nodes give to positions 0, …, count − 1: Lagrange weights on the nearest twelve."""
    first = np.clip(np.floor(position).astype(int) - _STENCIL // 2 + 1, 0, count - _STENCIL)
    places, x = np.arange(_STENCIL), position - first
    before, after = np.ones((2, len(x), _STENCIL))
    for q in places[:-1]:
        before[:, q + 1] = before[:, q] * (x - q)
        after[:, -q - 2] = after[:, -q - 1] * (x - (_STENCIL - 1 - q))
    weights = before * after / _DIFFERENCES
    ends = np.arange(len(x) + 1) * _STENCIL
    return sparse.csr_array((weights.ravel(), (first[:, None] + places).ravel(), ends), shape=(len(x), count))


@functools.lru_cache(maxsize=16)
def given_u(teacher: MultiIndex, off: float, level: int) -> GivenU:
    """Return the moments of labels at nodes of u that resolve the kernel of width ``off`` = √(1−ρ²)."""
    t, weights = nodes(teacher, _STEPS, level, _ALONG * off)
    label = teacher.values(t)
    weighted = weights * label
    norms = np.einsum("ij,ij->i", t, t)
    measures = np.stack([weighted, weighted * label, *(weighted * t.T), weighted * norms])
    u, (mean, square, *along, norm) = gathered(t @ np.array(teacher.seen), measures, _U_SPACING * off)
    return GivenU(u, mean, square, np.array(along), norm)


@functools.lru_cache(maxsize=16)
def given_label(teacher: MultiIndex, level: int) -> GivenLabel:
    """Return the moments of t at nodes of the label."""
    count = len(teacher.seen)
    t, weights = nodes(teacher, _STEPS_FOR_S, level)
    pairs = [(i, j) for i in range(count) for j in range(i, count)]
    measures = np.stack([weights, *(weights * t.T), *(weights * t[:, i] * t[:, j] for i, j in pairs)])
    label = teacher.values(t)
    size = math.sqrt(weights @ label**2)
    places, (mass, *rest) = gathered(label, measures, LABEL_SPACING / 2**level, size)
    second = np.empty((count, count, len(places)))
    for (i, j), part in zip(pairs, rest[count:], strict=True):
        second[i, j] = second[j, i] = part
    return GivenLabel(places, mass, np.array(rest[:count]), second)


class LabelMoments(NamedTuple):
    """Conditional moments of a label given h: E y, E[y x·d] for the directions d, E[y Σ(g² − 1)] and E y².

    The sum is over the coordinates that h leaves open: g' along û, and those of t orthogonal to it.
    """

    mean: Array
    along: Array  # over (d, h)
    across: Array
    square: Array


def left_open(u: Number, h: Number, rho: Number, off: Number) -> Number:
    """Return g' = (u − ρh)/√(1−ρ²), the part of u not determined by h.

    >>> left_open(2, 1, 0.5, 0.5)
    3.0
    """
    return (u - rho * h) / off


def likelihood(ns: NumberSystem, u: Number, apart: Number, off: Number) -> Number:
    """Return p(u | h)/p(u), given u and g'.

    >>> from theorycalc.numbers.systems import SCALARS
    >>> likelihood(SCALARS, 1.0, 1.0, 0.5)
    2.0
    """
    return ns.exp((u**2 - apart**2) / 2) / off


def given_h(teacher: MultiIndex, h: Array, rho: float, off: float, level: int) -> LabelMoments:
    """Return the moments of labels given h."""
    found = given_u(teacher, off, level)
    apart = left_open(found.u, h[:, None], rho, off)
    kernel = likelihood(FLOATS, found.u, apart, off)
    mean, norm = kernel @ found.label, kernel @ found.norm
    along = found.along @ kernel.T
    across = (kernel * (apart**2 - found.u**2)) @ found.label + norm - len(teacher.seen) * mean
    on_c = (kernel * (off * h[:, None] - rho * apart)) @ found.label
    return LabelMoments(mean, np.vstack([along, on_c]), across, kernel @ found.square)
