"""Hermite coefficients: reference values, independent paths against each other, and proofs that hold when pressed."""

import json
import time
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
import sympy
from flint import arb, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from theorycalc.activations.activation import activation
from theorycalc.activations.coefficients import coefficients
from theorycalc.balls import ball_precision, to_mpf
from theorycalc.errors import ArgumentError, DomainError, PrecisionError
from theorycalc.expressions.grammar import parse
from theorycalc.expressions.growth import growth as growth_of
from theorycalc.expressions.pieces import pieces
from theorycalc.expressions.tree import Call, Variable
from theorycalc.hermite import boxes, estimate, legendre, quadrature, trapezoid
from theorycalc.hermite.coefficients import (
    coefficients_balls,
    coefficients_floats,
    exact_coefficients,
    has_closed_form,
    second_moment_ball,
    variance_rest_ball,
)
from theorycalc.hermite.strip import proven_strip
from theorycalc.hermite.tails import UnboundedError, tail_growth, tail_integral
from theorycalc.symbolic_balls import enclose

REFERENCE = json.loads((Path(__file__).parent / "data" / "reference_hermite.json").read_text())
BITS = 400

CLOSED = [
    *("relu", "leaky_relu(0.1)", "elu", "selu", "hardtanh", "relu6", "hardswish", "softshrink", "gelu", "exp(x/2)"),
    *("erf(x/3 + 1)", "sin(2*x + 1)", "x**2*cos(x)", "gaussian", "exp(-abs(x))", "x*erf(x)*exp(x/3 - x**2/5)"),
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
    "softsign": (lambda x: x / (1 + abs(x)), [0]),
    "max(tanh(x), 0)": (lambda x: max(mpmath.tanh(x), 0), [0]),
    "where(x > sqrt(2), tanh(x), x)": (lambda x: mpmath.tanh(x) if x > mpmath.sqrt(2) else x, ["sqrt(2)"]),
    "erf(x)*relu(x)": (lambda x: mpmath.erf(x) * max(x, 0), [0]),
    "sqrt(abs(x))": (lambda x: mpmath.sqrt(abs(x)), [0]),
}


def by_mpmath(function, kinks, k: int, square: bool = False) -> mpmath.mpf:
    """c_k by mpmath's quadrature, split at the kinks and many other points."""
    with mpmath.workdps(28):
        ends = [mpmath.sqrt(2) if kink == "sqrt(2)" else mpmath.mpf(kink) for kink in kinks]
        points = sorted({mpmath.mpf(x) for x in (-13, -6, -3, -1, 1, 3, 6, 13)} | set(ends))

        def integrand(x):
            value = function(x)
            before, polynomial = 0, 1
            for j in range(k):
                before, polynomial = polynomial, x * polynomial - j * before
            return value * (value if square else polynomial) * mpmath.exp(-x * x / 2)

        total = mpmath.quad(integrand, points) / mpmath.sqrt(2 * mpmath.pi)
        return total if square else total / mpmath.factorial(k)


def is_near(enclosure: arb, value: mpmath.mpf, tolerance: float) -> bool:
    with mpmath.workdps(40):
        return abs(mpmath.mpf(to_mpf(enclosure, mpmath.mp)) - value) <= tolerance


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


@pytest.mark.parametrize("name", REFERENCE)
def test_floats_are_the_nearest(name):
    expected = np.array([float(text) for text in REFERENCE[name]["c"]])
    assert np.all(np.abs(coefficients_floats(parse(name), 12) - expected) <= np.spacing(np.abs(expected)))


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


@pytest.mark.parametrize("name", [*CLOSED[:-1], "H5 + x/7", "step(x - sqrt(2))", "sinh(x/3)", "erfc(x)*exp(x)"])
def test_exact_expressions_have_the_enclosed_values(name):
    tree = parse(name)
    balls, _ = coefficients_balls(tree, 8, 40)
    for expression, value in zip(exact_coefficients(tree, 8), balls, strict=True):
        with ball_precision(BITS):
            assert enclose(expression).overlaps(value)


@pytest.mark.parametrize("name", NOT_CLOSED)
def test_enclosures_contain_what_mpmath_finds(name):
    tree, (function, kinks) = parse(name), NOT_CLOSED[name]
    found, guarantee = coefficients_balls(tree, 7, 30)
    assert guarantee == "enclosed"
    tolerance = 1e-12 if name == "sqrt(abs(x))" else 1e-25  # mpmath's own accuracy next to a branch point
    for k in (0, 1, 7):
        assert is_near(found[k], by_mpmath(function, kinks, k), tolerance)
    assert is_near(second_moment_ball(tree, 30), by_mpmath(function, kinks, 0, square=True), tolerance)


