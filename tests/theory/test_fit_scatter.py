"""The scatter of the fit without ridge: its losses, its limit from small ridges, and every number in balls."""

from __future__ import annotations

from dataclasses import replace

import pytest

import theorycalc as tc
from theorycalc.numbers.balls import ball_precision
from theorycalc.theory.case import ball_case, float_case
from theorycalc.theory.checks import checked_terms, plan_of
from theorycalc.theory.dressed.responses import Function
from theorycalc.theory.fit_scatter import ball_scatter, float_scatter
from theorycalc.theory.learned import learned_fit
from theorycalc.theory.plans import lengthening_of

RIDGELESS = [
    ("relu", "1/2", "2/3", {}),
    ("relu", "3", "2", {"first_layer": "gaussian"}),
    ("relu", "3", "2/3", {"first_layer": "gaussian"}),
    ("relu", "1/2", "2/3", {"first_layer": "gaussian"}),
    ("x", "1/2", "2/3", {}),
    ("x", "2", "3", {}),
    ("tanh(x + 1)", "3", "2", {"biases": {0: "1/2", 1: "1/2"}, "intercept": True}),
    ("tanh(x + 1)", "1/3", "2", {"biases": {0: "1/2", 1: "1/2"}, "intercept": True}),
]


@pytest.mark.checks("fit_noise")
@pytest.mark.parametrize(("activation", "phi", "psi", "options"), RIDGELESS)
def test_without_ridge_it_has_the_test_loss_and_the_limit_of_rates(activation, phi, psi, options):
    problem = tc.Problem(activation, "sign(H1 + H2/2)", phi, psi, 0, "1/5", **options)
    teacher = Function(problem.teacher.centered_values(), problem.teacher.kink_floats)
    for ell in (0, 1, 2, 4):
        plan = plan_of(problem, ell, "closed", False, "literal", "residual")
        case = float_case(problem, "residual")
        tau = lengthening_of(checked_terms(plan), case)
        fit = learned_fit(case, plan.spikes, teacher, 0.0, tau)
        assert fit.loss == pytest.approx(tc.predict(problem, ell=ell, network="literal").test_loss, rel=1e-13)
        found = tc.error_rate(problem, ell=ell, network="literal", ridge=[0, 1e-11])
        assert found.error_rate[0] == pytest.approx(found.error_rate[1], abs=1e-7)


def test_at_the_interpolation_threshold_the_fit_is_all_noise():
    assert tc.error_rate(tc.Problem("relu", "sign(x)", 1, 1, 0), ell=2).error_rate == 0.5
    near = tc.error_rate(tc.Problem("relu", "sign(x)", 1, 1, "1e-12"), ell=2).error_rate
    assert near == pytest.approx(0.5, abs=1e-2)


@pytest.mark.parametrize("biases", [{0: 1, 1: 1}, "normal(1)"])
def test_linear_neurons_are_of_one_kind(biases):
    """The kinds of a law have roundings in the place of c_{>1} = 0."""
    plain = tc.Problem("2*x + 1", "sign(x)", "1/2", "2/3", 0, noise="1/2", intercept=True)
    one, other = (tc.error_rate(known, ell=1).error_rate for known in (plain, replace(plain, biases=biases)))
    assert other == pytest.approx(one, rel=1e-12)


@pytest.mark.parametrize(("activation", "phi", "psi", "options"), RIDGELESS)
@pytest.mark.parametrize("ridge", [0, "1/10"])
def test_balls_contain_the_floats(activation, phi, psi, options, ridge):
    problem = tc.Problem(activation, "sign(x)", phi, psi, ridge, **options)
    rounded = float_scatter(float_case(problem, "labels"), float(problem.ridge))
    with ball_precision(120):
        exact = ball_scatter(ball_case(problem, "labels"), (problem.phi, problem.psi, problem.ridge), 120)
        assert [float(x) for x in rounded] == pytest.approx([float(x) for x in exact], rel=1e-12)
    assert rounded.kept + rounded.learned == pytest.approx(1, rel=1e-14)
