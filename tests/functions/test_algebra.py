"""Polynomials and products of trees, and the tables ξ of Hermite polynomials."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

from theorycalc.functions.algebra import double_factorial, expand, kernel_norm, polynomial, xi, xi_inverse
from theorycalc.functions.evaluate import compile_numpy
from theorycalc.functions.grammar import parse


def test_polynomial():
    assert polynomial(parse("(x - 1)**2/4 + x")) == [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
    assert polynomial(parse("sqrt(2)*x")) is None
    assert polynomial(parse("x*tanh(x)")) is None
    assert polynomial(parse("(x + 1)**100*(x - 1)**100"))[::2] == polynomial(parse("(x**2 - 1)**100"))[::2]
    assert polynomial(parse("0*x")) == [0]


def test_expand_keeps_the_value():
    tree = parse("(x + sin(x) + 1)**3*(exp(x) - x)")
    for x in (-1.2, 0.7):
        assert float(compile_numpy(expand(tree))(x)) == pytest.approx(float(compile_numpy(tree)(x)), rel=1e-13)


@pytest.mark.checks("xi", "xi_inverse", "H")
def test_xi_and_its_inverse():
    size = 12
    forward = sp.Matrix(size, size, xi)
    backward = sp.Matrix(size, size, xi_inverse)
    assert forward * backward == sp.eye(size)
    x = sp.Symbol("x")
    hermite = [sp.Integer(1), x]
    for k in range(1, size):
        hermite.append(sp.expand(x * hermite[k] - k * hermite[k - 1]))
    for p in range(size):
        assert sp.expand(sum(xi_inverse(p, i) * x**i for i in range(p + 1)) - hermite[p]) == 0


@pytest.mark.checks("gaussian_moment", "S")
def test_moments_and_the_kernel():
    assert [double_factorial(2 * j - 1) for j in range(6)] == [1, 1, 3, 15, 105, 945]
    for M in range(12):
        assert kernel_norm(M) == sum(Fraction(xi_inverse(2 * j, 0) ** 2, sp.factorial(2 * j)) for j in range(M + 1))
