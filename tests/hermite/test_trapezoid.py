"""The trapezoidal rule with proven bounds: never wrong, whatever the step."""

from __future__ import annotations

import mpmath
import pytest
from flint import acb, arb

from tests.helpers.by_mpmath import BITS
from theorycalc.functions.enclosures import compiled
from theorycalc.functions.grammar import parse
from theorycalc.functions.tree import Call, Variable
from theorycalc.hermite import trapezoid
from theorycalc.hermite.coefficients import coefficients_balls
from theorycalc.hermite.tails import TailGrowth, tail_growth
from theorycalc.hermite.trapezoid import proven_strip
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
        grid = trapezoid.TrapezoidGrid(h, count, trapezoid.Strip(a, 16.0, arb(1)), (NOTHING, NOTHING))
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


def test_a_box_of_the_edge_of_a_strip_is_bounded_by_the_density_at_its_nearest_point():
    with ball_precision(64):
        small = trapezoid._edge_square(lambda z: acb(1e-6), 1.0, -16.0, 16.0)
        one_box = trapezoid._edge_square(lambda z: acb(1), 1.0, -0.25, 0.25)
    assert float(small) >= 1e-12
    assert float(one_box) >= mpmath.erf(0.25 / mpmath.sqrt(2))


def test_a_strip_is_cut_across_where_it_is_high():
    """tanh is analytic below its pole at iπ/2, which the whole rectangle does not show."""
    function = compiled(parse("tanh(x)"))
    with ball_precision(64):
        assert not function(trapezoid.box(-0.25, 0.25, 0.0, 1.5)).is_finite()
        assert trapezoid.is_analytic(function, (-0.25, 0.25, 0.0, 1.5))
        assert not trapezoid.is_analytic(function, (-0.25, 0.25, 0.0, 1.6))


def test_no_strip_reaches_a_pole():
    tree = Call("tanh", Variable())
    assert proven_strip(tree, 1.55, 8.0, True) is not None
    assert proven_strip(tree, 1.58, 8.0, True) is None  # π/2 = 1.5708
    assert proven_strip(parse("log(1 + x**2)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("sqrt(1 + x**2)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("softplus"), 3.2, 8.0, True) is None
    assert proven_strip(parse("atan(x)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("asinh(x)"), 1.01, 8.0, True) is None
