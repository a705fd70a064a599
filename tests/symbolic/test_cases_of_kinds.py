"""Cases of formulas whose neurons have biases: gaps of literal networks, and numbers of the initial output."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc

S = tc.symbolic
SIZES = {"teacher": "H1 + H2/2", "phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2", "intercept": True}


def test_gaps_of_a_literal_network_have_its_lengthening():
    """One kind, or kinds that are lengthened alike; the theorem's formula would be another."""
    teacher = SIZES | {"teacher": "H1 + H2/2 + H4/9"}
    for activation, biases in (("H1 + H4", {0: 1}), ("H1 + H2/2 - H4/6 + H6/30", {-1: 1})):
        known = tc.Problem(activation, **teacher, biases=biases)
        for gradient in ("labels", "residual"):
            wanted = tc.predict(known, ell=4, digits=20, network="literal", gradient=gradient)
            got = S.Delta(4, known, digits=25, network="literal", gradient=gradient)
            assert abs(sp.N(got, 25) / sp.Float(str(wanted.train_gain), 25) - 1) < 1e-18
        assert abs(float(wanted.train_gain) / float(S.Delta(4, known, digits=20, gradient=None)) - 1) > 1e-3
        assert r"\tau" in tc.latex(S.formula("Delta", 4, problem=known, network="literal"))


def test_gaps_of_kinds_that_are_lengthened_apart():
    """Two of them make h² free beside h⁴, and no τ is left; where gaps are left there are no symbols."""
    known = tc.Problem("H1 + (H2/2 - H4/6 + H6/30)/2", **SIZES, biases={-1: 1, 1: 1})
    found = S.formula("Delta", 4, problem=known, network="literal")
    assert r"\tau" not in tc.latex(found)
    assert sp.expand(found.where[0].right - S.B(4, spikes=(1, 2, 4), intercept=True).subs(S.rho, S.rho_tilde)) == 0
    signs = tc.Problem("relu", **SIZES, biases={-1: 1, 1: 1}, second_layer="sign")
    with pytest.raises(tc.DomainError, match="no symbols") as caught:
        S.Delta(6, signs, network="literal")
    assert caught.value.argument == "biases"


@pytest.mark.parametrize("biases", [{0: 1}, {-1: 1, 2: 3}])
def test_equal_second_layers_have_the_mean_of_c_2_in_the_initial_output(biases):
    for activation in ("relu", "tanh"):
        known = tc.Problem(activation, **SIZES, biases=biases, second_layer="constant")
        wanted = tc.predict(known, ell=1, digits=20, network="literal")
        got = S.Lambda(1, known, digits=25, network="literal")
        assert abs(sp.N(got, 25) / sp.Float(str(wanted.test_gain), 25) - 1) < 1e-18
        written = tc.latex(S.formula("direction", problem=known, network="literal"))
        assert r"c_{2} &= \mathrm{E}_b\left[ c_{2,b} \right]" in written
    law = tc.Problem("tanh", **SIZES, biases="normal", second_layer="constant")
    assert S.c(2) in S.Delta(1, law, network="literal").free_symbols
