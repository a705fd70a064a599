"""The limit of literal networks: spikes E_z(h + √τz)^k of neurons that the step lengthens.

The closed form against projections, the number systems against each other, and both against dressed features of a
network so large that the limit is reached.
"""

from __future__ import annotations

import dataclasses
from fractions import Fraction
from math import comb, factorial

import numpy as np
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import CURVED, QUADRATIC, problem
from theorycalc.functions.algebra import double_factorial, kernel_norm, xi
from theorycalc.model.enums import GradientTarget
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.numbers.systems import BALLS, FLOATS, SYMBOLS
from theorycalc.theory.case import ball_case, gradient_spread, lengthening
from theorycalc.theory.conditions import spikes_of
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.gains import even_share, kernel_terms, parts_of, shares
from theorycalc.theory.limits import Values
from theorycalc.theory.plans import Plan, ball_terms, lengthening_of

TEACHER = [Fraction(1), Fraction(1, 2), Fraction(-1, 3), Fraction(1, 5), Fraction(2, 7), Fraction(-1, 11)]
T = Fraction(3, 5)
GAPS = [(1, 4), (1, 2, 6), (1, 5)]


def rational(value):
    return sp.Rational(value.numerator, value.denominator)


def projected(spikes, tau, zeta=0, teacher=TEACHER, t=T):
    """What the spikes explain of Σ_{k≥2} c_⋆k ρ^k H_k, by their Gram matrix; h is a spike, so the linear part is free.

    The constant weighs 1/(1 + ζ), and every other H_k weighs k!.
    """
    degree = spikes[-1]
    rows = sp.zeros(len(spikes) - 1, degree + 1)
    for i, k in enumerate(spikes[1:]):
        for m in range(0, k + 1, 2):
            for j in range(k - m + 1):
                rows[i, j] += comb(k, m) * rational(tau) ** (m // 2) * double_factorial(m - 1) * xi(k - m, j)
    weights = sp.diag(1 / (1 + rational(zeta)), 0, *(factorial(k) for k in range(2, degree + 1)))
    known = [*teacher[1:degree], *[Fraction(0)] * degree][: degree - 1]
    f = sp.Matrix([0, 0, *(rational(c) * sp.sqrt(rational(t)) ** k for k, c in enumerate(known, start=2))])
    q = rows * weights * f
    return sp.nsimplify((q.T * (rows * weights * rows.T).inv() * q)[0])


def share_of(ns, number, spikes, tau, zeta=Fraction(0), teacher=TEACHER, t=T):
    """Return the shares by the formulas of the package, in one number system."""
    c_star = [number(c) for c in teacher]
    gaps = parts_of(ns, c_star, number(Fraction(0)), Spikes(spikes), number(tau))
    given = {} if gaps.spanned else {"tau": number(tau)}
    return shares(ns, gaps, number(t), number(1 - t), number(zeta), **given)


@pytest.mark.checks("lengthened_B", "lengthened_T", "lengthened_S", "gaps")
@pytest.mark.parametrize("zeta", [Fraction(0), Fraction(2, 9)])
@pytest.mark.parametrize("tau", [Fraction(0), Fraction(1, 3), Fraction(7, 5)])
@pytest.mark.parametrize("spikes", [*(tuple(range(1, ell + 1)) for ell in range(2, 7)), *GAPS])
def test_the_closed_form_is_the_projection(spikes, tau, zeta):
    assert sp.simplify(projected(spikes, tau, zeta) - share_of(SYMBOLS, rational, spikes, tau, zeta).explained) == 0


@pytest.mark.checks("lengthened_B", "left", "gaps")
@pytest.mark.parametrize("zeta", [Fraction(0), Fraction(2, 9)])
@pytest.mark.parametrize("spikes", [(1, 2), (1, 2, 3, 4), (1, 3), *GAPS])
def test_what_is_explained_and_what_is_left_are_all(spikes, zeta):
    whole = sum(factorial(k) * c**2 for k, c in enumerate(TEACHER[1:], start=2))
    for tau in (Fraction(1, 3), Fraction(50)):
        found = share_of(SYMBOLS, rational, spikes, tau, zeta)
        assert found.explained + found.left + found.floor == rational(whole)
        assert 0 < found.kept <= 1


@pytest.mark.checks("lengthened_B", "lengthened_S", "gaps")
@pytest.mark.parametrize("spikes", [*(tuple(range(1, ell + 1)) for ell in range(1, 7)), (1, 3, 5), *GAPS])
def test_without_lengthening_it_is_the_printed_form(spikes):
    printed = parts_of(SYMBOLS, [rational(c) for c in TEACHER], 0, Spikes(spikes))
    found = share_of(SYMBOLS, rational, spikes, Fraction(0), Fraction(2, 9))
    assert found == shares(SYMBOLS, printed, rational(T), 1 - rational(T), sp.Rational(2, 9))


@pytest.mark.checks("lengthened_S")
def test_the_terms_of_the_kernel():
    """S_M(τ) = Σ_j C(2j, j)/4^j (1 + τ)^{2j}, which is S_M at τ = 0."""
    for M in range(8):
        terms = kernel_terms(M, Fraction(49, 25))
        assert terms == tuple(Fraction(comb(2 * j, j), 4**j) * Fraction(49, 25) ** j for j in range(M + 1))
        assert sum(kernel_terms(M, Fraction(1))) == kernel_norm(M)


@pytest.mark.checks("lengthened_B")
def test_the_even_part_is_a_sum_of_squares():
    for M, zeta, tau in ((1, 0, Fraction(1, 3)), (2, Fraction(2, 9), Fraction(5)), (3, Fraction(1, 7), Fraction(0))):
        parts = parts_of(SYMBOLS, TEACHER, 0, Spikes((1, *range(2, 2 * M + 1, 2))))
        found = even_share(parts.floor, (1 + tau) * T, (1 + tau) ** 2, zeta)
        even = sum(factorial(2 * j) * TEACHER[2 * j - 1] ** 2 * T ** (2 * j) for j in range(1, M + 1))
        floor = sum(c * ((1 + tau) * T) ** j for j, c in enumerate(parts.floor.coefficients)) ** 2
        assert found == even - floor / (sum(kernel_terms(M, (1 + tau) ** 2)) + zeta)


@pytest.mark.checks("lengthened_B")
def test_more_even_powers_may_gain_from_it():
    def gained(teacher, tau):
        spikes = tuple(range(1, len(teacher) + 1))
        return share_of(FLOATS, float, spikes, tau, teacher=teacher, t=1).explained

    assert gained([0, 0.5, 0, 0], 0.3) < gained([0, 0.5, 0, 0], 0)
    assert gained([0, 0.5, 0, 0.13], 0.3) > gained([0, 0.5, 0, 0.13], 0)


@pytest.mark.checks("lengthened_B", "lengthened_T", "lengthened_S", "gaps")
@pytest.mark.parametrize("tau", [Fraction(1, 10**6), Fraction(2, 3), Fraction(10**6)])
@pytest.mark.parametrize("spikes", [(1, 2), (1, 2, 3, 4, 5, 6), (1, 2, 4, 6), *GAPS])
def test_symbols_and_balls_and_floats_agree(spikes, tau):
    exact = share_of(SYMBOLS, rational, spikes, tau, Fraction(2, 9))
    with ball_precision(300):
        for truth, found in zip(exact, share_of(BALLS, ball, spikes, tau, Fraction(2, 9)), strict=True):
            assert ball(Fraction(int(sp.numer(truth)), int(sp.denom(truth)))).overlaps(found + ball(Fraction(0)))
            assert (found + ball(Fraction(0))).rel_accuracy_bits() > 150
    if spikes not in GAPS:  # floats take balls there: see the next test
        for truth, found in zip(exact, share_of(FLOATS, float, spikes, tau, Fraction(2, 9)), strict=True):
            assert found == pytest.approx(float(truth), rel=1e-14)


ACTIVATIONS = ["relu", "softplus", CURVED, "x/100 + x**2", "H1 + H4", "H1 + H5/20", "exp(x/2)", "100*x + x**2/100"]


@pytest.mark.checks("lengthened_B", "lengthened_T", "lengthened_S", "lengthening", "gaps")
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_floats_have_fourteen_of_forty_proven_digits(activation):
    """Random problems, every output: τ goes from nearly 0, where φ is small, to nearly Var σ'/c_1² ≤ 4e4."""
    rng = np.random.default_rng(1)
    taus = []
    for _ in range(20):
        phi, psi, ridge = (Fraction(float(10 ** rng.uniform(-5, 3))) for _ in range(3))
        teacher = [Fraction(float(c)) for c in rng.standard_normal(int(rng.integers(1, 9)))]
        noise, ell = Fraction(float(rng.choice([0, 0.5]))), int(rng.integers(2, 9))
        layers = str(rng.choice(["sphere", "gaussian"])), str(rng.choice(["gaussian", "sign"]))
        case = tc.Problem(activation, teacher, phi, psi, ridge, noise, *layers)
        gradient = str(rng.choice(list(GradientTarget)))
        rounded, proven = (
            tc.predict(case, ell=ell, network="literal", gradient=gradient, digits=digits) for digits in (None, 40)
        )
        for name in Values._fields:
            truth = getattr(proven, name)
            assert abs(getattr(rounded, name) - truth) <= 1e-14 * abs(truth), (name, case)
        taus.append(tau_of(case, ell, gradient))
    largest = float(ball(case.activation.slope_variance)) / float(case.activation.c1) ** 2
    assert max(taus) > 0.9 * largest
    assert min(tau for tau in taus if tau) < 0.05 * largest


def tau_of(case, ell, gradient):
    """Return τ by balls, or 0 where it plays no part."""
    plan = Plan(case, spikes_of(case, ell), "closed", None, gradient, lengthened=True)
    with ball_precision(100):
        tau = lengthening_of(ball_terms(plan), ball_case(case, gradient))
    return 0.0 if tau is None else float(tau)


@pytest.mark.checks("lengthening", "gradient_spread")
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("samples", [None, "4"])
def test_tau_is_that_of_dressed_features(gradient, samples):
    """Var σ' by proven coefficients here, by quadrature there: τ = φ₀ Var σ' E r²/(c_1²κ)."""
    for activation in ("relu", "softplus", CURVED, "x/100 + x**2"):
        case = problem(activation, QUADRATIC, step_samples=samples)
        step = step_of(case, 1000, gradient)
        assert lengthening(step.spread, step.case.c1, step.case.kappa) == pytest.approx(
            tau_of(case, 2, gradient), rel=1e-10
        )
        slope = float(case.activation.slope_variance.enclosure(20))
        assert step.spread == pytest.approx(gradient_spread(slope, step.case.scatter), rel=1e-10)


@pytest.mark.checks("lengthened_B", "lengthening", "gradient_spread", "linear_factors")
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize(("ell", "alpha"), [(1, "0.2"), (2, "0.3")])
def test_dressed_features_tend_to_it(ell, alpha, gradient):
    """At n = 10^16 they show the limit of literal networks, and in window 2 not the theorem."""
    case = problem(CURVED, QUADRATIC)
    found = tc.step(case, n=10**16, alpha=alpha, gradient=gradient)
    limit = tc.predict(case, ell=ell, network="literal", gradient=gradient)
    theorem = tc.predict(case, ell=ell)
    for name in ("train_gain", "test_gain", "train_loss", "test_loss", "train_error"):
        assert getattr(found, name) == pytest.approx(getattr(limit, name), rel=2e-3)
    if ell == 2:
        for name in ("train_gain", "test_gain"):
            assert abs(getattr(found, name) / getattr(theorem, name) - 1) > 0.05
    assert found.limit.test_gain == limit.test_gain


@pytest.mark.checks("lengthened_B", "zeta", "second_layer")
@pytest.mark.parametrize("options", [{"first_layer": "gaussian"}, {"second_layer": "sign"}, {"step_samples": "3"}])
def test_dressed_features_tend_to_it_for_other_layers(options):
    case = problem("relu", QUADRATIC, **options)
    found = tc.step(case, n=10**16, alpha="0.3")
    limit = tc.predict(case, ell=2, network="literal")
    for name in ("train_gain", "test_gain"):
        assert getattr(found, name) == pytest.approx(getattr(limit, name), rel=3e-3)


@pytest.mark.checks("lengthened_B")
def test_odd_activations_and_the_first_window_are_untouched():
    """x, x³, …, x^k span what the spikes of lengthened neurons span: with the labels alone it is the theorem."""
    for activation, ell in (("tanh", 5), ("erf", 3), (CURVED, 1), ("relu", 0), ("tanh", "inf"), (CURVED, "inf")):
        case = problem(activation, "H1 + H2/2 + H3/5")
        theorem, labels, residual = (
            tc.predict(case, ell=ell, **options)
            for options in ({}, {"network": "literal", "gradient": "labels"}, {"network": "literal"})
        )
        for name in Values._fields:
            assert getattr(labels, name) == getattr(theorem, name)
        assert residual.kappa > theorem.kappa
        assert residual.test_gain < theorem.test_gain or ell == 0


@pytest.mark.checks("lengthened_B")
def test_many_spikes_lead_to_infinitely_many():
    """Of all even powers together nothing is left out but the constant's value at 0: τ plays no part at ℓ = ∞."""
    case = problem("softplus", "H1 + H2/2 + H3/5 + H4/20")
    ends = [tc.predict(case, ell=ell, network="literal").test_gain for ell in (4, 20, 60, "inf")]
    assert ends == sorted(ends)
    assert ends[2] == pytest.approx(ends[3], rel=0.02)
    assert abs(ends[0] / ends[3] - 1) > 0.05


def test_the_staircase_of_literal_networks():
    case = problem("softplus", "H1 + H2/2 + H3/5")
    theorem, literal = (tc.staircase(case, 3, network=name) for name in ("theorem", "literal"))
    for ell, step in enumerate(literal.predictions):
        assert step.test_gain == tc.predict(case, ell=ell, network="literal").test_gain
    assert literal.predictions[2].test_gain < theorem.predictions[2].test_gain


def test_a_mean_of_the_residual_brings_missing_spikes_back():
    """c_5 makes h³ free in the order of h⁴, as dressed features show; without h³ the gain would be less than half."""
    setting = {"phi": "1/20", "psi": "1/15", "ridge": "1/10", "noise": "1/2", "intercept": True}
    case = tc.Problem("H1 + H2/2 + H5/10", "H1 + H2/2 + H3/2 + 3", **setting, centred_labels=False)
    found = tc.step(case, n=10**16, alpha="0.38", gradient="labels").train_gain
    has_h3 = dataclasses.replace(case, activation=tc.activation("H1 + H2/2 + H3/1000000 + H5/10"))
    assert found == pytest.approx(tc.predict(has_h3, ell=4, network="literal", gradient="labels").train_gain, rel=1e-2)
    assert tc.predict(case, ell=4).spikes == (1, 2)
    assert tc.predict(case, ell=4).train_gain < found / 2
    for ell, network in ((4, "labels"), (5, "residual"), ("inf", "labels")):
        with pytest.raises(tc.DomainError, match="return in part") as caught:
            tc.predict(case, ell=ell, network="literal", gradient=network)
        assert caught.value.argument == "centred_labels"
    with pytest.raises(tc.DomainError, match="return in part"):
        tc.symbolic.Delta(4, case, network="literal")
    assert tc.predict(case, ell=3, network="literal").spikes == (1, 2)
    relu = tc.Problem("relu", "H1 + H2/2 + 3", **setting, centred_labels=False)
    assert tc.predict(relu, ell=6, network="literal").spikes == (1, 2, 4, 6)
