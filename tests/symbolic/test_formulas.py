"""Formulas as they are shown: every letter is defined, and they unfold to what they say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.rationals import random_values
from theorycalc.symbolic import formulas
from theorycalc.symbolic.cases import FormulaCase
from theorycalc.symbolic.expressions import Options
from theorycalc.symbolic.folding import gain
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


QUANTITIES = {
    "Delta": "train_gain",
    "Lambda": "test_gain",
    "L_tr": "train_loss",
    "E_tr": "train_error",
    "L_te": "test_loss",
}
OPTIONS = {
    "gaussian": Options(gaussian=True),
    "literal": Options(network="literal", gradient="residual", constant=True),
    "labels": Options(network="literal", step_ratio=sp.Rational(1, 2)),
    "all": Options(gaussian=True, network="literal", gradient="residual", step_ratio=sp.Rational(1, 2)),
}


@pytest.mark.parametrize("name", QUANTITIES)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("spikes", [(1,), (1, 2), (1, 3), (1, 2, 4), (1, 4), (1, 2, 6)])
def test_the_formulas_of_other_laws_define_every_letter_and_unfold_to_what_they_say(name, options, spikes):
    """A sheet shows them: with a Gaussian first layer come ζ, θ and, for test losses, D, χ, k, a and b."""
    formula = gain(name, QUANTITIES[name], FormulaCase(spikes[-1], spikes, options))
    (by_hand,), (line,) = unfolded_by_hand(formula), formula.unfolded
    letters = {symbol.name for symbol in by_hand.free_symbols}
    given = {"phi", "psi", "lambda", "c_1", "c_2", "c_rest", "c_star", "noise", "m_1", "m_2", "m_1_slope", "m_2_slope"}
    given |= {"slope_variance"}
    assert {name for name in letters - given if not name.startswith("c_star_")} == set()
    values = random_values((by_hand, line.right), seed=len(spikes))
    assert sp.simplify(by_hand.subs(values) - line.right.subs(values)) == 0


@pytest.mark.parametrize("options", [OPTIONS["literal"], OPTIONS["labels"]], ids=["residual", "labels"])
def test_only_even_spikes_and_gaps_know_that_neurons_are_lengthened(options):
    """Odd powers without gaps span the same space; and no where-line defines what no formula has."""
    for spikes, has in (((1,), False), ((1, 3), False), ((1, 2), True), ((1, 5), True), ((1, 4), True)):
        formula = gain("Delta", "train_gain", FormulaCase(spikes[-1], spikes, options))
        assert (S.tau in {line.left for line in formula.where}) is has
        assert any(line.right.has(S.tau) for line in formula.where) is has


def test_a_problem_gives_its_spikes_and_laws_to_a_formula():
    """ReLU has K = {1, 2} at ℓ = 3: its formula is not that of {1, 2, 3}."""
    relu = tc.Problem("relu", "H1 + H2/2 + H3/3", 0.5, "2/3", "1/10")
    assert S.formula("Delta", 3, problem=relu) == S.formula("Delta", 3, spikes=(1, 2)) != S.formula("Delta", 3)
    literal = S.formula("Lambda", 3, problem=relu, network="literal")
    assert literal == S.formula("Lambda", 3, spikes=(1, 2), network="literal")
    gaussian = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", first_layer="gaussian")
    for form in ("closed", "matrix"):
        formula = S.formula("Lambda", 2, problem=gaussian, form=form)
        assert {"zeta", "D", "theta"} <= {line.left.name for line in formula.where if line.left.is_Symbol}
        values = random_values((*unfolded_by_hand(formula), formula.unfolded[0].right), seed=1)
        assert sp.simplify(unfolded_by_hand(formula)[0].subs(values) - formula.unfolded[0].right.subs(values)) == 0


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


@pytest.mark.parametrize(("name", "form"), [("Delta", "closed"), ("Lambda", "matrix"), ("B", "closed")])
def test_spikes_may_be_an_iterator(name, form):
    assert S.formula(name, 3, spikes=iter((1, 3)), form=form) == S.formula(name, 3, spikes=(1, 3), form=form)


def test_equations_unfold_to_equations():
    assert S.formula("quartic").doit() == S.quartic()
    assert S.formula("trace_equations").doit() == S.trace_equations()[0]
    assert S.formula("Delta", 0).doit() == 0
