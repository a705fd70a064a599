"""Losses of finite steps on clean labels, when the fit's labels are corrupted.

See docs/theory/dressed.md#corrupted-labels.
"""

from __future__ import annotations

from collections.abc import Callable

import flint

from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball, to_mpf
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.case import ball_case
from theorycalc.theory.checks import checked_case
from theorycalc.theory.limits import CleanLosses, clean_gain, mean_cost, untrained_clean
from theorycalc.theory.pencil.numerics import Pencil, ball_gains, mean_gains, pencil_of
from theorycalc.theory.plans import float_lost_mean, lost_mean, with_clean_fit
from theorycalc.theory.solver import ball_weights, float_weights, until_proven


def clean_losses(
    problem: Problem, gradient: str, ridge: Array, test_gain: Array, learned: Array | None
) -> dict[str, Array]:
    """Return the losses and the gain on clean labels by name; the step adds ``learned`` to c_⋆² − W."""
    if learned is None:
        return {}
    clean = checked_case(with_clean_fit(problem), gradient)
    told = float(problem.fit_fidelity), float(1 - problem.fit_fidelity)
    weights = float_weights(clean, ridge)[1]
    at_first = untrained_clean(clean, weights, *told) + mean_cost(weights.test_rest, *float_lost_mean(problem))
    return _named(at_first, test_gain, learned, *told)


def _named(at_first: Number, test_gain: Number, learned: Number, fidelity: Number, lost: Number) -> dict[str, Number]:
    gain = clean_gain(test_gain, learned, fidelity, lost)
    return CleanLosses(at_first, at_first - gain, gain)._asdict()


def learned_by_pencil(pencil: Pencil, eta: Array, ridge: Array, left: Array) -> Array | None:
    """Return the gain of c_⋆² − W in a step for pairs of η and λ: the training gain on clean labels, divided by λs."""
    if pencil.problem.fit_fidelity == 1:
        return None
    clean = pencil_of(with_clean_fit(pencil.problem), pencil.N, pencil.gradient)
    learned: Array = mean_gains(clean, eta, ridge).train / left
    return learned


def proven_clean(
    pencil: Pencil, eta: Callable[[], flint.arb], top: int, digits: int, test_gain: Number
) -> dict[str, Number]:
    """Return the losses and the gain on clean labels by name, with proven digits; empty if all labels are clean."""
    problem, gradient = pencil.problem, pencil.gradient
    if problem.fit_fidelity == 1:
        return {}
    clean, told = with_clean_fit(problem), (problem.fit_fidelity, 1 - problem.fit_fidelity)

    def attempt(bits: int) -> list[flint.arb]:
        at = ball_case(clean, gradient)
        _, weights = ball_weights(at, (problem.phi, problem.psi, problem.ridge), bits)
        at_first = untrained_clean(at, weights, *map(ball, told)) + mean_cost(weights.test_rest, *lost_mean(problem))
        return [at_first, weights.train_rest]

    spare = digits + 5
    at_first, left = (to_mpf(x, spare) for x in until_proven(attempt, spare))
    train, _ = (to_mpf(x, spare) for x in ball_gains(pencil_of(clean, pencil.N, gradient), eta, top, spare))
    return _named(at_first, test_gain, train / left, *(to_mpf(ball(x), spare) for x in told))
