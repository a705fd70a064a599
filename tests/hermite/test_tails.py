"""Bounds on the growth of a function, and on the integrals of its tails."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from theorycalc.functions.enclosures import compiled
from theorycalc.functions.grammar import parse
from theorycalc.hermite.tails import TailGrowth, UnboundedError, sampled_growth, tail_growth, tail_integral
from theorycalc.numbers.balls import ball_precision


def test_a_tail_that_falls_slowly_is_within_its_bound():
    """(1 + x)⁴(x/4)⁶φ(x) beyond 4: the polynomials take more than half of the Gaussian's rate."""
    with ball_precision(64):
        bound = tail_integral(TailGrowth(arb(1), arb(4), arb(0), arb(0)), arb(4), 6)
    true = mpmath.quad(lambda x: (1 + x) ** 4 * (x / 4) ** 6 * mpmath.npdf(x), [4, 6, 10, 30])
    assert true < float(bound) < 2 * true


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
        assert not abs(compiled(tree)(arb(side * x))) > bound


def test_tail_integrals_are_upper_bounds():
    with ball_precision(100):
        growth = tail_growth(parse("x**2*exp(x)"), 1, arb(4))
        bound = tail_integral(growth, arb(9), 3)
        with mpmath.workdps(30):
            true = mpmath.quad(lambda x: x**2 * mpmath.exp(x) * (x / 9) ** 3 * mpmath.npdf(x), [9, 12, 20, 40])
        assert float(bound) > float(true)
        assert float(bound) < 3 * float(true)


def test_sampled_growth_is_not_below_the_function():
    tree = parse("x**2*tanh(x)")
    with ball_precision(64):
        for side in (1, -1):
            growth = sampled_growth(tree, side, 4.0)
            for x in (5, 9.5, 30):
                assert abs(compiled(tree)(arb(side * x))) < growth.constant * (1 + arb(x)) ** growth.degree


def test_unbounded_growth_is_refused():
    with pytest.raises(UnboundedError):
        tail_growth(parse("exp(x**3)"), 1, arb(4))
