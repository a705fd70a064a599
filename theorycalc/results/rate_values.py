"""The numbers of error_rate(): for limits, in float64 or proven, and for networks of real size."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorycalc.model.biases import with_few_kinds
from theorycalc.model.points import map_exact
from theorycalc.model.sizes import about_step
from theorycalc.model.supported import check_supported
from theorycalc.numbers.exact import Value
from theorycalc.numbers.systems import Array
from theorycalc.results.step_result import FiniteStep
from theorycalc.theory.checks import checked_case, checked_terms
from theorycalc.theory.dressed.accuracy import dressed_losses
from theorycalc.theory.dressed.classifier import StepRates, step_rates
from theorycalc.theory.dressed.neurons import DressedStep, step_of
from theorycalc.theory.gains import InitialLosses
from theorycalc.theory.label_lines import SomeSigns
from theorycalc.theory.learned import initial_rates, rates_after
from theorycalc.theory.limits import float_untrained
from theorycalc.theory.over_networks import draws_of
from theorycalc.theory.plans import Plan
from theorycalc.theory.proven_rates import check_rate_proof, proven_rates
from theorycalc.theory.signs import labels_of_step

if TYPE_CHECKING:
    from theorycalc.numbers.exact import PointLike


class Rates(NamedTuple):
    """Rates before and after the step, their difference and, for networks of real size, the change by finer rules."""

    before: Value
    after: Value
    gained: Value
    error: float | NDArray[np.float64] = 0.0


def float_rates(plan: Plan, ridge: PointLike) -> Rates:
    """Return the rates of a limit in float64 for each ridge."""
    ridges = np.asarray(ridge, dtype=float)
    before = initial_rates(plan.problem, plan.gradient, ridges)
    after = rates_after(plan, checked_terms(plan), ridges) if plan.spikes else before
    return Rates(before[()], after[()], (before - after)[()])


def exact_rates(plan: Plan, ridge: PointLike, digits: int) -> Rates:
    """Return the rates of a limit with proven digits for each ridge."""
    check_rate_proof(plan)
    phi, psi, noise = plan.problem.phi, plan.problem.psi, plan.problem.noise
    found = map_exact(lambda at: proven_rates(plan, (phi, psi, at, noise), digits), [ridge], 3, digits)
    before, after, gained = found
    return Rates(before, after, gained)


def rates_of_step(taken: FiniteStep) -> Rates:
    """Return the rates of networks with given losses."""
    case = taken.problem
    check_supported(case, "error rates after finite steps")
    labels = labels_of_step(case)
    etas, ridges, gains = (
        np.asarray(x, dtype=float) for x in np.broadcast_arrays(taken.eta, taken.ridge, taken.test_gain)
    )
    untrained = initial_rates(case, taken.gradient, ridges)
    _, before = float_untrained(checked_case(with_few_kinds(case), taken.gradient), ridges.ravel())
    with about_step(taken.alpha):
        description = step_of(case, taken.sizes.N, taken.gradient)
        if description.output_mean:
            found = _over_networks(description, labels, etas.ravel(), ridges.ravel(), before)
        else:  # rates before the step are those of n → ∞, and so these have the terms of order 1/n of the gain alone
            losses = before.test_loss - gains.ravel()
            found = step_rates(description, labels, etas.ravel(), ridges.ravel(), losses)
    after, error = (x.reshape(etas.shape) for x in found)
    return Rates(untrained[()], after[()], (untrained - after)[()], error[()])


def _over_networks(step: DressedStep, labels: SomeSigns, eta: Array, ridge: Array, limit: InitialLosses) -> StepRates:
    """Return rates averaged over networks whose initial output has a random mean (docs/theory/dressed.md)."""
    before = np.array(limit)
    rate, error = np.zeros(len(eta)), np.zeros(len(eta))
    for drawn, weight in draws_of(step):
        found = step_rates(drawn, labels, eta, ridge, dressed_losses(drawn, eta, ridge, before).test)
        rate, error = rate + weight * found.rate, np.maximum(error, found.error)
    return StepRates(rate, error)
