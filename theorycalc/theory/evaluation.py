"""From a problem to its numbers: the formulas of this package put together, in floats or in balls."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import flint
import numpy as np

from theorycalc.activations.teacher import Covariance, Teacher
from theorycalc.errors import DomainError, PrecisionError
from theorycalc.exact import Exact, is_zero
from theorycalc.numbers import BALLS, FLOATS, Number, NumberSystem, ball, ball_precision, bits_for, nearest_float
from theorycalc.theory.gains import (
    Parts,
    Shares,
    initial_scatter,
    kappa,
    losses,
    parts_of,
    scatter,
    shares,
    shares_from_covariance,
)
from theorycalc.theory.printed import fit_weights, matrix_losses, risk_weights, slides_Lambda
from theorycalc.theory.problem import Problem
from theorycalc.theory.ridgeless import Case, case_of, ridgeless
from theorycalc.theory.solver import enclose_root, solve_floats
from theorycalc.theory.traces import Traces, balance_of, traces_at
from theorycalc.theory.weights import Weights, weights_of

_CONSTANTS_BITS = 400  # constants that float64 uses are rounded once, from this precision
_GUARD_BITS = 30
_MOST_EXTRA_BITS = 20_000


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
    spikes: tuple[int, ...] | None  # None: every k
    form: str
    slides_ell: int | None  # 1 or 2: Λ as the slides print it

    @property
    def teacher(self) -> Teacher:
        """The problem's teacher, which is one since the problem was validated."""
        assert isinstance(self.problem.teacher, Teacher)
        return self.problem.teacher


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
    step_samples: Number
    included: bool
    covariance: Covariance | None


def constants_of(plan: Plan) -> Constants:
    """Return the constants as balls of the current precision."""
    problem, teacher = plan.problem, plan.teacher
    c_star = tuple(ball(c) for c in teacher.coefficients)
    tail = ball(Fraction(0))
    if teacher.second_moment is not None:
        energies = parts_of(BALLS, c_star, tail, None)
        tail = ball(teacher.second_moment) - ball(teacher.mean) ** 2 - energies.linear - energies.rest
        if tail < 0:
            raise DomainError("teacher: second_moment is less than mean² + Σ k! c_⋆k² of the coefficients given")
    zero = ball(Fraction(0))
    c2 = zero if problem.activation.c2 is None else ball(problem.activation.c2)
    gaussian = problem.first_layer == "gaussian"
    constant = problem.second_layer == "constant" and problem.initial_output == "included"
    return Constants(
        c1=ball(problem.activation.c1),
        c_rest=ball(problem.activation.c_rest),
        c2_gaussian=c2 if gaussian else zero,
        c2_constant=c2 if constant else zero,
        c_star=c_star,
        tail=tail,
        parts=parts_of(BALLS, c_star, tail, plan.spikes),
        step_samples=ball(Fraction(1) if problem.step_samples is None else problem.step_samples),
        included=problem.initial_output == "included",
        covariance=teacher.covariance if plan.spikes is None and not teacher.is_polynomial else None,
    )


def float_constants(plan: Plan) -> Constants:
    """Return the constants in float64, each rounded once."""
    with ball_precision(_CONSTANTS_BITS):
        exact = constants_of(plan)
        return dataclasses.replace(
            exact, **{f.name: _rounded(getattr(exact, f.name), f.name) for f in dataclasses.fields(exact)}
        )


