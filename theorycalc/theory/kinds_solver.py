"""The solution for the traces of several kinds of neurons, in float64 arrays and in balls, and its limit λ → 0⁺.

Both equations of :mod:`theorycalc.theory.kinds` are increasing and concave in their unknown, so Newton's method comes
up to the root monotonically after its first step, from wherever it starts.  Without ridge s and t are finite where
N > n, and for N ≤ n only k is left (docs/theory/kinds.md#without-ridge).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import flint

from theorycalc.errors import PrecisionError, spelled
from theorycalc.numbers.balls import ball_precision, enclosed_zero
from theorycalc.numbers.systems import BALLS, FLOATS, SCALARS, Array, Number, NumberSystem
from theorycalc.theory.kind_bulk import linear_excess
from theorycalc.theory.kinds import (
    KindMoments,
    Kinds,
    KindSums,
    kind_load,
    kind_sums,
    kind_traces_at,
    linear_balance,
    linear_slope,
    mean_over,
    root_mean_square,
)
from theorycalc.theory.ridgeless import LIMITS, RidgelessCase, in_each_case
from theorycalc.theory.traces import Solved, Traces, balance_of, start, weights_of

_SMALL_STEP = 1e-9  # a smaller relative step leaves an error below its square: rounding
_MOST_STEPS = 400  # about 7 are needed, and with a covariance a doubling each if small eigenvalues decide
_SHRINK = 8  # by which a step to the left may go
_FIRST_BITS = 45  # accuracy of the float64 root
_FLOAT_RANGE = 1e60

_Point: TypeAlias = "tuple[flint.arb, flint.arb]"  # s and t
_Sizes: TypeAlias = "tuple[flint.arb, flint.arb, flint.arb]"  # φ, ψ and λ


def risen(ns: NumberSystem, x: Number, function: Callable[[Number], tuple[Number, Number]]) -> Number:
    """Return the root of an increasing concave function, for which ``function`` returns value and slope."""
    for _ in range(_MOST_STEPS):
        value, slope = function(x)
        new = ns.maximum(x - value / slope, x / _SHRINK)
        new = new.mid() if ns is BALLS else new  # an approximation needs no enclosure
        change, x = abs(new - x), new
        if ns.all(change <= _SMALL_STEP * x):
            return x
    raise unsettled()  # pragma: no cover - no known problem reaches it


def unsettled() -> PrecisionError:
    """Return the error for an iteration that does not converge."""
    return PrecisionError(f"m_1 did not converge; use {spelled('digits')} for this problem", argument="ridge")


def float_kind_traces(kinds: Kinds, phi: Number, psi: Number, lam: Number) -> Traces:
    """Return the traces in float64 for λ > 0, at all points of the arrays together."""
    s, t = solve_kinds(FLOATS, kinds, phi, psi, lam)
    return kind_traces_at(kinds, s, t, phi, psi, lam)


def solve_kinds(ns: NumberSystem, kinds: Kinds, phi: Number, psi: Number, lam: Number) -> tuple[Number, Number]:
    """Return the solution s, t.

    The unknown is y = min(p, u), p = λs and u = (φ/ψ)E θ = p + φ/ψ − 1: where N is near n nothing cancels.

    >>> s, t = solve_kinds(SCALARS, [KindMoments(1.0, 1.0, 1.0)], 1.0, 1.0, 1.0)
    >>> round(s, 12)
    0.518790063676
    """
    equation = balance_of(ns, phi, psi, lam, *(root_mean_square(ns, kinds, name) for name in ("c1", "c_rest")))
    wide, gap, y = equation.wide, equation.gap, start(ns, equation)
    above = ns.where(wide, 0, gap)  # p − y
    t = (y + above) / lam

    def taken(y: Number) -> tuple[Number, Number]:
        nonlocal t
        s = (y + above) / lam
        t, sums = linear_root(ns, kinds, s, ns.minimum(t, s), psi)
        slope = 1 + kind_load(sums, linear_slope(sums, s, t, psi), phi, psi) / lam
        near = ns.where(wide, gap, 0) + y - phi * sums.left / psi
        value = ns.where(gap < 1, near, ns.where(wide, y + phi * sums.taken / psi - 1, near))
        return value, slope

    s = (risen(ns, y, taken) + above) / lam
    return s, linear_root(ns, kinds, s, t, psi)[0]


def linear_root(ns: NumberSystem, kinds: Kinds, s: Number, t: Number, psi: Number) -> tuple[Number, KindSums]:
    """Return the root t of the second equation at one s, starting from a guess, and the sums there."""
    t = risen(ns, t, lambda t: linear_balance(kind_sums(kinds, s, t), s, t, psi)[:2])
    return t, kind_sums(kinds, s, t)


def ball_kind_traces(kinds: Kinds, phi: flint.arb, psi: flint.arb, lam: flint.arb, bits: int) -> Traces:
    """Return enclosures of the traces for λ > 0."""
    s, t = enclose_kinds(kinds, phi, psi, lam, bits)
    return kind_traces_at(kinds, s, t, phi, psi, lam)


def enclose_kinds(
    kinds: Kinds, phi: flint.arb, psi: flint.arb, lam: flint.arb, bits: int, rough: _Point | None = None
) -> _Point:
    """Return balls around s and t, proven by one interval Newton step in both variables.

    Newton's map sends the box strictly into itself, so both equations have exactly one common zero in it, for every
    value of the coefficients within their balls; and they have one positive zero.  Without a ``rough`` solution, one is
    sought, for λ > 0.
    """
    s, t = _approximate(kinds, (phi.mid(), psi.mid(), lam.mid()), bits, rough)
    for spare in (8, 24, 40, 56):
        radius = flint.arb(2) ** (spare - bits // 2)
        box = flint.arb(s, (s * radius).upper()), flint.arb(t, (t * radius).upper())
        moves = _step(kinds, (s, t), box, (phi, psi, lam))
        image = s - moves[0], t - moves[1]
        if all(old.contains_interior(new) for old, new in zip(box, image, strict=True)):
            return image
    return flint.arb.nan(), flint.arb.nan()  # the coefficients are too wide: more bits are needed


def _step(kinds: Kinds, at: _Point, box: _Point, sizes: _Sizes) -> _Point:
    """Return J⁻¹F by Cramer's rule, with values F of both equations at a point and their slopes J in a box."""
    phi, psi, lam = sizes
    sums = kind_sums(kinds, *at)
    first = lam * at[0] + phi * sums.taken / psi - 1
    second, _, _ = linear_balance(sums, *at, psi)
    inside = kind_sums(kinds, *box)
    first_s, first_t = lam + phi * inside.rest_square / psi, phi * inside.linear_square / psi
    _, second_t, minus_second_s = linear_balance(inside, *box, psi)
    determinant = first_s * second_t + first_t * minus_second_s
    return (
        (first * second_t - first_t * second) / determinant,
        (first_s * second + minus_second_s * first) / determinant,
    )


