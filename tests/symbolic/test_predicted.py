"""A problem's numbers in the formulas are those of predict()."""

from __future__ import annotations

import math
import re
from fractions import Fraction

import pytest
import sympy as sp
from scipy.integrate import quad

import theorycalc as tc
from tests.helpers.problems import PAPER
from tests.helpers.symbols import PROBLEMS

S = tc.symbolic
RAW = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}
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


@pytest.mark.parametrize("which", QUANTITIES.values())
@pytest.mark.parametrize("network", ["theorem", "literal"])
def test_digits_give_one_number_whose_digits_are_proven(which, network):
    """The number is within a unit of its twentieth digit of one with forty, though terms cancel."""
    problem = tc.Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2")
    quantity = next(function for function, name in QUANTITIES.items() if name == which)
    value = quantity(2, problem, network=network, digits=20)
    wanted = sp.Float(str(getattr(tc.predict(problem, ell=2, network=network, digits=40), which)), 40)
    assert isinstance(value, sp.Float)
    unit = sp.Rational(10) ** (math.floor(math.log10(wanted)) - 19)
    assert abs(sp.Rational(value) - sp.Rational(wanted)) < unit


def test_without_digits_m_stays_a_symbol_and_numbers_are_exact():
    value = S.Delta(2, PROBLEMS[0])
    assert value == 16 * S.m_2 / 255 + 256 * S.m_1 / 13005
    assert S.Lambda(2, PROBLEMS[0]).free_symbols == {S.m_1, S.m_1_slope, S.m_2_slope}


@pytest.mark.slow
def test_symbolic_gains_of_many_features():
    value = S.Delta(50)
    assert len([s for s in value.free_symbols if str(s).startswith("c_star_")]) == 50
    case = tc.Problem("exp(x/2)", [Fraction(1, k) for k in range(1, 51)], "1/2", "2/3", "1/10")
    wanted = tc.predict(case, ell=50, digits=30).train_gain
    assert abs(S.Delta(50, case, digits=40).evalf(40) - sp.Float(str(wanted), 40)) < abs(sp.Float(str(wanted))) * 1e-28


GAPS = [(1, 4), (1, 6), (1, 4, 8), (1, 2, 6), (1, 5), (1, 3, 7)]


def with_spikes(spikes, **given):
    """Return a problem whose activation has these c_k, and whose teacher has all."""
    activation = tc.Activation.from_coefficients([f"1/{k}" if k in spikes else 0 for k in range(1, spikes[-1] + 1)])
    options = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/3"} | given
    return tc.Problem(activation, [f"1/{k}" for k in range(1, 9)], **options)


@pytest.mark.parametrize("spikes", GAPS)
def test_gains_and_losses_add_up_where_lengthened_spikes_have_gaps(spikes):
    """Directions that gaps leave out have no constant; their zeros, rounded, would hide them from the losses."""
    found = tc.predict(with_spikes(spikes), ell=8, network="literal", digits=30)
    assert found.spikes == spikes
    for part in ("train", "test"):
        before, gain, after = (getattr(found, f"{part}_{name}") for name in ("loss_initial", "gain", "loss"))
        assert abs(before - gain - after) < abs(before) * found.m1.context.mpf("1e-28")


@pytest.mark.slow
@pytest.mark.parametrize(("law", "first"), [("sphere", "residual"), ("gaussian", "labels")])
@pytest.mark.parametrize("spikes", GAPS)
def test_formulas_of_gaps_have_the_numbers_of_predict(spikes, law, first):
    """Each law with both gradients, in turn: they change the direction, and neither the spikes nor their formulas."""
    gradients = ["residual", "labels"]
    gradient = gradients[(gradients.index(first) + GAPS.index(spikes)) % 2]
    problem = with_spikes(spikes, first_layer=law, step_samples="3/2")
    assert_the_numbers_are_those_of_predict(problem, spikes[-1], network="literal", gradient=gradient)


