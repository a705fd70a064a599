"""The training error without the penalty, (1/n)‖ỹ − Fâ‖² = −λ²∂_λ(L_tr/λ): limits, pencil and dressed features."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.matrices import Network, cubic, first_layer, setting_2
from tests.helpers.problems import CUBIC, SETTING_2, problem, problems
from theorycalc.model.enums import GradientTarget
from theorycalc.theory.gains import train_error

LINEAR = tc.Activation.from_coefficients(["1/2"])
LIMITS = [
    ({}, {}),
    ({"first_layer": "gaussian"}, {}),
    ({}, {"network": "literal"}),
    ({"first_layer": "gaussian", "second_layer": "sign"}, {"network": "literal", "gradient": "labels"}),
    ({}, {"form": "matrix"}),
    ({"first_layer": "gaussian"}, {"form": "matrix"}),
]
PARTS = [("train_error_initial", "train_loss_initial", "test_loss_initial"), ("train_error", "train_loss", "test_loss")]


@pytest.mark.checks("train_error")
@pytest.mark.parametrize(("options", "asked"), LIMITS)
@pytest.mark.parametrize("ell", [1, 2, 3])
def test_it_is_what_the_ridge_takes_from_the_training_loss(ell, options, asked):
    """−λ²∂_λ(L_tr/λ) by a difference of 60 digits, and (λs)² times the test loss."""
    case = problem(CUBIC, ["1", "1/2", "1/3", "-1/5"], **options)
    width = Fraction(1, 10**15)
    here, above, below = (
        tc.predict(case, ell=ell, ridge=Fraction(1, 10) + shift, digits=60, **asked) for shift in (0, width, -width)
    )
    with mpmath.workdps(60):
        lam = mpmath.mpf(1) / 10
        h = mpmath.mpf(10) ** -15
        weight = lam * (mpmath.mpf(2) / 3) * mpmath.mpf(here.m1) * 2
        for error, train, test in PARTS:
            value, high, low = (
                mpmath.mpf(getattr(p, name)) for p, name in ((here, error), (above, train), (below, train))
            )
            slope = (high / (lam + h) - low / (lam - h)) / (2 * h)
            assert abs(-(lam**2) * slope / value - 1) < 1e-27
            assert abs(weight**2 * mpmath.mpf(getattr(here, test)) / value - 1) < mpmath.mpf("1e-58")
            assert 0 < value < mpmath.mpf(getattr(here, train))


@pytest.mark.checks("train_error")
def test_the_matrix_form_is_the_closed_form():
    for layer in ("sphere", "gaussian"):
        case = problem(CUBIC, ["1", "1/2", "1/3", "-1/5"], first_layer=layer)
        closed, matrix = (tc.predict(case, ell=3, digits=30, form=form) for form in ("closed", "matrix"))
        for name in ("train_error_initial", "train_error"):
            assert abs(getattr(closed, name) / getattr(matrix, name) - 1) < mpmath.mpf("1e-28")


@pytest.mark.slow
@pytest.mark.checks("train_error")
@given(case=problems(), ell=st.integers(0, 6))
def test_it_is_between_nothing_and_the_training_loss(case, ell):
    found = tc.predict(case, ell=ell)
    for error, train, _ in PARTS:
        assert 0 <= getattr(found, error) <= getattr(found, train) * (1 + 1e-14)


@pytest.mark.checks("train_error", "ridgeless_wide", "ridgeless_narrow", "ridgeless_square", "ridgeless_low_rank")
@pytest.mark.parametrize("network", ["theorem", "literal"])
@pytest.mark.parametrize("activation", [CUBIC, LINEAR], ids=["curved", "linear"])
@pytest.mark.parametrize(
    ("phi", "psi"),
    [("1/2", "1/3"), ("3/2", "1/3"), ("1/2", "2/3"), ("3/2", "2"), ("1/2", "1/2"), ("1", "1"), ("2", "2")],
)
def test_without_a_ridge_there_is_no_penalty(phi, psi, activation, network):
    """λ → 0⁺: nothing is left where features fit n points, N ≥ n (and d ≥ n if linear), else the loss is all error."""
    features = Fraction(phi) / Fraction(psi)  # N/n
    features = min(features, Fraction(phi)) if activation is LINEAR else features
    for digits in (None, 20):
        found = tc.predict(
            problem(activation, ["1", "1/2", "1/3"], phi, psi, ridge=0), ell=2, digits=digits, network=network
        )
        for error, train, _ in PARTS:
            value, loss = float(getattr(found, error)), float(getattr(found, train))
            assert math.isfinite(value)
            if features >= 1:
                assert value == loss == 0
            else:
                assert value > 0
                assert value == pytest.approx(loss, rel=1e-14)


def test_arrays_may_mix_zero_and_positive_ridges():
    ridge, phi = np.array([0, 0.1, 0, 1e-3]), np.array([[0.5], [2 / 3], [1.5]])  # N < n, N = n, N > n
    mixed = tc.predict(problem(CUBIC), ell=2, phi=phi, ridge=ridge)
    assert not np.isnan(mixed.train_error).any()
    for index in np.ndindex(3, 4):
        single = tc.predict(problem(CUBIC), ell=2, phi=phi[index[0], 0], ridge=ridge[index[1]])
        assert mixed.train_error[index] == pytest.approx(single.train_error, rel=1e-15)


@pytest.mark.checks("train_error")
def test_a_large_ridge_fits_nothing():
    """λ → ∞: â → 0, and what is left is the labels' second moment, without penalty."""
    found = tc.predict(problem(teacher=["1", "1/2"], ridge="1e12"), ell=2)
    assert found.train_error_initial == pytest.approx(1 + 2 / 4 + 1 / 4, rel=1e-11)
    assert found.train_error_initial == pytest.approx(found.train_loss_initial, rel=1e-11)