def test_exact_relu():
    root = sympy.sqrt(2 * sympy.pi)
    assert exact_coefficients(parse("relu"), 4) == [1 / root, sympy.Rational(1, 2), 1 / (2 * root), 0, -1 / (24 * root)]


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


def test_exact_erf_is_quick():
    z = sympy.Symbol("z", real=True)
    start = time.perf_counter()
    sympy.integrate(
        sympy.erf(z) * sympy.hermite(1, z / sympy.sqrt(2)) * sympy.exp(-z * z / 2), (z, -sympy.oo, sympy.oo)
    )
    general = time.perf_counter() - start
    start = time.perf_counter()
    exact_coefficients(parse("erf(x)"), 40)
    assert time.perf_counter() - start < max(general, 1.0)


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
        assert (rest - (second_moment_ball(tree, 25) - found[0] ** 2 - found[1] ** 2)).contains(0)


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


def test_nearly_linear_rest_is_that_of_the_small_part():
    with ball_precision(BITS):
        scaled = variance_rest_ball(parse("x + 1e-12*tanh(x)"), 30) * arb(10) ** 24
        assert abs(scaled / variance_rest_ball(parse("tanh"), 30) - 1) < 1e-29


@pytest.mark.parametrize("name", ["x", "2*x - pi", "3", "abs(x)*sign(x)", "relu(x) - relu(-x)"])
def test_linear_functions_have_no_rest(name):
    assert variance_rest_ball(parse(name), 20) == 0


def test_tiny_coefficients_keep_relative_digits():
    found, _ = coefficients_balls(parse("tanh(x/1000)"), 31, 30)
    assert all(value.rel_accuracy_bits() >= 99 for value in found[1::2])
    assert abs(found[31]) < 1e-90


# --- the proofs, pressed --------------------------------------------------------------------------------------------


