"""The two ways to run the formulas: float64 for arrays, balls for a proof."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

import flint
import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball, ball_precision, bits_for
from theorycalc.numbers.exact import Exact, is_zero
from theorycalc.numbers.systems import BALLS, FLOATS, Number
from theorycalc.theory.case import Case, Point, ball_case, case_at
from theorycalc.theory.gains import initial_losses
from theorycalc.theory.limits import Plan, Terms, Values, evaluate
from theorycalc.theory.ridgeless import RidgelessCase, case_of, ridgeless
from theorycalc.theory.solver import enclose_root, solve_floats
from theorycalc.theory.traces import Balance, Traces, balance_of, traces_at
from theorycalc.theory.weights import Weights, weights_of

_GUARD_BITS = 30
_MOST_EXTRA_BITS = 20_000


class Untrained(NamedTuple):
    """m_1, and the losses of a network before its step."""

    m1: Number
    train_loss: Number
    test_loss: Number
    train_error: Number


def float_values(plan: Plan, terms: Terms, point: Point) -> Values:
    """Return the values in float64; the point may hold arrays."""
    case = case_at(FLOATS, terms.constants, point.phi, point.psi, point.noise)
    if FLOATS.all(point.ridge > 0):
        return evaluate(FLOATS, plan, terms, case, *float_weights(case, point.ridge))
    with np.errstate(divide="ignore", invalid="ignore"):  # infinities are results here
        found = float_limits(*point[:3], case.c1, case.c_rest)
        return evaluate(FLOATS, plan, terms, case, *found, times=_times_floats)


def float_weights(case: Case, ridge: Number) -> tuple[Traces, Weights]:
    """Return the traces and the weights of the losses in float64, for λ > 0."""
    traces = float_traces(case.phi, case.psi, ridge, case.c1, case.c_rest)
    return traces, weights_of(traces, case.phi, case.psi, ridge)


def float_traces(phi: Number, psi: Number, ridge: Number, c1: Number, c_rest: Number) -> Traces:
    """Return the traces in float64, for λ > 0."""
    equation = balance_of(FLOATS, phi, psi, ridge, c1, c_rest)
    return traces_at(FLOATS, solve_floats(equation), equation, phi, psi, ridge)


def float_limits(*parameters: Number) -> tuple[Traces, Weights]:
    """Return traces and weights in float64 where some λ are zero: case by case, then put together."""
    full = np.broadcast_arrays(*parameters)  # φ, ψ, λ, c_1, c_{>1}
    case = np.where(full[2] > 0, -1, case_of(FLOATS, full[0], full[1], full[4] == 0))
    out = [np.empty(case.shape) for _ in Traces._fields + Weights._fields]
    for which in np.unique(case):
        chosen = case == which
        phi, psi, ridge, c1, c_rest = (x[chosen] for x in full)
        if which < 0:
            traces = float_traces(phi, psi, ridge, c1, c_rest)
            weights = weights_of(traces, phi, psi, ridge)
        else:
            traces, weights = ridgeless(FLOATS, RidgelessCase(which), phi, psi, c1, c_rest)
        for target, value in zip(out, traces + weights, strict=True):
            target[chosen] = value
    return Traces(*out[: len(Traces._fields)]), Weights(*out[len(Traces._fields) :])


def _times_floats(weight: Number, part: Number) -> Number:
    return np.where(part == 0, 0.0, weight * part)


def ball_values(plan: Plan, terms_at: Callable[[int], Terms], point: Sequence[Exact], digits: int) -> list[flint.arb]:
    """Return the values as balls of which ``digits`` digits are proven."""
    phi, psi, ridge, noise = point

    def attempt(bits: int) -> Sequence[flint.arb]:
        terms = terms_at(bits)
        case = case_at(BALLS, terms.constants, ball(phi), ball(psi), ball(noise))
        if not ridge:
            linear = is_zero(plan.problem.activation.c_rest)
            found = ball_limits((phi, psi), case.c1, case.c_rest, linear)
            return evaluate(BALLS, plan, terms, case, *found, times=_times_balls)
        return evaluate(BALLS, plan, terms, case, *ball_weights(case, (phi, psi, ridge), bits))

    return until_proven(attempt, digits)


def ball_weights(case: Case, sizes: Sequence[Exact], bits: int) -> tuple[Traces, Weights]:
    """Return the traces and the weights of the losses in balls, at exact φ, ψ, λ > 0."""
    traces = ball_traces(sizes, case.c1, case.c_rest, bits)
    return traces, weights_of(traces, case.phi, case.psi, ball(sizes[2]))


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
    return Untrained(traces.m1, *initial_losses(weights, case.c_star[0] ** 2, case.rest + case.noise**2))


def ball_traces(sizes: Sequence[Exact], c1: flint.arb, c_rest: flint.arb, bits: int) -> Traces:
    """Return enclosures of the traces at exact φ, ψ, λ > 0."""
    # Exact rationals, not balls: the differences of sizes in the balance are then exact, too.
    phi, psi, ridge = map(_rational, sizes)
    exact = balance_of(BALLS, phi, psi, ridge, c1, c_rest)
    gap, room, excess, phi_ball, a, b = map(flint.arb, exact[:-1])
    equation = Balance(gap, room, excess, phi_ball, a, b, exact.wide)
    return traces_at(BALLS, enclose_root(equation, bits), equation, phi_ball, flint.arb(psi), flint.arb(ridge))


def _rational(size: Exact) -> flint.fmpq:
    assert isinstance(size, (Fraction, float))  # φ, ψ and λ are read as rational numbers
    return flint.fmpq(*Fraction(size).as_integer_ratio())


def ball_limits(sizes: Sequence[Exact], c1: flint.arb, c_rest: flint.arb, linear: bool) -> tuple[Traces, Weights]:
    """Return enclosures of traces and weights at exact φ, ψ for λ → 0⁺; ``linear`` says that c_{>1} = 0."""
    phi, psi = sizes
    return ridgeless(BALLS, case_of(BALLS, phi, psi, linear), ball(phi), ball(psi), c1, c_rest)


def _times_balls(weight: Number, part: Number) -> Number:
    return flint.arb(0) if part == 0 else weight * part


def until_proven(attempt: Callable[[int], Sequence[flint.arb]], digits: int) -> list[flint.arb]:
    """Repeat ``attempt`` with more bits until every result has ``digits`` proven digits."""
    target = bits_for(digits) + 10
    extra = _GUARD_BITS
    while extra <= _MOST_EXTRA_BITS:
        with ball_precision(target + extra):
            results = list(map(flint.arb, attempt(target + extra)))
            proven = min(map(_proven_bits, results))
        if proven >= target:
            return results
        extra = max(2 * extra, extra + target - proven)
    raise PrecisionError(
        f"{digits} digits could not be proven with {_MOST_EXTRA_BITS} extra bits: a result is extremely close to zero"
    )


def _proven_bits(x: flint.arb) -> int:
    if x.is_finite():
        return int(x.rel_accuracy_bits())
    return 1 << 62 if x > 0 or x < 0 else 0  # ±∞ is exact, a ball without bounds is not
