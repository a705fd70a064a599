"""From a problem to its limits: the formulas of this package combined, in float64 arrays or proven by balls.

Of fits to corrupted labels there are test losses on clean labels, too (docs/theory/channels.md#clean-labels).  With f
the teacher and f̂ the fit to labels that are a_f f on average, f − f̂ = (1 − a_f)f + (a_f f − f̂), and E[f(f − f̂)] of a
fit to clean labels is W, the part of the teacher's energy that resists: hence a sum of positive terms.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import NamedTuple

import flint
import numpy as np

from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball
from theorycalc.numbers.exact import Exact
from theorycalc.numbers.systems import BALLS, FLOATS, Number, NumberSystem
from theorycalc.theory.case import Case, ball_case, case_at
from theorycalc.theory.explained import learned
from theorycalc.theory.gains import InitialLosses, Losses, Times, initial_losses, loss_left, losses
from theorycalc.theory.plans import Plan, Point, Terms, terms_of
from theorycalc.theory.printed import matrix_losses, metrics, slides_Lambda
from theorycalc.theory.solver import ball_weights, float_weights, until_proven
from theorycalc.theory.traces import Solved, Traces, Weights, constant_spread


class Values(NamedTuple):
    """All numbers of a prediction, at one point or at all points of an array."""

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


def evaluate(
    ns: NumberSystem,
    plan: Plan,
    terms: Terms,
    case: Case,
    traces: Traces,
    weights: Weights,
    times: Times = operator.mul,
) -> Values:
    """Return all numbers of the prediction, given the traces; ``times`` as in :func:`losses`."""
    kappa, rho, noise_variance = case.kappa, case.rho, case.noise_variance
    if _is_matrix(plan):
        result = _matrix(ns, plan, case, weights, case.c_star, case.tail, noise_variance)
    else:
        aligned, share, kappa, rho = learned(ns, plan, terms, case, weights)
        result = losses(weights, terms.parts, share, aligned, noise_variance, times, terms.fidelity)
    if plan.slides_ell is not None:
        printed = slides_Lambda(
            plan.slides_ell, case.c_star[0], case.c_star_2, case.kappa, traces.m1, traces.m1_slope, traces.m2_slope
        )
        result = result._replace(test_gain=printed, test_loss=result.test_loss_initial - printed)
    return Values(traces.m1, traces.m2, traces.m1_slope, traces.m2_slope, kappa, rho, *result)


def evaluate_clean(
    ns: NumberSystem,
    plan: Plan,
    terms: Terms,
    case: Case,
    weights: Weights,
    test_gain: Number,
    times: Times = operator.mul,
) -> CleanLosses:
    """Return the losses on clean labels; ``test_gain`` is the gain on the fit's labels (docs/theory/channels.md)."""
    parts, k = terms.parts, weights.kept
    if _is_matrix(plan):
        unit = _matrix(ns, plan, case, weights, terms.c_star, terms.tail, 0)
        signal, left, more = unit.test_loss, unit.train_loss / weights.train_rest, unit.train_gain / weights.train_rest
    else:
        aligned, share, *_ = learned(ns, plan, terms, case, weights)
        signal = loss_left(weights, share.floor, share.kept, parts.linear * aligned.test_left, share.left, times)
        left = k * (parts.linear * aligned.train_left) + share.left + share.floor
        more = k * parts.linear * aligned.train + share.explained
    at_first = (1 - k) * parts.linear
    before = initial_losses(weights, parts.linear, parts.rest, times).test_loss
    how = case.noise**2, weights.test_rest, terms.fidelity, terms.lost, times
    cost = mean_cost(weights.test_rest, *terms.lost_mean, times)
    return CleanLosses(
        clean_loss(before, k * parts.linear + parts.rest, at_first, *how) + cost,
        clean_loss(signal, left, at_first + more, *how) + cost,
        clean_gain(test_gain, more, terms.fidelity, terms.lost),
    )


def _is_matrix(plan: Plan) -> bool:
    return plan.form == "matrix" and bool(plan.spikes) and plan.spikes.is_finite


def _matrix(
    ns: NumberSystem,
    plan: Plan,
    case: Case,
    weights: Weights,
    c_star: tuple[Number, ...],
    tail: Number,
    noise_variance: Number,
) -> Losses:
    """Return losses and gains by the paper's matrix; a free constant counts as power 0 among the spikes."""
    spikes = (0, *plan.spikes.listed) if case.free_constant else plan.spikes.listed
    metric = metrics(weights, constant_spread(case.c2_gaussian, weights.spread))
    return matrix_losses(ns, spikes, metric, c_star, tail, case.rho, case.one_minus_t, noise_variance)


def all_values(
    ns: NumberSystem, plan: Plan, terms: Terms, case: Case, solved: Solved, times: Times = operator.mul
) -> tuple[Number, ...]:
    """Return all numbers of the prediction and, if the fit's labels are corrupted, those on clean labels."""
    found = evaluate(ns, plan, terms, case, *solved, times=times)
    if plan.problem.fit_fidelity == 1:
        return found
    return *found, *evaluate_clean(ns, plan, terms, case, solved[1], found.test_gain, times)


def fields_of(problem: Problem) -> tuple[str, ...]:
    """Return the names of the numbers in a problem's predictions.

    >>> fields_of(Problem("relu", "H1", 1, 1, 1)) == Values._fields
    True
    """
    return Values._fields if problem.fit_fidelity == 1 else (*Values._fields, *CleanLosses._fields)


