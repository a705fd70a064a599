"""Strips in which a function is analytic, and bounds on their edges."""

from __future__ import annotations

import mpmath
from flint import acb

from theorycalc.functions.enclosures import compiled
from theorycalc.functions.grammar import parse
from theorycalc.functions.tree import Call, Variable
from theorycalc.hermite import strip
from theorycalc.hermite.strip import proven_strip
from theorycalc.numbers.balls import ball_precision


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


def test_no_strip_reaches_a_pole():
    tree = Call("tanh", Variable())
    assert proven_strip(tree, 1.55, 8.0, True) is not None
    assert proven_strip(tree, 1.58, 8.0, True) is None  # π/2 = 1.5708
    assert proven_strip(parse("log(1 + x**2)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("sqrt(1 + x**2)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("softplus"), 3.2, 8.0, True) is None
    assert proven_strip(parse("atan(x)"), 1.01, 8.0, True) is None
    assert proven_strip(parse("asinh(x)"), 1.01, 8.0, True) is None
