"""Balls that enclose exact numbers."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest
import sympy as sp

import theorycalc as tc
from theorycalc.numbers.balls import ball, ball_precision, require_exact


def test_a_float_is_refused_with_the_spelling_to_use():
    with pytest.raises(tc.PrecisionError, match=r"write ridge='0.1' for the decimal number, or Fraction\(0.1\)"):
        require_exact(0.1, "ridge")


@pytest.mark.parametrize(
    "expression",
    [
        sp.sqrt(2) / sp.pi,
        sp.exp(-sp.Rational(1, 2)) * sp.erf(sp.Rational(1, 3)),
        sp.Rational(2, 7) ** sp.Rational(1, 3),
        sp.sqrt(sp.Rational(1, 4) - 1 / (2 * sp.pi)),
        sp.log(3) * sp.atan(sp.E) - sp.gamma(sp.Rational(1, 3)),
        abs(sp.cos(4)) ** sp.Rational(-1, 2) + sp.EulerGamma + sp.Catalan,
    ],
)
def test_sympy_numbers_are_enclosed(expression):
    with ball_precision(200):
        enclosure = ball(expression)
        digits = flint.arb(str(sp.N(expression, 75)))
        assert enclosure.rel_accuracy_bits() > 180
        assert abs(enclosure - digits) < flint.arb(10) ** -50


def test_unknown_functions_are_refused():
    with pytest.raises(tc.DomainError, match="zeta"):
        ball(sp.zeta(3))


def test_balls_of_rationals_have_a_radius():
    with ball_precision(100):
        assert ball(Fraction(1, 10)).rad() > 0
        assert (10 * ball(Fraction(1, 10))).contains(1)


moments = tc.Activation.from_moments
SIZES = {"phi": "1/2", "psi": "2/3", "ridge": "1/10"}


@pytest.mark.parametrize("options", [{}, {"digits": 20}], ids=["float64", "digits"])
@pytest.mark.parametrize(
    ("argument", "call"),
    [
        ("noise", lambda x, **o: tc.predict(tc.Problem("tanh", "H1", **SIZES, noise=x), ell=2, **o)),
        ("teacher", lambda x, **o: tc.predict(tc.Problem("tanh", [x], **SIZES), ell=2, **o)),
        (
            "activation",
            lambda x, **o: tc.predict(tc.Problem(moments(x, 1), [1], **SIZES), ell=1, **o),
        ),
        ("c1", lambda x, **o: tc.traces(**SIZES, c1=x, c_rest=1, **o)),
    ],
)
def test_an_error_about_a_number_without_an_enclosure_names_its_parameter(argument, call, options):
    with pytest.raises(tc.DomainError, match=r"zeta\(3\) cannot be enclosed: zeta is not") as error:
        call(sp.zeta(3), **options)
    assert error.value.argument == argument