def float_values(plan: Plan, terms: Terms, point: Point) -> tuple[Number, ...]:
    """Return the values in float64; the point may hold arrays."""
    case = case_at(FLOATS, terms.constants, point.phi, point.psi, point.noise)
    if FLOATS.all(point.ridge > 0):
        return all_values(FLOATS, plan, terms, case, float_weights(case, point.ridge))
    with np.errstate(divide="ignore", invalid="ignore"):  # infinities are results here
        return all_values(FLOATS, plan, terms, case, float_weights(case, point.ridge), times=_times_floats)


def _times_floats(weight: Number, part: Number) -> Number:
    return np.where(part == 0, 0.0, weight * part)


def ball_values(plan: Plan, point: Sequence[Exact], digits: int) -> list[flint.arb]:
    """Return the values as balls, each with ``digits`` proven digits."""
    phi, psi, ridge, noise = point

    def attempt(bits: int) -> Sequence[flint.arb]:
        terms = terms_of(plan, bits)
        case = case_at(BALLS, terms.constants, ball(phi), ball(psi), ball(noise))
        solved = ball_weights(case, (phi, psi, ridge), bits)
        return all_values(BALLS, plan, terms, case, solved, operator.mul if ridge else _times_balls)

    return until_proven(attempt, digits)


def _times_balls(weight: Number, part: Number) -> Number:
    return flint.arb(0) if part == 0 else weight * part


def float_untrained(case: Case, ridge: Number) -> tuple[Number, InitialLosses]:
    """Return m_1 and the losses before the step in float64, for λ > 0; σ_ε and λ may be arrays."""
    return _untrained(case, *float_weights(case, ridge))


def ball_untrained(problem: Problem, gradient: str, digits: int) -> InitialLosses:
    """Return the losses before the step for a problem with λ > 0, each with ``digits`` proven digits."""
    sizes = problem.phi, problem.psi, problem.ridge

    def attempt(bits: int) -> Sequence[flint.arb]:
        case = ball_case(problem, gradient)
        return _untrained(case, *ball_weights(case, sizes, bits))[1]

    return InitialLosses(*until_proven(attempt, digits))


def _untrained(case: Case, traces: Traces, weights: Weights) -> tuple[Number, InitialLosses]:
    return traces.m1, initial_losses(weights, case.c_star[0] ** 2, case.rest + case.noise_variance)


class CleanLosses(NamedTuple):
    """The losses and the gain on clean labels, including noise."""

    test_loss_clean_initial: Number
    test_loss_clean: Number
    test_gain_clean: Number


def clean_loss(
    signal: Number,
    left: Number,
    learned: Number,
    noise_variance: Number,
    test_rest: Number,
    fidelity: Number,
    lost: Number,
    times: Times = operator.mul,
) -> Number:
    """Return L_clean = a_f² L + (1 − a_f)²(c_⋆² − W) + (1 − a_f²)W + g σ_ε² + (g − 1)(1 − a_f²)c_⋆².

    L is the test loss of a fit to ``signal`` without noise, ``left`` is W and ``learned`` is c_⋆² − W, g the weight of
    noise in a test loss, and ``lost`` is 1 − a_f, which may be tiny.  See docs/theory/channels.md#clean-labels.

    >>> clean_loss(0.5, 0.25, 0.75, 1, 1.5, 1, 0)
    2.0
    """
    spoilt = lost * (1 + fidelity)  # 1 − a_f²
    hidden = spoilt * (left + learned)
    told = lost**2 * learned + spoilt * left
    kept = times(signal, fidelity**2)  # at N = n without a ridge L is infinite, also where nothing is kept
    return kept + told + times(test_rest, noise_variance) + times(test_rest - 1, hidden)


def mean_cost(test_rest: Number, flipped: Number, shift: Number, times: Times = operator.mul) -> Number:
    """Return (g − 1)(1 − b²)μ² + (1 − b)²μ², the cost on clean labels of flipping labels with mean μ.

    The second part is that of labels that keep their mean; ``flipped`` is (1 − b²)μ², and ``shift`` (1 − b)μ or 0.
    See docs/theory/channels.md#labels-with-a-mean.

    >>> mean_cost(3, 0.75, 1)
    2.5
    """
    return times(test_rest - 1, flipped) + shift**2


def untrained_clean(case: Case, weights: Weights, fidelity: Number, lost: Number) -> Number:
    """Return L_clean before a step, given the case with clean labels (docs/theory/channels.md#clean-labels)."""
    linear, k = case.c_star[0] ** 2, weights.kept
    signal = initial_losses(weights, linear, case.rest).test_loss
    learned = (1 - k) * linear
    return clean_loss(signal, k * linear + case.rest, learned, case.noise**2, weights.test_rest, fidelity, lost)


def clean_gain(test_gain: Number, more: Number, fidelity: Number, lost: Number) -> Number:
    """Return Λ_clean = Λ + 2a_f(1 − a_f)(c_{⋆,1}²ρ²k + B): the step adds ``more`` to c_⋆² − W; ``lost`` is 1 − a_f.

    See docs/theory/channels.md#clean-labels.

    >>> clean_gain(0.5, 2, 0.5, 0.5)
    1.5
    """
    return test_gain + 2 * fidelity * lost * more
