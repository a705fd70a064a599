"""The shares of the teacher that a case's spikes explain, in float64 or balls, and their means over networks.

See docs/theory/training_gain.md#the-closed-form and docs/theory/intercept.md#raw-activations.

The initial output of a network with a raw activation contains a constant g_a c_0 Z, Z ~ N(0, 1).  ρ̃² and the shares
are averaged over Z: in float64 by a rule that no pole of 1/κ̃ disturbs, in balls by an integral that is enclosed.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import flint
import numpy as np

from theorycalc.model.spikes import ALL, ODD, ONE_AND_EVEN, Spikes
from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.systems import BALLS, FLOATS, Array, Number, NumberSystem
from theorycalc.theory.case import Case, case_at, with_residual_mean
from theorycalc.theory.gains import Parts, Shares, TeacherRow, parts_of, shares, spanned_share
from theorycalc.theory.plans import Plan, Terms, lengthening_of, needs_slope, terms_of
from theorycalc.theory.spectral_traces import alignment
from theorycalc.theory.traces import Alignment, Weights, constant_spread

_LARGEST_STRETCH = 1e100  # of (1 + τ)^ℓ in float64, which enters squared
_COVARIANCE_BITS = 160  # of differences that float64 uses, unless t = ρ² is tiny:
_COVARIANCE_SPARE_BITS = 100  # then B is a difference of numbers 1/t² or 1/t³ times as large
_FLOAT_BITS = 60  # of a share that is as good as its float64
_MOST_AMPLIFIED = 25  # a rounding of t may change a share by the square root of this
_MOST_SHARE_BITS = 20_000  # a share of which these show no digit is zero
_REACH = 9.5  # |Z| beyond this has a probability of 2e-21
NODES = 640
_FAR = 12.0  # |z| from which the poles are out of reach
_AT_ONCE = 100_000  # numbers of an array of nodes and points


def shares_from_covariance(
    ns: NumberSystem,
    covariance: Callable[[NumberSystem, Number], Number],
    linear: Number,
    t: Number,
    one_minus_t: Number,
    spikes: Spikes = ALL,
) -> Shares:
    """Return the shares for infinitely many spikes, from Σ_k k! c_{⋆,k}² t^k = E[σ⋆(Z)σ⋆(Z')] at correlation t.

    The sum over one parity is the odd or the even part of that function of t; at correlation 0 it is the
    square of the mean.
    """
    one = ns.rational(Fraction(1))
    at_t, at_one, at_zero = covariance(ns, t), covariance(ns, one), covariance(ns, 0 * t)
    if spikes != ALL:
        sign = -1 if spikes == ODD else 1
        at_t = (at_t + sign * covariance(ns, -t)) / 2
        if spikes == ONE_AND_EVEN:
            return Shares(at_t - at_zero, (at_one - at_t) - linear, floor=0 * t)
        return Shares(at_t - linear * t, (at_one - at_t) - linear * one_minus_t - at_zero, floor=0 * t)
    explained = at_t - at_zero - linear * t
    left = (at_one - at_t) - linear * one_minus_t
    return Shares(explained, left, floor=0 * t)


def shares_of(
    ns: NumberSystem, plan: Plan, terms: Terms, case: Case, t: Number, one_minus_t: Number, zeta: Number
) -> Shares:
    """Return the shares on clean labels, by the formula for these spikes and numbers."""
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
    """Return in float64 the teacher's energy spanned by spikes with gaps, by way of balls where terms cancel."""
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
    """Return a row whose terms add up without cancellation, each weighted by the sensitivity of T to rounding of t."""
    return row._replace(
        coefficients=tuple((2 * j + 1) * abs(c) for j, c in enumerate(row.coefficients)),
        at_one=abs(row.at_one),
        quotient=tuple(-(2 * j + 1) * abs(c) for j, c in enumerate(row.quotient)),
    )


def _exact_spanned_share(plan: Plan, sizes: Sequence[float]) -> float:
    """Return that energy at one point (φ, ψ, σ_ε, E r), from balls with as many bits as float64 needs."""

    def share(bits: int) -> list[flint.arb]:
        terms = terms_of(plan, bits)
        case = _ball_case_at(terms, sizes)
        return [flint.arb(spanned_share(BALLS, terms.parts, case.t, case.one_minus_t))]

    return _settled(share, _COVARIANCE_BITS, _MOST_SHARE_BITS)[0]


def _settled(parts: Callable[[int], list[flint.arb]], bits: int, most: int) -> tuple[float, ...]:
    """Return numbers in float64 from balls, with bits doubled up to ``most`` until they are accurate enough."""
    while True:
        with ball_precision(bits):
            found = parts(bits)
        if bits >= most or all(x.rel_accuracy_bits() > _FLOAT_BITS for x in found):
            return tuple(nearest_float(part, "a share of the teacher") for part in found)
        bits = 2 * bits


def _shares_by_balls(plan: Plan, case: Case, t: Number, zeta: Number = 0) -> Shares:
    """Return float64 shares by way of balls where float64 would lose digits: C(1) − C(t), or gaps that depend on τ."""
    most = _MOST_SHARE_BITS if needs_slope(plan) else 0  # the directions of long neurons are nearly parallel

    def at(t: float, zeta: float, *sizes: float) -> tuple[float, ...]:
        def share(bits: int) -> list[flint.arb]:
            terms = terms_of(plan, bits)
            exact = _ball_case_at(terms, sizes)
            found = shares_of(BALLS, plan, terms, exact, exact.t, exact.one_minus_t, ball(float(zeta)))
            return list(map(flint.arb, found))

        bits = max(_COVARIANCE_BITS, _COVARIANCE_SPARE_BITS + 3 * math.ceil(-math.log2(t))) if t else _COVARIANCE_BITS
        return _settled(share, bits, most)

    sizes = case.phi, case.psi, case.noise, case.residual_mean
    results = np.frompyfunc(at, 2 + len(sizes), len(Shares._fields))(t, zeta, *sizes)
    return Shares(*(np.asarray(result, dtype=float)[()] for result in results))


def _ball_case_at(terms: Terms, sizes: Sequence[float]) -> Case:
    """Return the case in balls at the float64 values of φ, ψ, σ_ε and the residual's mean."""
    phi, psi, noise, residual_mean = (ball(float(x)) for x in sizes)
    constants = terms.constants
    if terms.own_mean is not None:  # else it is the mean of the labels, which is known exactly
        constants = dataclasses.replace(constants, residual_mean=residual_mean)
    return case_at(BALLS, constants, phi, psi, noise)


class Learned(NamedTuple):
    """The gain of a step averaged over networks: shares of the linear part and of the teacher, and κ and ρ to show."""

    aligned: Alignment  # ρ² and 1 − ρ² where Σ = I
    share: Shares
    kappa: Number
    rho: Number


def learned(ns: NumberSystem, plan: Plan, terms: Terms, case: Case, weights: Weights) -> Learned:
    """Return the part of the teacher learned by a plan's step, which is nothing without spikes."""
    t, one_minus_t, kappa, rho = case.t, case.one_minus_t, case.kappa, case.rho
    share: Shares | None = None
    if terms.own_mean is not None:
        average = _ball_average if ns is BALLS else _float_average
        t, one_minus_t, share = average(plan, terms, case, terms.own_mean)
        kappa = kappa + case.batch_ratio * terms.own_mean**2
        rho = ns.where(case.step_linear < 0, -1, 1) * ns.sqrt(t)
    if not plan.spikes:
        t, one_minus_t, share = 0 * t, 1, None
    if share is None:
        zeta = constant_spread(case.c2_gaussian, weights.spread)
        share = shares_of(ns, plan, terms, case, t, one_minus_t, zeta)
    if case.levels and plan.spikes:
        return Learned(alignment(case, weights), share, kappa, rho)
    return Learned(Alignment(t, one_minus_t, t, one_minus_t), share, kappa, rho)


def rule(width: Array, centre: Array, numbers: Array) -> tuple[Array, Array]:
    """Return nodes Z and weights of a rule for E f(Z), where f has poles at z ± iδ: ``width`` is δ, ``centre`` is z.

    With Z = z + δ sinh s the poles of 1/(δ² + (Z − z)²) lie at ±iπ/2, wherever they were, and equal steps in s converge
    exponentially.  Poles at a distance of 1 or more, or far from the real Z that count, need no such change.

    >>> nodes, weights = rule(np.array(0.01), np.array(0.0), np.arange(NODES))
    >>> round(float(np.sum(weights / (0.01**2 + nodes**2))), 10)  # √(π/2) e^(δ²/2) erfc(δ/√2)/δ
    124.3376471249
    """
    near = (width < 1) & (np.abs(centre) < _FAR)
    delta, middle = np.where(near, width, 1.0), np.where(near, centre, 0.0)
    low, high = (np.where(near, np.arcsinh((end - middle) / delta), end) for end in (-_REACH, _REACH))
    step = (high - low) / (NODES - 1)
    s = low + numbers.reshape(-1, *[1] * low.ndim) * step
    nodes = np.where(near, middle + delta * np.sinh(s), s)
    slope = np.where(near, delta * np.cosh(s), 1.0)
    return nodes, step * slope * np.exp(-(nodes**2) / 2) / math.sqrt(2 * math.pi)


def _float_average(plan: Plan, terms: Terms, case: Case, own: Number) -> tuple[Number, Number, Shares]:
    """Return ρ², 1 − ρ² and the shares in float64, averaged over Z."""
    mean = case.residual_mean
    least = with_residual_mean(case, 0.0).kappa
    width, centre = np.broadcast_arrays(np.sqrt(least / case.batch_ratio) / abs(own), mean / own)
    total: Array = np.zeros((4, *width.shape))
    for numbers in np.array_split(np.arange(NODES), -(-NODES * width.size // _AT_ONCE)):
        nodes, weights = rule(width, centre, numbers)
        at = with_residual_mean(case, mean - own * nodes)
        found = [at.t, at.one_minus_t, *_explained_and_left(FLOATS, plan, terms, at)]
        total += [np.sum(weights * part, axis=0) for part in found]
    t, one_minus_t, explained, left = (part[()] for part in total)
    return t, one_minus_t, Shares(explained, left, floor=0 * t)


def _explained_and_left(ns: NumberSystem, plan: Plan, terms: Terms, case: Case) -> tuple[Number, Number]:
    """Return the shares for a step without a floor, since a constant is free."""
    if not plan.spikes:
        return 0 * case.t, 0 * case.t
    share = shares_of(ns, plan, terms, case, case.t, case.one_minus_t, 0 * case.t)
    return share.explained, share.left


def _ball_average(plan: Plan, terms: Terms, case: Case, own: Number) -> tuple[Number, Number, Shares]:
    """Return ρ², 1 − ρ² and the shares in balls, averaged over Z."""

    def at(z: flint.acb) -> Case:
        return with_residual_mean(case, case.residual_mean - own * z, BALLS)

    t = enclosed_mean(lambda z: at(z).t, flint.arb(1))
    whole = flint.arb(terms.parts.rest)
    explained = enclosed_mean(lambda z: _explained_and_left(BALLS, plan, terms, at(z))[0], whole)
    return t, 1 - t, Shares(explained, whole - explained, floor=0 * t)


def enclosed_mean(function: Callable[[flint.acb], flint.acb], most: flint.arb) -> flint.arb:
    """Return a ball that contains E f(Z), for an analytic f with 0 ≤ f ≤ ``most`` on the real line."""
    reach = flint.arb(2 * math.isqrt(flint.ctx.prec) + 2)  # beyond it the density is below 2^(−2·precision)
    inside = flint.acb.integral(lambda z, analytic: function(z) * (-(z * z) / 2).exp(), -reach, reach)
    beyond = most * (reach / flint.arb(2).sqrt()).erfc()
    return inside.real / (2 * flint.arb.pi()).sqrt() + beyond * flint.arb(0.5, 0.5)
