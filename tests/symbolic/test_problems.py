"""A problem's numbers put into the formulas are those of predict; bad input is refused."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import problem as example
from theorycalc.symbolic.symbols import PaperSymbol

S = tc.symbolic
PROBLEMS = [
    example("relu", "H1 + H2/sqrt(2)"),
    tc.Problem("tanh", "H1 + H3/3", "3/2", "1/3", "1/100"),
    tc.Problem("tanh(x + 1)", "H1 + H2/2 + H3/7 - H4/9", "1/2", "2/3", "1", noise="1/3"),
    tc.Problem("gelu", "H1 + H2/2", "1/2", "2/3", "1/10", first_layer="gaussian"),
    tc.Problem("relu", "H1 + H2/2 + H4/5", "2", "2/3", "1/10", first_layer="gaussian"),
    tc.Problem("x + x**4/9", "H1 + H2/2 + H4/5", "2", "2/3", "1/10", step_samples="1/2"),
    tc.Problem("elu", "sin(x) + x**2", "1/2", "2/3", "1/10"),
    tc.Problem("softplus", "tanh", "1/2", "2/3", "1/10", second_layer="constant"),
    tc.Problem(tc.Activation.from_moments("1/2", "3/10"), ["1", "1/2", "1/3"], "1/2", "2/3", "1/10"),
]


QUANTITIES = {
    S.Delta: "train_gain",
    S.Lambda: "test_gain",
    S.train_loss: "train_loss",
    S.test_loss: "test_loss",
    S.train_error: "train_error",
}


def assert_the_numbers_are_those_of_predict(problem, ell, **network):
    found = tc.predict(problem, ell=ell, digits=40, **network)
    for quantity, name in QUANTITIES.items():
        value = quantity(ell, problem, digits=40, **network)
        assert value.is_number, (name, value)
        wanted = sp.Float(str(getattr(found, name)), 40)
        assert abs(value.evalf(40) - wanted) <= abs(wanted) * sp.Float("1e-34"), name


@pytest.mark.checks("train_error")
@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: f"{p.activation.name}-{p.first_layer}-{p.second_layer}")
@pytest.mark.parametrize("ell", [1, 2, 4])
def test_substitution_gives_the_numbers_of_predict(problem, ell):
    if problem.activation.text is None and ell > 3:
        ell = 3
    assert_the_numbers_are_those_of_predict(problem, ell)
    matrix, wanted = S.Delta(ell, problem, form="matrix", digits=40), tc.predict(problem, ell=ell, digits=40).train_gain
    assert abs(matrix.evalf(40) - sp.Float(str(wanted), 40)) < 1e-33


@pytest.mark.slow
@pytest.mark.parametrize("gradient", ["residual", "labels"])
@pytest.mark.parametrize("problem", PROBLEMS[:-1], ids=lambda p: f"{p.activation.name}-{p.first_layer}")
@pytest.mark.parametrize("ell", [1, 2, 3, 4])
def test_substitution_gives_the_numbers_of_predict_for_literal_networks(problem, ell, gradient):
    assert_the_numbers_are_those_of_predict(problem, ell, network="literal", gradient=gradient)


def test_without_digits_m_stays_a_symbol_and_numbers_are_exact():
    value = S.Delta(2, PROBLEMS[0])
    assert value == 16 * S.m_2 / 255 + 256 * S.m_1 / 13005
    assert S.Lambda(2, PROBLEMS[0]).free_symbols == {S.m_1, S.m_1_slope, S.m_2_slope}


def test_what_has_no_closed_form_stays_a_symbol():
    problem = tc.Problem("tanh", "H1 + H3", "1/2", "2/3", "1/10")
    assert S.Delta(3, problem).free_symbols == {S.m_1, S.m_2}
    assert S.Delta(3, problem, network="literal").free_symbols == {S.m_1, S.m_2, S.c_1, S.c_rest}
    shifted = tc.Problem("tanh(x + 1)", "H1 + H2", "1/2", "2/3", "1/10")
    found = S.Delta(2, shifted, network="literal").free_symbols
    assert found == {S.m_1, S.m_2, S.c_1, S.c_rest, S.slope_variance}


def test_no_symbol_is_named_by_a_users_text():
    problem = tc.Problem("tanh(x) + cos(x)", "sin(x) + x", "1/2", "2/3", "1/10")
    values = [S.Delta(3, problem), S.Lambda(3, problem), S.train_loss(2, problem)]
    for value in (*values, S.Lambda(3, problem, network="literal")):
        assert all(isinstance(symbol, PaperSymbol) for symbol in value.free_symbols)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: S.Delta(-1), "ell=-1 must be a whole number from 0 to 200"),
        (lambda: S.Delta(2.5), "ell=2.5"),
        (lambda: S.Delta("3"), "ell='3'"),
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


def test_symbolic_gains_of_many_features():
    value = S.Delta(50)
    assert len([s for s in value.free_symbols if str(s).startswith("c_star_")]) == 50
    case = tc.Problem("exp(x/2)", [Fraction(1, k) for k in range(1, 51)], "1/2", "2/3", "1/10")
    wanted = tc.predict(case, ell=50, digits=30).train_gain
    assert abs(S.Delta(50, case, digits=40).evalf(40) - sp.Float(str(wanted), 40)) < abs(sp.Float(str(wanted))) * 1e-28


def test_a_sampled_activation_stays_symbolic():
    import numpy as np

    problem = tc.Problem(tc.Activation.from_callable(np.tanh), ["1", "1/2"], "1/2", "2/3", "1/10")
    assert S.Delta(1, problem).free_symbols == {S.m_2}
