"""Formulas unfold to the parts that they name."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.rationals import random_values
from tests.helpers.symbols import OPTIONS, unfolded_by_hand
from theorycalc.symbolic import formulas
from theorycalc.symbolic.cases import FormulaCase
from theorycalc.symbolic.folding import gain, printed_sum

S = tc.symbolic
NAMES = sorted(formulas.ENTRIES)


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


@pytest.mark.parametrize("name", QUANTITIES)
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize(
    "spikes", [(1,), (1, 2), (1, 3), (1, 2, 4), (1, 4), pytest.param((1, 2, 6), marks=pytest.mark.slow)]
)
def test_the_formulas_of_other_laws_define_every_letter_and_unfold_to_what_they_say(name, options, spikes):
    """A sheet shows them: with a Gaussian first layer come ζ, θ and, for test losses, D, χ, k, a and b."""
    formula = gain(name, QUANTITIES[name], FormulaCase(spikes[-1], spikes, options))
    (by_hand,), (line,) = unfolded_by_hand(formula), formula.unfolded
    letters = {symbol.name for symbol in by_hand.free_symbols}
    given = {"phi", "psi", "lambda", "c_1", "c_2", "c_rest", "c_star", "noise", "m_1", "m_2", "m_1_slope", "m_2_slope"}
    given |= {"slope_variance"}
    assert {name for name in letters - given if not name.startswith("c_star_")} == set()
    values = random_values((by_hand, line.right), seed=len(spikes))
    assert sp.simplify(by_hand.xreplace(values) - line.right.xreplace(values)) == 0


def test_equations_unfold_to_equations():
    assert S.formula("quartic").doit() == S.quartic()
    assert S.formula("trace_equations").doit() == S.trace_equations()[0]
    assert S.formula("Delta", 0).doit() == 0


@pytest.mark.checks("Delta", "Omega", "r")
@pytest.mark.parametrize("ell", [1, 2, 3, 4])
def test_the_papers_double_sum_is_Delta(ell):
    """Σ c_⋆p c_⋆q r_p r_q Σ Ω_ij κ^((i+j)/2) ξ_ip ξ_jq, term by term, with Ω from inverting Ω⁻¹."""
    total = printed_sum(ell).doit()
    Omega, xi = S.Omega(ell), S.xi_matrix(ell)
    values = {}
    for entry in total.atoms(sp.Indexed):
        label, indices = entry.base.label.name, [int(i) for i in entry.indices]
        values[entry] = {
            "Omega": lambda i, j: Omega[i - 1, j - 1],
            "xi": lambda i, j: xi[i, j],
            "r": S.r,
            "c_star": S.c_star_of,
        }[label](*indices)
    assert sp.cancel(sp.together(total.xreplace(values) - S.Delta(ell))) == 0


@pytest.mark.checks("error_rate_initial")
@pytest.mark.parametrize("activation", ["relu", "tanh(x + 1)"])
def test_numbers_of_the_error_rate_are_the_proven_ones(activation):
    problem = tc.Problem(activation, "sign(x)", "1/2", "2/3", "1/10", "1/5")
    known = tc.predict(problem, ell=0, digits=40)
    with mpmath.workdps(40):
        letters = {
            S.phi: sp.Rational(1, 2),
            S.psi: sp.Rational(2, 3),
            S.noise: sp.Rational(1, 5),
            S.c_star: 1,
            S.c_star_of(1): sp.sqrt(2 / sp.pi),
            **{
                symbol: sp.Float(str(value), 40)
                for symbol, value in (
                    (S.m_1, known.m1),
                    (S.m_2, known.m2),
                    (S.m_1_slope, known.m1_slope),
                    (S.m_2_slope, known.m2_slope),
                )
            },
        }
        found = S.formula("error_rate_initial").doit().subs(letters).evalf(35)
    expected = tc.error_rate(problem, ell=0, digits=35).error_rate_initial
    assert abs(found - sp.Float(str(expected), 35)) < 1e-30
    assert r"\arccos" in tc.latex(S.formula("error_rate_initial"))