def measured(rng, small, lam):
    """(1/n)‖y − Fâ‖² and the ridge objective of untrained features, by solving for â."""
    X = rng.standard_normal((small.n, small.d))
    F = small.sigma(X @ first_layer(rng, small.N, small.d).T)
    y = small.teacher(X[:, 0]) + small.noise * rng.standard_normal(small.n)
    a = np.linalg.solve(F.T @ F + lam * small.n * np.eye(small.N), F.T @ y)
    error = np.mean((y - F @ a) ** 2)
    return error, error + lam * a @ a


@pytest.mark.checks("train_error")
def test_it_is_the_error_of_the_fit():
    """Untrained features of 20 draws: the error and the objective, by their standard errors, told apart."""
    n, d, N, lam = 600, 300, 450, 0.1
    rng = np.random.default_rng(3)
    draws = np.array([measured(rng, Network(n, d, N, cubic, setting_2, noise=0.5), lam) for _ in range(20)])
    mean, deviation = draws.mean(axis=0), draws.std(axis=0, ddof=1) / math.sqrt(len(draws))
    found = tc.predict(tc.Problem(CUBIC, SETTING_2, n=n, d=d, N=N, ridge=lam, noise="1/2"), ell=0)
    assert abs(mean[0] - found.train_error) < 4 * deviation[0]
    assert abs(mean[1] - found.train_loss) < 4 * deviation[1]
    assert found.train_loss - found.train_error > 6 * deviation[0]


@pytest.mark.checks("train_error", "pencil_gains")
@pytest.mark.parametrize("gradient", GradientTarget)
def test_the_pencil_has_it(gradient):
    case = problem("tanh(x + 1)", SETTING_2)
    asked = {"n": 1000, "eta": "8", "gradient": gradient, "method": "pencil", "digits": 40}
    here, above, below = (tc.step(case, ridge=ridge, **asked) for ridge in ("0.1", "0.100000000001", "0.099999999999"))
    with mpmath.workdps(40):
        lam, h = mpmath.mpf("0.1"), mpmath.mpf("1e-12")
        high, low, error = mpmath.mpf(above.train_loss), mpmath.mpf(below.train_loss), mpmath.mpf(here.train_error)
        slope = (high / (lam + h) - low / (lam - h)) / (2 * h)
        assert abs(-(lam**2) * slope / error - 1) < 1e-15
    rounded = tc.step(case, n=1000, eta=8, gradient=gradient, method="pencil")
    assert rounded.train_error == pytest.approx(float(here.train_error), rel=1e-10)
    assert rounded.train_error_initial == pytest.approx(float(here.train_error_initial), rel=1e-14)


@pytest.mark.checks("train_error", "leave_one_out")
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("activation", ["tanh(x + 1)", "relu"])
@pytest.mark.parametrize("alpha", [0.2, 0.5])
def test_dressed_features_have_it(alpha, activation, gradient):
    """−λ²∂_λ(L_tr/λ) by Richardson's differences of the training loss itself."""
    case, h = problem(activation, SETTING_2), np.array([2e-2, 1e-2])
    ridges = 0.1 * np.concatenate([[1], 1 + h, 1 - h])
    found = tc.step(case, n=1000, alpha=alpha, ridge=ridges, gradient=gradient)
    form = found.train_loss / ridges
    wide, narrow = (form[1:3] - form[3:]) / (2 * 0.1 * h)
    assert found.train_error[0] == pytest.approx(-(0.1**2) * (4 * narrow - wide) / 3, rel=1e-6)
    assert np.all(found.train_error < found.train_loss)
    single = tc.step(case, n=1000, alpha=alpha, ridge=0.1, gradient=gradient)
    assert single.train_error == pytest.approx(found.train_error[0], rel=1e-8)


@pytest.mark.checks("train_error")
def test_no_step_leaves_the_initial_error():
    for method in ("dressed", "pencil"):
        found = tc.step(problem("tanh(x + 1)"), n=1000, eta=0, method=method)
        assert found.train_error == pytest.approx(found.train_error_initial, rel=1e-8)
    assert found.train_error_initial == tc.predict(problem("tanh(x + 1)"), ell=0).train_error  # of the pencil


def test_infinite_losses_at_the_threshold_leave_no_error():
    """N = n, λ = 0: the test loss is infinite, and the fit exact."""
    assert train_error(0.0, math.inf, lambda loss, weight: 0.0 if weight == 0 else loss * weight) == 0
    found = tc.predict(problem(CUBIC, phi=1, psi=1, ridge=0), ell=1)
    assert found.test_loss == math.inf
    assert found.train_error == found.train_error_initial == 0
