"""The three kinds of activation behind one base, and the teachers that know their function."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.formula import FormulaActivation
from theorycalc.model.moments import MomentsActivation
from theorycalc.model.sampled import SampledActivation

KINDS = {
    FormulaActivation: lambda: tc.activation("relu"),
    SampledActivation: lambda: tc.Activation.from_callable(np.sin, derivative=np.cos),
    MomentsActivation: lambda: tc.Activation.from_moments("1/2", "3/10"),
}


@pytest.mark.parametrize(("kind", "make"), KINDS.items(), ids=lambda value: getattr(value, "__name__", ""))
def test_each_is_an_activation_of_its_kind(kind, make):
    act = make()
    assert type(act) is kind
    assert isinstance(act, tc.Activation)
    assert act == make() == pickle.loads(pickle.dumps(act))
    assert hash(act) == hash(make())


def test_what_each_kind_answers():
    formula, sampled, moments = (make() for make in KINDS.values())
    assert [act.is_provable for act in (formula, sampled, moments)] == [True, False, False]
    assert [act.is_sampled for act in (formula, sampled, moments)] == [False, True, False]
    assert [act.has_values for act in (formula, sampled, moments)] == [True, True, False]
    assert [act.text for act in (formula, sampled, moments)] == ["relu", None, None]
    assert [act.python() for act in (formula, sampled)] == ["'relu'", "activation"]
    assert moments.python() == "tc.Activation.from_moments('1/2', '3/10')"
    assert tc.Activation.from_coefficients([1, 2]).python() == "activation"
    assert [act.derivative_source for act in (formula, sampled, moments)] == ["formula", "given", "nowhere"]
    assert tc.Activation.from_callable(np.sin).derivative_source == "difference"
    assert [act.described() for act in (sampled, moments)] == ["known by sampling", "known by its coefficients"]


def test_only_a_formula_has_coefficients_that_can_be_proven():
    formula, sampled, moments = (make() for make in KINDS.values())
    assert formula.enclosed_coefficient(1).sign() == 1
    for act in (sampled, moments):
        with pytest.raises(tc.PrecisionError, match="cannot be proven: it is not a formula"):
            act.enclosed_coefficient(1)


def test_coefficients_that_are_not_told_from_zero():
    _, sampled, moments = (make() for make in KINDS.values())
    assert set(sampled.undecided(4)) == {0, 2, 4}
    with pytest.raises(tc.DomainError, match="known by its moments only"):
        moments.undecided(2)


def test_a_function_is_the_same_however_it_is_written():
    relu, other = tc.activation("relu"), tc.activation("max(0, x)")
    assert relu != other
    assert relu.is_same_function(other)
    sampled = tc.Activation.from_callable(np.sin)
    assert not relu.is_same_function(sampled)
    assert sampled.is_same_function(sampled)
