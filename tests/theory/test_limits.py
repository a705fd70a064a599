"""Limits of all kinds of networks."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import mpmath
import numpy as np
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import CASE, CUBIC, CURVED, QUADRATIC, RELU, TEACHER, problem
from theorycalc.model.moments import MomentsActivation
from theorycalc.theory.limits import clean_gain, clean_loss


@pytest.mark.checks("Lambda", "direction")
def test_large_ridge_limits():
    """λ → ∞: both losses tend to c_⋆² + σ_ε², the corrected Λ_1 to c_⋆1⁴/κ, the slides' to 0."""
    case = problem(teacher=["1", "1/2"], ridge="1e12")
    p = tc.predict(case, ell=1)
    total = 1 + 2 / 4 + 1 / 4
    assert p.train_loss_initial == pytest.approx(total, rel=1e-11)
    assert p.test_loss_initial == pytest.approx(total, rel=1e-11)
    assert p.test_gain == pytest.approx(1 / p.kappa, rel=1e-11)
    assert tc.predict(case, ell=1, as_printed=True).test_gain < 1e-20


@pytest.mark.checks("initial_identity")
def test_included_output_leaves_the_form_of_the_limit():
    """With the initial output, w_1 and the block E cancel: w_1 + E²/θ = (ψ/φ)m_2.

    See docs/theory/options.md#the-initial-output.

    In the strong-spike limit QᵀMid⁻¹Q → qᵀ(P + E(θB)⁻¹Eᵀ)⁻¹q, and with B_11 = 1 the second term adds
    ψ²(1 − m_2/m_1)²/(κ̃θ) to w_1.  So only κ and ρ change.
    """
    p, phi, psi, a, b, lam, kappa = sp.symbols("p phi psi a b lambda kappa", positive=True)
    u = p + phi / psi - 1
    k = phi / (phi + b * p * u)
    a_solved = (1 - p - phi * (1 - k)) / (p * u)  # the reduced equation, solved for a
    s, c1_squared = p / lam, b * lam
    s3 = psi * (1 + s * a * lam) * (1 - k) / c1_squared
    w1 = ((kappa - c1_squared) * s * k + c1_squared * s3) / kappa
    theta = u * psi / phi
    limit = (w1 + psi**2 * (1 - k) ** 2 / (kappa * theta)).subs(a, a_solved)
    assert sp.simplify(limit - s * k) == 0


@pytest.mark.checks("initial_scatter", "direction")
def test_included_output_changes_kappa():
    plain, labels, residual = (
        tc.predict(problem(CUBIC), ell=2, **options)
        for options in ({}, {"network": "literal", "gradient": "labels"}, {"network": "literal"})
    )
    assert (labels.kappa, labels.rho) == (plain.kappa, plain.rho)
    variance = 1 + 2 / 4 + 6 * 9 / 100
    assert residual.kappa == pytest.approx(plain.kappa + 1 + 0.5 * variance, rel=1e-15)
    assert residual.rho == pytest.approx(1 / residual.kappa**0.5, rel=1e-15)
    for kind in ("train", "test"):
        before, gain, after = (getattr(residual, f"{kind}_{part}") for part in ("loss_initial", "gain", "loss"))
        assert before - gain == pytest.approx(after, rel=1e-14)  # ρ² and 1 − ρ² are of one direction
    constant = tc.predict(problem(CUBIC, second_layer="constant"), ell=2, network="literal")
    assert constant.kappa == pytest.approx(residual.kappa + 0.5 * 2 / 4 * 3 / 2, rel=1e-15)


@pytest.mark.checks("second_layer")
def test_second_layers_merge_spikes():
    spikes = {
        law: tc.predict(problem(RELU, second_layer=law), ell=6).spikes for law in ("gaussian", "sign", "constant")
    }
    assert spikes == {"gaussian": (1, 2, 4, 6), "sign": (1, 2), "constant": (1,)}


@pytest.mark.checks("scatter")
def test_step_samples_change_the_direction_only():
    plain, larger = (tc.predict(problem(step_samples=ratio), ell=2) for ratio in (None, 4))
    assert larger.kappa == pytest.approx(1 + 0.5 / 4 * (1.5 + 0.25), rel=1e-15)
    assert larger.m1 == plain.m1
    assert larger.test_loss_initial == plain.test_loss_initial
    assert larger.test_gain > plain.test_gain


def test_arrays_and_proven_digits():
    case = problem("relu", "H1 + H2/2 + H4/20")
    ridges, phis = [Fraction(1, 10), Fraction(3)], [Fraction(1, 2), Fraction(1, 100)]
    points = {"ridge": ridges, "phi": [[x] for x in phis]}
    rounded, proven = (tc.predict(case, ell=4, network="literal", digits=digits, **points) for digits in (None, 40))
    assert rounded.test_gain.shape == (2, 2)
    for i, phi in enumerate(phis):
        for j, ridge in enumerate(ridges):
            single = tc.predict(case, ell=4, network="literal", ridge=ridge, phi=phi, digits=60)
            for name in ("train_gain", "test_gain", "train_error"):
                truth = getattr(single, name)
                assert abs(getattr(proven, name)[i, j] - truth) <= mpmath.mpf("1e-39") * truth
                assert getattr(rounded, name)[i, j] == pytest.approx(float(truth), rel=1e-14)
    assert (proven.guarantee, proven.digits, proven.network, proven.gradient) == ("enclosed", 40, "literal", "residual")


