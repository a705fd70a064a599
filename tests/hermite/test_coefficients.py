"""Hermite coefficients: reference values, and independent paths against each other."""

from __future__ import annotations

import json
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import DATA
from tests.helpers.by_mpmath import BITS, by_mpmath, is_near
from tests.helpers.formulas import CLOSED
from theorycalc.errors import PrecisionError
from theorycalc.functions.grammar import parse
from theorycalc.hermite import legendre, quadrature
from theorycalc.hermite.coefficients import (
    coefficients_balls,
    coefficients_floats,
    has_closed_form,
    second_moment_ball,
    variance_rest_ball,
)
from theorycalc.model.reading import coefficients
from theorycalc.numbers.balls import ball_precision

REFERENCE = json.loads((DATA / "reference_hermite.json").read_text())
NOT_CLOSED = {
    "tanh": (mpmath.tanh, []),
    "sigmoid": (lambda x: 1 / (1 + mpmath.exp(-x)), []),
    "tanh(x + 1)": (lambda x: mpmath.tanh(x + 1), []),
    "mish": (lambda x: x * mpmath.tanh(mpmath.log1p(mpmath.exp(x))), []),
    "atan(x)": (mpmath.atan, []),
    "asinh(x - 1/2)": (lambda x: mpmath.asinh(x - mpmath.mpf(1) / 2), []),
    "sin(tanh(x))": (lambda x: mpmath.sin(mpmath.tanh(x)), []),
    "log(1 + x**2)": (lambda x: mpmath.log(1 + x * x), []),
    "exp(-x**4)": (lambda x: mpmath.exp(-(x**4)), []),
    "tanh(x) + x**2": (lambda x: mpmath.tanh(x) + x * x, []),  # a parity but for a polynomial
    "softsign": (lambda x: x / (1 + abs(x)), [0]),
    "max(tanh(x), 0)": (lambda x: max(mpmath.tanh(x), 0), [0]),
    "where(x > sqrt(2), tanh(x), x)": (lambda x: mpmath.tanh(x) if x > mpmath.sqrt(2) else x, ["sqrt(2)"]),
    "erf(x)*relu(x)": (lambda x: mpmath.erf(x) * max(x, 0), [0]),
    "sqrt(abs(x))": (lambda x: mpmath.sqrt(abs(x)), [0]),
}


@pytest.mark.checks("hermite_coefficients", "second_moment")
@pytest.mark.parametrize("name", REFERENCE)
def test_reference_digits(name):
    tree, expected = parse(name), REFERENCE[name]
    found, guarantee = coefficients_balls(tree, 12, 50)
    assert guarantee == "enclosed"
    with ball_precision(BITS):
        for value, text in zip(
            [*found, second_moment_ball(tree, 50)], [*expected["c"], expected["second_moment"]], strict=True
        ):
            if float(text) == 0:
                assert value == 0  # exactly, by structure
            else:
                assert abs(value / arb(text) - 1) < 1e-44


@pytest.mark.checks("hermite_coefficients")
@pytest.mark.parametrize("name", REFERENCE)
def test_floats_are_the_nearest(name):
    expected = np.array([float(text) for text in REFERENCE[name]["c"]])
    assert np.all(np.abs(coefficients_floats(parse(name), 12) - expected) <= np.spacing(np.abs(expected)))


@pytest.mark.checks("hermite_coefficients")
@pytest.mark.parametrize("name", CLOSED)
def test_closed_forms_and_quadrature_agree(name):
    tree = parse(name)
    assert has_closed_form(tree)
    closed, _ = coefficients_balls(tree, 20, 40)
    numeric = quadrature.moments(tree, 20, 150)
    assert numeric.guarantee == "enclosed"
    with ball_precision(BITS):
        for k, (a, b) in enumerate(zip(closed, numeric.coefficients, strict=True)):
            assert a.overlaps(b)
            assert abs(a - b) * arb(k).fac().sqrt() < 1e-38


@pytest.mark.slow
@pytest.mark.checks("hermite_coefficients", "second_moment")
@pytest.mark.parametrize("name", NOT_CLOSED)
def test_enclosures_contain_what_mpmath_finds(name):
    tree, (function, kinks) = parse(name), NOT_CLOSED[name]
    found, guarantee = coefficients_balls(tree, 7, 30)
    assert guarantee == "enclosed"
    tolerance = 1e-12 if name == "sqrt(abs(x))" else 1e-25  # mpmath's own accuracy next to a branch point
    for k in (0, 1, 7):
        assert is_near(found[k], by_mpmath(function, kinks, k), tolerance)
    assert is_near(second_moment_ball(tree, 30), by_mpmath(function, kinks, 0, square=True), tolerance)


@pytest.mark.checks("hermite_coefficients")
@pytest.mark.parametrize(
    "name", ["relu", "gelu", "softplus", "silu", "tanh", "hardswish", "sigmoid", "softsign", "log(cosh(x))"]
)
def test_zeros_are_decided_by_structure(name):
    found, _ = coefficients_balls(parse(name), 9, 20)
    zeros = [k for k, value in enumerate(found) if value == 0]
    assert zeros == ([3, 5, 7, 9] if found[2] != 0 and found[1] != 0 else zeros)
    assert len(zeros) >= 4
    assert not any(value.contains(0) for value in found if value != 0)


