"""Formulas unfold to the parts that they name; those of neurons with biases take means over the kinds."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.rationals import random_values
from tests.helpers.symbols import OPTIONS, unfolded_by_hand
from theorycalc.model.enclosed import RootMeanSquare
from theorycalc.symbolic import formulas
from theorycalc.symbolic.cases import FormulaCase
from theorycalc.symbolic.folding import KindMean, gain, printed_sum
from theorycalc.symbolic.symbols import c_1_b, c_rest_b, s, t
from theorycalc.theory.kinds import KindMoments, kind_equations

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


S = tc.symbolic
SIZES = {"teacher": "H1 + H2/2", "phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2", "intercept": True}
TABLE = tc.Problem("relu", **SIZES, biases={-1: 1, 1: 2})


def with_kinds(expression, kinds):
    """Return an expression with every mean over the kinds taken."""
    return expression.replace(
        KindMean, lambda x: sp.Add(*(share * x.subs({c_1_b: c1, c_rest_b: rest}) for share, c1, rest in kinds))
    )


@pytest.mark.checks("kind_equations")
def test_the_equations_are_those_that_are_solved():
    half = sp.Rational(1, 2)
    kinds = [(half, half, sp.Rational(1, 3)), (half, sp.Rational(1, 5), 2)]
    point = {s: 3, t: 2, S.phi: half, S.psi: sp.Rational(2, 3), S.lam: sp.Rational(1, 10)}
    found = [with_kinds(equation.lhs, kinds).subs(point) for equation in S.kind_equations()]
    wanted = kind_equations(
        [KindMoments(*kind) for kind in kinds],
        sp.Integer(3),
        sp.Integer(2),
        half,
        sp.Rational(2, 3),
        sp.Rational(1, 10),
    )
    assert found == list(wanted)
    assert [sp.simplify(line.left - full.left) for line, full in zip(*_lines(), strict=True)] == [0, 0]


def _lines():
    formula = S.formula("kind_equations")
    where = {line.left: line.right for line in formula.where}
    folded = [line._replace(left=line.left.xreplace(where).xreplace(where)) for line in formula.statement]
    return folded, formula.unfolded


@pytest.mark.parametrize("network", ["theorem", "literal"])
def test_digits_put_in_are_those_of_the_prediction(network):
    for ell in (1, 2):
        wanted = tc.predict(TABLE, ell=ell, digits=20, network=network)
        for function, name in ((S.Delta, "train_gain"), (S.Lambda, "test_gain"), (S.test_loss, "test_loss")):
            got = function(ell, TABLE, digits=25, network=network)
            assert abs(sp.N(got, 25) / sp.Float(str(getattr(wanted, name)), 25) - 1) < 1e-18


def test_the_initial_output_has_mean_squares():
    kappa = S.direction(TABLE, network="literal")[0].rhs
    c1, rest = (
        sum(
            float(share) * float(getattr(kind, name)) ** 2
            for share, kind in zip((1 / 3, 2 / 3), TABLE.unit_kinds, strict=True)
        )
        for name in ("c1", "c_rest")
    )
    assert float(kappa) == pytest.approx(1 + c1 + (1.5 + 0.25 + c1 + rest) / 2)
    written = tc.latex(S.formula("Delta", 1, problem=TABLE, network="literal"))
    assert r"c_1^{2} &= \mathrm{E}_b\left[ c_{1,b}^{2} \right]" in written
    assert r"\tau" not in written


def test_numbers_without_a_closed_form_keep_their_symbols():
    for biases in ({0: 1, 1: 1}, "normal(1)"):
        found = S.Delta(1, tc.Problem("tanh", **SIZES, biases=biases), network="literal")
        assert {S.c_1, S.c_rest} <= found.free_symbols
    with pytest.raises(tc.PrecisionError, match="law"):
        S.Delta(1, tc.Problem("tanh", **SIZES, biases="normal(1)"), digits=10)


def test_root_mean_squares():
    found = RootMeanSquare(((Fraction(1, 2), Fraction(1)), (Fraction(1, 2), Fraction(7))))
    assert float(found) == 5
    assert (found.sign(), found.is_proven) == (1, True)
    assert not RootMeanSquare(((0.5, Fraction(1)),)).is_proven
    assert RootMeanSquare(((Fraction(1), Fraction(0)),)).sign() == 0


def test_latex_of_a_mean_and_of_its_power():
    mean = KindMean(c_1_b)
    assert sp.latex(mean) == r"\mathrm{E}_b\left[ c_{1,b} \right]"
    assert sp.latex(mean**2).endswith("^{2}")
