"""The parts of a prediction shared by all its points: the plan, and its constants in one number system."""

from __future__ import annotations

import dataclasses
import functools
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import flint

from theorycalc.model.biases import kind_numbers
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import Spikes
from theorycalc.model.supported import flipped_energy
from theorycalc.model.teacher import Covariance
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.numbers.systems import BALLS, Number
from theorycalc.theory.case import (
    CONSTANTS_BITS,
    Case,
    Constants,
    ball_constants,
    converted,
    gradient_spread,
    lengthening,
    rounded,
)
from theorycalc.theory.gains import Parts, parts_of
from theorycalc.theory.kind_spikes import Shapes, shapes_of


class Point(NamedTuple):
    """The parameters that may be arrays."""

    phi: Number
    psi: Number
    ridge: Number
    noise: Number


@dataclass(frozen=True)
class Plan:
    """The parts of a prediction that are the same at every point."""

    problem: Problem
    spikes: Spikes
    form: str
    slides_ell: int | None  # 1 or 2: Λ as the slides print it
    gradient: str = "labels"  # target of the step: "labels", as in the theorem, or "residual", y − f₀
    lengthened: bool = False  # whether the spikes are those of neurons that the step lengthens
    ell: int | float = 0  # the window, on which polynomials of neurons of several kinds depend


@dataclass(frozen=True)
class Terms:
    """The constants of a plan, in one number system."""

    constants: Constants
    c_star: tuple[Number, ...]  # c_⋆1, c_⋆2, … of clean labels, and
    tail: Number  # their energy beyond these
    fidelity: Number  # a_f of the fit's labels, and
    lost: Number  # 1 − a_f
    lost_mean: tuple[Number, Number]  # by flips, as :func:`lost_mean` has it
    parts: Parts  # the teacher as the plan's spikes see it
    slope_variance: Number | None  # Var σ'(Z), where spikes of lengthened neurons need it
    covariance: Covariance | None
    shapes: Shapes  # with gaps, the polynomials that lengthened neurons of several kinds make free
    own_mean: Number | None  # g_a c_0, by which the initial output has a random mean in the step


def ball_terms(plan: Plan) -> Terms:
    """Return the terms as balls of the current precision."""
    problem, teacher, activation = plan.problem, plan.problem.teacher, plan.problem.unit_activation
    constants, unspoilt = ball_constants(problem, plan.gradient), with_clean_fit(problem)
    clean = constants if unspoilt is problem else ball_constants(unspoilt, plan.gradient)
    free = constants.free_constant
    return Terms(
        constants=constants,
        c_star=clean.c_star,
        tail=clean.tail,
        fidelity=ball(problem.fit_fidelity),
        lost=ball(1 - problem.fit_fidelity),
        lost_mean=lost_mean(problem),
        parts=parts_of(BALLS, clean.c_star, clean.tail, plan.spikes, free_constant=free),
        slope_variance=ball(activation.slope_variance) if needs_slope(plan) and problem.biases is None else None,
        shapes=shapes_of(problem, plan.ell, lengthened=True) if needs_slope(plan) and problem.biases else (),
        covariance=None if plan.spikes.is_finite or teacher.has_all_coefficients else teacher.covariance,
        own_mean=constants.output_scale * mean_of_neurons(problem) if has_own_mean(problem, plan.gradient) else None,
    )


def lost_mean(problem: Problem) -> tuple[flint.arb, flint.arb]:
    """Return (1 − b_f²)μ² and (1 − b_f)μ as balls: the effects of flips on fit labels with mean μ, b_f = 1 − 2q_f.

    The second is 0 for labels that do not keep their mean.
    """
    sign = ball(problem.fit_sign)
    return flipped_energy(sign, ball(problem.teacher.mean)), (1 - sign) * ball(problem.label_mean)


def float_lost_mean(problem: Problem) -> tuple[Number, Number]:
    """Return both effects of flips in float64, each rounded once."""
    with ball_precision(CONSTANTS_BITS):
        return converted(lost_mean(problem), rounded)


def with_clean_fit(problem: Problem) -> Problem:
    """Return a problem with clean labels in its fit, and those of its step unchanged.

    >>> case = Problem("relu", "H1", 1, 1, 1, corrupt_step="1/2", corrupt_fit="1/3")
    >>> with_clean_fit(case).options
    {'corrupt_step': Fraction(1, 2)}
    """
    return dataclasses.replace(problem, corrupt_fit=0, flip_fit=0) if problem.fit_fidelity != 1 else problem


def has_own_mean(problem: Problem, gradient: str) -> bool:
    """Return whether the step includes an initial output with a mean g_a c_0 Σâ_i, which differs between networks.

    See docs/theory/intercept.md#raw-activations.

    >>> raw = Problem("relu", "H1", 1, 1, 1, centred=False)
    >>> has_own_mean(raw, "residual"), has_own_mean(raw, "labels")
    (True, False)
    """
    return gradient == "residual" and not problem.centred and any(kind.has_mean for kind in problem.unit_kinds)


def mean_of_neurons(problem: Problem) -> flint.arb:
    """Return c_0 as a ball, or for neurons with biases the root mean square (docs/theory/kinds.md#the-spikes)."""
    if problem.biases is None:
        return ball(problem.unit_activation.mean)
    kinds = kind_numbers(problem.activation, problem.first_scale, problem.biases)
    return BALLS.sqrt(sum((ball(kind.share) * ball(kind.mean) ** 2 for kind in kinds), ball(Fraction(0))))


@functools.lru_cache(maxsize=256)
def terms_of(plan: Plan, bits: int) -> Terms:
    """Return the terms in balls with precision ``bits``, computed once for all points."""
    return ball_terms(plan)


def float_terms(plan: Plan) -> Terms:
    """Return the terms in float64, each rounded once."""
    with ball_precision(CONSTANTS_BITS):
        return converted(ball_terms(plan), rounded)


def needs_slope(plan: Plan) -> bool:
    """Return whether τ matters: some spans are the same with and without lengthening.

    So are those of odd powers without gaps and, where a constant is free, of any powers without gaps.
    """
    if not plan.lengthened or not plan.spikes.is_finite:  # of infinitely many powers nothing is left out
        return False
    return plan.spikes.has_gaps or (plan.spikes.has_even and not plan.problem.has_free_constant)


def lengthening_of(terms: Terms, case: Case) -> Number | None:
    """Return τ if the step lengthens neurons and this matters, or None.

    Of neurons of several kinds it is that of a kind with Var σ' = c_1²: their polynomials have the rest.
    """
    if terms.shapes:
        return lengthening(case.scatter, 1, case.kappa)
    if terms.slope_variance is None:
        return None
    return lengthening(gradient_spread(terms.slope_variance, case.scatter), case.c1, case.kappa)
