"""Every fact in the table of primitives, against the values of the function."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import acb, arb

from theorycalc.functions import grammar
from theorycalc.functions.build import call
from theorycalc.functions.evaluate import compile_numpy, to_sympy
from theorycalc.functions.grammar import known_names, parse
from theorycalc.functions.primitives import PRIMITIVES, Grows, Primitive
from theorycalc.functions.properties import derivative, is_smooth, parity
from theorycalc.functions.tree import Call, Rational, Variable
from theorycalc.hermite.coefficients import coefficients_balls

X = np.array([-37.5, -6.0, -2.3, -1.5, -0.7, -1e-3, 1e-3, 0.4, 1.5, 3.1, 8.0, 40.0])


def points(row):
    low, high = row.domain
    return X[(low < X) & (high > X)]


@pytest.fixture(params=PRIMITIVES)
def row(request):
    return PRIMITIVES[request.param]


def test_the_grammar_knows_it(row):
    assert row.name in known_names()
    assert parse(f"{row.name}(x)") == Call(row.name, Variable())


def test_numpy_and_balls_have_the_same_values(row):
    for x in points(row):
        assert float(row.array(x)) == pytest.approx(float(row.ball(arb(x))), rel=1e-14)


def test_the_derivative_is_the_limit_of_differences(row):
    slope, step = compile_numpy(parse(row.derivative)), 1e-6
    x = points(row)[np.abs(points(row)) < 7]
    assert slope(x) == pytest.approx((row.array(x + step) - row.array(x - step)) / (2 * step), rel=1e-6, abs=1e-8)


def test_values_are_within_the_range(row):
    low, high = row.values
    values = row.array(points(row))
    assert (low <= values).all()
    assert (values <= high).all()
    assert row.bound is None or (abs(values) <= float(row.bound)).all()
    assert not row.is_positive or (row.array(points(row)[np.abs(points(row)) < 7]) > 0).all()


def test_monotone(row):
    x = points(row)
    steps = np.diff(row.array(x[x > 0] if row.parity == "even" else x))
    assert (row.monotone * steps >= 0).all()
    assert row.monotone or (steps > 0).any() > (steps > 0).all()


def test_parity_and_mirror_image(row):
    x = points(row)[np.abs(points(row)) < 7]
    if row.parity:
        assert row.array(-x) == pytest.approx({"odd": -1, "even": 1}[row.parity] * row.array(x))
        assert row.mirrored is None
    if row.mirrored:
        assert compile_numpy(parse(row.mirrored))(x) == pytest.approx(row.array(-x), abs=1e-12)


def test_growth(row):
    x = points(row)
    bounds = {
        Grows.LINEAR: float(row.ball(arb(0)).mid()) + abs(x),
        Grows.EXPONENTIAL: np.exp(x if row.parity is None else abs(x)),
        Grows.LOGARITHM: np.maximum(1 / abs(x), abs(x)),
        Grows.BOUNDED: np.full(len(x), math.inf if row.is_partial else 2),
    }
    assert (abs(row.array(x)) <= bounds[row.grows] * (1 + 1e-15)).all()


def test_at_zero_and_on_either_side(row):
    if row.at_zero is not None:
        assert float(row.at_zero) == row.array(0.0)
    if row.sides:
        for x in (-3, 3):
            constant, slope = row.sides[x > 0]
            assert row.array(float(x)) == constant + slope * x
            assert call(row.name, parse(str(x))) == Rational(Fraction(constant + slope * x))


def test_sympy_agrees(row):
    expression = to_sympy(Call(row.name, Variable()))
    (x,) = expression.free_symbols
    assert float(expression.subs(x, 0.4)) == pytest.approx(float(row.array(0.4)), rel=1e-14)


def test_a_finite_value_on_a_box_contains_the_values_at_its_corners(row):
    if row.sides:
        return
    functions = {"sigmoid": lambda z: 1 / (1 + mpmath.exp(-z)), "softplus": lambda z: mpmath.log(1 + mpmath.exp(z))}
    function = functions.get(row.name) or getattr(mpmath, row.name)
    for middle in (0.7 + 0.3j, 0.2 - 0.9j, 1.4 + 0.1j):
        value = row.ball(acb(arb(middle.real, 0.0625), arb(middle.imag, 0.0625)))
        assert value.is_finite()
        for corner in (0.0625 + 0.0625j, -0.0625 + 0.0625j, 0.0625 - 0.0625j):
            true = function(mpmath.mpc(middle + corner))
            assert value.real.contains(arb(float(true.real), 1e-12))
            assert value.imag.contains(arb(float(true.imag), 1e-12))


def test_a_row_is_all_that_a_new_primitive_needs(monkeypatch):
    row = Primitive(
        "secant_h", lambda u: 1 / np.cosh(u), lambda z: 1 / z.cosh(), "-secant_h(x)*tanh(x)", (0, 1), -1, "even",
        sympy="sech",
    )  # fmt: skip
    monkeypatch.setitem(PRIMITIVES, row.name, row)
    monkeypatch.setattr(grammar, "_WORDS", grammar._WORDS | {row.name})
    tree = parse("secant_h(1/2 - x)*x")
    assert str(tree) == "secant_h(-1/2 + x)*x"
    assert str(derivative(parse("secant_h"))) == "-secant_h(x)*tanh(x)"
    assert (parity(parse("secant_h(2*x)")), is_smooth(parse("secant_h"))) == ("even", True)
    assert str(to_sympy(parse("secant_h"))) == "sech(x)"
    same = zip(coefficients_balls(tree, 3, 20)[0], coefficients_balls(parse("x/cosh(x - 1/2)"), 3, 20)[0], strict=True)
    assert all(left.overlaps(right) for left, right in same)
