"""Activations by a formula: coefficients that can be proven, and their conditions."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

import theorycalc as tc
from tests.helpers.problems import CASE
from theorycalc.model.problem import Problem


def test_nearly_linear_activation_keeps_its_rest():
    act = tc.activation("x + 1e-9*tanh(x)")
    assert float(act.c_rest) == pytest.approx(1e-9 * float(tc.activation("tanh").c_rest), rel=1e-14)


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


@pytest.mark.parametrize(
    ("written", "usual"),
    [
        ("ReLU", "relu"),
        ("GELU", "gelu"),
        (" Tanh ", "tanh"),
        ("LeakyReLU(0.2)", "leaky_relu(0.2)"),
        ("2*Tanh(x + 1)", "2*tanh(x + 1)"),
    ],
)
def test_names_of_activations_have_any_case(written, usual):
    assert tc.activation(written).tree == tc.activation(usual).tree


def test_rankings_show_usual_names():
    assert tc.activation("SiLU").name == "silu"
    for wrong in ("SIN(X)", "h1", "PI*x"):
        with pytest.raises(tc.TheoryError, match="is not known"):
            tc.activation(wrong)
