"""One prediction in each number system, by paths that share the formulas and nothing else, as mpf to compare."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import flint
import mpmath

import theorycalc as tc
from tests.helpers.mpmath_numbers import Mpf
from tests.properties import BALLS, FLOATS, MPMATH
from tests.properties.drawing import limit_of
from theorycalc.errors import PrecisionError
from theorycalc.model.spikes import read_ell
from theorycalc.numbers.balls import ball_precision, to_mpf
from theorycalc.numbers.exact import is_zero
from theorycalc.theory.case import Case, case_at, converted
from theorycalc.theory.conditions import spikes_of
from theorycalc.theory.gains import Losses
from theorycalc.theory.limits import Values, ball_values, evaluate, float_values
from theorycalc.theory.plans import Plan, Point, Terms, ball_terms, float_terms
from theorycalc.theory.ridgeless import case_of, ridgeless
from theorycalc.theory.traces import Traces, balance, balance_of, start, traces_at, weights_of

DIGITS = 30  # proven in balls
SIXTY = Mpf(60)
MP = SIXTY.context
#: What two results that should be equal may differ by, relatively: float64 is documented to be within 1e-14 of the
#: truth, balls prove 30 digits, and mpmath loses up to 16 of its 60 digits where φ and ψ nearly agree.
TOLERANCE = {FLOATS: MP.mpf(2e-14), MPMATH: MP.mpf(10) ** -38, BALLS: MP.mpf(10) ** -29}
OUTPUTS = Losses._fields


def exact(x: Fraction) -> mpmath.mpf:
    return SIXTY.rational(x)


def as_mpf(x: Any) -> mpmath.mpf:
    return to_mpf(x, 60) if isinstance(x, flint.arb) else MP.mpf(x)


def predicted(
    system: str,
    case: tc.Problem,
    ell: Any,
    network: str = "theorem",
    form: str = "closed",
    as_printed: bool = False,
    digits: int = DIGITS,
) -> Values:
    """Return every number of a prediction as mpf; ``digits`` are those of balls."""
    network = limit_of(case, network)
    literal = {} if network == "theorem" else {"network": "literal", "gradient": network}
    if system == FLOATS:
        found = tc.predict(case, ell=ell, form=form, as_printed=as_printed, **literal)
        return Values(*(as_mpf(float(getattr(found, name))) for name in Values._fields))
    spikes = spikes_of(case, read_ell(ell))
    if system == MPMATH and literal and spikes.has_gaps:
        system = BALLS  # directions of long neurons are nearly parallel: sixty digits may not be enough
    gradient = literal.get("gradient", "labels")
    plan = Plan(case, spikes, form, ell if as_printed else None, gradient, lengthened=bool(literal))
    return _in_system(system, plan, digits)


def on_the_residual(system: str, case: tc.Problem, ell: Any, form: str = "closed") -> Values:
    """Return the theorem's numbers with κ̃ and ρ̃ of the residual, where strong spikes of the pencil lead."""
    return _in_system(system, Plan(case, spikes_of(case, read_ell(ell)), form, None, "residual"), DIGITS)


def _in_system(system: str, plan: Plan, digits: int) -> Values:
    case = plan.problem
    point = (case.phi, case.psi, case.ridge, case.noise)
    if system == FLOATS:
        return Values(*map(as_mpf, float_values(plan, float_terms(plan), Point(*map(float, point)))))
    if system == BALLS:
        return Values(*map(as_mpf, ball_values(plan, point, digits)))
    with ball_precision(260):
        terms = converted(ball_terms(plan), lambda value: to_mpf(value, 60))
    phi, psi, ridge, noise = map(exact, point)
    return _by_mpmath(plan, terms, case_at(SIXTY, terms.constants, phi, psi, noise), ridge)


def _by_mpmath(plan: Plan, terms: Terms, case: Case, ridge: mpmath.mpf) -> Values:
    problem = plan.problem
    if not problem.ridge:
        which = case_of(SIXTY, problem.phi, problem.psi, is_zero(problem.activation.c_rest))
        found = ridgeless(SIXTY, which, case.phi, case.psi, case.c1, case.c_rest)
        return evaluate(SIXTY, plan, terms, case, *found, times=lambda w, part: MP.mpf(0) if part == 0 else w * part)
    traces = mpmath_traces(case.phi, case.psi, ridge, case.c1, case.c_rest)
    return evaluate(SIXTY, plan, terms, case, traces, weights_of(traces, case.phi, case.psi, ridge))


def mpmath_traces(phi: Any, psi: Any, lam: Any, c1: Any, c_rest: Any) -> Traces:
    """Return the traces by Newton's method in mpmath, whose last step is below the rounding."""
    equation = balance_of(SIXTY, phi, psi, lam, c1, c_rest)
    y = start(SIXTY, equation)
    for _ in range(200):
        value, slope = balance(y, equation)
        y, before = y - value / slope, y
        if abs(y - before) <= MP.mpf(10) ** -35 * y:  # the next would be its square
            return traces_at(SIXTY, y, equation, phi, psi, lam)
    raise PrecisionError("Newton's method did not settle")


def traces(
    system: str, phi: Fraction, psi: Fraction, ridge: Fraction, c1: Fraction, c_rest: Fraction
) -> tuple[Any, ...]:
    """Return m_1, m_2 and their slopes as mpf."""
    given = {"phi": phi, "psi": psi, "ridge": ridge, "c1": c1, "c_rest": c_rest}
    if system == MPMATH:
        return mpmath_traces(*map(exact, given.values()))[:4]
    found = tc.traces(**given, digits=DIGITS if system == BALLS else None)
    return tuple(as_mpf(x) for x in (found.m1, found.m2, found.m1_slope, found.m2_slope))


def differences(system: str, one: Values, other: Values, names: Any = OUTPUTS, factor: Any = 1) -> Iterator[str]:
    """Yield in words where ``other`` is not ``factor`` times ``one``."""
    for name in names:
        expected, found = factor * getattr(one, name), getattr(other, name)
        if expected != found and not abs(found - expected) <= TOLERANCE[system] * abs(expected):
            yield f"{name}: {found} is not {expected}"


def at_most(system: str, lower: Any, upper: Any, size: Any) -> bool:
    """Whether lower ≤ upper, both being right to the system's tolerance of ``size``."""
    return bool(lower <= upper or lower - upper <= TOLERANCE[system] * size)


def noise_variance(case: tc.Problem) -> mpmath.mpf:
    return exact(case.noise) ** 2
