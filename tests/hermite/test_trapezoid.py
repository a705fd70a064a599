"""The trapezoidal rule with proven bounds: never wrong, whatever the step."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb

from tests.helpers.by_mpmath import BITS
from theorycalc.functions.grammar import parse
from theorycalc.hermite import strip, trapezoid
from theorycalc.hermite.coefficients import (
    coefficients_balls,
)
from theorycalc.hermite.tails import TailGrowth, tail_growth
from theorycalc.numbers.balls import ball_precision

NOTHING = TailGrowth(arb(0), arb(0), arb(0), arb(0))


@pytest.mark.checks("hermite_coefficients")
@pytest.mark.parametrize(
    ("k", "polynomial"),
    [(4, lambda x: x**4 - 6 * x**2 + 3), (8, lambda x: x**8 - 28 * x**6 + 210 * x**4 - 420 * x**2 + 105)],
    ids=["4", "8"],
)
def test_the_error_of_a_rule_that_ends_early_is_within_its_caps(k, polynomial):
    """f = 1 on [−5, 5] with a wide strip: the edge adds 1e-4 of the error, and there are no tails."""
    h, count, a = arb(2) / 5, 12, 1.2
    with ball_precision(64):
        grid = trapezoid.TrapezoidGrid(h, count, strip.Strip(a, 16.0, arb(1)), (NOTHING, NOTHING))
        bounds, _ = trapezoid._errors(grid, parse("1"), k)
    step = mpmath.mpf(2) / 5

    def integrand(x):
        return polynomial(x) * mpmath.npdf(x)

    rule = step * sum(integrand(n * step) for n in range(-count, count + 1))
    true = mpmath.quad(integrand, [-5, -2, 0, 2, 5])
    error = abs(rule - true) / mpmath.factorial(k)
    assert error > 1e-8
    assert float(bounds[k]) > error


@pytest.mark.checks("hermite_coefficients")
def test_a_cap_is_bounded_up_to_its_top():
    """|e^{−z²/3}| on Re z = 2 grows with |Im z|."""
    with ball_precision(64):
        size = trapezoid._cap_size(parse("exp(-x**2/3)"), arb(2), 3.0)
    assert float(size) >= abs(mpmath.exp(-(mpmath.mpc(2, 3) ** 2) / 3))


def coarser(grid: trapezoid.TrapezoidGrid, factor: int) -> trapezoid.TrapezoidGrid:
    return trapezoid.TrapezoidGrid(grid.step * factor, grid.count // factor, grid.strip, grid.tails)


@pytest.mark.checks("hermite_coefficients")
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
