"""Activations by their moments."""

from __future__ import annotations

import pytest
import sympy

import theorycalc as tc
from tests.helpers.problems import CASE, TEACHER
from theorycalc.model.problem import Problem


def test_moments_know_no_function():
    act = tc.Activation.from_moments("1/2", "3/10")
    for use in (lambda: act(1.0), lambda: act.coefficients(3), act.centered):
        with pytest.raises(tc.DomainError, match="known by its moments only"):
            use()
    with pytest.raises(tc.DomainError, match=r"derivative\(\) needs the function"):
        act.derivative(1.0)


def test_relu_from_text_is_relu_from_its_moments():
    rest = sympy.sqrt(sympy.Rational(1, 4) - 1 / (2 * sympy.pi))
    moments = tc.Activation.from_moments("1/2", rest, present=(1, 2, 4, 6))
    for ell in (0, 1, 2, 3, 6):
        expected = tc.predict(Problem(moments, ["1", "1/2", "1/6", "1/24"], **CASE), ell=ell, digits=40)
        found = tc.predict(Problem("relu", TEACHER, **CASE), ell=ell, digits=40)
        assert found.spikes == expected.spikes
        assert str(found.test_gain) == str(expected.test_gain)
        assert str(found.train_loss) == str(expected.train_loss)
    assert found.guarantee == "enclosed"


def test_polynomial_activation_is_from_coefficients():
    by_list = tc.Activation.from_coefficients(["1", "1/2", "3/10"])
    by_text = tc.activation("H1 + H2/2 + 3*H3/10")
    assert by_text.present == by_list.present == (1, 2, 3)
    assert float(by_text.c_rest) == pytest.approx(float(by_list.c_rest), rel=1e-15)
    assert by_text.spikes(100_000) == (1, 2, 3)
    assert tc.predict(Problem(by_text, TEACHER, **CASE), ell="inf").spikes == (1, 2, 3)
