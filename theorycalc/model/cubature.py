"""Gaussian means of functions of several directions, over panels divided at kinks and refined until the means settle.

See docs/theory/several_directions.md#functions-with-kinks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import NamedTuple, TypeAlias

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.functions.directions import Plane
from theorycalc.numbers.exact import Floats
from theorycalc.running.budget import check

#: Panels of this width with so many Gauss–Legendre nodes in every direction, coarse first, by the number of directions.
LEVELS: dict[int, tuple[tuple[float, int], ...]] = {
    1: ((2.5, 12), (2.5, 18), (1.25, 18), (0.625, 18), (0.3125, 18)),
    2: ((2.5, 12), (2.5, 18), (1.25, 18), (0.625, 18), (0.3125, 18)),
    3: ((3.0, 8), (3.0, 12), (1.5, 12)),
    4: ((3.0, 6), (3.0, 8), (3.0, 11)),
}
RADIUS = {1: 11.0, 2: 11.0, 3: 9.5, 4: 9.0}  # of the ball of points, beyond which the weight is negligible
SETTLED = {1: 1e-12, 2: 1e-11, 3: 1e-8, 4: 1e-5}  # change by a refinement, at which it ends
_HIGHEST = {1: 40, 2: 40, 3: 24, 4: 16}  # k of the last c_{û,k}
_UNSETTLED = 1e-3  # change by the last refinement, above which a function is refused
_ROUNDING = 4e-16
_SMALLEST = 1e-280  # variance that float64 can tell from 0
_MOST_PLANES = 40  # that divide the panels of one direction; more are left to the refinement
MOST_AT_ONCE = 200_000  # points
MOST_POINTS = 6_000_000  # of a refinement that is still tried
_MARGIN = 100  # errors by which a mean must differ from zero to count as not zero

#: A function of points, arrays of shape (count, r).
PointFunction: TypeAlias = "Callable[[Floats], Floats]"
#: The width of panels and the number of nodes on each.
Level: TypeAlias = tuple[float, int]


class Component(NamedTuple):
    """A part of a sum with the directions it depends on, which no other part shares."""

    function: PointFunction  # of points with these coordinates only
    directions: tuple[int, ...]  # from 0
    planes: tuple[Plane, ...]  # between which it is smooth


class DirectionMoments(NamedTuple):
    """Means of g(t), t Gaussian: E g, Var g, E[g(ttᵀ − 1)], û, c_{û,1}, c_{û,2}, …, and their error."""

    mean: float
    variance: float
    hessian: Floats
    seen: Floats
    coefficients: Floats
    error: float  # of the means in units of √(E g²)
    parts: tuple[Floats, ...] = ()  # √k! c_{û,k} of every component


class _Means(NamedTuple):
    """The leading means of one component, and the rules that gave them with their error."""

    component: Component
    cuts: list[list[Plane]]
    levels: tuple[Level, Level]
    mean: float
    gradient: Floats
    hessian: Floats
    variance: float
    error: float  # in units of √(E g²)
    scale: float


def direction_moments(components: Sequence[Component], directions: int) -> DirectionMoments:
    """Return the means of a sum of functions of separate directions.

    >>> product = Component(lambda t: t[:, 0] * (1 + t[:, 1]), (0, 1), ())
    >>> found = direction_moments([product], 2)
    >>> found.seen, round(found.variance, 12)
    (array([1., 0.]), 2.0)
    """
    found = [_means(component) for component in components]
    gradient, hessian = np.zeros(directions), np.zeros((directions, directions))
    for one in found:
        at = list(one.component.directions)
        gradient[at] = one.gradient
        hessian[np.ix_(at, at)] = one.hessian
    length = math.sqrt(np.sum(gradient**2))
    seen = gradient / length if length else np.eye(directions)[0]
    highest = min(_HIGHEST[len(component.directions)] for component in components)
    parts = tuple(_along(one, seen[list(one.component.directions)], highest) for one in found)
    along = sum(parts, np.zeros(highest))
    along[0] = length
    roots = np.sqrt([float(math.factorial(k)) for k in range(1, highest + 1)])
    return DirectionMoments(
        mean=sum(one.mean for one in found),
        variance=float(sum(one.variance for one in found)),
        hessian=hessian,
        seen=seen,
        coefficients=along / roots,
        error=max(one.error for one in found),
        parts=parts,
    )


def _means(component: Component) -> _Means:
    """Return the leading means of a component, refined until they settle; those within their error of 0 become 0."""
    count = len(component.directions)
    cuts = cuts_of(component.planes, count)
    levels = [level for i, level in enumerate(LEVELS[count]) if i < 2 or points_of(cuts, level) <= MOST_POINTS]
    about = float(_low_moments(component.function, count, cuts, levels[0])[0])

    def less(points: Floats) -> Floats:  # of a large mean no digits of the variance are lost
        return component.function(points) - about

    coarse = _low_moments(less, count, cuts, levels[0])
    for rules in pairwise(levels):
        fine = _low_moments(less, count, cuts, rules[1])
        error = _change(fine, coarse)
        if error <= SETTLED[count]:
            break
        coarse = fine
    *first, square, _ = fine
    _check_settled(error, square, about)
    scale = math.sqrt(square)
    limit = _MARGIN * (error + _ROUNDING) * scale
    told = np.where(np.abs(first) > limit, first, 0.0)
    mean = about + float(first[0])
    return _Means(
        component=component._replace(function=less),
        cuts=cuts,
        levels=rules,
        mean=mean if abs(mean) > limit else 0.0,
        gradient=told[1 : count + 1],
        hessian=told[count + 1 :].reshape(count, count),
        variance=float(square - first[0] ** 2),
        error=error,
        scale=scale,
    )


def _check_settled(error: float, square: float, mean: float) -> None:
    if (error and not _SMALLEST < square < 1 / _SMALLEST) or abs(mean) > _SMALLEST**-0.5:
        reason = f"g(t) has the mean {mean:.3g} and the variance {square:.3g}: too large or too small for float64"
        raise DomainError(reason, argument="function")
    if not error <= _UNSETTLED:
        reason = f"E g(t)² does not settle: the last refinement changed the means by {error:.1g} of their size"
        detail = "the function has a pole, grows too fast, or jumps along a curve"
        raise DomainError(f"{reason}; {detail}", argument="function")


def points_of(cuts: Sequence[Sequence[Plane]], level: Level) -> float:
    """Return the approximate number of points of a rule: those of a cube that lie in a ball."""
    (width, order), count = level, len(cuts)
    across = 2 * math.ceil(RADIUS[count] / width)
    ball: float = math.pi ** (count / 2) / math.gamma(count / 2 + 1) / 2**count
    return ball * math.prod((across + len(planes)) * order for planes in cuts)


def _change(fine: Floats, coarse: Floats) -> float:
    """Return the largest change of the means, and the share of E g² at the edge, in units of √(E g²) and of E g²."""
    *_, square, edge = fine
    if not (square > 0 and np.all(np.isfinite(fine)) and np.all(np.isfinite(coarse))):
        return 0.0 if np.all(fine == 0) else math.inf
    units = np.array([math.sqrt(square)] * (len(fine) - 2) + [square])
    return max(float(np.max(np.abs(fine - coarse)[:-1] / units)), float(edge / square))


def _low_moments(function: PointFunction, count: int, cuts: Sequence[Sequence[Plane]], level: Level) -> Floats:
    """Return E g, E[g t], E[g(ttᵀ − 1)] row by row, E g², and the part of E g² at the edge of the points."""
    total = np.zeros(3 + count + count**2)
    unit = np.eye(count).ravel()
    for points, weights in nodes(count, cuts, level):
        values = finite(function(points))
        weighted = weights * values
        with np.errstate(over="ignore"):  # an infinite variance is refused
            energy = weighted * values
        squares = (points[:, :, None] * points[:, None, :]).reshape(len(points), -1)
        outside = np.sum(points**2, axis=1) > (RADIUS[count] - 1) ** 2
        hessian = weighted @ squares - weighted.sum() * unit
        total += np.concatenate(([weighted.sum()], weighted @ points, hessian, [energy.sum(), energy[outside].sum()]))
    return total


def _along(means: _Means, seen: Floats, highest: int) -> Floats:
    """Return √k! c_{û,k} for k = 1, …, highest; E[H_k(û·t)|t_A] = |û_A|^k H_k(û_A·t_A/|û_A|) for a component A."""
    length = math.sqrt(np.sum(seen**2))
    if not length:
        return np.zeros(highest)
    coarse, fine = (_series(means, level, seen / length, highest) for level in means.levels)
    errors = np.abs(fine - coarse) + (means.error + _ROUNDING) * means.scale
    told = np.where(np.abs(fine) > _MARGIN * errors, fine, 0.0)
    scaled: Floats = told * length ** np.arange(1, highest + 1)
    return scaled


def _series(means: _Means, level: Level, unit: Floats, highest: int) -> Floats:
    """Return E[g h_k(û·t)] for the normalised Hermite polynomials h_1, …, h_highest."""
    total = np.zeros(highest)
    for points, weights in nodes(len(unit), means.cuts, level):
        weighted = weights * finite(means.component.function(points))
        s = points @ unit
        before, now = np.ones_like(s), s
        for k in range(1, highest + 1):
            total[k - 1] += weighted @ now
            before, now = now, (s * now - math.sqrt(k) * before) / math.sqrt(k + 1)
    return total


def finite(values: Floats) -> Floats:
    """Return the values of a function; refuse any that is not a finite number."""
    if not np.all(np.isfinite(values)):
        reason = "the function must return one finite number for every point"
        raise DomainError(reason, argument="function")
    return values


def nodes(directions: int, cuts: Sequence[Sequence[Plane]], level: Level) -> Iterator[tuple[Floats, Floats]]:
    """Yield points (count, r) of a ball and their Gaussian weights, panel by panel of the first direction.

    ``cuts[j]`` are planes that divide the panels of direction j, given the directions before it.
    """
    width, order = level
    x, w = np.polynomial.legendre.leggauss(order)
    radius = RADIUS[directions]
    edges = np.linspace(-radius, radius, 2 * math.ceil(radius / width) + 1)
    first, weights = panels(np.zeros((1, 0)), np.ones(1), edges, cuts[0], (x, w))
    grown = (len(edges) * order) ** (directions - 1)
    at_once = max(1, MOST_AT_ONCE // grown)
    for start in range(0, len(first), at_once):
        points, weight = first[start : start + at_once], weights[start : start + at_once]
        for j in range(1, directions):
            points, weight = panels(points, weight, edges, cuts[j], (x, w))
            inside = np.sum(points**2, axis=1) <= radius**2
            points, weight = points[inside], weight[inside]
        check()
        yield points, weight


def panels(
    points: Floats, weights: Floats, edges: Floats, planes: Sequence[Plane], rule: tuple[Floats, Floats]
) -> tuple[Floats, Floats]:
    """Return the points with one more coordinate, on panels between the edges and the planes, and their weights."""
    check()
    x, w = rule
    j = points.shape[1]
    crossings = [-(points @ np.array(p.normal[:j]) + p.offset) / p.normal[j] for p in planes]
    fixed = np.broadcast_to(edges, (len(points), len(edges)))
    ends = np.sort(np.column_stack([fixed, *(np.clip(c, edges[0], edges[-1]) for c in crossings)]), axis=1)
    half = np.diff(ends, axis=1)[..., None] / 2
    coordinate = (ends[:, :-1, None] + half * (1 + x)).reshape(len(points), -1)
    gauss = np.exp(-(coordinate**2) / 2) / math.sqrt(2 * math.pi)
    weight = (half * w).reshape(len(points), -1) * gauss * weights[:, None]
    kept = weight.ravel() > 0
    before = np.repeat(points, coordinate.shape[1], axis=0)[kept]
    return np.column_stack([before, coordinate.ravel()[kept]]), weight.ravel()[kept]


def cuts_of(planes: Sequence[Plane], directions: int) -> list[list[Plane]]:
    """Return, for each direction, the planes on which a mean over all later directions may have a kink.

    Integrated over t_j, a function has kinks where two of its planes meet at the same t_j, and on planes without t_j.
    """
    found: list[list[Plane]] = [[] for _ in range(directions)]
    left = {_normalised(plane) for plane in planes}
    for j in reversed(range(directions)):
        here = [plane for plane in left if plane.normal[j] != 0]
        found[j] = here if len(here) <= _MOST_PLANES else []
        left = {plane for plane in left if plane.normal[j] == 0}
        met = (_met(a, b, j) for a, b in combinations(found[j], 2))
        left |= {_normalised(plane) for plane in met if any(plane.normal)}
    return found


def _met(a: Plane, b: Plane, j: int) -> Plane:
    """Return the plane without t_j on which two planes have equal t_j."""
    factor = a.normal[j] / b.normal[j]
    normal = [x - factor * y for x, y in zip(a.normal, b.normal, strict=True)]
    size = max(map(abs, (*a.normal, *b.normal)))
    cleaned = tuple(0.0 if i == j or abs(x) < 1e-12 * size else x for i, x in enumerate(normal))
    return Plane(cleaned, a.offset - factor * b.offset)


def _normalised(plane: Plane) -> Plane:
    leading = next(x for x in plane.normal if x)
    return Plane(tuple(round(x / leading, 12) for x in plane.normal), round(plane.offset / leading, 12))
