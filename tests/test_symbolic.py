"""The symbolic layer: proofs by computation, and the same numbers as the numeric layer."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest
import sympy as sp

import theorycalc as tc
from theorycalc.symbolic import formulas
from theorycalc.symbolic.folding import gain, printed_sum
from theorycalc.symbolic.gains import Options
from theorycalc.symbolic.quantities import Case
from theorycalc.symbolic.symbols import PaperSymbol, indexed
from theorycalc.theory import traces as numeric_traces

S = tc.symbolic


def rational(rng: random.Random) -> sp.Rational:
    return sp.Rational(rng.randint(1, 60), rng.randint(1, 60))


def random_values(expressions: tuple[sp.Expr, ...], seed: int) -> dict[sp.Symbol, sp.Rational]:
    rng = random.Random(seed)
    symbols = sorted(set().union(*(e.free_symbols for e in expressions)), key=str)
    return {symbol: rational(rng) for symbol in symbols}


# -- Δ and Λ -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("quantity", [S.Delta, S.Lambda])
@pytest.mark.parametrize("ell", range(9))
def test_matrix_form_is_closed_form(quantity, ell):
    assert sp.cancel(sp.together(quantity(ell, form="matrix") - quantity(ell))) == 0


@pytest.mark.parametrize("quantity", [S.Delta, S.Lambda])
@pytest.mark.parametrize("spikes", [(1, 3), (1, 3, 5), (1, 2, 4), (1, 2, 4, 6), (1, 4), (1, 2, 5), (1, 3, 4, 7)])
def test_matrix_form_is_closed_form_for_missing_coefficients(quantity, spikes):
    ell = spikes[-1]
    difference = quantity(ell, form="matrix", spikes=spikes) - quantity(ell, spikes=spikes)
    assert sp.cancel(sp.together(difference)) == 0


@pytest.mark.parametrize("ell", [10, 13, 17, 20])
def test_matrix_form_is_closed_form_at_random_rationals(ell):
    from theorycalc.numbers import SYMBOLS
    from theorycalc.theory import printed

    closed = (S.Delta(ell), S.Lambda(ell))
    values = random_values(closed, seed=ell)
    weights = [
        printed.HermiteWeights(*(sp.sympify(w).subs(values) for w in metric))
        for metric in S.quantities.gains.train_weights()
    ]
    c_star = [values[S.c_star_of(k)] for k in range(1, ell + 1)]
    spikes = range(1, ell + 1)
    rho = values[S.rho]
    assert printed.Delta(SYMBOLS, spikes, weights[0], c_star, rho) == closed[0].subs(values)
    assert printed.Lambda(SYMBOLS, spikes, *weights, c_star, rho) == closed[1].subs(values)


def test_a_wrong_closed_form_is_noticed():
    """Without T²/S, or with S_2 for S_1, the equality above fails."""
    right = S.Delta(2, form="matrix")
    c2, rho = S.c_star_of(2), S.rho
    scale = S.lam * S.psi / S.phi * S.m_1
    without_floor = S.Delta(1) + scale * 2 * c2**2 * rho**4
    wrong_norm = without_floor - scale * c2**2 * rho**4 / sp.Rational(15, 8)
    assert sp.cancel(right - without_floor) != 0
    assert sp.cancel(right - wrong_norm) != 0


@pytest.mark.checks("Delta", "Lambda", "slides_Lambda")
def test_special_cases_as_printed():
    phi, psi, lam, m_1, m_2, kappa = S.phi, S.psi, S.lam, S.m_1, S.m_2, S.kappa
    c1, c2 = S.c_star_of(1), S.c_star_of(2)
    aligned = {S.rho: c1 / sp.sqrt(kappa)}
    delta_1 = psi * lam * c1**4 * m_2 / (phi * kappa)
    delta_2 = delta_1 + 4 * psi * lam * c1**4 * c2**2 * m_1 / (3 * phi * kappa**2)
    assert sp.cancel(S.Delta(1).subs(aligned) - delta_1) == 0
    assert sp.cancel(S.Delta(2).subs(aligned) - delta_2) == 0
    for ell, printed in ((1, 0), (2, 4 * c1**4 * c2**2 / (3 * kappa**2 * m_1**2) * -S.m_1_slope)):
        slides = c1**4 / kappa * -S.m_2_slope + printed
        assert sp.cancel(S.Lambda(ell, as_printed=True) - slides) == 0
    factor = phi / (psi * m_1**2)
    assert sp.cancel(S.Lambda(1).subs(aligned) - factor * S.Lambda(1, as_printed=True)) == 0


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


def test_delta_is_in_the_papers_letters_only():
    for form in ("closed", "matrix"):
        letters = {str(symbol) for symbol in S.Delta(3, form=form).free_symbols}
        assert letters == {"phi", "psi", "lambda", "m_1", "m_2", "rho", "c_star_1", "c_star_2", "c_star_3"}


@pytest.mark.checks("train_loss", "test_loss")
def test_losses_before_less_gain_are_losses_after():
    for ell in (1, 2, 3, 5):
        assert sp.expand(S.train_loss() - S.Delta(ell) - S.train_loss(ell)) == 0
        assert sp.expand(S.test_loss() - S.Lambda(ell) - S.test_loss(ell)) == 0


@pytest.mark.checks("Omega", "Omega_inverse")
def test_omega_inverts_its_inverse():
    for ell in range(1, 7):
        assert (S.Omega(ell) * S.Omega_inverse(ell)).applyfunc(sp.cancel) == sp.eye(ell)


# -- m_1, m_2 ------------------------------------------------------------------------------------------------


@pytest.mark.checks("reduced_equation", "quartic")
def test_the_reduced_equation_follows_from_the_two_printed_ones():
    first, second = (equation.lhs for equation in S.trace_equations())
    (solution,) = sp.solve(second, S.m_2)
    assert sp.cancel(sp.together(solution - S.m2_of_m1())) == 0
    # The first becomes the reduced equation times c_1² m_2²/φ, which is positive.
    factor = S.c_1**2 * S.m2_of_m1() ** 2 / S.phi
    assert sp.cancel(sp.together(first.subs(S.m_2, solution) - factor * S.reduced_equation().lhs)) == 0


@pytest.mark.checks("quartic")
def test_the_quartic_has_degree_four_and_three_when_linear():
    quartic = S.quartic().lhs
    assert sp.degree(quartic, S.m_1) == 4
    assert sp.degree(quartic.subs(S.c_rest, 0), S.m_1) == 3
    numerator = sp.fraction(sp.together(S.reduced_equation().lhs))[0]
    assert sp.cancel(numerator / quartic).diff(S.m_1) == 0


def test_the_slopes_follow_by_implicit_differentiation():
    """Differentiate the printed equations in λ; at a solution they say what c_1² and c_{>1}² are, given m_1, m_2."""
    first, rest = sp.symbols("first rest", positive=True)
    squares = {S.c_1: sp.sqrt(first), S.c_rest: sp.sqrt(rest)}
    equations = sp.Matrix([equation.lhs.subs(squares) for equation in S.trace_equations()])
    solved = sp.solve(equations, [first, rest], dict=True)[0]
    jacobian = equations.jacobian([S.m_1, S.m_2]).subs(solved).applyfunc(sp.factor)
    change = equations.diff(S.lam).subs(solved).applyfunc(sp.factor)
    slopes = sp.Matrix([slope.subs(squares).subs(solved) for slope in S.slopes()])
    assert (jacobian * slopes + change).applyfunc(lambda e: sp.cancel(sp.together(e))) == sp.zeros(2, 1)


@pytest.mark.checks("quartic")
def test_equations_hold_at_the_proven_solution():
    problem = tc.Problem("relu", ["1", "1/2"], "1/2", "2/3", "1/10")
    found = tc.predict(problem, ell=1, digits=40)
    values = {S.phi: problem.phi, S.psi: problem.psi, S.lam: problem.ridge, S.c_1: sp.Rational(1, 2)}
    values |= {S.c_rest: sp.sqrt(sp.Rational(1, 4) - 1 / (2 * sp.pi))}
    values |= {S.m_1: sp.Float(str(found.m1), 40), S.m_2: sp.Float(str(found.m2), 40)}
    for equation in (*S.trace_equations(), S.reduced_equation(), S.quartic()):
        assert abs(equation.lhs.subs(values).evalf(40)) < 1e-37
    for slope, wanted in zip(S.slopes(), (found.m1_slope, found.m2_slope), strict=True):
        assert abs(slope.subs(values).evalf(40) - sp.Float(str(wanted), 40)) < 1e-36


def test_the_trace_equations_are_the_numeric_ones():
    numbers = {S.phi: 2, S.psi: 3, S.lam: 5, S.c_1: 7, S.c_rest: 11, S.m_1: 13, S.m_2: 17}
    got = [equation.lhs.subs(numbers) for equation in S.trace_equations()]
    assert got == list(numeric_traces.trace_equations(*map(sp.Integer, (13, 17, 2, 3, 5, 7, 11))))


# -- a problem's numbers -------------------------------------------------------------------------------------

PROBLEMS = [
    tc.Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2"),
    tc.Problem("tanh", "H1 + H3/3", "3/2", "1/3", "1/100"),
    tc.Problem("tanh(x + 1)", "H1 + H2/2 + H3/7 - H4/9", "1/2", "2/3", "1", noise="1/3", initial_output="included"),
    tc.Problem("gelu", "H1 + H2/2", "1/2", "2/3", "1/10", first_layer="gaussian"),
    tc.Problem("relu", "H1 + H2/2 + H4/5", "2", "2/3", "1/10", first_layer="gaussian", initial_output="included"),
    tc.Problem("x + x**4/9", "H1 + H2/2 + H4/5", "2", "2/3", "1/10", step_samples="1/2"),
    tc.Problem("elu", "sin(x) + x**2", "1/2", "2/3", "1/10"),
    tc.Problem("softplus", "tanh", "1/2", "2/3", "1/10", second_layer="constant", initial_output="included"),
    tc.Problem(tc.Activation.from_moments("1/2", "3/10"), ["1", "1/2", "1/3"], "1/2", "2/3", "1/10"),
]


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda p: f"{p.activation.name}-{p.first_layer}-{p.initial_output}")
@pytest.mark.parametrize("ell", [1, 2, 4])
def test_substitution_gives_the_numbers_of_predict(problem, ell):
    if problem.activation.tree is None and ell > 3:
        ell = 3
    found = tc.predict(problem, ell=ell, digits=40)
    quantities = {S.Delta: "train_gain", S.Lambda: "test_gain", S.train_loss: "train_loss", S.test_loss: "test_loss"}
    for quantity, name in quantities.items():
        value = quantity(ell, problem, digits=40)
        assert value.is_number, (name, value)
        wanted = sp.Float(str(getattr(found, name)), 40)
        assert abs(value.evalf(40) - wanted) <= abs(wanted) * sp.Float("1e-34"), name
    assert abs(S.Delta(ell, problem, form="matrix", digits=40).evalf(40) - sp.Float(str(found.train_gain), 40)) < 1e-33


def test_without_digits_m_stays_a_symbol_and_numbers_are_exact():
    value = S.Delta(2, PROBLEMS[0])
    assert value == 16 * S.m_2 / 255 + 256 * S.m_1 / 13005
    assert S.Lambda(2, PROBLEMS[0]).free_symbols == {S.m_1, S.m_1_slope, S.m_2_slope}


def test_what_has_no_closed_form_stays_a_symbol():
    value = S.Delta(1, tc.Problem("tanh", "H1", "1/2", "2/3", "1/10", initial_output="included"))
    assert value.free_symbols == {S.m_2, S.c_1, S.c_rest}


def test_no_symbol_is_named_by_a_users_text():
    problem = tc.Problem("tanh(x) + cos(x)", "sin(x) + x", "1/2", "2/3", "1/10", initial_output="included")
    for value in (S.Delta(3, problem), S.Lambda(3, problem), S.train_loss(2, problem)):
        assert all(isinstance(symbol, PaperSymbol) for symbol in value.free_symbols)


# -- Hermite polynomials, features, windows ------------------------------------------------------------------


@pytest.mark.checks("xi", "xi_inverse")
def test_xi_has_indices_from_zero_and_inverts():
    for ell in range(9):
        xi, inverse = S.xi_matrix(ell), S.xi_inverse_matrix(ell)
        assert xi.shape == (ell + 1, ell + 1)
        assert xi * inverse == sp.eye(ell + 1)
    assert S.xi(5, 3) == 10
    assert isinstance(S.xi(5, 3), sp.Integer)


@pytest.mark.checks("xi", "H")
def test_powers_are_sums_of_hermite_polynomials():
    for p in range(8):
        assert sp.expand(sum(S.xi(p, i) * S.H(i) for i in range(p + 1)) - S.x**p) == 0


@pytest.mark.checks("H")
def test_H_is_the_probabilists_polynomial():
    for k in range(9):
        physicists = sp.expand(2 ** sp.Rational(-k, 2) * sp.hermite(k, S.x / sp.sqrt(2)))
        assert S.H(k) == physicists
        assert sp.expand(S.H(k).subs(S.x, -S.x) - (-1) ** k * S.H(k)) == 0


@pytest.mark.checks("feature_expansion")
def test_feature_expansion_is_the_matrix_of_the_theorem():
    import numpy as np

    rng = np.random.default_rng(0)
    F0, X = rng.integers(-3, 4, (3, 4)), rng.integers(-3, 4, (3, 2))
    beta, a = rng.integers(-3, 4, (2, 1)), rng.integers(-3, 4, (4, 1))
    numbers = {S.c_1: 2, S.c(2): 3, S.c(3): 5, S.eta: 7}
    found = S.feature_expansion(3)
    matrices = {"F_0": F0, "X": X, "beta": beta, "a": a}
    sizes = dict(zip(found.atoms(sp.Symbol) - set(numbers), (), strict=False))
    for symbol in found.atoms(sp.MatrixSymbol):
        sizes |= dict(zip(symbol.shape, matrices[symbol.name].shape, strict=True))
    sizes = {symbol: size for symbol, size in sizes.items() if isinstance(symbol, sp.Symbol)}
    concrete = found.subs(numbers).subs(sizes)
    concrete = concrete.subs({s: sp.Matrix(matrices[s.name]) for s in concrete.atoms(sp.MatrixSymbol)}).doit()
    wanted = F0 + sum(2**k * c * 7**k * (X @ beta) ** k @ (a**k).T for k, c in ((1, 2), (2, 3), (3, 5)))
    assert sp.Matrix(concrete) == sp.Matrix(wanted)


@pytest.mark.checks("window", "spike_order")
def test_windows_meet_and_spikes_leave_the_bulk_at_their_lower_ends():
    for ell in range(1, 9):
        low, high = tc.window_bounds(ell)
        assert S.window(ell) == sp.Interval.open(low, high)
        assert S.window(ell).sup == S.window(ell + 1).inf
        order = sp.log(S.spike_order(ell)).expand(force=True) / sp.log(S.n)
        assert sp.solve(sp.simplify(order) - sp.Rational(1, 2), S.alpha) == [
            sp.Rational(low.numerator, low.denominator)
        ]
    assert S.window().subs(S.ell, 3) == S.window(3)


# -- formulas ------------------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(("name", "form"), [("Delta", "closed"), ("Lambda", "matrix"), ("B", "closed")])
def test_spikes_may_be_an_iterator(name, form):
    assert S.formula(name, 3, spikes=iter((1, 3)), form=form) == S.formula(name, 3, spikes=(1, 3), form=form)


def test_symbolic_gains_of_many_features():
    value = S.Delta(50)
    assert len([s for s in value.free_symbols if str(s).startswith("c_star_")]) == 50
    case = tc.Problem("exp(x/2)", [Fraction(1, k) for k in range(1, 51)], "1/2", "2/3", "1/10")
    wanted = tc.predict(case, ell=50, digits=30).train_gain
    assert abs(S.Delta(50, case, digits=40).evalf(40) - sp.Float(str(wanted), 40)) < abs(sp.Float(str(wanted))) * 1e-28


def test_equations_unfold_to_equations():
    assert S.formula("quartic").doit() == S.quartic()
    assert S.formula("trace_equations").doit() == S.trace_equations()[0]
    assert S.formula("Delta", 0).doit() == 0


def test_a_sampled_activation_stays_symbolic():
    import numpy as np

    problem = tc.Problem(tc.Activation.from_callable(np.tanh), ["1", "1/2"], "1/2", "2/3", "1/10")
    assert S.Delta(1, problem).free_symbols == {S.m_2}
