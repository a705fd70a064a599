"""Activations made from text or from functions: their coefficients, derivatives and conditions."""

import pickle
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import sympy

import theorycalc as tc
from tests.helpers.problems import CASE, TEACHER
from theorycalc.model.problem import Problem


def test_an_activation_is_a_function():
    act = tc.activation("leaky_relu(0.1)")
    x = np.array([-2.0, 0.5])
    np.testing.assert_allclose(act(x), [-0.2, 0.5], rtol=1e-15)
    np.testing.assert_allclose(act.derivative(x), [0.1, 1.0], rtol=1e-15)
    mean = 0.9 / np.sqrt(2 * np.pi)
    np.testing.assert_allclose(act.centered()(x), [-0.2 - mean, 0.5 - mean], rtol=1e-14)
    assert act.centered().coefficients(1)[0] == 0
    assert act.kinks == (0,)
    assert tc.activation("max(x**2 - 2, 0)").kink_floats == (-np.sqrt(2), np.sqrt(2))
    assert (act.parity, act.centered().parity) == (None, None)
    assert tc.activation("sigmoid").parity is None
    assert tc.activation("sigmoid").centered().parity == "odd"
    assert float(act.c1) == 0.55
    assert float(act.c_rest) == pytest.approx(np.sqrt(0.505 - mean**2 - 0.55**2), rel=1e-14)


def test_nearly_linear_activation_keeps_its_rest():
    act = tc.activation("x + 1e-9*tanh(x)")
    assert float(act.c_rest) == pytest.approx(1e-9 * float(tc.activation("tanh").c_rest), rel=1e-14)


def test_conditions_of_an_activation():
    assert [c.holds for c in tc.activation("relu").conditions(2)] == [True, True, True]
    assert [c.holds for c in tc.activation("relu").conditions(ell=3)] == [True, False, True]
    assert [c.holds for c in tc.activation("step").conditions(1)] == [True, True, False]
    assert [c.holds for c in tc.activation("elu").conditions("inf")] == [True, None, True]
    assert [c.holds for c in tc.activation("cos").conditions(1)] == [False, False, True]


def test_coefficients_in_all_forms():
    np.testing.assert_allclose(
        tc.coefficients("relu", 2), [1 / np.sqrt(2 * np.pi), 0.5, 0.5 / np.sqrt(2 * np.pi)], rtol=2e-16
    )
    exact = tc.coefficients("relu", 4, exact=True)
    assert exact[1] == sympy.Rational(1, 2)
    assert exact[4] == -1 / (24 * sympy.sqrt(2 * sympy.pi))
    proven = tc.coefficients("tanh", 3, digits=40)
    assert str(proven[1]) == "0.6057055096021588255835402275558804394262"
    with pytest.raises(tc.DomainError, match="no known closed form"):
        tc.coefficients("tanh", 3, exact=True)
    with pytest.raises(tc.DomainError, match="k=-1"):
        tc.coefficients("tanh", -1)
    with pytest.raises(tc.PrecisionError):
        tc.coefficients("tanh", 1, digits=0)
    with pytest.raises(tc.ArgumentError, match="not both"):
        tc.coefficients("relu", 1, digits=5, exact=True)


def test_from_callable_is_estimated():
    act = tc.Activation.from_callable(np.tanh, present=(1, 3, 5))
    reference = tc.activation("tanh")
    assert act.guarantee == "estimated"
    assert act.c1 == pytest.approx(float(reference.c1), rel=1e-14)
    assert act.c_rest == pytest.approx(float(reference.c_rest), rel=1e-13)
    found = act.estimate(9)
    truth = tc.coefficients("tanh", 9)
    assert np.all(np.abs(found.coefficients - truth) <= found.errors)
    prediction = tc.predict(Problem(act, TEACHER, **CASE), ell=3)
    assert prediction.guarantee == "estimated"
    assert prediction.test_gain == pytest.approx(
        tc.predict(Problem("tanh", TEACHER, **CASE), ell=3).test_gain, rel=1e-12
    )
    with pytest.raises(tc.PrecisionError):
        tc.predict(Problem(act, TEACHER, **CASE), ell=3, digits=20)
    with pytest.raises(tc.DomainError, match="c_2 of tanh is undecided"):
        tc.predict(Problem(tc.Activation.from_callable(np.tanh), TEACHER, **CASE), ell=2)


def test_from_callable_with_kinks():
    relu = tc.Activation.from_callable(
        lambda x: np.maximum(x, 0), kinks=[0.0], derivative=lambda x: 1.0 * (x > 0), name="mine"
    )
    assert relu.c1 == pytest.approx(0.5, rel=1e-14)
    assert relu.kinks == (0,)
    assert relu.derivative(np.array([-1.0, 2.0])).tolist() == [0.0, 1.0]
    assert relu.spikes(2) == (1, 2)
    blurred = tc.Activation.from_callable(lambda x: np.maximum(x - 0.1, 0)).estimate(4)
    truth = tc.coefficients("relu(x - 0.1)", 4)
    assert np.all(
        np.abs(blurred.coefficients - truth) < 100 * blurred.errors
    )  # an undeclared kink is seen in the error
    assert blurred.errors[2] > 1e-8
    with pytest.raises(tc.DomainError, match="finite"):
        tc.Activation.from_callable(np.log)
    with pytest.raises(tc.ArgumentError, match="takes a function"):
        tc.Activation.from_callable("tanh")


def test_from_callable_takes_torch_functions(monkeypatch):
    class Tensor:
        def __init__(self, values):
            self.values = values

        def detach(self):
            return self

        def numpy(self):
            return self.values

    def tanh(tensor):
        if not isinstance(tensor, Tensor):
            raise TypeError("tanh(): argument 'input' must be Tensor")
        return Tensor(np.tanh(tensor.values))

    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(from_numpy=Tensor))
    act = tc.Activation.from_callable(tanh)
    assert act.c1 == tc.Activation.from_callable(np.tanh).c1
    assert act(np.array([0.5])) == np.tanh(0.5)
    monkeypatch.delitem(sys.modules, "torch")
    with pytest.raises(tc.DomainError, match=r"takes neither a numpy array nor one number: tanh.*must be Tensor"):
        tc.Activation.from_callable(tanh)


def test_moments_know_no_function():
    act = tc.Activation.from_moments("1/2", "3/10")
    for use in (lambda: act(1.0), lambda: act.coefficients(3), act.centered):
        with pytest.raises(tc.DomainError, match="known by its moments only"):
            use()
    with pytest.raises(tc.DomainError, match=r"derivative\(\) needs the function"):
        act.derivative(1.0)


@pytest.mark.parametrize("text", ["sqrt(x)", "log(x)", "1/x", "exp(x**2)", "tan(x)"])
def test_what_is_no_activation_is_refused_at_construction(text):
    for make in (
        tc.activation,
        tc.Teacher.from_text,
        lambda t: Problem(t, "H1", **CASE),
        lambda t: tc.coefficients(t, 2),
    ):
        with pytest.raises(tc.DomainError, match="is not shown"):
            make(text)


def test_activation_and_its_numbers_can_be_sent_to_another_process():
    act = pickle.loads(pickle.dumps(tc.activation("gelu")))
    assert act.spikes(4) == (1, 2, 4)
    assert float(act.c_rest) == float(tc.activation("gelu").c_rest)
