"""Ranges and boxes that enclose the values of a function."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.formulas import NAMES, SMOOTH
from theorycalc.functions.enclosures import WHOLE, Interval, compiled, range_of
from theorycalc.functions.evaluate import compile_numpy
from theorycalc.functions.grammar import parse
from theorycalc.numbers.balls import ball_precision


def test_ranges_contain_the_values():
    rng = np.random.default_rng(5)
    for text in [*SMOOTH, *NAMES]:
        tree = parse(text)
        function = compile_numpy(tree)
        for _ in range(10):
            low, high = np.sort(rng.normal(0, 3, 2))
            found = range_of(tree, Interval(arb(low), arb(high)))
            values = function(np.linspace(low, high, 50))
            assert found.low <= values.min() + 1e-12 * abs(values.min())
            assert found.high >= values.max() - 1e-12 * abs(values.max())


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("log(x)", -2, -1), ("log(x)", -1, 0), ("tan(x)", -2, 1), ("tan(x)", 1, 4), ("sqrt(x)", -1, 4)],
)
def test_a_range_is_the_whole_line_where_the_function_may_be_undefined(text, low, high):
    assert range_of(parse(text), Interval(arb(low), arb(high))) == WHOLE


def test_a_range_begins_at_the_limit_of_the_domain():
    values = range_of(parse("log(x)"), Interval(arb(0), arb(1)))
    assert (values.low, values.high) == (WHOLE.low, 0)


TOWERS = ["exp(exp(x))", "exp(-exp(exp(x)))", "sinh(cosh(exp(x)))", "exp(-sinh(exp(x**2)))", "1/(1 + exp(exp(exp(x))))"]


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
    "text",
    ["1/(1e300*100 + sin(x) - 9e299*exp(10*tanh(x)))", "log(1e300*100 - 9e299*exp(10*tanh(x)))"],
)
def test_huge_numbers_hide_no_pole(text):
    with pytest.raises(tc.TheoryError):
        tc.coefficients(text, 2)
    values = range_of(parse("1e300*1000"), Interval(arb(0), arb(1)))
    assert values.low <= 1e303 <= values.high


def test_the_range_of_a_root_begins_at_zero():
    with ball_precision(64):
        values = range_of(parse("x**(1/3)"), Interval(arb(0), arb(8)))
    assert values.low == 0
    assert 2 <= float(values.high) < 2.0001


@pytest.mark.parametrize("name", ["log", "sqrt", "atan", "asinh", "softplus", "sigmoid", "tanh", "tan"])
def test_a_box_across_a_cut_or_pole_is_not_finite(name):
    with ball_precision(64):
        inside = {"log": (-1, 0), "sqrt": (-1, 0), "tan": (1.57, 0), "sigmoid": (0, 3.14), "softplus": (-1, 3.14)}
        x, y = inside.get(name, (0, 1.57 if name == "tanh" else 1.2))
        box = acb(arb(x, 0.1), arb(y, 0.1))
        assert not compiled(parse(f"{name}(x)"))(box).is_finite()


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("log", mpmath.log),
        ("sqrt", mpmath.sqrt),
        ("atan", mpmath.atan),
        ("asinh", mpmath.asinh),
        ("softplus", lambda z: mpmath.log(1 + mpmath.exp(z))),
        ("sigmoid", lambda z: 1 / (1 + mpmath.exp(-z))),
        ("tanh", mpmath.tanh),
        ("tan", mpmath.tan),
    ],
)
@pytest.mark.parametrize("middle", [0.25 + 0.375j, 2 - 0.25j, -0.5 + 0.5j])
def test_a_box_has_the_values_at_its_corners(name, function, middle):
    middle = abs(middle.real) + 1j * middle.imag if name in ("log", "sqrt") else middle
    corners = [middle + 0.0625 * (x + 1j * y) for x in (-1, 1) for y in (-1, 1)]
    with ball_precision(64):
        found = compiled(parse(f"{name}(x)"))(acb(arb(middle.real, 0.0625), arb(middle.imag, 0.0625)))
    assert found.is_finite()
    for corner in corners:
        value = complex(function(mpmath.mpc(corner)))
        assert abs(value.real - float(found.real.mid())) <= float(found.real.rad()) + 1e-15
        assert abs(value.imag - float(found.imag.mid())) <= float(found.imag.rad()) + 1e-15