def _approximate(kinds: Kinds, sizes: _Sizes, bits: int, rough: _Point | None) -> _Point:
    """Return the solution to ``bits`` bits by Newton's method in both variables, without proof."""
    right = _FIRST_BITS
    middles = [KindMoments(*(x.mid() for x in kind[:3])) for kind in kinds]
    at = rough or _rough(middles, *sizes)
    while right < bits:
        right = 2 * right - 3
        move = _step(middles, at, at, sizes)
        at = (at[0] - move[0]).mid(), (at[1] - move[1]).mid()
    return at


def _rough(kinds: Kinds, phi: flint.arb, psi: flint.arb, lam: flint.arb) -> _Point:
    """Return the solution to about float64 precision, in floats where their range allows it."""
    numbers = [phi, psi, lam, *(x for kind in kinds for x in kind)]
    if all(x == 0 or 1 / _FLOAT_RANGE < abs(float(x)) < _FLOAT_RANGE for x in numbers):
        floats = [KindMoments(*map(float, kind[:3])) for kind in kinds]
        s, t = solve_kinds(SCALARS, floats, float(phi), float(psi), float(lam))
        return flint.arb(s), flint.arb(t)
    with ball_precision(64):
        s, t = solve_kinds(BALLS, kinds, phi, psi, lam)
        return s.mid(), t.mid()


def kept_without_ridge(kinds: Kinds, k: Number, psi: Number) -> tuple[Number, Number]:
    """Return k + (k/ψ)E[c_1²/L] − 1, L = c_{>1}² + c_1²k, and its slope in k, a sum of positive terms.

    >>> kept_without_ridge([KindMoments(1, 1, 1)], 1, 1)
    (0.5, 1.25)
    """
    slope = 1 + mean_over(kinds, lambda one: (one.c1 * one.c_rest / (one.c_rest**2 + one.c1**2 * k)) ** 2) / psi
    return linear_excess(kinds, 0, k, psi), slope