@pytest.mark.slow
@pytest.mark.checks("lengthened_B", "lengthened_T", "lengthened_S")
@pytest.mark.parametrize("spikes", [(1, 2), (1, 2, 3, 4), *GAPS])
def test_without_lengthening_literal_formulas_are_the_theorems(spikes):
    ell = spikes[-1]
    for quantity in (S.Delta, S.Lambda, S.train_loss, S.test_loss, S.train_error):
        literal = quantity(ell, spikes=spikes, network="literal", gradient="labels")
        assert sp.cancel(sp.together(literal.subs(S.tau, 0) - quantity(ell, spikes=spikes))) == 0


@pytest.mark.checks("lengthening", "gradient_spread")
def test_the_direction_has_the_numbers_of_the_network():
    """ReLU: c_1² = Var σ' = 1/4, so τ is the share of the batch in κ̃."""
    problem = PAPER
    values = {equation.lhs: equation.rhs for equation in S.direction(problem, network="literal")}
    found = tc.predict(problem, ell=2, network="literal")
    assert float(values[S.kappa_tilde]) == pytest.approx(found.kappa, rel=1e-14)
    assert float(values[S.rho_tilde]) == pytest.approx(found.rho, rel=1e-14)
    residual = 2 + sp.Rational(1, 4) + sp.Rational(1, 2) - 1 / (2 * sp.pi)  # E r² = E y² + Var f₀
    assert sp.simplify(values[S.tau] - residual / 2 / values[S.kappa_tilde]) == 0
    assert sp.simplify(values[S.v] - residual / 8) == 0
    assert list(S.direction(problem)) == list(S.direction(problem, network="literal", gradient="labels"))[:2]


def test_the_quadratic_part_of_a_literal_network_is_that_of_the_errata():
    """Of 4c_⋆2²ρ⁴/3 the share 3/(2 + (1 + τ)²) is left (docs/theory/turning.md)."""
    share = S.B(2, network="literal", gradient="labels") / S.B(2)
    assert sp.simplify(share * (2 + (1 + S.tau) ** 2) - 3) == 0


OPTIONS = [
    {"intercept": True, "first_layer": "gaussian"},
    {"centred": False, "corrupt_fit": "1/3", "gradient": "labels"},
    {"corrupt_fit": "3/10", "flip_step": "1/5", "first_layer": "gaussian"},
    {"second_scale": "1/3", "first_scale": "1/sqrt(3)", "corrupt_step": "1/4"},
    {"steps": 4, "gradient": "labels"},
    {"intercept": True, "centred_labels": False, "second_scale": 2, "activation": {1: 1, 4: "1/24"}},
]


@pytest.mark.slow
@pytest.mark.checks("free_constant", "Lambda_clean", "test_loss_clean")
@pytest.mark.parametrize("options", OPTIONS, ids=" ".join)
def test_networks_as_people_build_them_have_the_numbers_of_predict(options):
    options = dict(options)
    activation, gradient = options.pop("activation", "relu"), options.pop("gradient", None)
    problem = tc.Problem(activation, "H1 + H2/2 + H4/9 + 2", "1/2", "2/3", "1/10", "1/2", **options)
    for network in ({}, {"network": "literal", "gradient": gradient}):
        assert_the_numbers_are_those_of_predict(problem, 4, **network)
        found = tc.predict(problem, ell=4, digits=40, **network)
        for quantity, name in ((S.Lambda_clean, "test_gain"), (S.test_loss_clean, "test_loss")):
            wanted = sp.Float(str(getattr(found, f"{name}_clean") or getattr(found, name)), 40)
            assert abs(quantity(4, problem, digits=40, **network).evalf(40) / wanted - 1) < 1e-34
    matrix, wanted = S.Lambda(4, problem, form="matrix", digits=30), tc.predict(problem, ell=4, digits=30).test_gain
    assert abs(matrix.evalf(30) / sp.Float(str(wanted), 30) - 1) < 1e-25


