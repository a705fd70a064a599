"""Functions made to break a proof: an enclosure may be refused, but never wrong."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.functions.enclosures import Interval, range_of
from theorycalc.functions.evaluate import compile_numpy
from theorycalc.functions.grammar import parse
from theorycalc.numbers.balls import ball_precision

TOWERS = ["exp(exp(x))", "exp(-exp(exp(x)))", "sinh(cosh(exp(x)))", "exp(-sinh(exp(x**2)))", "1/(1 + exp(exp(exp(x))))"]


@pytest.mark.parametrize("text", ["x + exp(-exp(exp(x**4)))", "exp(-exp(exp(exp(x))))", "tanh(exp(exp(exp(x))))"])
def test_overflow_is_refused(text):
    """exp(exp(exp(…))) overflows even in balls; what is not enclosed must not be called zero."""
    with pytest.raises(tc.PrecisionError):
        tc.coefficients(text, 2)


@given(tower=st.sampled_from(TOWERS), low=st.floats(-8, 8), width=st.floats(0, 8))
def test_far_ranges_contain_the_values(tower, low, width):
    tree = parse(tower)
    with ball_precision(60):
        values = range_of(tree, Interval(arb(low), arb(low + width)), is_real=True)
    with np.errstate(over="ignore"):
        sampled = compile_numpy(tree)(np.linspace(low, low + width, 9))
    for value in sampled[np.isfinite(sampled)]:
        assert not arb(float(value)) * (1 + arb(1e-9)) + arb(1e-300) < values.low
        assert not arb(float(value)) * (1 - arb(1e-9)) - arb(1e-300) > values.high


@pytest.mark.parametrize(
    ("text", "power"),
    [
        ("softplus(x)**3 + where(x > 1, where(x > 1 + 1e-50, 0, 1e70), 0)", 20),
        ("tanh(x + 1) + where(x > 1, where(x > 1 + 1e-60, 0, 1e100), 0)", 40),
    ],
)
def test_a_thin_piece_is_not_lost(text, power):
    expected = 10.0**power * math.exp(-0.5) / math.sqrt(2 * math.pi)
    assert float(tc.coefficients(text, 0, digits=15)[0]) == pytest.approx(expected, rel=1e-14)


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


@pytest.mark.parametrize(
    "text",
    ["1/(1e300*100 + sin(x) - 9e299*exp(10*tanh(x)))", "log(1e300*100 - 9e299*exp(10*tanh(x)))"],
)
def test_huge_numbers_hide_no_pole(text):
    with pytest.raises(tc.TheoryError):
        tc.coefficients(text, 2)
    values = range_of(parse("1e300*1000"), Interval(arb(0), arb(1)))
    assert values.low <= 1e303 <= values.high


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
