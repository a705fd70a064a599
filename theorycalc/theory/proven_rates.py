"""Error rates of a limit with proven digits: the law of the fit in balls, and integrals that enclose every error.

See docs/theory/error_rate.md#proven-digits.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import flint
from flint import acb, arb

from theorycalc.errors import PrecisionError, spelled
from theorycalc.functions.build import ONE
from theorycalc.functions.enclosures import ball_of
from theorycalc.functions.pieces import pieces
from theorycalc.functions.tree import Rational, Tree
from theorycalc.model.formula import FormulaTeacher
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import NONE, ONE_AND_EVEN, Spikes
from theorycalc.numbers.balls import ball
from theorycalc.numbers.exact import Exact
from theorycalc.numbers.systems import BALLS, Number
from theorycalc.theory.case import Case, case_at
from theorycalc.theory.explained import enclosed_mean
from theorycalc.theory.fit_scatter import ball_scatter
from theorycalc.theory.learned import LearnedFit, LeftOver, fit_of, left_over, of_parity
from theorycalc.theory.plans import Plan, has_own_mean, lengthening_of, terms_of
from theorycalc.theory.signs import wrong_chance
from theorycalc.theory.solver import until_proven
from theorycalc.theory.traces import constant_spread

_WIDE = 1e-6  # radius of a box from which an integral over it is bounded only
_CELLS = 8  # of that bound
_MOST_EXTRA_BITS = 600  # of precision: rates down to 1e-150, by integrals that take seconds there


class ExactSigns(NamedTuple):
    """A teacher ±1 as the exact places where its sign changes, and its signs between them."""

    places: tuple[Tree, ...]
    signs: tuple[int, ...]


def exact_signs(problem: Problem) -> ExactSigns:
    """Return the labels of a teacher that is proven to be ±1; refuse other teachers.

    >>> exact_signs(Problem("relu", "sign(2*x - 1)", 1, 1, 1)).signs
    (-1, 1)
    """
    teacher = problem.teacher
    found = pieces(teacher.tree) if isinstance(teacher, FormulaTeacher) else ()
    signs = {Rational(-ONE.value): -1, ONE: 1}
    if not found or not all(piece.tree in signs for piece in found):
        raise PrecisionError(
            f"the teacher is ±1, which is not proven from its formula: leave {spelled('digits')} out, or write it as "
            "the sign of a polynomial",
            argument="teacher",
        )
    ends = tuple(piece.high for piece in found if piece.high is not None)
    return ExactSigns(ends, tuple(signs[piece.tree] for piece in found))  # type: ignore[index]


def check_rate_proof(plan: Plan) -> None:
    """Refuse to prove digits of a rate that no enclosed integral covers.

    >>> from theorycalc.theory.checks import plan_of
    >>> check_rate_proof(plan_of(Problem("relu", "sign(x)", 1, 1, 1), 1, "closed", False, "theorem", "labels"))
    """
    if plan.spikes and has_own_mean(plan.problem, plan.gradient):
        raise PrecisionError(
            f"the rate of a raw activation is a mean over networks, whose digits are not proven; leave "
            f"{spelled('digits')} out, or use {spelled('gradient', 'labels')}",
            argument="digits",
        )


def proven_rates(plan: Plan, point: Sequence[Exact], digits: int) -> list[flint.arb]:
    """Return the rates before and after the step and their difference, each with ``digits`` proven digits.

    A difference that is smaller than their last digit, and cannot be told from 0, is 0.
    """
    labels = exact_signs(plan.problem)

    def rates(bits: int) -> Sequence[flint.arb]:
        terms, (phi, psi, ridge, noise) = terms_of(plan, bits), point
        case = case_at(BALLS, terms.constants, ball(phi), ball(psi), ball(noise))
        signs = _Signs(labels, case, ball(plan.problem.fit_sign) * ball(plan.problem.teacher.mean))

        def rate(spikes: Spikes) -> Number:
            scatter = ball_scatter(case, (phi, psi, ridge), bits, bool(spikes))
            zeta = constant_spread(case.c2_gaussian, scatter.spread)
            if not spikes or spikes.is_finite:
                tau = lengthening_of(terms, case) if spikes else None
                left = left_over(BALLS, case, spikes, zeta, tau, terms.shapes if spikes else ())
            else:
                left = signs.all_powers(spikes, ball(plan.problem.fit_fidelity))
            return signs.rate(fit_of(case, left, scatter, zeta), spikes)

        before = rate(NONE)
        return before, rate(plan.spikes) if plan.spikes else before

    def with_difference(bits: int) -> Sequence[flint.arb]:
        before, after = rates(bits)
        return before, after, before - after if plan.spikes else arb(0)

    try:
        return until_proven(with_difference, digits, _MOST_EXTRA_BITS)
    except PrecisionError:
        return [*until_proven(rates, digits, _MOST_EXTRA_BITS), arb(0)]


class _Signs:
    """Labels ±1 in balls of the current precision, and rates as integrals over h."""

    def __init__(self, labels: ExactSigns, case: Case, offset: flint.arb) -> None:
        self.signs, self.places = labels.signs, [ball_of(place) for place in labels.places]
        self.case, self.offset = case, offset

    def given(self, h: Number) -> Number:
        """Return E[σ⋆ | h] as a sum of normal probabilities."""
        return mean_sign(self.signs, [(place - self.case.rho * h) / self.case.off_teacher for place in self.places])

    def all_powers(self, spikes: Spikes, fidelity: flint.arb) -> LeftOver:
        """Return the part of labels left by infinitely many powers, which learn E[y|h] or its part of one parity."""
        case, mean = self.case, mean_sign(self.signs, self.places)
        along = case.c_star[0] * case.rho

        def learned(h: Number, linear: flint.arb) -> Number:
            return of_parity(spikes, lambda at: fidelity * (self.given(at) - mean), h, linear)

        def bounded_square(h: Number) -> Number:
            value = learned(h, arb(0))
            return value * value

        energy = enclosed_mean(bounded_square, 4 * fidelity**2)
        if spikes == ONE_AND_EVEN:
            energy += along**2
        linear = case.c_star[0] ** 2 * case.one_minus_t
        rest = case.c_star[0] ** 2 + case.rest - energy - linear + case.noise_variance
        return LeftOver(lambda h: learned(h, along), arb(0), linear, rest)

    def rate(self, fit: LearnedFit, spikes: Spikes) -> Number:
        """Return the rate of a fit, at a precision at which all its numbers are balls."""
        if fit.variance == arb.pos_inf():  # without ridge where N = n: f̂ is all noise
            return arb(1) / 2
        if not fit.variance.is_finite():  # more bits are needed
            return arb.nan()
        case = self.case
        rho, off = (case.rho, case.off_teacher) if spikes else (arb(0), arb(1))  # without a step t does not know h
        slope = fit.slope * off
        spread = (slope**2 + fit.variance).sqrt()
        angle = (slope / fit.variance.sqrt()).atan()

        def below_zero(h: Number) -> Number:
            return -(fit.function(h) + (fit.constant + self.offset)) / spread

        def both(place: Number) -> Callable[[Number], Number]:
            return lambda h: enclosed_both_below((place - rho * h) / off, below_zero(h), angle)

        below = [*map(normal_below, self.places), arb(1)]
        functions: list[Callable[[Number], Number]] = [*map(both, self.places), lambda h: normal_below(below_zero(h))]
        if not spikes:
            return wrong_chance(self.signs, below, [function(acb(0)).real for function in functions])
        return wrong_chance(self.signs, below, [enclosed_mean(function, arb(1)) for function in functions])


def mean_sign(signs: Sequence[int], places: Sequence[Number]) -> Number:
    """Return the mean of labels ±1 that change at given places of a standard normal variable."""
    steps = zip(places, signs, signs[1:], strict=False)
    return signs[-1] + sum(((left - right) * normal_below(place) for place, left, right in steps), arb(0))


def normal_below(x: Number) -> Number:
    """Return P(X < x) for a standard normal X, at a real or complex ball.

    >>> normal_below(arb(0))
    0.500000000000000
    """
    return (-x / arb(2).sqrt()).erfc() / 2


def enclosed_both_below(x: Number, y: Number, angle: flint.arb) -> Number:
    """Return P(X < x, Y < y) for standard normals with correlation sin(angle), at complex boxes x and y.

    See docs/theory/error_rate.md#proven-digits.

    >>> found = enclosed_both_below(acb(0), acb(0), arb.pi() / 6)  # 1/4 + 1/12
    >>> bool((3 * found.real - 1).contains(0) and found.real.rad() < 1e-12)
    True
    """
    squares, product = x * x + y * y, x * y

    def density(turn: Number, _: bool) -> Number:
        sine = turn.sin()
        return (-(squares - 2 * product * sine) / (2 * (1 - sine * sine))).exp()

    if max(float(part.rad()) for box in (x, y) for part in (box.real, box.imag)) > _WIDE:
        half = angle / (2 * _CELLS)
        cells = (density(acb(half * (2 * j + 1) + half * arb(0, 1)), False) for j in range(_CELLS))
        between = sum(cells, acb(0)) * (2 * half)
    else:
        between = acb.integral(density, acb(0), acb(angle))
    return normal_below(x) * normal_below(y) + between / (2 * arb.pi())
