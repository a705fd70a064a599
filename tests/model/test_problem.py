"""Problems: values, and refusals of functions without a step."""

from __future__ import annotations

from fractions import Fraction

import pytest

import theorycalc as tc
from tests.helpers.problems import CASE, RELU, TEACHER, problem
from theorycalc.model.problem import Problem


def test_centring_is_done_and_said():
    prediction = tc.predict(Problem("relu", TEACHER, **CASE), ell=1)
    assert any("relu was centred: its mean 0.398942 was" in note for note in prediction.notes)
    assert not any("centred" in note for note in tc.predict(Problem("tanh", TEACHER, **CASE), ell=1).notes)
    assert tc.predict(Problem("relu + 5", TEACHER, **CASE), ell=2).test_gain == pytest.approx(
        tc.predict(Problem("relu", TEACHER, **CASE), ell=2).test_gain, rel=1e-14
    )


@pytest.mark.parametrize("text", ["cos", "abs", "x**2", "H3", "gaussian"])
@pytest.mark.parametrize(
    "theory",
    [
        lambda p: tc.predict(p, ell=1),
        lambda p: tc.predict(p, ell=0),
        lambda p: tc.step(p, n=60, alpha=0.3),
        lambda p: tc.spectrum(p, n=60, eta=1),
        lambda p: tc.weight_spectrum(p, n=60, eta=1),
        lambda p: tc.best_step(p, n=60),
        lambda p: tc.best_ridge(p, n=60, eta=1),
        lambda p: tc.error_rate(p, ell=1),
        lambda p: tc.symbolic.Delta(1, p),
        tc.symbolic.direction,
    ],
)
def test_theories_refuse_a_step_without_a_direction(text, theory):
    with pytest.raises(tc.DomainError, match="no direction to learn along; shift its argument") as caught:
        theory(Problem(text, "H1", **CASE))
    assert caught.value.argument == "activation"
    assert tc.coefficients(text, 4)[1] == 0


def test_a_step_without_a_direction_can_be_simulated():
    run = tc.simulate(Problem("x**2", "H1 + H2", "1/2", "2/3", "1/10"), n=60, alpha=0.3, replicates=2)
    assert run.rows[0]["replicates"] == 2
    assert run.rows[0]["test_loss_initial"] > 0


@pytest.mark.slow
def test_hidden_linear_activation_is_refused():
    with tc.budget(60), pytest.raises(tc.DomainError, match="undecided: its square lies in"):
        tc.predict(Problem("x + tanh(x)**2 + 1/cosh(x)**2", "H1", **CASE), ell=1)


def test_problems_are_values():
    assert problem() == problem()
    assert hash(problem()) == hash(problem())
    assert problem() != problem(ridge="1/5")
    sizes = tc.Problem(RELU, ["1"], n=2000, d=1000, N=1500, ridge="1/10", step_samples=4000)
    assert (sizes.phi, sizes.psi, sizes.step_ratio) == (Fraction(1, 2), Fraction(2, 3), 2)
    with pytest.raises(AttributeError):
        sizes.phi = 1
    assert repr(tc.Problem("relu", "H1 + H2", 1, 2, "1/10")).startswith(
        "Problem(activation=Activation('relu'), teacher=Teacher('H1 + H2'), phi=Fraction(1, 1)"
    )
    assert repr(sizes.teacher) == "Teacher(['1'])"


def test_a_shift_is_a_remedy_for_even_activations():
    assert tc.predict(problem("(x + 1)**2"), ell=1).test_gain > 0


def test_the_theorem_takes_jumps_with_a_condition_that_fails_and_networks_refuse_them():
    """As docs/faq.md says."""
    jumps = tc.Problem("sign(x)", "H1", "1/2", "2/3", "1/10")
    assert any(c.holds is False and "derivatives" in c.statement for c in tc.predict(jumps, ell=1).conditions)
    for call in (
        lambda: tc.predict(jumps, ell=1, network="literal"),
        lambda: tc.step(jumps, n=60, alpha=0.3),
        lambda: tc.simulate(jumps, n=60, alpha=0.3, replicates=2),
    ):
        with pytest.raises(tc.DomainError, match="jumps"):
            call()
