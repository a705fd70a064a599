"""Formulas as they are shown: every letter is defined, and they unfold to what they say."""

from __future__ import annotations

import re
from pathlib import Path

import sympy as sp

import theorycalc as tc
from theorycalc.symbolic import formulas
from theorycalc.symbolic.symbols import indexed

S = tc.symbolic


def test_expressions_know_nothing_of_how_they_are_shown():
    """Two layers: symbols to expressions, and formulas for people, which alone import the printer."""
    folder = Path(formulas.__file__).parent
    for name in ("symbols", "ingredients", "expressions", "cases", "predicted"):
        text = (folder / f"{name}.py").read_text(encoding="utf-8")
        assert not re.search(r"symbolic\.(printer|folding|formulas|latex)\b", text), name


def test_statements_are_what_the_functions_return():
    assert S.formula("B", 4).statement[0].left == indexed("B", 4)
    aligned = {S.rho: S.direction()[1].rhs.subs(S.kappa, S.direction()[0].rhs)}
    for ell in (1, 2, 5):
        assert sp.cancel(S.formula("Delta", ell).doit() - S.Delta(ell).subs(aligned)) == 0
    assert S.direction()[0].rhs == S.c_star_of(1) ** 2 + S.phi * (S.c_star**2 + S.noise**2)
