"""From a problem to its limits: the formulas of this package put together, in float64 arrays or proven by balls."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import flint
import numpy as np

from theorycalc.model.problem import Problem
from theorycalc.model.spikes import Spikes
from theorycalc.model.teacher import Covariance
from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.exact import Exact, is_zero
from theorycalc.numbers.systems import BALLS, FLOATS, Number, NumberSystem
from theorycalc.theory.case import (
    CONSTANTS_BITS,
    Case,
    Constants,
    Point,
    ball_case,
    ball_constants,
    case_at,
    converted,
    gradient_spread,
    lengthening,
    rounded,
)
from theorycalc.theory.gains import (
    Parts,
    Shares,
    TeacherRow,
    initial_losses,
    losses,
    parts_of,
    shares,
    shares_from_covariance,
    spanned_share,
)
from theorycalc.theory.printed import matrix_losses, metrics, slides_Lambda
from theorycalc.theory.solver import ball_limits, ball_weights, float_limits, float_weights, until_proven
from theorycalc.theory.traces import Traces, Weights, constant_spread

_LARGEST_STRETCH = 1e100  # of (1 + τ)^ℓ in float64, which enters squared
_COVARIANCE_BITS = 160  # of differences that float64 uses, unless t = ρ² is tiny:
_COVARIANCE_SPARE_BITS = 100  # then B is a difference of numbers 1/t² or 1/t³ times as large
_FLOAT_BITS = 60  # of a share that is as good as its float64
_MOST_AMPLIFIED = 25  # a rounding of t may change a share by the square root of this
_MOST_SHARE_BITS = 20_000  # a share of which these show no digit is zero


class Values(NamedTuple):
    """Every number of a prediction at one point, or at all points of an array."""

    m1: Number
    m2: Number
    m1_slope: Number
    m2_slope: Number
    kappa: Number
    rho: Number
    train_loss_initial: Number
    test_loss_initial: Number
    train_gain: Number
    test_gain: Number
    train_loss: Number
    test_loss: Number
    train_error_initial: Number
    train_error: Number


class Untrained(NamedTuple):
    """m_1, and the losses of a network before its step."""

    m1: Number
    train_loss: Number
    test_loss: Number
    train_error: Number


@dataclass(frozen=True)
class Plan:
    """The parts of a prediction that are the same at every point."""

    problem: Problem
    spikes: Spikes
    form: str
    slides_ell: int | None  # 1 or 2: Λ as the slides print it
    gradient: str = "labels"  # target of the step: "labels", as in the theorem, or "residual", y − f₀
    lengthened: bool = False  # whether the spikes are those of neurons that the step lengthens


@dataclass(frozen=True)
class Terms:
    """The constants of a plan, in one number system."""

    constants: Constants
    parts: Parts  # the teacher as the plan's spikes see it
    slope_variance: Number | None  # Var σ'(Z), where spikes of lengthened neurons need it
    covariance: Covariance | None


def ball_terms(plan: Plan) -> Terms:
    """Return the terms as balls of the current precision."""
    constants, teacher = ball_constants(plan.problem, plan.gradient), plan.problem.teacher
    return Terms(
        constants=constants,
        parts=parts_of(BALLS, constants.c_star, constants.tail, plan.spikes),
        slope_variance=ball(plan.problem.unit_activation.slope_variance) if needs_slope(plan) else None,
        covariance=None if plan.spikes.is_finite or teacher.has_all_coefficients else teacher.covariance,
    )


def terms_by_precision(plan: Plan) -> Callable[[int], Terms]:
    """Return the terms in balls as a function of the precision, made once for all points."""
    return functools.cache(lambda bits: ball_terms(plan))  # called where the precision is ``bits``


@functools.lru_cache(maxsize=256)
def _terms_of(plan: Plan, bits: int) -> Terms:
    """Return the terms in balls, where the precision is ``bits``."""
    return ball_terms(plan)


def float_terms(plan: Plan) -> Terms:
    """Return the terms in float64, each number rounded once."""
    with ball_precision(CONSTANTS_BITS):
        return converted(ball_terms(plan), rounded)


def needs_slope(plan: Plan) -> bool:
    """Return whether τ matters: odd powers without gaps have the same span with and without lengthening."""
    if not plan.lengthened or not plan.spikes.is_finite:  # of infinitely many powers nothing is left out
        return False
    return plan.spikes.has_gaps or plan.spikes.has_even


def lengthening_of(terms: Terms, case: Case) -> Number | None:
    """Return τ of the neurons that the step lengthens, or None where it does not matter."""
    if terms.slope_variance is None:
        return None
    return lengthening(gradient_spread(terms.slope_variance, case.scatter), case.c1, case.kappa)


def evaluate(
    ns: NumberSystem,
    plan: Plan,
    terms: Terms,
    case: Case,
    traces: Traces,
    weights: Weights,
    times: Callable[[Number, Number], Number] = operator.mul,
) -> Values:
    """Return every number of the prediction, given the traces; ``times`` as in :func:`losses`."""
    noise_variance = case.noise_variance
    zeta = constant_spread(case.c2_gaussian, weights.spread)
    t, one_minus_t = case.t, case.one_minus_t
    if not plan.spikes:  # ℓ = 0: nothing is learned, as if the step had no direction
        t, one_minus_t = 0 * t, 1
    if plan.form == "matrix" and plan.spikes and plan.spikes.is_finite:
        result = matrix_losses(
            ns,
            plan.spikes.listed,
            metrics(weights, zeta),
            case.c_star,
            case.tail,
            case.rho,
            one_minus_t,
            noise_variance,
        )
    else:
        share = _shares(ns, plan, terms, case, t, one_minus_t, zeta)
        result = losses(weights, terms.parts, share, t, one_minus_t, noise_variance, times)
    if plan.slides_ell is not None:
        printed = slides_Lambda(
            plan.slides_ell, case.c_star[0], case.c_star_2, case.kappa, traces.m1, traces.m1_slope, traces.m2_slope
        )
        result = result._replace(test_gain=printed, test_loss=result.test_loss_initial - printed)
    return Values(traces.m1, traces.m2, traces.m1_slope, traces.m2_slope, case.kappa, case.rho, *result)


def _shares(
    ns: NumberSystem, plan: Plan, terms: Terms, case: Case, t: Number, one_minus_t: Number, zeta: Number
) -> Shares:
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
        lengthened = parts_of(ns, case.c_star, case.tail, plan.spikes, tau)
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
    share, *sizes = np.broadcast_arrays(share, case.phi, psi, case.noise)
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
    """Return that energy at one point (φ, ψ, σ_ε) from balls of as many bits as float64 needs."""
    bits = _COVARIANCE_BITS
    while True:
        with ball_precision(bits):
            terms = _terms_of(plan, bits)
            case = case_at(BALLS, terms.constants, *(ball(float(x)) for x in sizes))
            share = flint.arb(spanned_share(BALLS, terms.parts, case.t, case.one_minus_t))
        if share.rel_accuracy_bits() > _FLOAT_BITS or bits >= _MOST_SHARE_BITS:
            return nearest_float(share, "a share of the teacher")
        bits = 2 * bits


def _shares_by_balls(plan: Plan, case: Case, t: Number, zeta: Number = 0) -> Shares:
    """Return float64 shares by way of balls, where float64 would lose digits: C(1) − C(t), or gaps that depend on τ."""
    lengthened = needs_slope(plan)
    terms_at = terms_by_precision(plan)

    def shares_with(bits: int, phi: float, psi: float, noise: float, zeta: float) -> list[flint.arb]:
        with ball_precision(bits):
            terms = terms_at(bits)
            exact = case_at(BALLS, terms.constants, *(ball(float(x)) for x in (phi, psi, noise)))
            share = _shares(BALLS, plan, terms, exact, exact.t, exact.one_minus_t, ball(float(zeta)))
            return list(map(flint.arb, share))

    def at(phi: float, psi: float, noise: float, t: float, zeta: float) -> tuple[float, ...]:
        bits = max(_COVARIANCE_BITS, _COVARIANCE_SPARE_BITS + 3 * math.ceil(-math.log2(t))) if t else _COVARIANCE_BITS
        found = shares_with(bits, phi, psi, noise, zeta)
        while lengthened and bits < _MOST_SHARE_BITS and not all(x.rel_accuracy_bits() > _FLOAT_BITS for x in found):
            bits = 2 * bits  # the directions of long neurons are nearly parallel
            found = shares_with(bits, phi, psi, noise, zeta)
        return tuple(nearest_float(part, "a share of the teacher") for part in found)

    results = np.frompyfunc(at, 5, len(Shares._fields))(case.phi, case.psi, case.noise, t, zeta)
    return Shares(*(np.asarray(result, dtype=float)[()] for result in results))


def float_values(plan: Plan, terms: Terms, point: Point) -> Values:
    """Return the values in float64; the point may hold arrays."""
    case = case_at(FLOATS, terms.constants, point.phi, point.psi, point.noise)
    if FLOATS.all(point.ridge > 0):
        return evaluate(FLOATS, plan, terms, case, *float_weights(case, point.ridge))
    with np.errstate(divide="ignore", invalid="ignore"):  # infinities are results here
        found = float_limits(*point[:3], case.c1, case.c_rest)
        return evaluate(FLOATS, plan, terms, case, *found, times=_times_floats)


def _times_floats(weight: Number, part: Number) -> Number:
    return np.where(part == 0, 0.0, weight * part)


def ball_values(plan: Plan, terms_at: Callable[[int], Terms], point: Sequence[Exact], digits: int) -> list[flint.arb]:
    """Return the values as balls of which ``digits`` digits are proven."""
    phi, psi, ridge, noise = point

    def attempt(bits: int) -> Sequence[flint.arb]:
        terms = terms_at(bits)
        case = case_at(BALLS, terms.constants, ball(phi), ball(psi), ball(noise))
        if not ridge:
            linear = is_zero(plan.problem.unit_activation.c_rest)
            found = ball_limits((phi, psi), case.c1, case.c_rest, linear)
            return evaluate(BALLS, plan, terms, case, *found, times=_times_balls)
        return evaluate(BALLS, plan, terms, case, *ball_weights(case, (phi, psi, ridge), bits))

    return until_proven(attempt, digits)


def _times_balls(weight: Number, part: Number) -> Number:
    return flint.arb(0) if part == 0 else weight * part


def float_untrained(case: Case, ridge: Number) -> Untrained:
    """Return the losses before the step in float64, for λ > 0; σ_ε and λ may be arrays."""
    return _untrained(case, *float_weights(case, ridge))


def ball_untrained(problem: Problem, gradient: str, digits: int) -> Untrained:
    """Return the losses before the step of a problem with λ > 0, ``digits`` digits of each proven."""
    sizes = problem.phi, problem.psi, problem.ridge

    def attempt(bits: int) -> Sequence[flint.arb]:
        case = ball_case(problem, gradient)
        return _untrained(case, *ball_weights(case, sizes, bits))

    return Untrained(*until_proven(attempt, digits))


def _untrained(case: Case, traces: Traces, weights: Weights) -> Untrained:
    return Untrained(traces.m1, *initial_losses(weights, case.c_star[0] ** 2, case.rest + case.noise_variance))
