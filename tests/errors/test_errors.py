"""Bad input: one family of exceptions, saying what, where and what to do."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import CUBIC, problem

PREDICT = {"ell": 2}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"phi": 0}, "phi=0 must be positive"),
        ({"phi": "-1/2"}, "phi=-1/2 must be positive"),
        ({"psi": -1.0}, "psi=-1.0 must be positive"),
        ({"ridge": -0.1}, "ridge=-0.1 must not be negative"),
        ({"noise": "-1"}, "noise=-1 must not be negative"),
        ({"phi": float("nan")}, "phi=nan is not a finite number"),
        ({"ridge": float("inf")}, "ridge=inf is not a finite number"),
        ({"phi": "a half"}, "'a half' is not a number; write it as 1/10"),
        ({"phi": [0.1, 0.2]}, r"a Problem is one case; pass an array to predict\(problem, phi=…\)"),
        ({"first_layer": "spere"}, "did you mean 'sphere'"),
        ({"initial_output": "included"}, r"Problem\(\) has no argument 'initial_output'"),
        ({"second_layer": None}, "choose one of 'gaussian', 'uniform', 'sign', 'constant'"),
        ({"step_samples": 0}, "step_samples=0 must be positive"),
        ({"teacher": []}, "teacher is empty"),
        ({"teacher": "H1 +"}, "ends too early"),
        ({"teacher": 3}, "teacher=3"),
        ({"activation": 3}, "activation=3"),
    ],
)
def test_problems_are_validated(changes, message):
    with pytest.raises(tc.TheoryError, match=message):
        problem(**changes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "either ell= or alpha="),
        ({"ell": 1, "alpha": "1/10"}, "either ell= or alpha="),
        ({"ell": -1}, "ell=-1 must be a whole number"),
        ({"ell": 1.5}, "ell=1.5 must be a whole number"),
        ({"ell": "two"}, "ell='two'"),
        ({"ell": 10**6}, "or 'inf' for the limit"),
        ({"ell": True}, "ell=True"),
        ({**PREDICT, "form": "closd"}, "did you mean 'closed'"),
        ({**PREDICT, "rigde": 1}, r"predict\(\) has no argument 'rigde'; did you mean 'ridge'"),
        ({**PREDICT, "phi": []}, "phi is empty"),
        ({**PREDICT, "ridge": np.array([])}, "ridge is empty"),
        ({**PREDICT, "ridge": np.ones(3), "phi": np.ones(4)}, r"do not broadcast: phi \(4,\), ridge \(3,\)"),
        ({**PREDICT, "ridge": [[1], [1, 2]]}, "ridge"),
        ({**PREDICT, "ridge": np.array([1.0, np.nan])}, r"ridge\[1\]=nan is not a finite number"),
        ({**PREDICT, "ridge": np.array([1.0, -2.0])}, r"ridge\[1\]=-2.0 must not be negative"),
        ({**PREDICT, "phi": np.array([[1.0], [0.0]])}, r"phi\[1, 0\]=0.0 must be positive"),
        ({**PREDICT, "ridge": np.array([1j])}, "not of real numbers"),
        ({**PREDICT, "ridge": np.array([True])}, "not of real numbers"),
        ({**PREDICT, "ridge": ["1/2", "x"]}, r"ridge\[1\]='x' is not a number"),
        ({**PREDICT, "ridge": "1e-30"}, "beyond the range of float64 here.*use digits="),
        ({**PREDICT, "ridge": "1e400"}, "beyond the range of float64"),
        ({**PREDICT, "digits": 0}, "digits=0 must be a whole number from 1"),
        ({**PREDICT, "digits": 10**9}, "digits=1000000000"),
        ({**PREDICT, "digits": 2.5}, "digits=2.5"),
        ({**PREDICT, "digits": 30, "ridge": 0.1}, "ridge=0.1 is a binary float.*write ridge='0.1'"),
        ({**PREDICT, "digits": 30, "ridge": ["1/2", 0.1]}, r"ridge\[1\]=0.1 is a binary float"),
        ({"ell": 3, "as_printed": True}, "Λ_1 and Λ_2 only"),
        ({"ell": 2, "as_printed": True, "ridge": 0}, "needs ridge > 0"),
        ({"ell": 2, "form": "matrix", "ridge": [0, 1]}, "needs ridge > 0"),
        ({"ell": "inf", "form": "matrix"}, "needs a finite ℓ"),
    ],
)
def test_predictions_are_validated(options, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.predict(problem(CUBIC if "as_printed" in options else tc.Activation.from_moments("1/2", "1/3")), **options)


def test_floats_inside_a_problem_are_refused_where_digits_are_proven():
    for case, name in (
        (problem(tc.Activation.from_moments(0.5, "1/3")), "c1=0.5"),
        (problem(tc.Activation.from_moments("1/2", 0.3)), "c_rest=0.3"),
        (problem(teacher=["1", 0.25]), "teacher c_⋆2=0.25"),
        (problem(phi=0.5), "phi=0.5"),
        (problem(noise=0.5), "noise=0.5"),
        (problem(step_samples=1.5), "step_samples=1.5"),
    ):
        assert np.isfinite(tc.predict(case, ell=1).test_gain)
        with pytest.raises(tc.PrecisionError, match=name):
            tc.predict(case, ell=1, digits=20)


def test_what_needs_c2_says_so():
    unknown = tc.Activation.from_moments("1/2", "1/3")
    with pytest.raises(tc.DomainError, match="needs c_2"):
        tc.predict(problem(unknown, first_layer="gaussian"), ell=2)
    assert tc.predict(problem(unknown, first_layer="gaussian"), ell=1).test_gain > 0
    with pytest.raises(tc.DomainError, match="needs c_2"):
        tc.predict(problem(unknown, second_layer="constant"), ell=1, network="literal")


def test_matrix_form_in_floats_refuses_to_be_wrong():
    case = problem(tc.Activation.from_moments("1/2", "1/3"), teacher=["1", "1/2", "1/3"])
    with pytest.raises(tc.PrecisionError, match="ill-conditioned"):
        tc.predict(case, ell=25, form="matrix")
    assert tc.predict(case, ell=25, form="matrix", digits=20).test_gain > 0


def test_errors_are_also_the_built_in_ones():
    assert issubclass(tc.DomainError, ValueError)
    assert issubclass(tc.ArgumentError, TypeError)
    assert issubclass(tc.PrecisionError, ArithmeticError)
    with pytest.raises(tc.DomainError, match="all labels are zero"):
        tc.predict(problem(teacher=["0"], noise=0), ell=1)
