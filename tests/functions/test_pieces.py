"""Pieces of a function and the kinks between them."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.formulas import NAMES
from theorycalc.errors import ExpressionError
from theorycalc.functions.evaluate import compile_numpy
from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import kinks_of, pieces


@pytest.mark.parametrize(
    "text", [*NAMES, "max(x, -x, 1)", "max(x**2 - 2, 0)", "relu(x/sqrt(2) - pi)", "hardswish(2*x)"]
)
def test_pieces_are_the_function_between_its_kinks(text):
    tree = parse(text)
    found = pieces(tree)
    assert found[0].low is None
    assert found[-1].high is None
    function = compile_numpy(tree)
    for piece, following in zip(found, [*found[1:], None], strict=True):
        assert following is None or piece.high == following.low
        assert not any(word in str(piece.tree) for word in ("where", "abs", "sign(", "step"))
    for x in np.linspace(-9.03, 9.01, 301):
        inside = [p for p in found if _end(p.low, -np.inf) < x < _end(p.high, np.inf)]
        assert len(inside) == 1
        expected = float(compile_numpy(inside[0].tree)(x))
        assert float(function(x)) == pytest.approx(expected, rel=1e-12, abs=1e-14)


def _end(end, infinite):
    return infinite if end is None else float(compile_numpy(end)(0.0))


@pytest.mark.parametrize(
    ("text", "kinks"),
    [
        ("relu", ["0"]),
        ("relu6", ["0", "6"]),
        ("hardswish", ["-3", "3"]),
        ("tanh", []),
        ("max(x, -x, 1)", ["-1", "1"]),
        ("max(x**2 - 2, 0)", ["-sqrt(2)", "sqrt(2)"]),
        ("relu(x/sqrt(2) - pi)", ["pi*sqrt(2)"]),
        ("where(exp(x) > 2, 1, 0)", ["log(2)"]),
        ("where(x**3 - x > 0, x, 1)", ["-1", "0", "1"]),
        ("where(x**2 - x - 1 > 0, x, 1)", ["1/2 - sqrt(5)/2", "1/2 + sqrt(5)/2"]),
        ("sign(tanh(2*x - 1))", ["1/2"]),
        ("max(x**2 + 1, 0)", []),
        ("max(x**4 + x + 1, 0)", []),
        ("where(x*(x + 1)*exp(x) > 0, 0, 1)", ["-1", "0"]),
        ("abs(x)*0 + abs(x - 1)", ["1"]),
    ],
)
def test_kinks_are_exact(text, kinks):
    assert kinks_of(parse(text)) == [parse(kink) for kink in kinks]


@pytest.mark.parametrize("text", ["abs(sin(x))", "max(x**3 + x + 1, 0)", "where(exp(x) > x + 2, 1, 0)", "sign(H7)"])
def test_kinks_that_cannot_be_found_exactly_are_refused(text):
    with pytest.raises(ExpressionError, match="cannot be found exactly"):
        pieces(parse(text))


@pytest.mark.parametrize(
    ("text", "power"),
    [
        ("softplus(x)**3 + where(x > 1, where(x > 1 + 1e-50, 0, 1e70), 0)", 20),
        ("tanh(x + 1) + where(x > 1, where(x > 1 + 1e-60, 0, 1e100), 0)", 40),
    ],
)
def test_a_thin_piece_is_not_lost(text, power):
    expected = 10.0**power * math.exp(-0.5) / math.sqrt(2 * math.pi)
    assert float(tc.coefficients(text, 0, digits=15)[0]) == pytest.approx(expected, rel=1e-14)
