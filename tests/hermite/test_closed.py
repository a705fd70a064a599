"""Exact coefficients in closed form."""

from __future__ import annotations

import pytest
import sympy

from tests.helpers.by_mpmath import BITS
from tests.helpers.formulas import CLOSED
from theorycalc.errors import DomainError
from theorycalc.functions.grammar import parse
from theorycalc.hermite.coefficients import (
    coefficients_balls,
    exact_coefficients,
)
from theorycalc.numbers.balls import ball, ball_precision


@pytest.mark.checks("hermite_coefficients")
@pytest.mark.parametrize("name", [*CLOSED[:-1], "H5 + x/7", "step(x - sqrt(2))", "sinh(x/3)", "erfc(x)*exp(x)"])
def test_exact_expressions_have_the_enclosed_values(name):
    tree = parse(name)
    balls, _ = coefficients_balls(tree, 8, 40)
    for expression, value in zip(exact_coefficients(tree, 8), balls, strict=True):
        with ball_precision(BITS):
            assert ball(expression).overlaps(value)


@pytest.mark.checks("hermite_coefficients")
def test_exact_relu():
    root = sympy.sqrt(2 * sympy.pi)
    assert exact_coefficients(parse("relu"), 4) == [1 / root, sympy.Rational(1, 2), 1 / (2 * root), 0, -1 / (24 * root)]


@pytest.mark.checks("hermite_coefficients")
def test_exact_polynomials_and_zeros():
    assert exact_coefficients(parse("H3 + 2*H1"), 5) == [0, 2, 0, 1, 0, 0]
    assert exact_coefficients(parse("softshrink"), 6)[::2] == [0, 0, 0, 0]
    assert exact_coefficients(parse("hardtanh(-sqrt(2), sqrt(2))"), 6)[::2] == [0, 0, 0, 0]


@pytest.mark.parametrize(
    "name", ["tanh", "sigmoid", "silu", "softplus", "mish", "softsign", "atan(x)", "relu(x)*erf(x)"]
)
def test_no_closed_form_is_said(name):
    with pytest.raises(DomainError, match="no known closed form"):
        exact_coefficients(parse(name), 2)
