"""Plans: which constants a prediction needs, and which options change them."""

from __future__ import annotations

import pytest

from tests.helpers.problems import problem
from theorycalc.model.spikes import Spikes
from theorycalc.theory.plans import Plan, float_terms, has_own_mean, needs_slope, with_clean_fit


def plan(case, spikes=(1, 2), gradient="labels", lengthened=True):
    return Plan(case, Spikes(spikes), "closed", None, gradient, lengthened)


@pytest.mark.parametrize(
    ("spikes", "free", "needed"),
    [((1, 2), False, True), ((1, 2), True, False), ((1, 3), False, False), ((1, 4), True, True), ((1, 5), True, True)],
)
def test_a_free_constant_makes_lengths_irrelevant_unless_there_are_gaps(spikes, free, needed):
    assert needs_slope(plan(problem("relu", intercept=free), spikes)) == needed
    assert not needs_slope(plan(problem("relu", intercept=free), spikes, lengthened=False))


def test_the_teacher_of_a_plan_is_that_of_clean_labels():
    corrupted = problem("relu", corrupt_fit="1/2", flip_step="1/4")
    terms, clean = float_terms(plan(corrupted)), float_terms(plan(with_clean_fit(corrupted)))
    assert terms.parts == clean.parts
    assert (terms.fidelity, clean.fidelity) == (0.5, 1.0)
    assert terms.constants.c_star == tuple(c / 2 for c in clean.constants.c_star)
    assert terms.constants.step_linear == clean.constants.step_linear == 0.5


def test_only_the_residual_of_a_raw_activation_has_a_mean_of_its_own():
    cases = [problem("relu"), problem("tanh", centred=False), problem("relu", centred=False, second_scale=2)]
    assert [has_own_mean(case, "residual") for case in cases] == [False, False, True]
    found = float_terms(plan(cases[-1], gradient="residual"))
    assert found.own_mean == pytest.approx(2 / (2 * 3.141592653589793) ** 0.5)