def test_undecided_contains_zero_and_is_small():
    # Odd, but written so that its structure does not show it.
    found, guarantee = coefficients_balls(parse("x/(1 + exp(-x)) - x/2 + tanh(x)"), 3, 20)
    assert guarantee == "enclosed"
    undecided = [value for value in found if value != 0 and value.contains(0)]
    assert all(abs(value) < 1e-20 for value in undecided)
    assert not found[2].contains(0)


@pytest.mark.parametrize("name", ["tanh", "relu", "softsign", "mish", "sin(3*x)"])
def test_parseval(name):
    tree = parse(name)
    found, _ = coefficients_balls(tree, 30, 25)
    with ball_precision(BITS):
        total, before = arb(0), arb(0)
        for k, value in enumerate(found):
            before, total = total, total + arb(k).fac() * value * value
            assert not total < before
        assert total < second_moment_ball(tree, 25)
        rest = variance_rest_ball(tree, 25)
        assert total - found[0] ** 2 - found[1] ** 2 < rest


@pytest.mark.checks("variance_rest")
@pytest.mark.parametrize(
    ("name", "leading"),
    [
        ("x + 1e-12*tanh(x)", None),
        ("1000*tanh(x/1000)", Fraction(6, 9 * 10**12)),  # x − x³/3·10^6: c_3 = −1/(3·10^6), 3! c_3²
        ("x + 1e-30*x**2", Fraction(2, 10**60)),
        ("1e-200*tanh(x + 1)", None),
    ],
)
def test_nearly_linear_activations_lose_nothing(name, leading):
    rest = variance_rest_ball(parse(name), 30)
    assert rest > 0
    assert rest.rel_accuracy_bits() >= 30 * 3.32
    if leading is not None:
        with ball_precision(BITS):
            assert abs(rest / arb(fmpq(leading.numerator, leading.denominator)) - 1) < 1e-4


@pytest.mark.checks("variance_rest")
def test_nearly_linear_rest_is_that_of_the_small_part():
    with ball_precision(BITS):
        scaled = variance_rest_ball(parse("x + 1e-12*tanh(x)"), 30) * arb(10) ** 24
        assert abs(scaled / variance_rest_ball(parse("tanh"), 30) - 1) < 1e-29


@pytest.mark.checks("variance_rest")
@pytest.mark.parametrize("name", ["x", "2*x - pi", "3", "abs(x)*sign(x)", "relu(x) - relu(-x)"])
def test_linear_functions_have_no_rest(name):
    assert variance_rest_ball(parse(name), 20) == 0


def test_tiny_coefficients_keep_relative_digits():
    found, _ = coefficients_balls(parse("tanh(x/1000)"), 31, 30)
    assert all(value.rel_accuracy_bits() >= 99 for value in found[1::2])
    assert abs(found[31]) < 1e-90


@pytest.mark.slow
@pytest.mark.checks("hermite_coefficients")
@settings(max_examples=12, deadline=None)
@given(st.fractions(-3, 3, max_denominator=20), st.fractions(Fraction(1, 20), 5, max_denominator=20))
def test_shifted_and_scaled_tanh(shift, scale):
    tree = parse(f"tanh({scale}*x + ({shift}))")
    found, guarantee = coefficients_balls(tree, 4, 20)
    assert guarantee == "enclosed"
    with mpmath.workdps(40):
        a, b = (mpmath.mpf(v.numerator) / v.denominator for v in (scale, shift))
        for k in (0, 3):
            assert is_near(found[k], by_mpmath(lambda x: mpmath.tanh(a * x + b), [-b / a], k), 1e-17)


@pytest.mark.slow
@pytest.mark.checks("hermite_coefficients")
@settings(max_examples=25, deadline=None)
@given(st.fractions(-3, 3, max_denominator=9), st.sampled_from(["relu", "softsign", "elu", "silu"]))
def test_reflection_changes_the_sign_of_odd_coefficients(kink, name):
    here, _ = coefficients_balls(parse(f"{name}(x - ({kink}))"), 6, 20)
    there, _ = coefficients_balls(parse(f"{name}(-x - ({kink}))"), 6, 20)
    with ball_precision(200):
        assert all((a - (-1) ** k * b).contains(0) for k, (a, b) in enumerate(zip(here, there, strict=True)))


@pytest.mark.slow
def test_what_is_not_proven_is_estimated_and_says_so(monkeypatch):
    monkeypatch.setattr(legendre, "cells_of", lambda *_: None)
    tree = parse("softsign(x - 1/3)")
    found, guarantee = coefficients_balls(tree, 4, 15)
    assert guarantee == "estimated"
    third = mpmath.mpf(1) / 3
    for k in (0, 3):
        truth = by_mpmath(lambda x: (x - third) / (1 + abs(x - third)), [third], k)
        assert is_near(found[k], truth, float(found[k].rad()) + 1e-15)
        assert float(found[k].rad()) < 1e-14
    with pytest.raises(PrecisionError, match="cannot be proven"):
        coefficients("softsign(x - 1/3)", 4, digits=15)


@pytest.mark.parametrize(
    ("name", "same"), [("1/sigmoid(x)", "1 + exp(-x)"), ("log(sigmoid(x))", "logsigmoid"), ("log(cosh(x))*2", None)]
)
def test_other_spellings_are_proven_too(name, same):
    found, guarantee = coefficients_balls(parse(name), 5, 20)
    assert guarantee == "enclosed"
    if same is not None:
        expected, _ = coefficients_balls(parse(same), 5, 20)
        with ball_precision(BITS):
            assert all((a - b).contains(0) for a, b in zip(found, expected, strict=True))
