"""Coefficients by quadrature, piece by piece."""

from __future__ import annotations

from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import pieces
from theorycalc.hermite import quadrature
from theorycalc.numbers.balls import ball_precision


def test_pieces_of_a_kinked_function_are_all_covered():
    assert len(pieces(parse("softsign"))) == 2
    with ball_precision(100):
        spans = quadrature._spans(quadrature.split(parse("where(x > 1, tanh(x), x)")), 8.0, 100)
        assert [(float(s.low), float(s.high)) for s in spans] == [(-8, 1), (1, 8)]