def stiffness_share(kinds: Kinds, k: Number, psi: Number) -> tuple[Number, Number]:
    """Return E[1/L], and the limit of λχ: c_{>1}² + c_1²k² for one kind.

    >>> stiffness_share([KindMoments(1, 1, 1)], 0.5, 2 / 3)  # which k solves
    (0.6666666666666666, 1.25)
    """
    loads = [(one.share, one.c1**2, one.c_rest**2, one.c_rest**2 + one.c1**2 * k) for one in kinds]
    first, second = (sum(share / load**j for share, _, _, load in loads) for j in (1, 2))
    linear = sum(share * B / load**2 for share, B, _, load in loads)
    mixed = sum(share * A * B / load**2 for share, B, A, load in loads)
    return first, first / (second + k * linear**2 / (psi + mixed))


def _kept(ns: NumberSystem, kinds: Kinds, psi: Number) -> Number:
    """Return the root k by Newton's method, which approaches it from below since the equation is concave."""
    return risen(ns, 0 * psi, lambda k: kept_without_ridge(kinds, k, psi))


def _interpolating(ns: NumberSystem, kinds: Kinds, phi: Number, psi: Number) -> tuple[Number, Number]:
    """Return s and t for N > n by Newton's method from below: E[1 − θ] is increasing and concave in s."""
    t = psi / (phi * mean_over(kinds, lambda one: one.c1**2 + one.c_rest**2))

    def taken(s: Number) -> tuple[Number, Number]:
        nonlocal t
        t, sums = linear_root(ns, kinds, s, t, psi)
        short = ns.where(phi < 2 * psi, sums.left - (phi - psi) / phi, psi / phi - sums.taken)
        return -short * phi, psi * kind_load(sums, linear_slope(sums, s, t, psi), phi, psi)

    s = risen(ns, t, taken)
    return s, linear_root(ns, kinds, s, t, psi)[0]


def _infinite(case: RidgelessCase, ns: NumberSystem, kinds: Kinds, phi: Number, psi: Number, k: Number) -> Solved:
    """Return the limits for N ≤ n, at which m_1 is infinite."""
    first, chi = stiffness_share(kinds, k, psi)
    return LIMITS[case](ns, phi, psi, phi * first / psi, k, chi)


def float_kind_limits(kinds: Kinds, *parameters: Number) -> Solved:
    """Return traces and weights in float64 if some λ are zero."""

    def solve(which: RidgelessCase | None, phi: Array, psi: Array, ridge: Array) -> Solved:
        if which is None:
            traces = float_kind_traces(kinds, phi, psi, ridge)
        elif which == RidgelessCase.WIDE:
            traces = kind_traces_at(kinds, *_interpolating(FLOATS, kinds, phi, psi), phi, psi, 0.0)
        else:
            return _infinite(which, FLOATS, kinds, phi, psi, _kept(FLOATS, kinds, psi))
        return traces, weights_of(traces, phi, psi, ridge)

    return in_each_case(solve, False, *parameters)


def ball_kind_limits(kinds: Kinds, phi: flint.arb, psi: flint.arb, case: RidgelessCase, bits: int) -> Solved:
    """Return enclosures of traces and weights for λ → 0⁺."""
    zero, floats = flint.arb(0), [KindMoments(*map(float, kind[:3])) for kind in kinds]
    if case == RidgelessCase.WIDE:
        s, t = map(flint.arb, _interpolating(SCALARS, floats, float(phi), float(psi)))
        traces = kind_traces_at(kinds, *enclose_kinds(kinds, phi, psi, zero, bits, (s, t)), phi, psi, zero)
        return traces, weights_of(traces, phi, psi, zero)
    k = flint.arb(_kept(SCALARS, floats, float(psi)))
    for _ in range(bits.bit_length()):
        value, slope = kept_without_ridge(kinds, k, psi)
        k = (k - value / slope).mid()
    k = enclosed_zero(lambda at: kept_without_ridge(kinds, at, psi), k, bits // 2 - 8)
    return _infinite(case, BALLS, kinds, phi, psi, k)