@pytest.mark.checks("lengthened_B", "ridgeless_wide", "ridgeless_narrow")
@pytest.mark.parametrize(("phi", "psi"), [("1/2", "1/3"), ("1/2", "2"), ("1", "1")])
def test_without_a_ridge(phi, psi):
    case = problem(CURVED, QUADRATIC, phi, psi, ridge=0)
    limit = tc.predict(case, ell=2, network="literal")
    near = tc.predict(case, ell=2, network="literal", ridge="1e-300", digits=20)
    for name in ("train_gain", "train_loss", "test_loss", "train_error"):
        if np.isinf(getattr(limit, name)):
            assert getattr(near, name) > 1e40
        else:
            assert abs(getattr(near, name) - getattr(limit, name)) <= 1e-14 * abs(getattr(limit, name)) + 1e-60


@pytest.mark.checks("lengthened_B", "constant_weight", "zeta")
def test_a_gaussian_first_layer_frees_the_constant():
    """ζ > 0 leaves out less of the constant, so the second spike gains more; at τ = 0 it is the theorem's ζ."""
    sphere, gaussian = (
        tc.predict(problem(CURVED, QUADRATIC, first_layer=layer), ell=2, network="literal")
        for layer in ("sphere", "gaussian")
    )
    assert gaussian.train_gain > sphere.train_gain
    linear = tc.Activation.from_coefficients(["1", "1/2"])
    flat = MomentsActivation(linear.c1, linear.c_rest, linear.present, linear.c2, "flat", slope_variance=Fraction(0))
    case = problem(flat, QUADRATIC, first_layer="gaussian")
    theorem = tc.predict(case, ell=2)
    literal = tc.predict(case, ell=2, network="literal", gradient="labels")
    assert literal.train_gain == pytest.approx(theorem.train_gain, rel=1e-14)
    assert literal.test_gain == pytest.approx(theorem.test_gain, rel=1e-14)


@pytest.mark.checks("second_layer", "lengthened_B")
def test_equal_lengths_of_a_merge_spikes():
    """With ±1/√N the even spikes share one right vector: K = {1, 2}; with 1/√N all do, and τ plays no part."""
    case = problem(CURVED, QUADRATIC, second_layer="sign")
    assert tc.predict(case, ell=6, network="literal").spikes == (1, 2)
    assert (
        tc.predict(case, ell=6, network="literal").train_gain
        == tc.predict(problem(CURVED, QUADRATIC), ell=2, network="literal").train_gain
    )
    constant = problem(CURVED, QUADRATIC, second_layer="constant")
    labels = tc.predict(constant, ell=6, network="literal", gradient="labels")
    assert labels.spikes == (1,)
    assert labels.train_gain == tc.predict(constant, ell=1).train_gain


def test_it_says_which_limit_it_is():
    case = problem(CURVED, QUADRATIC)
    theorem, residual, labels = (
        tc.predict(case, ell=2, **options)
        for options in ({}, {"network": "literal"}, {"network": "literal", "gradient": "labels"})
    )
    assert theorem.notes[0].startswith("the theorem: Δ_ℓ as the paper prints it")
    assert "on the residual y − f₀" in residual.notes[0]
    assert "on the labels alone" in labels.notes[0]
    assert (theorem.gradient, residual.gradient, labels.gradient) == ("labels", "residual", "labels")


@pytest.mark.checks("constant_weight")
def test_a_small_zeta_keeps_its_digits():
    """Λ has ζ/(S + ζ) of the floor: for long neurons the floor is large, ζ small by S, and 1 − S/(S + ζ) cancels."""
    sizes = {"phi": "1e-8", "psi": "9.99999999e-9", "ridge": "1", "noise": "379"}
    activation = tc.Activation.from_coefficients({1: "-1/1000", 2: "587/1000"})
    case = tc.Problem(activation, ["1/1000", "-1000", "1"], first_layer="gaussian", second_layer="sign", **sizes)
    asked = {"ell": 35, "network": "literal"}
    proven = tc.predict(case, **asked, digits=30).test_gain
    assert abs(tc.predict(case, **asked).test_gain / float(proven) - 1) < 1e-14


OPTIONS = [{"corrupt_fit": "3/10"}, {"flip_fit": "1/5"}, {"flip_fit": "9/10"}, {"corrupt_fit": 1}]


