"""Symbols of the paper, which no text of a user names."""

from __future__ import annotations

import theorycalc as tc
from theorycalc.symbolic.symbols import PaperSymbol

S = tc.symbolic


def test_no_symbol_is_named_by_a_users_text():
    problem = tc.Problem("tanh(x) + cos(x)", "sin(x) + x", "1/2", "2/3", "1/10")
    values = [S.Delta(3, problem), S.Lambda(3, problem), S.train_loss(2, problem)]
    for value in (*values, S.Lambda(3, problem, network="literal")):
        assert all(isinstance(symbol, PaperSymbol) for symbol in value.free_symbols)
