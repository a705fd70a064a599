"""Derivatives, parity and smoothness of trees."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import sympy

from tests.helpers.formulas import NAMES, SMOOTH, SYMBOL, exact_value
from theorycalc.functions.build import ZERO, number
from theorycalc.functions.evaluate import compile_numpy, to_sympy
from theorycalc.functions.grammar import parse
from theorycalc.functions.properties import derivative, is_lipschitz, is_smooth, parity, parity_modulo_polynomial
from theorycalc.numbers.balls import ball_precision


@pytest.mark.parametrize("text", [*SMOOTH, "relu(x)**3", "abs(x - 1/7)**3", "where(x > 2, x**2, sin(x))"])
def test_derivative_is_the_limit_of_differences(text):
    tree = parse(text)
    slope = derivative(tree)
    step = Fraction(1, 10**25)
    for x in (Fraction(-13, 5), Fraction(-1, 3), Fraction(2, 7), Fraction(31, 10)):
        with ball_precision(300):
            difference = (exact_value(tree, x + step) - exact_value(tree, x - step)) * 10**25 / 2
            assert abs(difference - exact_value(slope, x)) < 1e-40


@pytest.mark.parametrize("text", SMOOTH)
def test_derivative_is_sympys(text):
    tree = parse(text)
    other = sympy.diff(to_sympy(tree), SYMBOL)
    for x in (-1.7, 0.3, 2.2):
        expected = float(other.evalf(20, subs={SYMBOL: sympy.Float(x, 20)}))
        assert float(compile_numpy(derivative(tree))(x)) == pytest.approx(expected, rel=1e-12)


PARITIES = {
    "tanh": "odd", "sin(x)*abs(x)": "odd", "x**3 - x": "odd", "softsign": "odd", "hardshrink": "odd", "H7": "odd",
    "2*sigmoid(x) - 1": "odd", "erfc(x) - 1": "odd", "softplus(x) - softplus(-x)": "odd", "step(x) - 1/2": "odd",
    "cos(3*x)": "even", "gaussian": "even", "abs(x)**3": "even", "x*erf(x)": "even", "H8": "even",
    "softplus(x) - x/2": "even", "max(x, -x, 1)": "even", "exp(x) + exp(-x)": "even", "1": "even",
    "relu(x) + relu(-x)": "even", "hardtanh(-2, 2)": "odd", "log(1 + x**2)*atan(x)": "odd",
    "relu": None, "tanh(x + 1)": None, "exp": None, "hardtanh(-1, 2)": None, "tanh(x) + cos(x)": None,
    "relu6": None, "sigmoid": None,
}  # fmt: skip


@pytest.mark.parametrize("text", PARITIES)
def test_parity(text):
    assert parity(parse(text)) == PARITIES[text]


POLYNOMIALS = {
    "relu": ("even", [0, Fraction(1, 2)]),
    "leaky_relu(0.1)": ("even", [0, Fraction(11, 20)]),
    "gelu": ("even", [0, Fraction(1, 2)]),
    "gelu_tanh": ("even", [0, Fraction(1, 2)]),
    "silu": ("even", [0, Fraction(1, 2)]),
    "hardswish": ("even", [0, Fraction(1, 2)]),
    "softplus": ("even", [0, Fraction(1, 2)]),
    "softplus(beta=3)": ("even", [0, Fraction(1, 2)]),
    "logsigmoid": ("even", [0, Fraction(1, 2)]),
    "sigmoid": ("odd", [Fraction(1, 2)]),
    "hardsigmoid": ("odd", [Fraction(1, 2)]),
    "step": ("odd", [Fraction(1, 2)]),
    "relu(x)**2": ("odd", [0, 0, Fraction(1, 2)]),
    "tanh": ("odd", [0]),
    "cos": ("even", [0]),
    "erf(x) + x**4": ("odd", [0, 0, 0, 0, 1]),
    "elu": None,
    "mish": None,
    "relu6": None,
    "relu(x - 1)": None,
    "tanh(x) + cos(x)": None,
    "leaky_relu(x + 1)": None,
}


@pytest.mark.parametrize("text", POLYNOMIALS)
def test_parity_modulo_polynomial(text):
    found = POLYNOMIALS[text]
    expected = found if found is None else (found[0], tuple(number(c) for c in found[1]))
    assert parity_modulo_polynomial(parse(text)) == expected


@pytest.mark.parametrize("text", [*NAMES, *(t for t in POLYNOMIALS if POLYNOMIALS[t]), "leaky_relu(1/sqrt(2))"])
def test_parity_is_true_in_numbers(text):
    """What is claimed of the structure holds at points: a wrong claim would make a wrong exact zero."""
    found = parity_modulo_polynomial(parse(text))
    if found is None:
        return
    name, coefficients = found
    x = np.linspace(0.013, 7.9, 97)
    constants = [float(compile_numpy(c)(0.0)) for c in coefficients]
    function = compile_numpy(parse(text))
    right = function(x) - np.polynomial.polynomial.polyval(x, constants)
    left = function(-x) - np.polynomial.polynomial.polyval(-x, constants)
    np.testing.assert_allclose(left, right if name == "even" else -right, rtol=1e-9, atol=1e-9)


def test_irrational_slopes_are_exact_too():
    name, (constant, slope) = parity_modulo_polynomial(parse("leaky_relu(1/sqrt(2))"))
    assert (name, constant) == ("even", ZERO)
    assert slope == parse("1/2 + sqrt(2)/4")


def test_smoothness():
    assert [is_smooth(parse(t)) for t in ("relu", "tanh", "gelu", "elu", "sign", "x**2")] == [True] * 4 + [False] * 2
    assert [is_lipschitz(parse(t)) for t in ("softsign", "hardswish", "step", "H2", "exp")] == [
        True,
        True,
        False,
        False,
        None,
    ]