@pytest.mark.checks("Lambda_clean", "test_loss_clean")
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("layer", ["sphere", "gaussian"])
def test_the_sum_is_the_loss_on_corrupted_labels_less_what_corruption_adds(options, layer):
    """L_clean = L_te − 2a(1 − a)(c_⋆² − W), with W from the training losses of clean labels without noise."""
    case = {**CASE, "first_layer": layer}
    corrupted = tc.Problem("relu", TEACHER, **case, **options)
    found, clean = (tc.predict(one, ell=4, digits=30) for one in (corrupted, tc.Problem("relu", TEACHER, **case)))
    a, weight = float(corrupted.fit_fidelity), 2 / 15 * float(clean.m1)  # λs, that of noise in a training loss
    energy, noise = sum(1 / factorial(k) for k in range(1, 5)), 0.25
    for loss, told, train in (
        (found.test_loss_clean_initial, found.test_loss_initial, clean.train_loss_initial),
        (found.test_loss_clean, found.test_loss, clean.train_loss),
    ):
        W = float(train) / weight - noise
        assert float(loss) == pytest.approx(float(told) - 2 * a * (1 - a) * (energy - W), rel=1e-12)
    difference = found.test_loss_clean_initial - found.test_loss_clean
    assert float(difference) == pytest.approx(float(found.test_gain_clean), abs=1e-25)


@pytest.mark.checks("Lambda_clean", "test_loss_clean")
def test_both_forms_number_systems_and_no_ridge():
    corrupted = problem("relu", TEACHER, corrupt_fit="2/5", corrupt_step="1/10", intercept=True)
    closed, matrix, proven = (tc.predict(corrupted, ell=4, **how) for how in ({}, {"form": "matrix"}, {"digits": 20}))
    for name in ("test_loss_clean_initial", "test_loss_clean", "test_gain_clean"):
        assert getattr(closed, name) == pytest.approx(getattr(matrix, name), rel=1e-12)
        assert getattr(closed, name) == pytest.approx(float(getattr(proven, name)), rel=1e-14)
    for psi in ("1/3", "1/2", "2/3"):
        limit = tc.predict(corrupted, ell=2, ridge=0, psi=psi)
        near = tc.predict(corrupted, ell=2, ridge="1e-12", psi=psi)
        if psi != "1/2":
            assert limit.test_loss_clean == pytest.approx(near.test_loss_clean, rel=1e-5)
            assert limit.test_gain_clean == pytest.approx(near.test_gain_clean, rel=1e-5)
        else:
            assert limit.test_loss_clean == float("inf")


@pytest.mark.parametrize("digits", [None, 20])
@pytest.mark.parametrize("options", [{"flip_fit": "1/2"}, {"corrupt_fit": 1}], ids=str)
def test_labels_that_tell_nothing_are_noise_of_infinite_weight_at_the_threshold_without_a_ridge(options, digits):
    found = tc.predict(problem("relu", TEACHER, **options), ell=2, ridge=0, psi="1/2", digits=digits)
    assert found.test_loss_clean_initial == found.test_loss_clean == float("inf")
    assert found.test_gain == found.test_gain_clean == 0


@pytest.mark.parametrize("options", [{"corrupt_fit": "1e-12"}, {"flip_fit": "1e-9"}], ids=str)
def test_a_little_corruption_is_not_rounded(options):
    """Where nearly all of a linear teacher is learned, what the corruption of 1e-12 of the labels costs is seen."""
    case = tc.Problem("selu", "H1", "1/600", "1/600", "1e-13", **options)
    rounded, proven = (tc.predict(case, ell=3, digits=digits) for digits in (None, 30))
    for name in ("test_loss_clean_initial", "test_loss_clean", "test_gain_clean"):
        assert getattr(rounded, name) == pytest.approx(float(getattr(proven, name)), rel=2e-14)


def test_reductions():
    assert clean_loss(0.5, 0.25, 0.75, 0, 1.5, 0, 1) == 1 + 0.5  # nothing is told: the teacher itself, and noise
    assert clean_gain(0.5, 2, 1, 0) == 0.5
    slight = tc.predict(problem(corrupt_fit="1e-9"), ell=2)
    assert slight.test_loss_clean == pytest.approx(slight.test_loss, rel=1e-8)
    assert tc.predict(problem(corrupt_step="1/2"), ell=2).test_loss_clean is None


@pytest.mark.slow
def test_results_show_them_where_labels_are_corrupted():
    found = tc.predict(problem(corrupt_fit="1/5"), ell=2)
    assert "test loss gained on clean labels" in repr(found)
    assert "L_{\\mathrm{clean}}" in found._repr_latex_()
    assert found.rows[0]["test_loss_clean"] == found.test_loss_clean
    over, quantities = {"corrupt_fit": ["0", "1/5"], "ell": [2]}, ["test_loss", "test_loss_clean"]
    rows = tc.sweep(problem(), over=over, quantities=quantities).rows
    assert rows[0]["test_loss_clean"] == rows[0]["test_loss"]
    assert rows[1]["test_loss_clean"] == found.test_loss_clean
