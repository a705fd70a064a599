"""Formulas of neurons with biases: the equations, their numbers, and gains with a problem's numbers."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

import theorycalc as tc
from theorycalc.model.enclosed import RootMeanSquare
from theorycalc.symbolic.kind_formulas import KindMean
from theorycalc.symbolic.symbols import c_1_b, c_rest_b, s, t
from theorycalc.theory.kinds import KindMoments, kind_equations

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
