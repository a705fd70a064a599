"""Problems in unusual units, and arguments of unusual kinds: the same answers in other units, or a clear refusal."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import problem

RELU = problem("relu", "H1 + H2/2")
MASKED = np.ma.array([0.1, 0.2], mask=[0, 1])


def labelled(scale, activation="relu"):
    """Labels in other units: a step of 1/scale then does the same, and all losses are scale² as large."""
    return problem(activation, [scale], noise=scale / 2)


@pytest.mark.slow
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_the_best_step_does_not_depend_on_the_units_of_the_labels(scale):
    """On the labels alone: the initial output does not grow with them."""
    here, there = (tc.best_step(labelled(size), n=1000, gradient="labels") for size in (1.0, scale))
    assert not here.at_edge
    assert there.eta * scale == pytest.approx(here.eta, rel=1e-6)
    assert there.test_gain == pytest.approx(scale**2 * here.test_gain, rel=1e-8)
    assert there.larger_hurts
    assert here.larger_hurts


@pytest.mark.slow
def test_a_gain_that_cannot_be_told_from_nothing_is_no_best_step():
    found = tc.best_step(problem("1e-8*tanh(x)"), n=1000)
    assert (found.eta, found.test_gain, found.at_edge) == (0, 0, True)


def test_small_gains_of_steps_larger_than_one_have_digits():
    """At λ = 10^8 a gain is 10^-9 of the loss; the pencil, which is exact for weak spikes, has it to 1 %."""
    case = problem("relu", "H1 + H2/2", ridge="1e8")
    near, pencil = (tc.step(case, n=10**6, eta=[0.999, 1.001], method=method) for method in ("dressed", "pencil"))
    assert near.test_gain == pytest.approx(pencil.test_gain, rel=1e-2)
    assert near.test_gain[1] / near.test_gain[0] == pytest.approx(pencil.test_gain[1] / pencil.test_gain[0], rel=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("scale", ["1e-4", "1e2"])
def test_outliers_do_not_depend_on_the_units_of_the_activation(scale):
    """σ → sσ with the step η/s on the labels turns neurons as before, and FFᵀ/n by s²."""
    size = float(scale)
    here, there = (
        tc.spectrum(problem(text, "H1"), n=1000, eta=eta, gradient="labels", method="dressed").outliers
        for text, eta in (("relu", 20), (f"{scale}*relu(x)", 20 / size))
    )
    assert len(here) == 2
    assert there / size**2 == pytest.approx(here, rel=1e-7)


@pytest.mark.parametrize("activation", ["1e-6*tanh(x)", "tanh(x)"])
def test_an_initial_output_that_is_small_beside_the_labels(activation):
    """As its share vanishes, the step is that on the labels alone."""
    teacher = [1] if activation != "tanh(x)" else [1e6]
    eta = 8 if activation != "tanh(x)" else 8e-6
    with_output, without = (
        tc.step(problem(activation, teacher, noise=0, ridge="1e-13"), n=1000, eta=eta, gradient=gradient)
        for gradient in ("residual", "labels")
    )
    assert with_output.test_gain == pytest.approx(without.test_gain, rel=1e-5)


@pytest.mark.slow
def test_a_steep_teacher_is_integrated():
    with tc.budget(60):
        found = tc.step(problem("relu", "tanh(50*x)", noise=0), n=1000, alpha="0.3")
    jump = tc.step(problem("relu", "sign(x)", noise=0), n=1000, alpha="0.3")
    assert found.converged
    assert found.test_loss == pytest.approx(jump.test_loss, rel=0.05)


@pytest.mark.parametrize(
    ("ask", "words"),
    [
        (lambda: tc.predict(problem(step_samples=1e-320), ell=2), "step_samples=1e-320 is beyond"),
        (lambda: tc.predict(problem(ridge="1e-400"), ell=2), "ridge = .*e-400.* is beyond the range of float64"),
        (lambda: tc.predict(problem(teacher="exp(-1000)*H1", noise=0), ell=2), "all labels are too small for float64"),
        (
            lambda: tc.spectrum(problem("relu", "exp(-1000)*H1", noise=0), n=30, eta=1, gradient="labels"),
            "all labels are too small",
        ),
        (lambda: tc.step(RELU, n=30, alpha=0.3, ridge="1e-400"), "ridge is below 4.9e-324"),
        (lambda: tc.simulate(RELU, n=30, eta="1e-400"), "eta is below 4.9e-324"),
        (lambda: tc.predict(problem(teacher="exp(800)*tanh(x)"), ell=2), "c_⋆1 = .*e.347.* is beyond the range"),
        (lambda: tc.activation("1/sign(x)")([1.0, 0.0]), "1/sign.x. has no finite value in float64 at x = 0"),
        (lambda: tc.activation("1/sign(3*x - 1)")(1 / 3), "has no finite value in float64 at x = 0.33"),
        (lambda: tc.spectrum(RELU, n=10**30, alpha=0.3, method="dressed"), "no digits of the bulk"),
        (lambda: tc.step(RELU, n=100, eta=1e300, method="pencil"), "spikes stronger"),
        (lambda: tc.step(RELU, n=100, alpha=MASKED), "alpha is a masked array"),
        (
            lambda: tc.step(RELU, n=100, alpha=0.1, ridge=np.ma.array([0.1, 0.2], mask=[0, 1])),
            "ridge is a masked array",
        ),
        (lambda: tc.simulate(RELU, n=20, alpha=MASKED), "alpha is a masked array"),
        (lambda: tc.step(RELU, n=100, alpha=[[0.1, 0.2], [0.3]]), "alpha"),
        (lambda: tc.step(RELU, n=100, eta=[]), "eta is empty"),
        (lambda: tc.predict(RELU, ell=np.array(0.5)), "ell=0.5 must be a whole number"),
        (lambda: tc.Activation.from_coefficients(np.array(0.5)), "not a list of c_1"),
        (lambda: tc.Teacher(np.array(0.5)), "not a list of c_⋆1"),
        (
            lambda: tc.samples_needed(RELU, ell="1", fraction=0.5, alpha="0.2"),
            "ell='1' must be",
        ),
        (lambda: tc.coefficients("relu", 3, exact=np.array([])), "must be True or False"),
        (lambda: tc.latex(tc.symbolic.formula("Delta", 1), np.array([])), "must be True or False"),
        (
            lambda: tc.step(problem(tc.Activation.from_coefficients([1, 1, 1])), n=10, alpha=0.1, method="pencil"),
            "write the activation as text",
        ),
    ],
)
def test_what_cannot_be_done_is_refused(ask, words):
    with pytest.raises(tc.TheoryError, match=words):
        ask()


@pytest.mark.parametrize("name", ["phi", "psi", "ridge"])
def test_digits_of_what_no_float_holds(name):
    """A ratio or a ridge of 10^±400 is as good as one of 10^±300: the limits are reached to many digits."""
    for sign in "", "-":
        far, farther = (tc.predict(RELU, ell=2, digits=20, **{name: f"1e{sign}{power}"}) for power in (300, 400))
        assert abs(far.test_loss / farther.test_loss - 1) < 1e-18


def test_values_beyond_float64_are_infinite():
    assert tc.activation("x")(-np.inf) == -np.inf
    assert tc.activation("x**2")(-1.3407807929942597e154) == np.inf
    assert np.all(tc.activation("x**3")(np.full(10_000, 1e200)) == np.inf)


def test_coefficients_that_cancel_or_hardly_count_are_no_reason_to_refuse():
    large = sp.exp(70)
    cancelling = problem(teacher=[large * (1 / large + 1) - large], noise=0)
    assert tc.predict(cancelling, ell=2).kappa == tc.predict(problem(teacher=[1], noise=0), ell=2).kappa
    tiny, none = (problem("relu", teacher, noise=0) for teacher in ("exp(-1000)*H1", "H0"))
    assert len({tc.predict(case, ell=2, network="literal").kappa for case in (tiny, none)}) == 1
