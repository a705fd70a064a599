"""The ridge path against direct solves, one λ at a time."""

from __future__ import annotations

import numpy as np
import pytest

from theorycalc.errors import DomainError
from theorycalc.simulation import ridge
from theorycalc.simulation.ridge import TOLERANCE, intercept_path, ridge_path

PATH = (0.003, 0.01, 0.1, 1.0, 30.0)
SHAPES = ((60, 35), (35, 60), (40, 40), (30, 1), (1, 30))


def matrices(n, N, seed=0):
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, N)) + 3 * np.outer(rng.standard_normal(n), rng.standard_normal(N)), rng.normal(
        size=n
    )


def direct(F, y, lam):
    """â by solving the normal equations."""
    n, N = F.shape
    return np.linalg.solve(F.T @ F + lam * n * np.eye(N), F.T @ y)


@pytest.mark.parametrize("shape", SHAPES)
def test_path_is_the_direct_solution(shape):
    F, y = matrices(*shape)
    fit = ridge_path(F, y, PATH)
    assert (fit.method, fit.fallback) == ("lanczos", None)
    for j, lam in enumerate(PATH):
        error = np.linalg.norm(F @ (fit.weights[:, j] - direct(F, y, lam))) / np.linalg.norm(y)
        assert error <= TOLERANCE  # as the module states


@pytest.mark.parametrize("shape", SHAPES)
def test_train_loss_is_the_quadratic_form(shape):
    """L_tr = λ ỹᵀ(FFᵀ + λnI)⁻¹ỹ."""
    F, y = matrices(*shape)
    n = len(y)
    expected = [lam * y @ np.linalg.solve(F @ F.T + lam * n * np.eye(n), y) for lam in PATH]
    np.testing.assert_allclose(ridge_path(F, y, PATH).train_losses, expected, rtol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_train_error_is_the_misfit_and_a_derivative(shape):
    """(1/n)‖ỹ − Fâ‖² = −λ² ∂_λ (ỹᵀRỹ) = λ² n ỹᵀR²ỹ with R = (FFᵀ + λnI)⁻¹."""
    F, y = matrices(*shape)
    n = len(y)
    fit = ridge_path(F, y, PATH)
    for j, lam in enumerate(PATH):
        solved = np.linalg.solve(F @ F.T + lam * n * np.eye(n), y)
        assert fit.train_errors[j] == pytest.approx(lam**2 * n * solved @ solved, rel=1e-8)
        assert fit.train_errors[j] == pytest.approx(np.mean((y - F @ direct(F, y, lam)) ** 2), rel=1e-8)
        assert fit.train_errors[j] < fit.train_losses[j]


def test_order_of_the_path_does_not_matter():
    F, y = matrices(50, 30)
    forward, backward = ridge_path(F, y, PATH), ridge_path(F, y, PATH[::-1])
    np.testing.assert_array_equal(forward.train_losses, backward.train_losses[::-1])


@pytest.mark.parametrize("shape", [(60, 35), (35, 60)])
def test_ridge_zero_is_least_squares_of_least_norm(shape):
    F, y = matrices(*shape)
    fit = ridge_path(F, y, (0.0, 1.0))
    expected = np.linalg.lstsq(F, y, rcond=None)[0]
    np.testing.assert_allclose(fit.weights[:, 0], expected, atol=1e-8)


def test_singular_features_fall_back_and_say_so():
    """A square matrix with singular values down to 1e-9: Lanczos cannot have it, the SVD has."""
    rng = np.random.default_rng(3)
    left, right = (np.linalg.qr(rng.standard_normal((80, 80)))[0] for _ in range(2))
    values = np.geomspace(1, 1e-9, 80)
    F, y = left * values @ right.T, rng.standard_normal(80)
    fit = ridge_path(F, y, (1e-14, 1e-3))
    assert fit.method == "svd"
    assert "may be wrong by" in str(fit.fallback)
    shrunk = values[:, None] / (values[:, None] ** 2 + 80 * np.array([1e-14, 1e-3]))
    expected = right @ (shrunk * (left.T @ y)[:, None])
    np.testing.assert_allclose(F @ fit.weights, F @ expected, atol=1e-12)


def test_budget_that_is_too_small_falls_back(monkeypatch):
    monkeypatch.setattr(ridge, "MOST_ITERATIONS", 5)
    F, y = matrices(60, 35)
    fit = ridge_path(F, y, PATH)
    assert fit.method == "svd"
    assert "after 5 Lanczos iterations" in str(fit.fallback)
    for j, lam in enumerate(PATH):
        np.testing.assert_allclose(fit.weights[:, j], direct(F, y, lam), atol=1e-10)


def test_zero_labels_and_zero_features():
    F, _ = matrices(20, 10)
    silent = ridge_path(F, np.zeros(20), PATH)
    assert not silent.train_losses.any()
    assert not silent.train_errors.any()
    y = np.ones(20)
    fit = ridge_path(0 * F, y, (0.0, 1.0))
    np.testing.assert_array_equal(fit.train_losses, [1.0, 1.0])
    np.testing.assert_array_equal(fit.train_errors, [1.0, 1.0])


@pytest.mark.parametrize("size", [1e200, np.inf, np.nan])
def test_overflow_is_an_error_not_a_nan(size):
    F, y = matrices(20, 10)
    with pytest.raises(DomainError, match="overflow"):
        ridge_path(F * size, y, PATH)


@pytest.mark.parametrize("shape", SHAPES)
def test_an_intercept_is_a_feature_without_a_penalty(shape):
    F, y = matrices(*shape)
    F, y = F + 5.0, y + 3.0
    fit = intercept_path(F, y, PATH)
    n, N = shape
    for j, lam in enumerate(PATH):
        penalty = lam * np.diag([*np.ones(N), 0.0])
        G = np.column_stack([F, np.ones(n)])
        *head, constant = np.linalg.solve(G.T @ G / n + penalty, G.T @ y / n)
        np.testing.assert_allclose(fit.predictions(F)[:, j], F @ head + constant, rtol=1e-8)
        misfit = np.mean((y - F @ head - constant) ** 2)
        assert fit.train_losses[j] == pytest.approx(misfit + lam * np.dot(head, head), rel=1e-8, abs=1e-12)
        assert np.mean(y - fit.predictions(F)[:, j]) == pytest.approx(0, abs=1e-12)  # and so the constant is best
