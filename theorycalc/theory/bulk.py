"""The bulk of F₀F₀ᵀ/n: its density, edges and atom at 0 (docs/theory/outliers.md#the-bulk).

The equation for m_1 is solved for λ.  With t = su (s = (ψ/φ)m_1 = lim tr R₀; u, k as in ``traces``), y = 1/t, r = φ/ψ:

    k = φy/(φy + c_1²),    P = py = y − c_{>1}² − c_1²k,    U = uy = ry − c_{>1}² − c_1²k,    z = −λ = −PU/y.

z grows with −U exactly outside the bulk, where y runs over explicit intervals, on which z'(y) changes sign once (in the
gap of the law H of −U: twice or never).  Inside, the right root of PU + zy = 0 is the only one with Im y < 0 < Im(−U).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import flint
import numpy as np

from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.traces import Traces, kept, traces_of

_BITS = 640  # far more than any cancellation takes from the edges of parameters that float64 can hold
_REACH = 150  # edges are sought within e^±150 of the ends of H, whose variance is scaled to 1
_HALVINGS = 120  # 300/2^120 in ln|y − end|, and z does not change to first order
_THIRDS = 90
_POLISHES = 3
_CHUNK = 16_384


class Curve(NamedTuple):
    """The coefficients in the equation for the bulk: φ, r = φ/ψ, c_{>1}² and c_1²."""

    phi: Number
    ratio: Number
    rest: Number
    linear: Number


class CurvePoint(NamedTuple):
    """k, P = py and U = uy at one y."""

    k: Number
    P: Number
    U: Number


def point_at(y: Number, curve: Curve) -> CurvePoint:
    """Return k, P and U at y."""
    k = kept(curve.phi * y, curve.linear, 1)
    own = curve.rest + curve.linear * k
    return CurvePoint(k, y - own, curve.ratio * y - own)


def eigenvalue_at(y: Number, curve: Curve) -> Number:
    """Return z = −PU/y, the point on the real line that corresponds to y.

    >>> eigenvalue_at(-4.0, Curve(1.0, 1.0, 0.0, 2.0))  # k = 2, P = U = −8
    16.0
    """
    _, P, U = point_at(y, curve)
    return -P * U / y


def steepness(y: Number, curve: Curve) -> Number:
    """Return −dz/dy · y², which is positive outside the bulk and vanishes at its edges, like 1 + χ(p + u)."""
    k, P, U = point_at(y, curve)
    return (P + U) * (curve.rest + curve.linear * k**2) + P * U


def traces_on(y: Number, curve: Curve) -> tuple[Traces, Number]:
    """Return λ = −z and the traces there, for a y outside the bulk."""
    k, P, U = point_at(y, curve)
    lam = P * U / y
    psi = curve.phi / curve.ratio
    return traces_of(P / y, U / y, k, curve.rest / lam, curve.linear / lam, curve.phi, psi, lam), lam


class BulkInterval(NamedTuple):
    """One interval of the bulk, with the y at its ends."""

    low: float
    high: float
    low_y: float
    high_y: float


@dataclass(frozen=True)
class Bulk:
    """The bulk of F₀F₀ᵀ/n: one or two intervals, in increasing order, and a mass at 0."""

    curve: Curve
    intervals: tuple[BulkInterval, ...]
    atom: float

    @property
    def mean(self) -> float:
        """∫ z dρ = E σ² N/n, including its mass at 0."""
        return float(self.curve.ratio * (self.curve.rest + self.curve.linear))


def bulk_of(phi: Fraction | float, psi: Fraction | float, c1: float, c_rest: float) -> Bulk:
    """Return the bulk of a problem, whose ratios are taken as exact numbers.

    >>> bulk = bulk_of(Fraction(10**9), Fraction(4 * 10**9), 1.0, 0.0)  # nearly Marchenko–Pastur's (1 ± 1/2)²
    >>> round(bulk.intervals[0].low, 6), round(bulk.intervals[0].high, 6), bulk.atom
    (0.25, 2.25, 0.75)
    """
    exact = Fraction(phi), Fraction(psi)
    size = c1**2 + c_rest**2
    curve = Curve(float(phi), float(exact[0] / exact[1]), c_rest**2, c1**2)
    # n, N and d in units of n; without c_{>1} the rank is d at most
    sizes = [Fraction(1), exact[0] / exact[1], *([exact[0]] if c_rest == 0 else [])]
    smallest = min(sizes)
    with ball_precision(_BITS):
        fine = Curve(ball(exact[0]), ball(sizes[1]), ball(c_rest) ** 2 / ball(size), ball(c1) ** 2 / ball(size))
        ends = _edges(fine, ball(exact[1]), has_gap=exact[1] < 1 and c_rest > 0, is_hard=sizes.count(smallest) > 1)
        places = [nearest_float(z * size, "an edge of the bulk") for _, z in ends]
        ys = [nearest_float(y * size, "an edge of the bulk") for y, _ in ends]
    intervals = tuple(BulkInterval(*places[i : i + 2], *ys[i : i + 2]) for i in range(0, len(ends), 2))
    return Bulk(curve, intervals, float(max(Fraction(0), 1 - smallest)))


def _edges(curve: Curve, psi: flint.arb, has_gap: bool, is_hard: bool) -> list[tuple[flint.arb, flint.arb]]:
    """Return y and z of all edges, the lowest first."""
    unit, zero = curve.linear / curve.phi, flint.arb(0)
    lower, upper = unit * (psi.sqrt() - 1), -unit * (psi.sqrt() + 1)  # the ends of H's continuous part
    bottom = zero if has_gap else lower
    found = [zero] if is_hard else [_turn(curve, lambda x: bottom + x.exp(), -_REACH, _REACH)]
    if has_gap:
        found += _gap(curve, lambda x: lower / (1 + x.exp()))
    found.append(_turn(curve, lambda x: upper - x.exp(), -_REACH, _REACH))
    places = [zero] if is_hard else [eigenvalue_at(found[0], curve)]
    return list(zip(found, places + [eigenvalue_at(y, curve) for y in found[1:]], strict=True))


def _turn(
    curve: Curve, place: Callable[[flint.arb], flint.arb], falls: flint.arb | int, grows: flint.arb | int
) -> flint.arb:
    """Return the y between falling and increasing z, found by bisection."""
    inside, outside = flint.arb(falls), flint.arb(grows)
    for _ in range(_HALVINGS):
        middle = ((inside + outside) / 2).mid()
        if steepness(place(middle), curve) > 0:
            outside = middle
        else:
            inside = middle
    return place(outside)


def _gap(curve: Curve, place: Callable[[flint.arb], flint.arb]) -> list[flint.arb]:
    """Return both ends of the gap inside the bulk, or nothing: dz/d(−U) has one maximum there, found by trisection."""

    def growth(x: flint.arb) -> Number:
        y = place(x)
        k = point_at(y, curve).k
        return steepness(y, curve) / (curve.ratio * y**2 - (curve.linear * k) ** 2 / curve.phi)

    low, high = flint.arb(-_REACH), flint.arb(_REACH)
    for _ in range(_THIRDS):
        first, second = ((2 * low + high) / 3).mid(), ((low + 2 * high) / 3).mid()
        at_first, at_second = growth(first), growth(second)
        for x, value in ((first, at_first), (second, at_second)):
            if value > 0:
                return [_turn(curve, place, _REACH, x), _turn(curve, place, -_REACH, x)]
        if at_first < at_second:
            low = first
        else:
            high = second
    return []


def density_of(bulk: Bulk, z: Array) -> Array:
    """Return the density of the bulk at every z: (1/π) Im s at λ = −z − i0⁺; it is 0 outside the bulk and at its edges.

    >>> marchenko_pastur = bulk_of(Fraction(10**9), Fraction(10**9), 1.0, 0.0)
    >>> round(float(density_of(marchenko_pastur, np.array([2.0]))[0]), 6)  # 1/(2π)
    0.159155
    """
    result = np.zeros(z.shape)
    for interval in bulk.intervals:
        inside = (z > interval.low) & (z < interval.high)
        chosen = z[inside]
        parts = [density_inside(bulk.curve, chosen[i : i + _CHUNK]) for i in range(0, len(chosen), _CHUNK)]
        result[inside] = np.concatenate(parts) if parts else chosen
    return result


def density_inside(curve: Curve, z: Array) -> Array:
    """Return the density at points z inside the bulk: (1/π) Im 1/U at the root y with Im y < 0 < Im(−U).

    >>> curve = Curve(1.0, 1.0, 1.0, 0.0)  # Marchenko and Pastur's law on 0 < z < 4
    >>> round(float(density_inside(curve, np.array([2.0]))[0]), 6)  # 1/(2π)
    0.159155
    """
    size = curve.rest + curve.linear
    scaled = curve._replace(rest=curve.rest / size, linear=curve.linear / size)
    roots = _polish(scaled, z[:, None] / size, _roots(scaled, z / size))
    y = np.where(roots.imag < 0, roots, -1j)  # the others may be where U is infinite, and do not count
    phi, ratio, _, linear = scaled
    U = point_at(y, scaled).U
    # Im(−U), typed so that only its sign decides: r − φc_1⁴/|φy + c_1²|² times −Im y.
    growth = ratio - phi * (linear / np.abs(phi * y + linear)) ** 2
    values = np.where(roots.imag < 0, -y.imag * growth / np.abs(U) ** 2, 0.0)
    return np.asarray(values.max(axis=1, initial=0.0) / (np.pi * size))


def _roots(curve: Curve, z: Array) -> Array:
    """Return the four roots y of (PU + zy)(φy + c_1²)² for every z."""
    phi, ratio, rest, linear = curve
    square: Array = np.polynomial.polynomial.polymul([linear, phi], [linear, phi])
    fixed = np.polynomial.polynomial.polymul(
        [-rest * linear, linear - phi * (rest + linear), phi],
        [-rest * linear, ratio * linear - phi * (rest + linear), ratio * phi],
    )
    coefficients = fixed + z[:, None] * np.concatenate([[0.0], square, [0.0]])
    companion = np.zeros((len(z), 4, 4))
    companion[:, [1, 2, 3], [0, 1, 2]] = 1
    companion[:, :, 3] = -coefficients[:, :4] / coefficients[:, 4:]
    return np.asarray(np.linalg.eigvals(companion), dtype=complex)


def _polish(curve: Curve, z: Array, y: Array) -> Array:
    """Return roots improved by Newton's method on PU + zy, where that makes the equation's residual smaller."""
    with np.errstate(all="ignore"):  # at roots of no interest, such as y = 0, nothing is accepted
        residual, step = _newton(curve, z, y)
        for _ in range(_POLISHES):
            new = y - step
            new_residual, new_step = _newton(curve, z, new)
            better = np.abs(new_residual) < np.abs(residual)
            y, residual, step = (
                np.where(better, *pair) for pair in ((new, y), (new_residual, residual), (new_step, step))
            )
    return y


def _newton(curve: Curve, z: Array, y: Array) -> tuple[Array, Array]:
    _, P, U = point_at(y, curve)
    residual = P * U + z * y
    k_slope = curve.phi * curve.linear / (curve.phi * y + curve.linear) ** 2
    own_slope = curve.linear * k_slope
    return residual, residual / ((1 - own_slope) * U + (curve.ratio - own_slope) * P + z)