def coarser(grid: trapezoid.Grid, factor: int) -> trapezoid.Grid:
    return trapezoid.Grid(grid.step * factor, grid.count // factor, grid.strip, grid.tails)


@pytest.mark.parametrize("factor", [1, 2, 4, 8])
@pytest.mark.parametrize("name", ["tanh", "atan(x)", "erf(x)"])
def test_a_coarse_step_gives_a_wider_ball_and_never_a_wrong_one(name, factor):
    tree = parse(name)
    truth, _ = coefficients_balls(tree, 9, 60)
    with ball_precision(64):
        tails = (tail_growth(tree, 1, arb(4)), tail_growth(tree, -1, arb(4)))
    grid = trapezoid.choose_grid(tree, tails, 4.0, 9, 100, symmetric=True)
    assert grid is not None
    found, _ = trapezoid.moments_on(coarser(grid, factor), tree, "odd", 9, 200)
    with ball_precision(BITS):
        for k in range(1, 10, 2):
            assert found[k].contains(truth[k])
            assert found[k].rad() > 0
    assert (found[1].rad() > 1e-20) == (factor > 1)


def test_a_step_beyond_all_bounds_proves_nothing():
    tree = parse("erf(x)")
    with ball_precision(64):
        tails = (tail_growth(tree, 1, arb(4)), tail_growth(tree, -1, arb(4)))
    grid = trapezoid.choose_grid(tree, tails, 4.0, 9, 100, symmetric=True)
    found, _ = trapezoid.moments_on(coarser(grid, 16), tree, "odd", 9, 200)
    assert not found[1].is_finite()


@pytest.mark.parametrize("nodes", [1, 2, 4, 8, 16])
def test_too_few_legendre_nodes_give_a_wider_ball_and_never_a_wrong_one(nodes):
    tree = parse("x/(1 + x**2)")
    with ball_precision(200):
        span = legendre.Span(arb(0), arb(1), tree)
        cells = legendre.cells_of(span, 4, 100)
        few = [legendre.Cell(c.low, c.high, c.ratio, c.size, c.square, c.radius, nodes) for c in cells]
        found, _ = legendre.moments_over([span], [few], None, 4, 200)
        best, _ = legendre.moments_over([span], [cells], None, 4, 200)
        assert all(a.contains(b) for a, b in zip(found, best, strict=True))
        assert all(a.rad() > b.rad() for a, b in zip(found, best, strict=True))


def test_no_strip_reaches_a_pole():
    tree = Call("tanh", Variable())
    assert proven_strip(tree, 1.55, 8.0, True) is not None
    assert proven_strip(tree, 1.58, 8.0, True) is None  # π/2 = 1.5708
    assert proven_strip(parse("log(1 + x**2)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("sqrt(1 + x**2)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("softplus"), 3.2, 8.0, True) is None
    assert proven_strip(parse("atan(x)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("asinh(x)"), 1.01, 8.0, True) is None


@pytest.mark.parametrize("name", ["log", "sqrt", "atan", "asinh", "softplus", "sigmoid", "tanh", "tan"])
def test_a_box_across_a_cut_or_pole_is_not_finite(name):
    with ball_precision(64):
        inside = {"log": (-1, 0), "sqrt": (-1, 0), "tan": (1.57, 0), "sigmoid": (0, 3.14), "softplus": (-1, 3.14)}
        x, y = inside.get(name, (0, 1.57 if name == "tanh" else 1.2))
        box = boxes.acb(arb(x, 0.1), arb(y, 0.1))
        assert not boxes.FUNCTIONS[name](box).is_finite()


@given(
    st.sampled_from(["tanh(x)", "softplus(x)", "x*sigmoid(x)", "x**2/(1 + x**2)", "log(1 + exp(x))", "exp(x - x**2/7)",
                     "atan(x)*x**3", "asinh(x)", "sqrt(2 + x**2)", "cosh(x/3)", "1/cosh(x)", "erfc(x)*x",
                     "1/sigmoid(x/2)", "log(sigmoid(x))", "log(softplus(x))"]),
    st.sampled_from([1, -1]),
    st.floats(4, 60),
)  # fmt: skip
def test_tail_growth_bounds_the_function(name, side, x):
    tree = parse(name)
    with ball_precision(100):
        growth = tail_growth(tree, side, arb(4))
        bound = (
            growth.constant * (1 + arb(x)) ** growth.degree * (growth.linear * x + growth.quadratic * arb(x) ** 2).exp()
        )
        assert not abs(boxes.compiled(tree)(arb(side * x))) > bound


def test_tail_integrals_are_upper_bounds():
    with ball_precision(100):
        growth = tail_growth(parse("x**2*exp(x)"), 1, arb(4))
        bound = tail_integral(growth, arb(9), 3)
        with mpmath.workdps(30):
            true = mpmath.quad(lambda x: x**2 * mpmath.exp(x) * (x / 9) ** 3 * mpmath.npdf(x), [9, 12, 20, 40])
        assert float(bound) > float(true)
        assert float(bound) < 3 * float(true)


def test_what_is_not_proven_is_estimated_and_says_so(monkeypatch):
    monkeypatch.setattr(quadrature, "_proven", lambda *_: None)
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


def test_sampled_growth_is_not_below_the_function():
    tree = parse("x**2*tanh(x)")
    with ball_precision(64):
        for side, growth in zip((1, -1), estimate.sampled_growth(tree, tree, 4.0, growth_of), strict=True):
            for x in (5, 9.5, 30):
                assert abs(boxes.compiled(tree)(arb(side * x))) < growth.constant * (1 + arb(x)) ** growth.degree


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


def test_unbounded_growth_is_refused():
    with pytest.raises(UnboundedError):
        tail_growth(parse("exp(x**3)"), 1, arb(4))


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


@settings(max_examples=25, deadline=None)
@given(st.fractions(-3, 3, max_denominator=9), st.sampled_from(["relu", "softsign", "elu", "silu"]))
def test_reflection_changes_the_sign_of_odd_coefficients(kink, name):
    here, _ = coefficients_balls(parse(f"{name}(x - ({kink}))"), 6, 20)
    there, _ = coefficients_balls(parse(f"{name}(-x - ({kink}))"), 6, 20)
    with ball_precision(200):
        assert all((a - (-1) ** k * b).contains(0) for k, (a, b) in enumerate(zip(here, there, strict=True)))


# --- the public function ---------------------------------------------------------------------------------------------


def test_public_forms():
    floats = coefficients("gelu", 6)
    assert floats.dtype == np.float64
    digits = coefficients("gelu", 6, digits=50)
    formulas = coefficients("gelu", 6, exact=True)
    assert [float(value) for value in digits] == list(floats)
    assert [float(value) for value in formulas] == pytest.approx(list(floats), rel=1e-14)
    assert coefficients(activation("gelu"), 6, digits=50) == digits
    assert list(coefficients("3", 2)) == [3, 0, 0]


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


def test_pieces_of_a_kinked_function_are_all_covered():
    assert len(pieces(parse("softsign"))) == 2
    with ball_precision(100):
        spans = quadrature._spans(quadrature.split(parse("where(x > 1, tanh(x), x)")), 8.0, 100)
        assert [(float(s.low), float(s.high)) for s in spans] == [(-8, 1), (1, 8)]


def test_a_thousand_digits():
    found = coefficients("tanh", 3, digits=1000)
    again = coefficients("tanh", 3, digits=1020)
    with mpmath.workdps(1010):
        assert abs(mpmath.mpf(found[3]) / mpmath.mpf(again[3]) - 1) < mpmath.mpf(10) ** -999
