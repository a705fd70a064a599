"""The gradient step against finite differences, and the features against their formulas."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.errors import DomainError
from theorycalc.simulation.equivalents import Ladder, Spikes, gaussian_bulk
from theorycalc.simulation.network import features, gradient_steps
from theorycalc.theory.functions import functions_of

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


def test_step_follows_the_gradient_of_the_loss(batch):
    X, y, W, a = batch
    eta = 0.7
    taken = gradient_steps(X, y, W, a, SMOOTH, eta)
    expected = W - eta * differences(X, y, W, a)
    np.testing.assert_allclose(taken.weights, expected, atol=1e-9)
    uphill = W + eta * differences(X, y, W, a)
    assert np.abs(taken.weights - uphill).max() > 1e-2  # a wrong sign would be noticed
    residual = y - SMOOTH.activation(X @ W.T) @ a
    np.testing.assert_allclose(taken.direction, X.T @ residual / len(y), atol=1e-14)


def test_labels_alone_are_the_gradient_where_the_output_is_small(batch):
    """With the initial output neglected the step is the derivative at a → 0, times a."""
    X, y, W, a = batch
    taken = gradient_steps(X, y, W, a, SMOOTH, 1.0, initial_output="neglected")
    small = 1e-6
    np.testing.assert_allclose((taken.weights - W) * small, -differences(X, y, W, small * a, h=1e-3), atol=1e-11)
    np.testing.assert_allclose(taken.direction, X.T @ y / len(y), atol=1e-14)


def test_several_steps_are_single_steps_repeated(batch):
    X, y, W, a = batch
    once = gradient_steps(X, y, W, a, SMOOTH, 0.5)
    twice = gradient_steps(X, y, once.weights, a, SMOOTH, 0.5)
    both = gradient_steps(X, y, W, a, SMOOTH, 0.5, steps=2)
    np.testing.assert_array_equal(both.weights, twice.weights)
    np.testing.assert_array_equal(both.direction, once.direction)


def test_float32_products_are_close_but_not_the_same(batch):
    X, y, W, a = batch
    exact = gradient_steps(X, y, W, a, SMOOTH, 0.5).weights
    rough = gradient_steps(X, y, W, a, SMOOTH, 0.5, precision="float32").weights
    assert rough.dtype == np.float64
    assert 0 < np.abs(rough - exact).max() < 1e-6
    error = features(X, W, SMOOTH.activation, "float32") - features(X, W, SMOOTH.activation)
    assert 0 < np.abs(error).max() < 1e-6


def test_overflowing_step_is_refused(batch):
    X, y, W, a = batch
    with pytest.raises(DomainError, match="eta=1e\\+308 is too large"):
        gradient_steps(X, 1e10 * y, W, a, SMOOTH, 1e308)


def test_ladder_is_its_formula(batch):
    X, _, W, a = batch
    strengths, beta = np.array([0.5, -2.0, 0.25]), np.linspace(-1, 1, 6)
    stepped = W + 0.1
    ladder = Ladder(
        ("network", "spiked", "gaussian"),
        W,
        stepped,
        SMOOTH.activation,
        "float64",
        Spikes(strengths, beta, a),
        0.6,
        0.3,
    )
    found = {name: F.copy() for name, F in ladder.features(X, np.random.default_rng(1))}
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
    assert list(found) == list(expected)
    for name, F in expected.items():
        np.testing.assert_allclose(found[name], F, atol=1e-13)


def test_gaussian_bulk_has_the_variance_of_the_activation():
    rng = np.random.default_rng(2)
    X = rng.standard_normal((2000, 50))
    W = rng.standard_normal((20, 50))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    bulk = gaussian_bulk(X, W, 0.6, 0.5, rng)
    assert abs(np.mean(bulk**2) - (0.36 + 0.25)) < 4 * 0.61 * np.sqrt(2 / 2000)
