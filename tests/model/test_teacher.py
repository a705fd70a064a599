"""Teachers by numbers, by a formula and by values."""

from __future__ import annotations

import pickle
from fractions import Fraction

import numpy as np
import pytest
import sympy

import theorycalc as tc
from tests.helpers.problems import CASE
from theorycalc.model.formula import FormulaTeacher
from theorycalc.model.problem import Problem
from theorycalc.model.sampled import SampledTeacher


def test_teachers_by_numbers_by_a_formula_and_by_values():
    listed, written, sampled = tc.Teacher(["1"]), tc.Teacher.from_text("abs(x)"), tc.Teacher.from_callable(np.sin)
    assert [type(t) for t in (listed, written, sampled)] == [tc.Teacher, FormulaTeacher, SampledTeacher]
    assert all(isinstance(t, tc.Teacher) and t == pickle.loads(pickle.dumps(t)) for t in (listed, written, sampled))
    assert [t.is_sampled for t in (listed, written, sampled)] == [False, False, True]
    assert [t.typed() for t in (listed, written, sampled)] == ["1", "abs(x)", None]
    assert [t.kink_floats for t in (listed, written, sampled)] == [(), (0.0,), ()]
    assert [t.lipschitz for t in (listed, written, sampled)] == [True, True, None]


def test_teacher_from_text():
    teacher = tc.Teacher.from_text("H1 + H2/sqrt(2) + 3")
    assert teacher.coefficients == (Fraction(1), sympy.sqrt(2) / 2)
    assert teacher.mean == 3
    notes = tc.predict(Problem("relu", "H1 + 3", **CASE), ell=1).notes
    assert "the teacher's mean 3 was removed" in notes
    assert tc.Teacher.from_text("x").lipschitz is True
    assert tc.Teacher.from_text("x**2").lipschitz is False


def test_teacher_that_is_not_a_polynomial():
    half = sympy.exp(-sympy.Rational(1, 2))
    listed = [half, 0, -half / 6, 0, half / 120, 0, -half / 5040]
    sine = tc.Teacher.from_moments(listed, second_moment=(1 - sympy.exp(-2)) / 2)
    expected = tc.predict(Problem("tanh", sine, **CASE), ell=5, digits=30)
    found = tc.predict(Problem("tanh", "sin", **CASE), ell=5, digits=30)
    assert str(found.test_gain) == str(expected.test_gain)
    assert str(found.test_loss) == str(expected.test_loss)
    closed = tc.Teacher.from_moments(
        listed, second_moment=(1 - sympy.exp(-2)) / 2, covariance=lambda ns, t: ns.exp(-1) * ns.sinh(t)
    )
    for activation in ("elu", "tanh", "relu"):  # every k, odd k, 1 and even k
        expected = tc.predict(Problem(activation, closed, **CASE), ell="inf", digits=30)
        found = tc.predict(Problem(activation, "sin", **CASE), ell="inf", digits=30)
        assert str(found.test_gain) == str(expected.test_gain)
        assert str(found.test_loss) == str(expected.test_loss)
        rounded = tc.predict(Problem(activation, "sin", **CASE), ell="inf")
        assert rounded.test_loss == pytest.approx(float(expected.test_loss), rel=1e-14)


def test_a_series_that_converges_too_slowly_says_so():
    with pytest.raises(tc.PrecisionError, match="converges too slowly"):
        tc.predict(Problem("elu", "x + abs(x)", **{**CASE, "phi": "1/1000000", "noise": 0}), ell="inf", digits=60)
