"""The case of a formula: spikes and laws, given or those of a problem."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.rationals import random_values
from tests.helpers.symbols import OPTIONS, PROBLEMS, unfolded_by_hand
from theorycalc.symbolic.cases import FormulaCase
from theorycalc.symbolic.folding import gain

S = tc.symbolic


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
        assert (
            sp.simplify(unfolded_by_hand(formula)[0].xreplace(values) - formula.unfolded[0].right.xreplace(values)) == 0
        )


@pytest.mark.parametrize(("name", "form"), [("Delta", "closed"), ("Lambda", "matrix"), ("B", "closed")])
def test_spikes_may_be_an_iterator(name, form):
    assert S.formula(name, 3, spikes=iter((1, 3)), form=form) == S.formula(name, 3, spikes=(1, 3), form=form)


def test_an_index_may_be_a_text_and_a_problem_may_have_no_name():
    assert S.Delta("3") == S.Delta(3)
    assert S.formula("Delta", 2, PROBLEMS[0]) == S.formula("Delta", 2, problem=PROBLEMS[0])


def test_what_has_no_closed_form_stays_a_symbol():
    problem = tc.Problem("tanh", "H1 + H3", "1/2", "2/3", "1/10")
    assert S.Delta(3, problem).free_symbols == {S.m_1, S.m_2}
    assert S.Delta(3, problem, network="literal").free_symbols == {S.m_1, S.m_2, S.c_1, S.c_rest}
    shifted = tc.Problem("tanh(x + 1)", "H1 + H2", "1/2", "2/3", "1/10")
    found = S.Delta(2, shifted, network="literal").free_symbols
    assert found == {S.m_1, S.m_2, S.c_1, S.c_rest, S.slope_variance}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: S.Delta(-1), "ell=-1 must be a whole number from 0 to 200"),
        (lambda: S.Delta(2.5), "ell=2.5"),
        (lambda: S.Delta("inf"), "ell='inf' must be a whole number from 0 to 200"),
        (lambda: S.Delta(alpha="3/10"), "give the window of the step as ell=, such as ell=tc.window('3/10')"),
        (lambda: S.formula("Delta", 2, 3), "problem must be a Problem, not int"),
        (lambda: S.Delta(2, form="wide"), "form='wide'"),
        (lambda: S.Delta(2, "relu"), "problem must be a Problem, not str"),
        (lambda: S.Delta(2, digits=20), "digits= needs a problem"),
        (lambda: S.Delta(2, tc.Problem("relu", ["1"], "1/2", "2/3", 0)), "ridge=0: the formulas are for λ > 0"),
        (lambda: S.Lambda(2, tc.Problem("relu", ["1"], "1/2", "2/3", 0), digits=9), "ridge=0: the formulas are"),
        (lambda: S.Lambda(2, tc.Problem("relu", ["1"], "1/2", "2/3", 0), as_printed=True), "ridge=0: the formulas"),
        (lambda: S.Delta(2, PROBLEMS[0], spikes=(1,)), "give spikes= or a problem"),
        (lambda: S.Delta(3, spikes=(2, 3)), "must contain 1"),
        (lambda: S.Delta(3, spikes=(1, 5)), "none beyond ell=3"),
        (lambda: S.Delta(3, spikes=7), "is not a list of indices"),
        (lambda: S.Delta(25, form="matrix"), "symbolic up to"),
        (lambda: S.Lambda(3, as_printed=True), "the slides print Λ_1 and Λ_2 only"),
        (lambda: S.Lambda(2, PROBLEMS[3], as_printed=True), "for the sphere"),
        (lambda: S.Delta(2, tc.Problem("relu", ["1"], 0.5, "2/3", "1/10")), "phi='0.5'"),
        (lambda: S.Lambda(2, form="matrix", as_printed=True), "leave out form='matrix'"),
        (lambda: S.formula("Lambda", 2, form="matrix", as_printed=True), "leave out form='matrix'"),
        (lambda: S.Delta(2, network="wide"), "network='wide'"),
        (lambda: S.Delta(2, gradient="residual"), "add network='literal'"),
        (lambda: S.Delta(2, network="literal", gradient="y"), "gradient='y'"),
        (lambda: S.Delta(2, network="literal", form="matrix"), "form='matrix' is the paper's"),
        (lambda: S.Lambda(2, network="literal", as_printed=True), "as_printed=True is the paper's"),
        (lambda: S.formula("Lambda", 2, network="literal", form="matrix"), "form='matrix' is the paper's"),
        (lambda: S.formula("quartic", network="literal"), "network= is for"),
        (lambda: S.formula("window", 2, problem=PROBLEMS[0]), "problem= is for"),
        (lambda: S.formula("Delta", 2, problem=PROBLEMS[0], spikes=(1,)), "give spikes= or a problem"),
        (lambda: S.Delta(2, PROBLEMS[-1], network="literal", digits=20), "needs Var σ'(Z) of moments"),
        (lambda: S.c("2*x"), "k='2*x' must be a whole number"),
        (lambda: S.c(0), "k=0"),
        (lambda: S.c_star_of(2.5), "k=2.5"),
        (lambda: S.xi(2, -1), "i=-1"),
        (lambda: S.xi_matrix(1000), "ell=1000"),
        (lambda: S.window(0), "ell=0"),
        (lambda: S.spike_order(0), "k=0"),
        (lambda: S.formula("Delta"), "needs its index ell"),
        (lambda: S.formula("quartic", 3), "has no index"),
        (lambda: S.formula("Omega", 2, form="matrix"), "form= is for Delta, Lambda"),
        (lambda: S.formula("Delta", 2, as_printed=True), "as_printed= is for Lambda"),
        (lambda: S.formula("r", 2, spikes=(1,)), "spikes= is for"),
        (lambda: S.formula("__class__", 2), "is not known"),
    ],
)
def test_bad_input_is_refused_with_what_to_do(call, words):
    with pytest.raises(tc.TheoryError) as error:
        call()
    assert words in str(error.value)


def test_a_sampled_activation_stays_symbolic():
    import numpy as np

    problem = tc.Problem(tc.Activation.from_callable(np.tanh), ["1", "1/2"], "1/2", "2/3", "1/10")
    assert S.Delta(1, problem).free_symbols == {S.m_2}
