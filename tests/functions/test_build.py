"""Trees are simplified as they are built: equal expressions are one tree."""

from __future__ import annotations

import pytest

from theorycalc.functions.evaluate import compile_numpy
from theorycalc.functions.grammar import parse


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("2**3**2", "512"),
        ("-x**2", "-(x**2)"),
        ("2*-x", "-2*x"),
        ("x^2", "x**2"),
        ("--x", "x"),
        ("1e-3", "1/1000"),
        (".5 + 5.", "11/2"),
        ("0.1 + 0.2", "3/10"),
        ("sqrt(8)", "2*sqrt(2)"),
        ("1/sqrt(2)", "sqrt(2)/2"),
        ("sqrt(x**2)", "abs(x)"),
        ("e**x*exp(-x)", "1"),
        ("2**x", "exp(x*log(2))"),
        ("arctan(-x)", "-atan(x)"),
        ("relu", "relu(x)"),
        ("leaky_relu(0.1)", "leaky_relu(x, 1/10)"),
        ("elu(alpha=2)", "elu(x, 2)"),
        ("gelu(approximate=tanh)", "gelu_tanh"),
        ("gelu(x, approximate='none')", "gelu"),
        ("hardtanh(-2, 2)", "hardtanh(x, min_val=-2, max_val=2)"),
        ("threshold(1, 20)", "where(x > 1, x, 20)"),
        ("swish", "x*sigmoid(x)"),
        ("swish(1.7)", "x*sigmoid(17*x/10)"),
        ("silu(beta=2)", "x*sigmoid(2*x)"),
        ("swish(x + 1, 2)", "(x + 1)*sigmoid(2*x + 2)"),
        ("hardtanh(2)", "min(max(x, -2), 2)"),
        ("hard_tanh(1/2)", "hardtanh(x, -1/2, 1/2)"),
        ("elu(2)", "elu(x, 2)"),
        ("celu(sqrt(2))", "celu(alpha=sqrt(2))"),
        ("prelu(0.1)", "leaky_relu(0.1)"),
        ("rrelu(0, 1)", "where(x >= 0, x, x/2)"),
        ("softplus(3)", "softplus(3*x)/3"),
        ("hardshrink(2)", "hardshrink(lambd=2)"),
        ("softshrink(2)", "softshrink(x, 2)"),
        ("x*elu(2)", "x*elu(x, 2)"),
        ("1 + swish(2)/2", "1 + x*sigmoid(2*x)/2"),
        ("tanh(2)*x", "x*tanh(2)"),
        ("x/exp(1)", "x/e"),
        ("heaviside(x)", "step"),
        ("max(0, x)", "relu"),
        ("H(3, x)", "x**3 - 3*x"),
        ("H3", "H(3)"),
        ("H2(x + 1)", "(x + 1)**2 - 1"),
        ("where(x <= 0, 0, x)", "relu"),
        ("where(0 < x, x, 0)", "relu"),
        ("where(pi > 3, x, log(x))", "x"),
    ],
)
def test_equal_expressions_are_one_tree(text, same):
    assert parse(text) == parse(same)


def test_relu_squared_is_what_it_says():
    assert compile_numpy(parse("relu(x)**2"))([-2.0, 3.0]).tolist() == [0.0, 9.0]
