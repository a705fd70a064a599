"""The bulk of F₀F₀ᵀ/n for neurons of different kinds (docs/theory/kinds.md#the-spectrum).

With σ = 1/s and k = t/s the equations of :mod:`~theorycalc.theory.kinds` are

    E[c_1²/(σ + c_{>1}² + c_1²k)] = ψ(1 − k)/k,      z = −λ = −σ(1 − (φ/ψ)E[(c_{>1}² + c_1²k)/(σ + c_{>1}² + c_1²k)]).

The first one has one root σ in each interval between its poles, so that curves k ↦ (σ, z) hold all real solutions.
One is that of the eigenvalues where k grows with σ and z falls with σ: there z is outside the bulk.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.bulk import Bulk, BulkInterval, density_of
from theorycalc.theory.kinds import KindMoments, Kinds

_REACH = 60.0  # the curves are followed to within e^−60 of their ends
_GRID = 601
_HALVINGS = 80
_SAME = 1e-9  # relative distance below which the ends of two curves are one
_ZERO = 1e-24  # edges below it are 0, where E σ² is 1
_HIGHEST, _SHRINK, _LOWEST = 4.0, 0.7, 1e-9  # imaginary parts of z, in units of the bulk's upper edge
_NEWTON_STEPS = 6
_LAST_STEPS = 40
_RESIDUAL = 1e-9


@dataclass(frozen=True)
class KindBulk:
    """The bulk for several kinds of neurons: its intervals in increasing order, and an atom at 0."""

    kinds: tuple[KindMoments, ...]
    phi: float
    psi: float
    intervals: tuple[BulkInterval, ...]
    atom: float

    @property
    def mean(self) -> float:
        """∫ z dρ = E σ² N/n, including its mass at 0."""
        return float(self.phi / self.psi * sum(kind.share * (kind.c1**2 + kind.c_rest**2) for kind in self.kinds))


class KindPoint(NamedTuple):
    """σ = 1/s and z at some k, and whether z is outside the bulk."""

    sigma: Array
    z: Array
    outside: Array


def linear_excess(kinds: Kinds, sigma: Number, k: Number, psi: Number) -> Number:
    """Return k + (k/ψ)E[c_1²/(σ + c_{>1}² + c_1²k)] − 1, which vanishes at a solution.

    >>> linear_excess([KindMoments(1, 1, 1)], 0, 1, 1)
    0.5
    """
    return k + k * sum(kind.share * kind.c1**2 / (sigma + kind.c_rest**2 + kind.c1**2 * k) for kind in kinds) / psi - 1


def place_at(kinds: Kinds, sigma: Number, k: Number, ratio: Number) -> Number:
    """Return z = −σ(1 − (φ/ψ)E[(c_{>1}² + c_1²k)/(σ + c_{>1}² + c_1²k)]), where ``ratio`` is φ/ψ.

    >>> place_at([KindMoments(1, 1, 1)], 1, 1, 3)
    1.0
    """
    loads = ((kind.share, kind.c_rest**2 + kind.c1**2 * k) for kind in kinds)
    return -sigma * (1 - ratio * sum(share * load / (sigma + load) for share, load in loads))


class Tightness(NamedTuple):
    """Two numbers that are both below 1 exactly outside the bulk; the second reaches 1 at an edge."""

    rows: Number  # (k²/ψ)E[c_1⁴/L²], L = σ + c_{>1}² + c_1²k
    points: Number  # (φ/ψ)(E[(L − σ)²/L²] + k'σ²E[c_1²/L²]), k' = dk/dσ


def tightness(kinds: Kinds, sigma: Number, k: Number, phi: Number, psi: Number) -> Tightness:
    """Return how near a solution is to the edge of the bulk (docs/theory/kinds.md#the-spectrum).

    >>> tightness([KindMoments(1, 1, 0)], -3.0, 1.0, 1.0, 1.0)  # L = −2
    Tightness(rows=0.25, points=1.0)
    """
    terms = [(kind.share, kind.c1**2, kind.c_rest**2 + kind.c1**2 * k) for kind in kinds]
    first = sum(share * load**2 / (sigma + load) ** 2 for share, _, load in terms)
    linear, fourth = (sum(share * B**j / (sigma + load) ** 2 for share, B, load in terms) for j in (1, 2))
    rows = k**2 * fourth / psi
    slope = k**2 * linear / (psi * (1 - rows))
    return Tightness(rows, phi / psi * (first + slope * sigma**2 * linear))


def kind_bulk(kinds: Kinds, phi: float, psi: float, is_rule: bool = False) -> KindBulk:
    """Return the bulk: everything between its ends that is not outside it.

    The kinds of a rule, ``is_rule``, stand for those between them, too: gaps between two of them are none of the bulk.

    >>> one, two = ([KindMoments(share, 0.5, 0.3) for share in shares] for shares in ((1.0,), (0.25, 0.75)))
    >>> low, high = kind_bulk(one, 0.5, 2 / 3).intervals[0][:2]
    >>> round(high, 9), abs(kind_bulk(two, 0.5, 2 / 3).intervals[0].high / high - 1) < 1e-12
    (2.029471593, True)
    """
    unit = float(sum(kind.share * (kind.c1**2 + kind.c_rest**2) for kind in kinds))
    curves = RealCurves(merged(kinds, unit), phi, psi)
    branches = (0, curves.count) if is_rule else range(curves.count + 1)
    outside = sorted(part for branch in branches for range_ in _RANGES for part in curves.outside(branch, range_))
    places = []
    reached = 0.0
    for low, high in outside:
        if low > max(reached * (1 + _SAME), _ZERO):  # else the same part on two curves, or the mass at 0
            places.append((reached, low))
        reached = max(reached, high)
    if not places:
        raise PrecisionError("float64 finds no edge of the bulk: the ratios are beyond its range", argument="phi")
    intervals = tuple(BulkInterval(unit * low, unit * high, np.nan, np.nan) for low, high in places)
    return KindBulk(tuple(kinds), phi, psi, intervals, max(0.0, 1 - _rank(kinds, phi, psi)))


def _rank(kinds: Kinds, phi: float, psi: float) -> float:
    """Return the rank of F₀ divided by n: at most d for linear neurons."""
    straight = sum(float(kind.share) for kind in kinds if kind.c_rest == 0 and kind.c1 != 0)
    bent = sum(float(kind.share) for kind in kinds if kind.c_rest != 0)
    return phi / psi * bent + min(phi / psi * straight, phi)


def merged(kinds: Kinds, unit: float) -> list[KindMoments]:
    """Return kinds with equal ones merged, in units in which E σ² is 1."""
    shares: dict[tuple[float, float], float] = {}
    for kind in kinds:
        key = abs(float(kind.c1)) / unit**0.5, float(kind.c_rest) / unit**0.5
        shares[key] = shares.get(key, 0.0) + float(kind.share)
    return [KindMoments(share, *key) for key, share in shares.items()]


class KRange(NamedTuple):
    """The k in a range, by a variable w on the line, and (1 − k)/k without a subtraction."""

    k: Callable[[Array], Array]
    left: Callable[[Array], Array]


BELOW_ZERO = KRange(lambda w: -np.exp(w), lambda w: -1 - np.exp(-w))
BELOW_ONE = KRange(lambda w: 1 / (1 + np.exp(w)), np.exp)
ABOVE_ONE = KRange(lambda w: 1 + np.exp(w), lambda w: -1 / (1 + np.exp(-w)))
_RANGES = (BELOW_ZERO, BELOW_ONE, ABOVE_ONE)


class RealCurves:
    """All curves of real solutions: one for each interval between poles in σ and each range of k."""

    def __init__(self, kinds: Kinds, phi: float, psi: float) -> None:
        self.kinds, self.phi, self.psi = kinds, phi, psi
        self.share, self.c1, self.c_rest = np.array([kind[:3] for kind in kinds], dtype=float).T
        self.moving = self.c1 != 0
        self.count = int(np.count_nonzero(self.moving))

    def at(self, w: Array, branch: int, range_: KRange) -> KindPoint:
        """Return σ and z at points of one curve."""
        k = range_.k(w)
        with np.errstate(all="ignore"):  # where a curve ends, or two poles meet, nothing is outside the bulk
            sigma = self._sigma(k, self.psi * range_.left(w), branch)
            z = place_at(self.kinds, sigma, k, self.phi / self.psi)
            rows, points = tightness(self.kinds, sigma, k, self.phi, self.psi)
            return KindPoint(sigma, z, (rows < 1) & (points < 1) & np.isfinite(z))

    def _sigma(self, k: Array, target: Array, branch: int) -> Array:
        """Return the root of E[c_1²/(σ + c_{>1}² + c_1²k)] = target between two poles, by bisection, or NaN."""
        share, B = self.share[self.moving], self.c1[self.moving] ** 2
        poles = np.sort(-(self.c_rest[self.moving] ** 2 + B * k[:, None]), axis=1)

        def value(sigma: Array) -> Array:
            return (share * B / (sigma[:, None] + self.c_rest[self.moving] ** 2 + B * k[:, None])).sum(axis=1)

        most, least = (share * B).sum() / np.abs(target), (share * B).min() / np.abs(target) / 2
        beyond, side = branch in (0, self.count), -1.0 if branch == 0 else 1.0  # beyond all poles, by a logarithm

        def place(x: Array) -> Array:
            return poles[:, branch - 1 if branch else 0] + side * np.exp(x) if beyond else x

        low, high = (np.log(least), np.log(most) + 1) if beyond else (poles[:, branch - 1], poles[:, branch])
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            nearer = side * value(place(middle)) > side * target
            low, high = np.where(nearer, middle, low), np.where(nearer, high, middle)
        return np.where(not beyond or side * target > 0, place((low + high) / 2), np.nan)

    def outside(self, branch: int, range_: KRange) -> list[tuple[float, float]]:
        """Return the intervals of z that one curve has outside the bulk."""
        w = np.linspace(-_REACH, _REACH, _GRID)
        found = self.at(w, branch, range_)
        starts = np.flatnonzero(np.diff(np.concatenate([[0], found.outside.astype(int), [0]])))
        ends = []
        for first, after in zip(starts[::2], starts[1::2], strict=True):
            one = found.z[first] if first == 0 else self._crossing(w[first], w[first - 1], branch, range_)
            other = found.z[after - 1] if after == len(w) else self._crossing(w[after - 1], w[after], branch, range_)
            ends.append((float(min(one, other)), float(max(one, other))))
        return ends

    def upper_end(self) -> float:
        """Return w at the bulk's upper edge, on the first curve with k > 1, which begins at z = ∞."""
        w = np.linspace(-_REACH, _REACH, _GRID)
        outside = self.at(w, 0, ABOVE_ONE).outside
        last = int(np.argmin(outside)) - 1
        return self._end(w[last], w[last + 1], 0, ABOVE_ONE)

    def _crossing(self, outside: float, inside: float, branch: int, range_: KRange) -> float:
        """Return z at the edge between a point outside the bulk and a point inside."""
        return float(self.at(np.array([self._end(outside, inside, branch, range_)]), branch, range_).z[0])

    def _end(self, outside: float, inside: float, branch: int, range_: KRange) -> float:
        """Return the last w outside the bulk between a point outside and a point inside."""
        for _ in range(_HALVINGS):
            middle = (outside + inside) / 2
            if self.at(np.array([middle]), branch, range_).outside[0]:
                outside = middle
            else:
                inside = middle
        return outside


def density_at(bulk: Bulk | KindBulk, z: Array) -> Array:
    """Return the density of the bulk at every z; it is 0 outside the bulk and at its edges."""
    if isinstance(bulk, Bulk):
        return density_of(bulk, z)
    result = np.zeros(z.shape)
    inside = np.any([(z > low) & (z < high) for low, high, *_ in bulk.intervals], axis=0)
    if inside.any():
        result[inside] = _stieltjes(bulk, z[inside]).imag / np.pi
    return np.maximum(result, 0.0)


def _stieltjes(bulk: KindBulk, z: Array) -> Array:
    """Return s at λ = −z − i0⁺, by Newton's method along a path down to the real line."""
    size = bulk.intervals[-1].high
    height = _HIGHEST
    s = t = -1 / (z + 1j * size * height)
    while height > _LOWEST:
        s, t, _ = _newton(bulk, z + 1j * size * height, s, t, _NEWTON_STEPS)
        height *= _SHRINK
    s, t, residual = _newton(bulk, z + 0j, s, t, _LAST_STEPS)
    if not np.all(residual < _RESIDUAL):
        raise PrecisionError("Newton's method did not find the density of the bulk", argument="biases")
    return s


def _newton(bulk: KindBulk, z: Array, s: Array, t: Array, steps: int) -> tuple[Array, Array, Array]:
    """Return s and t after some Newton steps on both equations, with the residuals."""
    share, c1, c_rest = (np.array([float(kind[i]) for kind in bulk.kinds])[:, None] for i in range(3))
    A, B, ratio, lam = c_rest**2, c1**2, bulk.phi / bulk.psi, -z

    def mean(values: Array) -> Array:
        return (share * values).sum(axis=0)

    residual = np.full(z.shape, np.inf)
    for _ in range(steps + 1):
        theta = 1 / (1 + A * s + B * t)
        first = lam * s + ratio * mean((A * s + B * t) * theta) - 1
        second = t / s + t * mean(B * theta) / bulk.psi - 1
        residual = np.abs(first) + np.abs(second)
        first_s, first_t = lam + ratio * mean(A * theta**2), ratio * mean(B * theta**2)
        second_s = -t / s**2 - t * mean(A * B * theta**2) / bulk.psi
        second_t = 1 / s + mean(B * (1 + A * s) * theta**2) / bulk.psi
        det = first_s * second_t - first_t * second_s
        s, t = (
            s - (first * second_t - first_t * second) / det,
            t - (first_s * second - first * second_s) / det,
        )
    return s, t, residual
