"""The gradient against finite differences, and the features against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.errors import DomainError
from theorycalc.model.requirements import functions_of
from theorycalc.simulation.network import Ladder, SpikeTerms, descended, features, loss_gradient

SMOOTH = functions_of(tc.Problem("tanh(x + 1)", ["1", "1/2"], "1/2", "2/3", "1/10"))


@pytest.fixture
def batch():
    rng = np.random.default_rng(0)
    n, d, N = 30, 6, 8
    W = rng.standard_normal((N, d)) / np.sqrt(d)
    return rng.standard_normal((n, d)), rng.standard_normal(n), W, rng.standard_normal(N) / np.sqrt(N)


def loss(X, y, W, a):
    return np.sum((y - SMOOTH.activation(X @ W.T) @ a) ** 2) / (2 * len(y))


def differences(X, y, W, a, h=1e-5):
    """∂L/∂W entry by entry."""
    result = np.zeros_like(W)
    for place in np.ndindex(W.shape):
        shift = np.zeros_like(W)
        shift[place] = h
        result[place] = (loss(X, y, W + shift, a) - loss(X, y, W - shift, a)) / (2 * h)
    return result


def test_the_gradient_is_that_of_the_loss(batch):
    X, y, W, a = batch
    found = loss_gradient(X, y, W, a, SMOOTH)
    np.testing.assert_allclose(found.weights, differences(X, y, W, a), atol=1e-9)
    assert np.abs(found.weights).max() > 1e-2  # a wrong sign would be noticed
    residual = y - SMOOTH.activation(X @ W.T) @ a
    np.testing.assert_allclose(found.direction, X.T @ residual / len(y), atol=1e-14)


def test_labels_alone_are_the_gradient_where_the_output_is_small(batch):
    """On the labels alone the gradient is the derivative at a → 0, times a."""
    X, y, W, a = batch
    found = loss_gradient(X, y, W, a, SMOOTH, gradient="labels")
    small = 1e-6
    np.testing.assert_allclose(found.weights * small, differences(X, y, W, small * a, h=1e-3), atol=1e-11)
    np.testing.assert_allclose(found.direction, X.T @ y / len(y), atol=1e-14)


def test_a_step_goes_down_the_gradient(batch):
    X, y, W, a = batch
    gradient = loss_gradient(X, y, W, a, SMOOTH).weights
    np.testing.assert_array_equal(descended(W, gradient, 0.5), W - 0.5 * gradient)
    np.testing.assert_array_equal(descended(W, gradient, 0.0), W)
    assert loss(X, y, descended(W, gradient, 0.5), a) < loss(X, y, W, a)


def test_float32_products_are_close_but_not_the_same(batch):
    X, y, W, a = batch
    exact = loss_gradient(X, y, W, a, SMOOTH).weights
    rough = loss_gradient(X, y, W, a, SMOOTH, precision="float32").weights
    assert rough.dtype == np.float64
    assert 0 < np.abs(rough - exact).max() < 1e-6
    error = features(X, W, SMOOTH.activation, "float32") - features(X, W, SMOOTH.activation)
    assert 0 < np.abs(error).max() < 1e-6


def test_overflowing_step_is_refused(batch):
    X, y, W, a = batch
    with pytest.raises(DomainError, match="eta=1e\\+308 is too large"):
        descended(W, loss_gradient(X, 1e10 * y, W, a, SMOOTH).weights, 1e308)


def test_ladder_is_its_formula(batch):
    X, _, W, a = batch
    strengths, beta = np.array([0.5, -2.0, 0.25]), np.linspace(-1, 1, 6)
    stepped = W + 0.1
    ladder = Ladder(W, SMOOTH.activation, "float64", 0.6, 0.3, stepped, SpikeTerms(strengths, beta, a))
    initial = np.tanh(X @ W.T + 1) - float(tc.activation("tanh(x + 1)").mean)
    spikes = sum(s * np.outer((X @ beta) ** k, a**k) for k, s in enumerate(strengths, start=1))
    Z = np.random.default_rng(1).standard_normal((len(X), len(W)))
    bulk = 0.6 * X @ W.T + 0.3 * Z
    expected = {
        "initial": initial,
        "spiked": initial + spikes,
        "gaussian_initial": bulk,
        "gaussian": bulk + spikes,
        "network": np.tanh(X @ stepped.T + 1) - float(tc.activation("tanh(x + 1)").mean),
    }
    for kind, F in expected.items():
        np.testing.assert_allclose(ladder.features(kind, X, np.random.default_rng(1)), F, atol=1e-13)


def test_gaussian_bulk_has_the_variance_of_the_activation():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((2000, 50))
    W = rng.standard_normal((20, 50))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    bulk = Ladder(W, SMOOTH.activation, "float64", 0.6, 0.5).features("gaussian_initial", X, rng)
    assert abs(np.mean(bulk**2) - (0.36 + 0.25)) < 4 * 0.61 * np.sqrt(2 / 2000)
