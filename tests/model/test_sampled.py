"""Activations and teachers by their values: estimates."""

from __future__ import annotations

import sys
from types import SimpleNamespace

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.formulas import shifted, wavy
from tests.helpers.problems import CASE, TEACHER
from theorycalc.model.problem import Problem


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


@pytest.mark.slow
def test_kinks_of_a_teacher_may_be_named():
    named = tc.Teacher.from_callable(lambda x: np.abs(x - 0.3), kinks=[0.3])
    case, same = tc.Problem("tanh", named, **CASE), tc.Problem("tanh", "abs(x - 3/10)", **CASE)
    assert tc.predict(case, ell=1).test_gain == pytest.approx(tc.predict(same, ell=1).test_gain, rel=1e-12)
    assert tc.step(case, n=200, eta=2).test_gain == pytest.approx(tc.step(same, n=200, eta=2).test_gain, rel=1e-8)


def test_estimates_give_no_digits():
    for activation, teacher, role in ((shifted, "H1", "activation"), ("tanh", wavy, "teacher")):
        with pytest.raises(
            tc.PrecisionError, match=f"the {role} is known by its values.*leave digits= out, or write it"
        ):
            tc.predict(tc.Problem(activation, teacher, **CASE), ell=1, digits=20)


def test_single_precision_is_seen_in_the_errors():
    single = tc.Activation.from_callable(lambda x: np.tanh(x.astype(np.float32)))
    error = np.abs(single.estimate(3).coefficients - tc.coefficients("tanh", 3))
    assert np.all(error <= single.estimate(3).errors)
    assert single.estimate(3).errors[1] > 1e-8
    with pytest.raises(tc.DomainError, match="c_2 of <lambda> is undecided"):
        single.spikes(2)
