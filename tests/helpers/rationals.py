"""Random rationals for the letters of a formula."""

from __future__ import annotations

import random

import sympy as sp


def rational(rng: random.Random) -> sp.Rational:
    return sp.Rational(rng.randint(1, 60), rng.randint(1, 60))


def random_values(expressions: tuple[sp.Expr, ...], seed: int) -> dict[sp.Symbol, sp.Rational]:
    rng = random.Random(seed)
    symbols = sorted(set().union(*(e.free_symbols for e in expressions)), key=str)
    return {symbol: rational(rng) for symbol in symbols}
