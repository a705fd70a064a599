"""Functions made to break a proof: an enclosure may be refused, but never wrong."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc


@pytest.mark.parametrize("text", ["x + exp(-exp(exp(x**4)))", "exp(-exp(exp(exp(x))))", "tanh(exp(exp(exp(x))))"])
def test_overflow_is_refused(text):
    """exp(exp(exp(…))) overflows even in balls; what is not enclosed must not be called zero."""
    with pytest.raises(tc.PrecisionError):
        tc.coefficients(text, 2)


@pytest.mark.parametrize(
    "text",
    [
        "where(x > 0, sqrt(x), 0)",
        "sqrt(abs(x)) + x",
        "abs(x)**(1/3) + x",
        "sigmoid(1 + x)*sigmoid(-1 - x)*exp(3*x/2)",
    ],
)
def test_unbounded_derivatives_are_not_called_bounded(text):
    assert tc.activation(text).conditions(ell=1)[2].holds is not True


def test_a_closed_form_shows_zeros_that_parity_does_not():
    """c_4 of relu(x − 1) is φ(1)H_2(1)/4! = 0."""
    assert tc.activation("relu(x - 1)").spikes(8) == (1, 2, 3, 5, 6, 7, 8)
    assert tc.coefficients("relu(x - 1)", 4, digits=30)[4] == 0


def test_what_is_undecided_is_marked(capsys):
    from theorycalc.cli import main

    assert main(["coefficients", "log(1 + exp(x))", "-k", "3"]) == 0
    assert "c_3 is undecided" in capsys.readouterr().out
    assert tc.coefficients("log(1 + exp(x))", 3)[3] == 0


def test_a_fast_oscillation_raises_nothing_else():
    assert float(tc.activation("sin(1e300*x)").c1) == 0


@pytest.mark.parametrize("function", [lambda x: 1 / x, lambda x: np.exp(x * x / 3)], ids=["pole", "growth"])
def test_sampled_functions_without_a_second_moment_are_refused(function):
    with pytest.raises(tc.DomainError, match="does not settle"):
        tc.Activation.from_callable(function)
