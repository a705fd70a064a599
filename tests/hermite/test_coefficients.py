"""Hermite coefficients: reference values, and independent paths against each other."""

import json
from fractions import Fraction

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.helpers import DATA
from tests.helpers.by_mpmath import BITS, by_mpmath, is_near
from theorycalc.errors import ArgumentError, DomainError, PrecisionError
from theorycalc.functions.grammar import parse
from theorycalc.hermite import quadrature
from theorycalc.hermite.coefficients import (
    coefficients_balls,
    coefficients_floats,
    exact_coefficients,
    has_closed_form,
    second_moment_ball,
    variance_rest_ball,
)
from theorycalc.model.reading import activation, coefficients
from theorycalc.numbers.balls import ball, ball_precision

REFERENCE = json.loads((DATA / "reference_hermite.json").read_text())
CLOSED = [
    *("relu", "leaky_relu(0.1)", "elu", "selu", "hardtanh", "relu6", "hardswish", "softshrink", "gelu", "exp(x/2)"),
    *(
        "erf(x/3 + 1)",
        "sin(2*x + 1)",
        "x**2*cos(x)",
        "exp(x/2)*sin(x)",
        "gaussian",
        "exp(-abs(x))",
        "x*erf(x)*exp(x/3 - x**2/5)",
    ),
]
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


@pytest.mark.checks("hermite_coefficients")
@pytest.mark.parametrize("name", [*CLOSED[:-1], "H5 + x/7", "step(x - sqrt(2))", "sinh(x/3)", "erfc(x)*exp(x)"])
def test_exact_expressions_have_the_enclosed_values(name):
    tree = parse(name)
    balls, _ = coefficients_balls(tree, 8, 40)
    for expression, value in zip(exact_coefficients(tree, 8), balls, strict=True):
        with ball_precision(BITS):
            assert ball(expression).overlaps(value)


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


def test_public_forms():
    floats = coefficients("gelu", 6)
    assert floats.dtype == np.float64
    digits = coefficients("gelu", 6, digits=50)
    formulas = coefficients("gelu", 6, exact=True)
    assert [float(value) for value in digits] == list(floats)
    assert [float(value) for value in formulas] == pytest.approx(list(floats), rel=1e-14)
    assert coefficients(activation("gelu"), 6, digits=50) == digits
    assert list(coefficients("x + 3", 2)) == [3, 1, 0]


@pytest.mark.parametrize("bad", [-1, 1.5, True, "3", 10**6])
def test_bad_index(bad):
    with pytest.raises(DomainError):
        coefficients("relu", bad)


def test_bad_arguments():
    with pytest.raises(PrecisionError):
        coefficients("relu", 2, digits=0)
    with pytest.raises(ArgumentError):
        coefficients("relu", 2, digits=10, exact=True)
    with pytest.raises(DomainError):
        coefficients(3.5, 2)


@pytest.mark.parametrize("name", ["exp(x**2)", "exp(x**2/3)", "sqrt(x)", "log(x)", "1/x"])
def test_not_square_integrable_or_not_real(name):
    with pytest.raises(DomainError):
        coefficients(name, 2)


@pytest.mark.slow
def test_a_thousand_digits():
    found = coefficients("tanh", 3, digits=1000)
    again = coefficients("tanh", 3, digits=1020)
    with mpmath.workdps(1010):
        assert abs(mpmath.mpf(found[3]) / mpmath.mpf(again[3]) - 1) < mpmath.mpf(10) ** -999


@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("exact", lambda: coefficients("tanh", 3, exact=True)),
        ("exact", lambda: activation("tanh").coefficients(3, exact=True)),
        ("activation", lambda: coefficients("exp(60*x)", 3)),
    ],
)
def test_errors_of_coefficients_name_the_parameter(argument, call):
    with pytest.raises(DomainError) as error:
        call()
    assert error.value.argument == argument