def _rounded(value: Any, name: str) -> Any:
    if isinstance(value, flint.arb):
        return nearest_float(value, name)
    if isinstance(value, tuple):
        items = [_rounded(item, name) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else tuple(items)
    return value


class Direction(NamedTuple):
    """κ, ρ, ρ² and 1 − ρ² of the step direction."""

    kappa: Number
    rho: Number
    t: Number
    one_minus_t: Number


def direction_of(ns: NumberSystem, constants: Constants, point: Point) -> Direction:
    """Return the alignment of the step with the teacher (theory sections 4, 9.3 and 9.4a)."""
    parts = constants.parts
    phi = point.phi / constants.step_samples
    off = scatter(parts.linear + parts.rest, point.noise**2, phi)
    if constants.included:
        off = off + initial_scatter(constants.c1, constants.c_rest, constants.c2_constant, phi, point.psi)
    length = kappa(constants.c_star[0], off)
    return Direction(length, constants.c_star[0] / ns.sqrt(length), parts.linear / length, off / length)


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
    if plan.form == "matrix" and plan.spikes:
        train = fit_weights(traces, point.phi, point.psi, constants.c2_gaussian)
        test = risk_weights(traces, point.phi, point.psi, constants.c2_gaussian)
        result = matrix_losses(
            ns,
            plan.spikes,
            train,
            test,
            constants.c_star,
            constants.tail,
            direction.rho,
            direction.one_minus_t,
            noise_variance,
            point.ridge,
        )
    else:
        share = _shares(ns, plan, constants, point, direction, weights)
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
    return Values(*traces[:4], direction.kappa, direction.rho, *result)


def _shares(
    ns: NumberSystem, plan: Plan, constants: Constants, point: Point, direction: Direction, weights: Weights
) -> Shares:
    if plan.spikes == ():  # ℓ = 0: nothing is learned
        return Shares(0, constants.parts.rest, floor=0, kept=1)
    if constants.covariance is None:
        return shares(constants.parts, direction.t, direction.one_minus_t, 2 * constants.c2_gaussian**2 * weights.spread)
    if ns is BALLS:
        return shares_from_covariance(
            ns, constants.covariance, constants.parts.linear, direction.t, direction.one_minus_t
        )
    return _covariance_shares(plan, constants.covariance, point)


def _covariance_shares(plan: Plan, covariance: Covariance, point: Point) -> Shares:
    """Float64 shares of a teacher known by its covariance: by balls, since C(1) − C(t) cancels."""

    def at(phi: float, psi: float, noise: float) -> tuple[float, float]:
        exact = Point(ball(float(phi)), ball(float(psi)), ball(Fraction(0)), ball(float(noise)))
        direction = direction_of(BALLS, balls, exact)
        share = shares_from_covariance(BALLS, covariance, balls.parts.linear, direction.t, direction.one_minus_t)
        return nearest_float(share.explained, "B"), nearest_float(share.left, "A")

    with ball_precision(_CONSTANTS_BITS):
        balls = constants_of(plan)
        explained, left = np.frompyfunc(at, 3, 2)(point.phi, point.psi, point.noise)
    as_floats = partial(np.asarray, dtype=float)
    return Shares(as_floats(explained)[()], as_floats(left)[()], floor=0, kept=1)


def float_values(plan: Plan, constants: Constants, point: Point) -> Values:
    """Return the values in float64; the point may hold arrays."""
    ridge = np.asarray(point.ridge)
    without = ridge == 0
    if not without.any():
        traces = float_traces(point, constants.c1, constants.c_rest)
        return evaluate(FLOATS, plan, constants, point, traces, weights_of(traces, *point[:3]))
    shape = np.broadcast_shapes(*(np.shape(x) for x in point))
    full = [np.broadcast_to(x, shape) for x in point]
    out = [np.empty(shape) for _ in Values._fields]
    case = np.broadcast_to(
        np.where(without, case_of(FLOATS, full[0], full[1], constants.c_rest == 0), -1), shape
    )
    for which in np.unique(case):
        chosen = case == which
        part = Point(*(x[chosen] for x in full))
        if which < 0:
            values = float_values(plan, constants, part)
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                found = ridgeless(FLOATS, Case(which), part.phi, part.psi, constants.c1, constants.c_rest)
                values = evaluate(FLOATS, plan, constants, part, *found, times=_times_floats)
        for target, value in zip(out, values, strict=True):
            target[chosen] = value
    return Values(*out)


def float_traces(point: Point, c1: Number, c_rest: Number) -> Traces:
    """Return the traces in float64, for λ > 0."""
    equation = balance_of(FLOATS, *point[:3], c1, c_rest)
    return traces_at(FLOATS, solve_floats(equation), equation, *point[:3])


def _times_floats(weight: Number, part: Number) -> Number:
    return np.where(part == 0, 0.0, weight * part)


def ball_values(plan: Plan, point: Sequence[Exact], digits: int) -> list[flint.arb]:
    """Return the values as balls of which ``digits`` digits are proven."""

    def attempt(bits: int) -> Sequence[flint.arb]:
        constants = constants_of(plan)
        balls = Point(*map(ball, point))
        traces, weights = ball_traces(point, balls, constants.c1, constants.c_rest, plan.problem.activation.c_rest, bits)
        times = _times_balls if point[2] == 0 else None
        return evaluate(BALLS, plan, constants, balls, traces, weights, times)

    return until_proven(attempt, digits)


def ball_traces(
    point: Sequence[Exact], balls: Point, c1: flint.arb, c_rest: flint.arb, exact_c_rest: Exact, bits: int
) -> tuple[Traces, Weights]:
    """Return enclosures of the traces and weights, for λ ≥ 0."""
    if point[2] == 0:
        case = case_of(BALLS, point[0], point[1], is_zero(exact_c_rest))
        return ridgeless(BALLS, case, balls.phi, balls.psi, c1, c_rest)
    # Exact rationals: the differences of sizes in the balance are then exact, too.
    phi, psi, ridge = (flint.fmpq(x.numerator, x.denominator) for x in map(Fraction, point[:3]))
    equation = balance_of(BALLS, phi, psi, ridge, c1, c_rest)
    traces = traces_at(BALLS, enclose_root(equation, bits), equation, phi, psi, ridge)
    return traces, weights_of(traces, phi, psi, ridge)


def _times_balls(weight: flint.arb, part: flint.arb) -> flint.arb:
    return flint.arb(0) if part == 0 else weight * part


def until_proven(attempt: Callable[[int], Sequence[flint.arb]], digits: int) -> list[flint.arb]:
    """Repeat ``attempt`` with more bits until every result has ``digits`` proven digits."""
    target = bits_for(digits) + 10
    extra = _GUARD_BITS
    while extra <= _MOST_EXTRA_BITS:
        with ball_precision(target + extra):
            results = [flint.arb(x) for x in attempt(target + extra)]
            proven = min(_proven_bits(x) for x in results)
        if proven >= target:
            return results
        extra = max(2 * extra, extra + target - proven)
    raise PrecisionError(
        f"{digits} digits could not be proven with {_MOST_EXTRA_BITS} extra bits: a result is extremely close to zero"
    )


def _proven_bits(x: flint.arb) -> int:
    if x.is_nan():
        return 0
    return int(x.rel_accuracy_bits()) if x.is_finite() else 1 << 62
