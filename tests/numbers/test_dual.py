"""Derivatives that numbers carry are those of calculus."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from theorycalc.numbers.dual import Dual, inverse, inverse_form, joined, root
from theorycalc.numbers.systems import FLOATS

X = 1.7
RULES = {
    "sum": lambda x, ns: 3 + x + x,
    "difference": lambda x, ns: 2 - x * x - 1,
    "product": lambda x, ns: x * (x - 1) * 4,
    "quotient": lambda x, ns: (x * x + 1) / (x + 2) / 3,
    "reciprocal": lambda x, ns: 5 / (x * x + 1),
    "root": lambda x, ns: ns(x * x + 1) * x,
}


@pytest.mark.parametrize("name", RULES)
def test_every_rule_is_that_of_calculus(name):
    symbol = sympy.Symbol("x", positive=True)
    expression = RULES[name](symbol, sympy.sqrt)
    found = RULES[name](Dual(X, 1.0), lambda x: root(FLOATS, x))
    for number, wanted in ((found.value, expression), (found.slope, sympy.diff(expression, symbol))):
        assert number == pytest.approx(float(wanted.subs(symbol, X)), rel=1e-14)


def test_matrices_carry_the_derivatives_of_their_entries():
    rng = np.random.default_rng(0)
    A, A_slope = (M + M.T + 4 * np.eye(3) for M in rng.standard_normal((2, 3, 3)))  # a form needs them symmetric
    v, v_slope = rng.standard_normal((2, 3))
    step = 1e-6
    moved = [(A + t * A_slope, v + t * v_slope) for t in (step, -step)]
    matrix, vector = Dual(A, A_slope), Dual(v, v_slope)
    ways = {
        "inverse": (inverse(matrix), lambda M, w: np.linalg.inv(M)),
        "form": (inverse_form(matrix, vector), lambda M, w: w @ np.linalg.solve(M, w)),
        "product": (matrix @ matrix, lambda M, w: M @ M),
        "joined": (joined([vector, vector * 2], axis=0), lambda M, w: np.concatenate([w, 2 * w])),
    }
    for name, (found, plain) in ways.items():
        above, below = (plain(*place) for place in moved)
        assert found.value == pytest.approx(plain(A, v), rel=1e-12), name
        assert found.slope == pytest.approx((above - below) / (2 * step), rel=1e-6, abs=1e-8), name
