"""Formulas as they are shown: every letter is defined, and they unfold to what they say."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc
from tests.rationals import random_values
from theorycalc.symbolic import formulas
from theorycalc.symbolic.folding import gain
from theorycalc.symbolic.gains import Options
from theorycalc.symbolic.quantities import Case
from theorycalc.symbolic.symbols import indexed

S = tc.symbolic
NAMES = sorted(formulas.ENTRIES)


def unfolded_by_hand(formula: S.formulas.Formula) -> list[sp.Basic]:
    """Put the definitions in, last first, as a reader would."""
    sides = [line.left - line.right if line.right == 0 else line.right for line in formula.statement]
    definitions = [
        line for line in formula.where if not line.left.is_number and not isinstance(line.right, sp.Derivative)
    ]
    for _ in range(len(definitions)):
        sides = [side.xreplace({line.left: line.right for line in definitions}) for side in sides]
    return sides


@pytest.mark.parametrize("name", [n for n in NAMES if n not in ("feature_expansion", "window", "spike_order")])
@pytest.mark.parametrize("ell", [1, 3, 4])
def test_a_formula_unfolds_to_what_its_parts_say(name, ell):
    formula = S.formula(name, ell if formulas.ENTRIES[name].index else None)
    full = [line.left - line.right if line.right == 0 else line.right for line in formula.unfolded]
    for by_hand, wanted in zip(unfolded_by_hand(formula), full, strict=False):
        if isinstance(wanted, sp.MatrixBase):
            assert by_hand == wanted
        else:
            assert sp.cancel(sp.together(by_hand - wanted)) == 0


QUANTITIES = {"Delta": "train_gain", "Lambda": "test_gain", "L_tr": "train_loss", "L_te": "test_loss"}
OPTIONS = [
    Options(gaussian=True),
    Options(included=True, constant=True),
    Options(gaussian=True, included=True, step_samples=sp.Rational(1, 2)),
]


@pytest.mark.parametrize("name", QUANTITIES)
@pytest.mark.parametrize("options", OPTIONS, ids=["gaussian", "included", "both"])
@pytest.mark.parametrize("spikes", [(1,), (1, 2), (1, 3), (1, 2, 4), (1, 4)])
def test_the_formulas_of_other_laws_define_every_letter_and_unfold_to_what_they_say(name, options, spikes):
    """A sheet shows them: with a Gaussian first layer come ζ, θ and, for test losses, D, χ, k, a and b."""
    formula = gain(name, QUANTITIES[name], Case(spikes[-1], spikes, options, None))
    (by_hand,), (line,) = unfolded_by_hand(formula), formula.unfolded
    letters = {symbol.name for symbol in by_hand.free_symbols}
    given = {"phi", "psi", "lambda", "c_1", "c_2", "c_rest", "c_star", "noise", "m_1", "m_2", "m_1_slope", "m_2_slope"}
    assert {name for name in letters - given if not name.startswith("c_star_")} == set()
    values = random_values((by_hand, line.right), seed=len(spikes))
    assert sp.simplify(by_hand.subs(values) - line.right.subs(values)) == 0


def test_statements_are_what_the_functions_return():
    assert S.formula("B", 4).statement[0].left == indexed("B", 4)
    aligned = {S.rho: S.direction()[1].rhs.subs(S.kappa, S.direction()[0].rhs)}
    for ell in (1, 2, 5):
        assert sp.cancel(S.formula("Delta", ell).doit() - S.Delta(ell).subs(aligned)) == 0
    assert S.direction()[0].rhs == S.c_star_of(1) ** 2 + S.phi * (S.c_star**2 + S.noise**2)


@pytest.mark.parametrize(("name", "form"), [("Delta", "closed"), ("Lambda", "matrix"), ("B", "closed")])
def test_spikes_may_be_an_iterator(name, form):
    assert S.formula(name, 3, spikes=iter((1, 3)), form=form) == S.formula(name, 3, spikes=(1, 3), form=form)


def test_equations_unfold_to_equations():
    assert S.formula("quartic").doit() == S.quartic()
    assert S.formula("trace_equations").doit() == S.trace_equations()[0]
    assert S.formula("Delta", 0).doit() == 0
