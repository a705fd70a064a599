"""Every bound of the quadratures by itself, in cases where nothing else makes up for a bound that is too small."""

import mpmath
import pytest
from flint import acb, arb

from tests.helpers.by_mpmath import by_mpmath
from theorycalc.functions.enclosures import Interval, compiled, range_of
from theorycalc.functions.grammar import parse
from theorycalc.hermite import legendre, strip, trapezoid
from theorycalc.hermite.coefficients import exact_coefficients
from theorycalc.hermite.tails import TailGrowth, tail_integral
from theorycalc.numbers.balls import ball_precision

NOTHING = TailGrowth(arb(0), arb(0), arb(0), arb(0))


@pytest.mark.checks("hermite_coefficients", "second_moment")
@pytest.mark.parametrize("ratio", [1.5, 3.0, 9.0])
def test_the_bounds_of_an_ellipse_hold_at_its_ends_and_its_top(ratio):
    """|e^{−z²/2}| is largest at the top; the ends are where a narrower rectangle would not reach."""
    low, high = -1.5, 1.5
    wide, tall = 1.5 * (ratio + 1 / ratio) / 2, 1.5 * (ratio - 1 / ratio) / 2
    with ball_precision(64):
        size, square, radius = legendre._ellipse_bounds(compiled(parse("x + 3")), arb(low), arb(high), ratio)
    for z in (complex(0, tall), complex(wide, 0), complex(-wide, 0)):
        density = abs(mpmath.npdf(mpmath.mpc(z)))
        assert float(size) > abs(z + 3) * density
        assert float(square) > abs(z + 3) ** 2 * density
        assert float(radius) > abs(z)


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


def test_a_box_of_the_edge_of_a_strip_is_bounded_by_the_density_at_its_nearest_point():
    with ball_precision(64):
        small = strip._edge_square(lambda z: acb(1e-6), 1.0, -16.0, 16.0)
        one_box = strip._edge_square(lambda z: acb(1), 1.0, -0.25, 0.25)
    assert float(small) >= 1e-12
    assert float(one_box) >= mpmath.erf(0.25 / mpmath.sqrt(2))


def test_a_strip_is_cut_across_where_it_is_high():
    """tanh is analytic below its pole at iπ/2, which the whole rectangle does not show."""
    function = compiled(parse("tanh(x)"))
    with ball_precision(64):
        assert not function(strip.box(-0.25, 0.25, 0.0, 1.5)).is_finite()
        assert strip.is_analytic(function, (-0.25, 0.25, 0.0, 1.5))
        assert not strip.is_analytic(function, (-0.25, 0.25, 0.0, 1.6))


def test_the_range_of_a_root_begins_at_zero():
    with ball_precision(64):
        values = range_of(parse("x**(1/3)"), Interval(arb(0), arb(8)))
    assert values.low == 0
    assert 2 <= float(values.high) < 2.0001


def test_a_tail_that_falls_slowly_is_within_its_bound():
    """(1 + x)⁴(x/4)⁶φ(x) beyond 4: the polynomials take more than half of the Gaussian's rate."""
    with ball_precision(64):
        bound = tail_integral(TailGrowth(arb(1), arb(4), arb(0), arb(0)), arb(4), 6)
    true = mpmath.quad(lambda x: (1 + x) ** 4 * (x / 4) ** 6 * mpmath.npdf(x), [4, 6, 10, 30])
    assert true < float(bound) < 2 * true


@pytest.mark.checks("hermite_coefficients")
@pytest.mark.parametrize(
    ("text", "function", "kink"),
    [
        ("where(x > 1, exp(x/2 - x**2/4), 0)", lambda x: mpmath.exp(x / 2 - x * x / 4) if x > 1 else 0, 1),
        ("where(x < -1, exp(x**2/5), x)", lambda x: mpmath.exp(x * x / 5) if x < -1 else x, -1),
    ],
)
def test_closed_forms_of_gaussians_that_end(text, function, kink):
    for k, exact in enumerate(exact_coefficients(parse(text), 4)):
        assert float(exact) == pytest.approx(float(by_mpmath(function, [kink], k)), rel=1e-12, abs=1e-14)
