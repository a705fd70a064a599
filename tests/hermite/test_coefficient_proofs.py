"""The proofs behind Hermite coefficients, pressed until they are wide, and never wrong."""

import mpmath
import pytest
from flint import acb, arb
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.by_mpmath import BITS, by_mpmath, is_near
from theorycalc.errors import PrecisionError
from theorycalc.functions.enclosures import compiled
from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import pieces
from theorycalc.functions.tree import Call, Variable
from theorycalc.hermite import legendre, quadrature, trapezoid
from theorycalc.hermite.coefficients import (
    coefficients_balls,
)
from theorycalc.hermite.strip import proven_strip
from theorycalc.hermite.tails import UnboundedError, sampled_growth, tail_growth, tail_integral
from theorycalc.model.reading import coefficients
from theorycalc.numbers.balls import ball_precision


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
        box = acb(arb(x, 0.1), arb(y, 0.1))
        assert not compiled(parse(f"{name}(x)"))(box).is_finite()


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("log", mpmath.log),
        ("sqrt", mpmath.sqrt),
        ("atan", mpmath.atan),
        ("asinh", mpmath.asinh),
        ("softplus", lambda z: mpmath.log(1 + mpmath.exp(z))),
        ("sigmoid", lambda z: 1 / (1 + mpmath.exp(-z))),
        ("tanh", mpmath.tanh),
        ("tan", mpmath.tan),
    ],
)
@pytest.mark.parametrize("middle", [0.25 + 0.375j, 2 - 0.25j, -0.5 + 0.5j])
def test_a_box_has_the_values_at_its_corners(name, function, middle):
    middle = abs(middle.real) + 1j * middle.imag if name in ("log", "sqrt") else middle
    corners = [middle + 0.0625 * (x + 1j * y) for x in (-1, 1) for y in (-1, 1)]
    with ball_precision(64):
        found = compiled(parse(f"{name}(x)"))(acb(arb(middle.real, 0.0625), arb(middle.imag, 0.0625)))
    assert found.is_finite()
    for corner in corners:
        value = complex(function(mpmath.mpc(corner)))
        assert abs(value.real - float(found.real.mid())) <= float(found.real.rad()) + 1e-15
        assert abs(value.imag - float(found.imag.mid())) <= float(found.imag.rad()) + 1e-15


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


def test_sampled_growth_is_not_below_the_function():
    tree = parse("x**2*tanh(x)")
    with ball_precision(64):
        for side in (1, -1):
            growth = sampled_growth(tree, side, 4.0)
            for x in (5, 9.5, 30):
                assert abs(compiled(tree)(arb(side * x))) < growth.constant * (1 + arb(x)) ** growth.degree


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


def test_pieces_of_a_kinked_function_are_all_covered():
    assert len(pieces(parse("softsign"))) == 2
    with ball_precision(100):
        spans = quadrature._spans(quadrature.split(parse("where(x > 1, tanh(x), x)")), 8.0, 100)
        assert [(float(s.low), float(s.high)) for s in spans] == [(-8, 1), (1, 8)]
