"""Gauss–Legendre with proven bounds: never wrong, whatever the nodes."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb

from theorycalc.functions.enclosures import compiled
from theorycalc.functions.grammar import parse
from theorycalc.hermite import legendre
from theorycalc.numbers.balls import ball_precision


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
