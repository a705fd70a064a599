"""The shares of the teacher that the spikes of a case explain, in float64 or balls.

See docs/theory/training_gain.md#the-closed-form.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import flint
import numpy as np

from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.systems import BALLS, FLOATS, Number, NumberSystem
from theorycalc.theory.case import Case, case_at
from theorycalc.theory.ceiling import shares_from_covariance
from theorycalc.theory.gains import Parts, Shares, TeacherRow, parts_of, shares, spanned_share
from theorycalc.theory.plans import Plan, Terms, lengthening_of, needs_slope, terms_by_precision, terms_of

_LARGEST_STRETCH = 1e100  # of (1 + τ)^ℓ in float64, which enters squared
_COVARIANCE_BITS = 160  # of differences that float64 uses, unless t = ρ² is tiny:
_COVARIANCE_SPARE_BITS = 100  # then B is a difference of numbers 1/t² or 1/t³ times as large
_FLOAT_BITS = 60  # of a share that is as good as its float64
_MOST_AMPLIFIED = 25  # a rounding of t may change a share by the square root of this
_MOST_SHARE_BITS = 20_000  # a share of which these show no digit is zero


def shares_of(
    ns: NumberSystem, plan: Plan, terms: Terms, case: Case, t: Number, one_minus_t: Number, zeta: Number
) -> Shares:
    """Return the shares of clean labels, by the formula that fits the spikes and the numbers."""
    parts = terms.parts
    if terms.covariance is not None:
        if ns is not BALLS:
            return _shares_by_balls(plan, case, t)
        return shares_from_covariance(ns, terms.covariance, parts.linear, t, one_minus_t, plan.spikes)
    tau = lengthening_of(terms, case)
    if tau is None:
        spanned = _float_spanned_share(plan, parts, case) if ns is FLOATS and parts.spanned else None
        return shares(ns, parts, t, one_minus_t, zeta, spanned)
    if ns is FLOATS and (parts.spanned or not ns.all((1 + tau) ** plan.spikes.largest < _LARGEST_STRETCH)):
        return _shares_by_balls(plan, case, t, zeta)
    if parts.spanned:
        lengthened = parts_of(ns, terms.c_star, terms.tail, plan.spikes, tau, case.free_constant, terms.shapes)
        return shares(ns, lengthened, t, one_minus_t, zeta)
    return shares(ns, parts, t, one_minus_t, zeta, tau=tau)


def _float_spanned_share(plan: Plan, parts: Parts, case: Case) -> Number:
    """Return the teacher's energy that spikes with gaps span, in float64; from balls at points where terms cancel."""
    without_signs = parts._replace(spanned=tuple(map(_without_signs, parts.spanned)))
    share = spanned_share(FLOATS, parts, case.t, case.one_minus_t)
    cancels = share < spanned_share(FLOATS, without_signs, case.t, case.one_minus_t) / _MOST_AMPLIFIED
    if not np.any(cancels):
        return share
    psi = case.psi if case.included else 1.0  # where ψ plays no part, an array of it must not multiply the points
    share, *sizes = np.broadcast_arrays(share, case.phi, psi, case.noise, case.residual_mean)
    share = share.copy()
    share[cancels] = [_exact_spanned_share(plan, point) for point in zip(*(x[cancels] for x in sizes), strict=True)]
    return share[()]


def _without_signs(row: TeacherRow) -> TeacherRow:
    """Return a row whose terms add up without cancellation, each as often as T feels the rounding of t in it."""
    return row._replace(
        coefficients=tuple((2 * j + 1) * abs(c) for j, c in enumerate(row.coefficients)),
        at_one=abs(row.at_one),
        quotient=tuple(-(2 * j + 1) * abs(c) for j, c in enumerate(row.quotient)),
    )


def _exact_spanned_share(plan: Plan, sizes: Sequence[float]) -> float:
    """Return that energy at one point (φ, ψ, σ_ε, E r) from balls of as many bits as float64 needs."""
    bits = _COVARIANCE_BITS
    while True:
        with ball_precision(bits):
            terms = terms_of(plan, bits)
            case = _ball_case_at(terms, sizes)
            share = flint.arb(spanned_share(BALLS, terms.parts, case.t, case.one_minus_t))
        if share.rel_accuracy_bits() > _FLOAT_BITS or bits >= _MOST_SHARE_BITS:
            return nearest_float(share, "a share of the teacher")
        bits = 2 * bits


def _shares_by_balls(plan: Plan, case: Case, t: Number, zeta: Number = 0) -> Shares:
    """Return float64 shares by way of balls, where float64 would lose digits: C(1) − C(t), or gaps that depend on τ."""
    lengthened = needs_slope(plan)
    terms_at = terms_by_precision(plan)

    def shares_with(bits: int, sizes: Sequence[float], zeta: float) -> list[flint.arb]:
        with ball_precision(bits):
            terms = terms_at(bits)
            exact = _ball_case_at(terms, sizes)
            share = shares_of(BALLS, plan, terms, exact, exact.t, exact.one_minus_t, ball(float(zeta)))
            return list(map(flint.arb, share))

    def at(t: float, zeta: float, *sizes: float) -> tuple[float, ...]:
        bits = max(_COVARIANCE_BITS, _COVARIANCE_SPARE_BITS + 3 * math.ceil(-math.log2(t))) if t else _COVARIANCE_BITS
        found = shares_with(bits, sizes, zeta)
        while lengthened and bits < _MOST_SHARE_BITS and not all(x.rel_accuracy_bits() > _FLOAT_BITS for x in found):
            bits = 2 * bits  # the directions of long neurons are nearly parallel
            found = shares_with(bits, sizes, zeta)
        return tuple(nearest_float(part, "a share of the teacher") for part in found)

    sizes = case.phi, case.psi, case.noise, case.residual_mean
    results = np.frompyfunc(at, 2 + len(sizes), len(Shares._fields))(t, zeta, *sizes)
    return Shares(*(np.asarray(result, dtype=float)[()] for result in results))


def _ball_case_at(terms: Terms, sizes: Sequence[float]) -> Case:
    """Return the case in balls at φ, ψ, σ_ε and the mean of the residual, as float64 has them."""
    phi, psi, noise, residual_mean = (ball(float(x)) for x in sizes)
    constants = terms.constants
    if terms.own_mean is not None:  # else it is the mean of the labels, which is known exactly
        constants = dataclasses.replace(constants, residual_mean=residual_mean)
    return case_at(BALLS, constants, phi, psi, noise)
