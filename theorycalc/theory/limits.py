"""From a problem to its numbers: the formulas of this package put together, in floats or in balls."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import flint
import numpy as np

from theorycalc.errors import DomainError, spelled
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import ALL, Spikes
from theorycalc.model.teacher import Covariance
from theorycalc.numbers.balls import ball, ball_precision, nearest_float
from theorycalc.numbers.doubled import DOUBLES, Doubled
from theorycalc.numbers.systems import BALLS, FLOATS, Number, NumberSystem
from theorycalc.theory.gains import (
    Parts,
    Shares,
    initial_variance,
    kappa,
    losses,
    parts_of,
    scatter,
    shares,
    shares_from_covariance,
    spanned_share,
)
from theorycalc.theory.lengthened import gradient_spread, lengthening
from theorycalc.theory.printed import matrix_losses, metrics, slides_Lambda
from theorycalc.theory.traces import Traces
from theorycalc.theory.weights import Weights, constant_spread

_CONSTANTS_BITS = 400  # constants that float64 uses are rounded once, from this precision
_LARGEST_STRETCH = 1e100  # of (1 + τ)^ℓ in float64, which enters squared
_COVARIANCE_BITS = 160  # of differences that float64 uses, unless t = ρ² is tiny:
_COVARIANCE_SPARE_BITS = 100  # then B is of order t² or t³ of what it is the difference of
_FLOAT_BITS = 60  # of a share that is as good as its float64
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


class Point(NamedTuple):
    """The parameters that may be arrays."""

    phi: Number
    psi: Number
    ridge: Number
    noise: Number


@dataclass(frozen=True)
class Plan:
    """What is to be computed: the same for every point."""

    problem: Problem
    spikes: Spikes
    form: str
    slides_ell: int | None  # 1 or 2: Λ as the slides print it
    gradient: str = "labels"  # what the step is taken on: "labels", as in the theorem, or "residual", y − f₀
    lengthened: bool = False  # whether the spikes are those of neurons that the step lengthens


@dataclass(frozen=True)
class Constants:
    """The numbers that do not change from point to point, in one number system."""

    c1: Number
    c_rest: Number
    c2_gaussian: Number  # c_2 where a Gaussian first layer brings it in, else 0
    c2_constant: Number  # c_2 where a constant second layer brings it in, else 0
    c_star: tuple[Number, ...]
    tail: Number
    parts: Parts
    step_ratio: Number
    included: bool  # whether the initial output takes part in the step
    slope_variance: Number | None  # Var σ'(Z), where spikes of lengthened neurons need it
    covariance: Covariance | None
    sharp: Constants | None = None  # beside floats: the same as Doubled numbers, for spikes with gaps


def constants_of(plan: Plan) -> Constants:
    """Return the constants as balls of the current precision."""
    problem, teacher = plan.problem, plan.problem.teacher
    c_star = tuple(ball(c) for c in teacher.coefficients)
    tail = ball(Fraction(0))
    if teacher.second_moment is not None:
        energies = parts_of(BALLS, c_star, tail, ALL)
        second_moment = ball(teacher.second_moment)
        tail = second_moment - ball(teacher.mean) ** 2 - energies.linear - energies.rest
        if tail < 0:
            raise DomainError(
                "teacher: second_moment is less than mean² + Σ k! c_⋆k² of the coefficients given", argument="teacher"
            )
        if teacher.covariance is not None and not (
            teacher.covariance(BALLS, ball(Fraction(1))) - second_moment
        ).contains(0):
            raise DomainError(
                "teacher: its covariance at correlation 1 is not its second_moment, E σ⋆(Z)²", argument="teacher"
            )
    zero = ball(Fraction(0))
    gaussian = problem.first_layer == "gaussian"
    included = plan.gradient == "residual"
    constant = problem.second_layer == "constant" and included
    needs_c2 = problem.activation.c2 is not None and (gaussian or constant)
    c2 = ball(problem.activation.c2) if needs_c2 else zero
    return Constants(
        c1=ball(problem.activation.c1),
        c_rest=ball(problem.activation.c_rest),
        c2_gaussian=c2 if gaussian else zero,
        c2_constant=c2 if constant else zero,
        c_star=c_star,
        tail=tail,
        parts=parts_of(BALLS, c_star, tail, plan.spikes),
        step_ratio=ball(problem.step_ratio),
        included=included,
        slope_variance=ball(problem.activation.slope_variance) if needs_slope(plan) else None,
        covariance=None if plan.spikes.is_finite or teacher.is_polynomial else teacher.covariance,
    )


def float_constants(plan: Plan) -> Constants:
    """Return the constants in float64, each rounded once."""
    with ball_precision(_CONSTANTS_BITS):
        exact = constants_of(plan)
        sharp = _converted(exact, _doubled) if exact.parts.spanned else None
        return dataclasses.replace(_converted(exact, _rounded), sharp=sharp)


def _converted(exact: Constants, convert: Callable[[flint.arb], Any]) -> Constants:
    def converted(value: Any) -> Any:
        if isinstance(value, flint.arb):
            return convert(value)
        if isinstance(value, tuple):
            items = [converted(item) for item in value]
            return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
        return value

    return dataclasses.replace(exact, **{f.name: converted(getattr(exact, f.name)) for f in dataclasses.fields(exact)})


def _rounded(value: flint.arb) -> float:
    return nearest_float(value, "a moment of the teacher or the activation")


def _doubled(value: flint.arb) -> Doubled:
    high = _rounded(value)
    return Doubled(high, _rounded(value - high))


def needs_slope(plan: Plan) -> bool:
    """Say whether τ plays a part: the odd powers without gaps span what they span without lengthening, too."""
    if not plan.lengthened or not plan.spikes.is_finite:  # of infinitely many powers nothing is left out
        return False
    return plan.spikes.has_gaps or plan.spikes.has_even


class Direction(NamedTuple):
    """κ, ρ, ρ² and 1 − ρ² of the step direction, and its scatter φ₀E r², each a sum of positive terms."""

    kappa: Number
    rho: Number
    t: Number
    one_minus_t: Number
    scatter: Number


def direction_of(ns: NumberSystem, constants: Constants, point: Point) -> Direction:
    """Return the alignment of the step with the teacher.

    See docs/theory/direction.md#κ-and-ρ and docs/theory/options.md#the-initial-output.
    """
    length, off, sampled = _lengths(constants, point)
    if ns.rounds and not ns.all(length > 0):  # labels that are exactly zero were refused before
        raise DomainError(
            f"all labels are too small for float64: the step has no direction; use {spelled('digits')}",
            argument="teacher",
        )
    rho = constants.c_star[0] / ns.sqrt(length)
    return Direction(length, rho, constants.parts.linear / length, off / length, sampled)


def initial_variance_of(constants: Constants, psi: Number) -> Number:
    """Return Var f₀ of the initial output."""
    return initial_variance(constants.c1, constants.c_rest, constants.c2_constant, psi)


def _lengths(constants: Constants, point: Point) -> tuple[Number, Number, Number]:
    """Return κ, its part κ(1 − ρ²) that is not along β⋆, and of that φ₀E r², which the sampling of the batch adds."""
    parts = constants.parts
    noise_variance = point.noise**2
    if constants.included:
        noise_variance = noise_variance + initial_variance_of(constants, point.psi)
    sampled = scatter(parts.linear + parts.rest, noise_variance, point.phi / constants.step_ratio)
    off = sampled + constants.c1**2 if constants.included else sampled
    return kappa(constants.c_star[0], off), off, sampled


def lengthening_of(constants: Constants, direction: Direction) -> Number | None:
    """Return τ of the neurons that the step lengthens, or None where it plays no part."""
    if constants.slope_variance is None:
        return None
    spread = gradient_spread(constants.slope_variance, direction.scatter)
    return lengthening(spread, constants.c1, direction.kappa)


def evaluate(
    ns: NumberSystem,
    plan: Plan,
    constants: Constants,
    point: Point,
    traces: Traces,
    weights: Weights,
    times: Callable[[Number, Number], Number] | None = None,
) -> Values:
    """Return every number of the prediction, given the traces."""
    direction = direction_of(ns, constants, point)
    noise_variance = point.noise**2
    zeta = constant_spread(constants.c2_gaussian, weights.spread)
    if not plan.spikes:  # ℓ = 0: nothing is learned, as if the step had no direction
        direction = direction._replace(t=0 * direction.t, one_minus_t=1)
    if plan.form == "matrix" and plan.spikes and plan.spikes.is_finite:
        result = matrix_losses(
            ns,
            plan.spikes.listed,
            metrics(weights, zeta),
            constants.c_star,
            constants.tail,
            direction.rho,
            direction.one_minus_t,
            noise_variance,
        )
    else:
        share = _shares(ns, plan, constants, point, direction, zeta)
        result = losses(
            weights,
            constants.parts,
            share,
            direction.t,
            direction.one_minus_t,
            noise_variance,
            **({"times": times} if times else {}),
        )
    if plan.slides_ell is not None:
        c_star_2 = constants.c_star[1] if len(constants.c_star) > 1 else 0
        printed = slides_Lambda(
            plan.slides_ell, constants.c_star[0], c_star_2, direction.kappa, traces.m1, traces.m1_slope, traces.m2_slope
        )
        result = result._replace(test_gain=printed, test_loss=result.test_loss_initial - printed)
    return Values(traces.m1, traces.m2, traces.m1_slope, traces.m2_slope, direction.kappa, direction.rho, *result)


def _shares(
    ns: NumberSystem, plan: Plan, constants: Constants, point: Point, direction: Direction, zeta: Number
) -> Shares:
    parts, t, one_minus_t = constants.parts, direction.t, direction.one_minus_t
    if constants.covariance is not None:
        if ns is not BALLS:
            return _shares_by_balls(plan, point, t)
        return shares_from_covariance(ns, constants.covariance, parts.linear, t, one_minus_t, plan.spikes)
    tau = lengthening_of(constants, direction)
    if tau is None:
        spanned = None if constants.sharp is None else _sharp_spanned_share(constants.sharp, point)
        return shares(ns, parts, t, one_minus_t, zeta, spanned)
    if ns is FLOATS and (parts.spanned or not ns.all((1 + tau) ** plan.spikes.largest < _LARGEST_STRETCH)):
        return _shares_by_balls(plan, point, t, zeta)
    if parts.spanned:
        lengthened = parts_of(ns, constants.c_star, constants.tail, plan.spikes, tau)
        return shares(ns, lengthened, t, one_minus_t, zeta)
    return shares(ns, parts, t, one_minus_t, zeta, tau=tau)


def _sharp_spanned_share(constants: Constants, point: Point) -> Number:
    """Return the share to float64 precision also where it nearly vanishes and the rounding of t would show."""
    length, off, _ = _lengths(constants, Point(*map(Doubled, point)))
    share = spanned_share(DOUBLES, constants.parts, constants.parts.linear / length, off / length)  # type: ignore[arg-type]
    return share.high


def _shares_by_balls(plan: Plan, point: Point, t: Number, zeta: Number = 0) -> Shares:
    """Float64 shares where float64 would lose digits: C(1) − C(t) of a covariance, or gaps that change with τ."""
    lengthened = needs_slope(plan)
    balls_at = functools.cache(lambda bits: constants_of(plan))  # called where the precision is ``bits``

    def shares_with(bits: int, phi: float, psi: float, noise: float, zeta: float) -> list[flint.arb]:
        with ball_precision(bits):
            balls = balls_at(bits)
            exact = Point(ball(float(phi)), ball(float(psi)), ball(Fraction(0)), ball(float(noise)))
            share = _shares(BALLS, plan, balls, exact, direction_of(BALLS, balls, exact), ball(float(zeta)))
            return list(map(flint.arb, share))

    def at(phi: float, psi: float, noise: float, t: float, zeta: float) -> tuple[float, ...]:
        bits = max(_COVARIANCE_BITS, _COVARIANCE_SPARE_BITS + 3 * math.ceil(-math.log2(t))) if t else _COVARIANCE_BITS
        found = shares_with(bits, phi, psi, noise, zeta)
        while lengthened and bits < _MOST_SHARE_BITS and not all(x.rel_accuracy_bits() > _FLOAT_BITS for x in found):
            bits = 2 * bits  # the directions of long neurons are nearly parallel
            found = shares_with(bits, phi, psi, noise, zeta)
        return tuple(nearest_float(part, "a share of the teacher") for part in found)

    results: Any = np.frompyfunc(at, 5, len(Shares._fields))(point.phi, point.psi, point.noise, t, zeta)
    return Shares(*(np.asarray(result, dtype=float)[()] for result in results))
