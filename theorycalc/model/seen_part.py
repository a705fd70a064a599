"""The part of a teacher of several directions that one step sees: û, c_{û,k} and its energy; and the rest's energy.

See docs/theory/several_directions.md#the-direction-that-the-step-sees and #the-energy-that-the-step-sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import factorial, prod
from typing import NamedTuple

import numpy as np
from numpy.polynomial import legendre

from theorycalc.functions.directions import Plane, Powers, units
from theorycalc.functions.tree import Rational, Tree
from theorycalc.model import cubature
from theorycalc.model.cubature import Component, DirectionMoments, Level, cuts_of
from theorycalc.numbers.exact import EnclosedNumber, Exact, Floats, Scalar, is_zero, read, root
from theorycalc.numbers.systems import Number
from theorycalc.running.budget import check

_ROUNDING = 4e-16
_APART = 1e-9  # ends of panels nearer than this are one


class SeenEnergy(NamedTuple):
    """E E[g|t_û]² of a function g less its mean, with the last change by a refinement as its error."""

    value: float
    error: float


class _OnPanels(NamedTuple):
    """A function of one variable by its Legendre series on panels between ``edges``."""

    edges: Floats
    series: Floats  # (order, panels)

    def __call__(self, x: Floats) -> Floats:
        which = np.clip(np.searchsorted(self.edges, x) - 1, 0, len(self.edges) - 2)
        low, high = self.edges[which], self.edges[which + 1]
        return np.asarray(legendre.legval((2 * x - low - high) / (high - low), self.series[:, which], tensor=False))


def frame(seen: Sequence[float]) -> Floats:
    """Return an orthogonal matrix with û as its first column.

    >>> frame((0.6, 0.8)).round(9)[:, 0].tolist()
    [0.6, 0.8]
    """
    unit = np.array(seen)
    found, _ = np.linalg.qr(np.column_stack([unit, np.eye(len(unit))]))
    turned: Floats = found * np.where(np.arange(len(unit)) == 0, np.sign(found[:, 0] @ unit), 1.0)
    return turned


def seen_energy(parts: Sequence[Component], found: DirectionMoments) -> SeenEnergy:
    """Return E E[g|t_û]² of a sum g of parts of different directions.

    Given t_û, a part g_A depends on û_A·t_A alone, which has the share |û_A|² of the variance of t_û.  So
    E E[g_A|t_û]² is E[G(s)G(s')] for G(s) = E[g_A|s] less its mean and normal s and s' of correlation |û_A|².  Of two
    parts the product |û_A||û_B| is at most 1/2, and the series in it ends soon.

    >>> from theorycalc.model.cubature import direction_moments
    >>> sign = Component(lambda t: np.sign(t[:, 0]), (0,), (Plane((1.0,), 0.0),))
    >>> abs(seen_energy([sign], direction_moments([sign], 1)).value - 1) < 1e-12
    True
    """
    alone = [_energy_of(part, found.seen) for part in parts]
    highest = len(found.coefficients)
    together = sum(found.parts)
    crossed = float(np.sum(together**2) - sum(np.sum(part**2) for part in found.parts))
    rest = 2.0 ** -(highest + 1) * found.variance if len(parts) > 1 else 0.0
    value = sum(one.value for one in alone) + crossed
    error = sum(one.error for one in alone) + rest + (found.error + _ROUNDING) * found.variance
    return SeenEnergy(value, error)


def _energy_of(part: Component, seen: Floats) -> SeenEnergy:
    """Return E E[g_A|t_û]² for one part, refined until it settles."""
    here = list(part.directions)
    along = seen[here]
    share, beside = np.sum(along**2), np.sum(np.delete(seen, here) ** 2)
    if not share:
        return SeenEnergy(0.0, 0.0)
    turn = frame((along / math.sqrt(share)).tolist())
    cuts = cuts_of([_turned(plane, turn) for plane in part.planes], len(here))
    levels = cubature.LEVELS[len(here)]
    before = math.nan
    for i, level in enumerate(levels):
        if i >= 2 and cubature.points_of(cuts, level) > cubature.MOST_POINTS:
            break
        value = _correlation(_given_first(part, turn, cuts, level), cuts[0], cubature.LEVELS[2][i], float(beside))
        change = abs(value - before)
        if change <= cubature.SETTLED[len(here)] * value:
            break
        before = value
    return SeenEnergy(value, change)


def _turned(plane: Plane, turn: Floats) -> Plane:
    """Return a plane in the coordinates s of t = Os, with zeros where only rounding errors are left."""
    normal = np.array(plane.normal) @ turn
    normal[np.abs(normal) < 1e-13 * np.max(np.abs(normal))] = 0.0
    return Plane(tuple(normal.tolist()), plane.offset)


def _given_first(part: Component, turn: Floats, cuts: Sequence[Sequence[Plane]], level: Level) -> _OnPanels:
    """Return E[g|s_1] for t = Os."""
    width, order = level
    x, weights = legendre.leggauss(order)
    radius = cubature.RADIUS[len(turn)]
    fixed = np.linspace(-radius, radius, 2 * math.ceil(radius / width) + 1)
    places = [-plane.offset / plane.normal[0] for plane in cuts[0]]
    edges = np.unique([*fixed, *(place for place in places if abs(place) < radius)])
    edges = edges[np.concatenate([[True], np.diff(edges) > _APART])]
    first = ((edges[1:] + edges[:-1])[:, None] / 2 + np.diff(edges)[:, None] / 2 * x).ravel()
    means = np.concatenate([_means_at(part, turn, s, cuts, (fixed, x, weights)) for s in _shares(first, level, turn)])
    values = means.reshape(-1, order)
    degrees = np.arange(order)[:, None]
    series = (degrees + 0.5) * (legendre.legvander(x, order - 1) * weights[:, None]).T @ values.T
    return _OnPanels(edges, series)


def _shares(first: Floats, level: Level, turn: Floats) -> Iterator[Floats]:
    """Yield the positions of s_1 in batches."""
    grown = (2 * math.ceil(cubature.RADIUS[len(turn)] / level[0]) * level[1]) ** (len(turn) - 1)
    at_once = max(1, cubature.MOST_AT_ONCE // grown)
    for start in range(0, len(first), at_once):
        check()
        yield first[start : start + at_once]


def _means_at(
    part: Component,
    turn: Floats,
    first: Floats,
    cuts: Sequence[Sequence[Plane]],
    rule: tuple[Floats, Floats, Floats],
) -> Floats:
    """Return E[g|s_1] at these positions of s_1, in increasing order."""
    edges, x, weights = rule
    points: Floats = first[:, None]
    weight: Floats = np.ones(len(first))
    for planes in cuts[1:]:
        points, weight = cubature.panels(points, weight, edges, planes, (x, weights))
        inside = np.sum(points[:, 1:] ** 2, axis=1) <= cubature.RADIUS[len(turn)] ** 2
        points, weight = points[inside], weight[inside]
    which = np.searchsorted(first, points[:, 0])
    values = weight * cubature.finite(part.function(points @ turn.T))
    return np.asarray(np.bincount(which, values, len(first)) / np.bincount(which, weight, len(first)))


def _correlation(function: _OnPanels, kinks: Sequence[Plane], level: Level, beside: float) -> float:
    """Return the covariance of G(s) and G(s') for normal s and s' with correlation 1 − ``beside``.

    With s = a cos θ + b sin θ and s' = a cos θ − b sin θ it is a mean over two directions, b and a.
    """
    cos, sin = math.sqrt(1 - beside / 2), math.sqrt(beside / 2)
    places = [-plane.offset / plane.normal[0] for plane in kinks]
    planes = {Plane((sign * sin, cos), -place) for place in places for sign in (-1.0, 1.0)}
    total = mean = mass = 0.0
    count = 2 if beside else 1
    cuts = cuts_of([Plane(plane.normal[-count:], plane.offset) for plane in planes], count)
    for points, weights in cubature.nodes(count, cuts, level):
        a, b = cos * points[:, -1], sin * points[:, 0]
        one, other = (function(a + b), function(a - b)) if beside else (function(a),) * 2
        total += float(weights @ (one * other))
        mean += float(weights @ (one + other)) / 2
        mass += float(weights.sum())
    return total / mass - (mean / mass) ** 2


class Numbers(NamedTuple):
    """The numbers of a teacher of several directions."""

    coefficients: tuple[Exact, ...]
    second_moment: Exact | None
    mean: Exact
    seen: tuple[Exact, ...]
    hessian: tuple[tuple[float, ...], ...]
    seen_energy: Scalar
    unseen_energy: Scalar


def exact_numbers(series: Mapping[Powers, Tree], directions: int) -> Numbers:
    """Return the numbers of Σ_α b_α H_α: c_{û,k} = Σ_{|α|=k} b_α û^α with û = E∇g/|E∇g|, and E∇g = (b_{e_1}, …).

    See docs/theory/several_directions.md#polynomials.

    >>> series = {(1, 0): Rational(Fraction(3)), (0, 1): Rational(Fraction(4)), (2, 0): Rational(Fraction(1))}
    >>> exact_numbers(series, 2).coefficients
    (Fraction(5, 1), Fraction(9, 25))
    """
    b = {powers: _constant(c) for powers, c in series.items()}
    if not all(isinstance(c, Fraction) for c in b.values()):
        import sympy

        b = {powers: sympy.S.One * c for powers, c in b.items()}
    zero: Scalar = Fraction(0)
    mean = b.pop((0,) * directions, zero)
    gradient = [b.get(unit, zero) for unit in units(directions)]
    first: list[Scalar] = [Fraction(1)] + [zero] * (directions - 1)
    seen = first if all(map(is_zero, gradient)) else gradient
    square = sum((u**2 for u in seen), zero)
    tops = {k: zero + top for k, top in along_direction(b, seen).items()}
    energy = zero + series_energy(b)
    along = sum((factorial(k) * top**2 / square**k for k, top in tops.items()), zero)
    unseen = _read(energy - along, "the energy that the step does not see")
    coefficients = [_over_root(top, square, k) for k, top in tops.items()]
    while len(coefficients) > 1 and is_zero(coefficients[-1]):
        coefficients.pop()
    return Numbers(
        coefficients=tuple(coefficients),
        second_moment=None if is_zero(unseen) else read(_expanded(energy + mean**2), "second_moment"),
        mean=read(mean, "mean"),
        seen=tuple(_over_root(u, square, 1) for u in seen),
        hessian=_hessian(b, directions),
        seen_energy=_read(along, "the energy that the step sees"),
        unseen_energy=unseen,
    )


def along_direction(b: Mapping[Powers, Number], u: Sequence[Number]) -> dict[int, Number]:
    """Return c_{u,k} = Σ_{|α|=k} b_α u^α for k = 1, …, the degree of Σ_α b_α H_α.

    Where u is not a unit vector, they are |u|^k times as large.  See docs/theory/several_directions.md#polynomials.

    >>> along_direction({(1, 0): 1, (1, 1): 2}, (3, 4))
    {1: 3, 2: 24}
    """
    found: dict[int, Number] = dict.fromkeys(range(1, max([1, *map(sum, b)]) + 1), 0)
    for powers, c in b.items():
        found[sum(powers)] += c * prod(x**p for x, p in zip(u, powers, strict=True))
    return found


def series_energy(b: Mapping[Powers, Number]) -> Number:
    """Return c_⋆² = Σ_α α! b_α², the variance of Σ_{α≠0} b_α H_α (docs/theory/several_directions.md#polynomials).

    >>> series_energy({(1, 0): 1, (2, 3): 1})
    13
    """
    return sum(prod(map(factorial, powers)) * c**2 for powers, c in b.items())


def _hessian(b: Mapping[Powers, Scalar], directions: int) -> tuple[tuple[float, ...], ...]:
    """Return E[g(ttᵀ − 1)]: b_{e_i + e_j}, twice on the diagonal."""
    single = units(directions)
    rows = [[tuple(map(sum, zip(one, other, strict=True))) for other in single] for one in single]
    return tuple(tuple(float(b.get(powers, 0)) * max(powers) for powers in row) for row in rows)


def _constant(tree: Tree) -> Scalar:
    """Return a tree without t as an exact number."""
    if isinstance(tree, Rational):
        return tree.value
    from theorycalc.functions.evaluate import to_sympy

    return _read(to_sympy(tree), "a coefficient of the teacher")


def _read(value: Scalar, name: str) -> Scalar:
    """Return a number in its simplest form: 0 where it is zero, a Fraction where it is rational."""
    found = read(_expanded(value), name)
    assert not isinstance(found, EnclosedNumber)
    return found


def _expanded(value: Scalar) -> Scalar:
    return value if isinstance(value, (Fraction, float)) else value.expand()


def _over_root(top: Scalar, square: Scalar, k: int) -> Exact:
    """Return top/√square^k exactly."""
    whole_power, odd = divmod(k, 2)
    value = _expanded(top) / square**whole_power
    if odd and not is_zero(read(value, "c_⋆")):
        value = value / root(square)
    return read(value, f"teacher c_⋆{k}")


def estimated_numbers(found: DirectionMoments, along: SeenEnergy) -> Numbers:
    """Return the numbers of a function by quadrature; an unseen energy within the error of the seen one becomes 0.

    >>> import numpy as np
    >>> moments = DirectionMoments(0.0, 3.0, np.zeros((1, 1)), np.ones(1), np.array([1.0, 0.5]), 0.0)
    >>> estimated_numbers(moments, SeenEnergy(2.0, 1e-12)).unseen_energy
    1.0
    """
    coefficients = [float(c) for c in found.coefficients]
    energies = sum(factorial(k) * Fraction(c) ** 2 for k, c in enumerate(coefficients, start=1))
    least = math.nextafter(float(energies + Fraction(found.mean) ** 2), math.inf)  # but for the rounding of a sum
    seen = max(along.value, float(energies))  # Bessel's inequality
    unseen = found.variance - seen
    return Numbers(
        coefficients=tuple(coefficients),
        second_moment=max(found.variance + found.mean**2, least),
        mean=found.mean,
        seen=tuple(map(float, found.seen)),
        hessian=tuple(tuple(map(float, row)) for row in found.hessian),
        seen_energy=seen,
        unseen_energy=unseen if unseen > along.error else 0.0,
    )