def test_options_stand_in_the_formulas_by_their_letters():
    problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", corrupt_fit="1/5", flip_step="1/4", second_scale=2)
    (gain,) = S.formula("Delta", 1, problem=problem, network="literal").statement
    assert gain.right == S.a_f**2 * S.Delta(1, network="literal")
    length = S.formula("direction", problem=problem, network="literal").where[0].right
    assert {S.a_s, S.g_a} <= length.free_symbols
    assert (
        S.B(4, intercept=True).free_symbols == S.B(4, intercept=True, network="literal", gradient="labels").free_symbols
    )
    raw = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", centred=False)
    with pytest.raises(tc.ArgumentError, match="to the problem"):
        S.Delta(1, raw, intercept=True)
    with pytest.raises(tc.ArgumentError, match="diverge"):
        S.Delta(1, tc.Problem("relu", "H1", 1, 1, 1, steps=2), network="literal")
    with pytest.raises(tc.DomainError, match="slides"):
        S.Lambda(2, raw, as_printed=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"centred": False},
        {"centred": False, "second_scale": "3/2", "step_samples": 2},
        {"centred": False, "intercept": True, "centred_labels": False, "teacher": "H1 + H2/2 + 1"},
        {"centred": False, "corrupt_fit": "1/5", "activation": "2 + tanh(x + 1)"},
    ],
)
def test_means_over_networks_are_integrals_of_the_formula(options):
    """A gain given the mean of the initial output, integrated over its law, is what predict() computes."""
    raw = tc.Problem(**{"activation": "relu", "teacher": "H1 + H2/2", **RAW} | options)
    scale, found = float(raw.second_scale) * float(raw.activation.mean), tc.predict(raw, ell=2, network="literal")
    density = sp.exp(-((S.f_bar / scale) ** 2) / 2) / (math.sqrt(2 * math.pi) * scale)
    names = {"Delta": "train_gain", "Lambda": "test_gain", "test_loss": "test_loss"}
    names |= {"Lambda_clean": "test_gain_clean"} if "corrupt_fit" in options else {}
    for which, name in names.items():
        given = getattr(S, which)(2, raw, network="literal", digits=20)
        assert given.free_symbols == {S.f_bar}
        mean, _ = quad(sp.lambdify(S.f_bar, given * density), -9 * scale, 9 * scale, epsabs=1e-13)
        assert mean == pytest.approx(getattr(found, name), rel=1e-9)


def test_formulas_of_raw_activations_have_the_law_of_the_mean():
    raw = tc.Problem("relu", "H1 + H2/2", **RAW, centred=False)
    text = tc.latex(tc.symbolic.formula("Delta", 2, problem=raw, network="literal"))
    assert r"\Delta_{2} &= \mathrm{E}_{\bar{f}_0}\left[" in text
    assert r"\bar{f}_0 &\sim \mathcal{N}\left( 0, c_{0}^{2} \right)" in text
    assert r"\bar{f}_0" not in tc.latex(tc.symbolic.formula("Delta", 2, problem=raw))  # the theorem's, on the labels
    untrained = tc.latex(tc.symbolic.formula("test_loss", 0, problem=raw, network="literal"))
    assert r"\bar{f}_0" not in untrained
    values = tc.latex(raw, ell=2, network="literal")
    assert rf"\right] \approx {tc.predict(raw, ell=2, network='literal').train_gain:.6g}" in values
    assert not re.search(r"\\tilde\{\\kappa\} &=.*approx", values)  # of which a prediction has the mean
    scaled = tc.Problem("relu", "H1 + 1", **RAW, centred=False, second_scale=2, intercept=True, centred_labels=False)
    direction = tc.latex(tc.symbolic.formula("direction", problem=scaled, network="literal"))
    assert r"\mathcal{N}\left( 0, g_a^{2} c_{0}^{2} \right)" in direction
    assert r"c_{\star,0} - \bar{f}_0" in direction
    kinds = tc.Problem("relu", "H1", **RAW, centred=False, intercept=True, biases={0: "1/2", 1: "1/2"})
    assert r"\mathrm{E}_b\left[ c_{0,b}^{2} \right]" in tc.latex(
        tc.symbolic.formula("Delta", 1, problem=kinds, network="literal")
    )
    constant = tc.Problem("relu", "H1", **RAW, centred=False, second_layer="constant")
    with pytest.raises(tc.TheoryError, match="grows without limit"):
        tc.symbolic.formula("Delta", 1, problem=constant, network="literal")
