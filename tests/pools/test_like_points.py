"""Classes of points: whole matrices against the iteration over all points, and features that saturate."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law, ridge_fit
from theorycalc.pools.feature_losses import equal_points
from theorycalc.pools.leverages import point_losses
from theorycalc.pools.like_points import class_losses, sample_moments


def saturated(points, rng):
    """Features of a network after a large step: nearly one sign each, except for the few points near zero."""
    x = rng.standard_normal((points, 30))
    rest = np.random.default_rng(7).standard_normal((40, 30)) / 6
    features = np.tanh(8 * x[:, :1] * np.linspace(0.5, 1.5, 40) + x @ rest.T)
    return features, np.sign(x[:, 0]) + x[:, 1] / 2 + 0.3 * rng.standard_normal(points)


def plain(F, y, n, ridge):
    """The equations of all points with whole matrices, without classes and without a finite pool."""
    X = np.hstack([F - F.mean(axis=0), np.ones((len(F), 1))])
    y, M = y - y.mean(), len(F)
    penalty = np.append(np.full(F.shape[1], ridge), 0.0)
    weights = np.full(M, 0.5)
    for _ in range(200):
        G = np.linalg.inv((X.T * weights) @ X / M + np.diag(penalty))
        weights = 1 / (1 + np.sum((X @ G) * X, axis=1) / n)
    residuals = (y - X @ (G @ (X.T @ (weights * y)) / M)) ** 2
    variance, seen = np.zeros(M), X @ G
    for _ in range(200):
        spread = (seen.T * (weights**2 * (residuals + variance))) @ seen / M / n
        variance = np.sum((X @ spread) * X, axis=1)
    return float(np.mean(residuals + variance))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "ridge"), [(25, 0.01), (60, 0.001), (60, 0.1), (300, 0.01)])
def test_classes_do_as_all_points(n, ridge):
    F, y = saturated(20_000, np.random.default_rng(0))
    found, alike = tc.features(F, y).losses(n, ridge).test_loss, plain(F, y, n, ridge)
    assert found == pytest.approx(alike, rel=0.03)  # classes are a few per cent wide


@pytest.mark.slow
def test_saturated_features_by_simulation():
    rng = np.random.default_rng(1)
    pool, tested = tc.features(*saturated(16_000, rng)), saturated(20_000, rng)
    places = [(40, 0.001), (40, 0.01), (150, 0.001)]
    off = {"classes": [], "diagonal": [], "equal": []}
    for n, ridge in places:
        losses = []
        for _ in range(150):
            weights, constant = ridge_fit(*saturated(n, rng), ridge)
            losses.append(np.mean((tested[1] - tested[0] @ weights - constant) ** 2))
        mean, error = np.mean(losses), np.std(losses, ddof=1) / np.sqrt(len(losses))
        at = np.array([float(n)]), np.array([ridge])
        predicted = {
            "classes": pool.losses(n, ridge).test_loss,
            "diagonal": point_losses(pool.moments, pool.sample, *at)["test_loss"][0],
            "equal": equal_points(pool.moments, *at)["test_loss"][0],
        }
        for name, value in predicted.items():
            off[name].append((abs(value - mean) - 3 * error) / mean)
    assert max(off["classes"]) < 0.05  # the accuracy that docs/own_features.md promises
    assert max(off["diagonal"]) > max(off["classes"]) + 0.02
    assert max(off["equal"]) > 0.1


def test_gaussian_points_are_almost_equal():
    pool = tc.features(*law(200).draw(3000, np.random.default_rng(1)))
    own = sample_moments(pool.sample, intercept=True)
    found = class_losses(own, pool.sample, 100.0, 0.1)
    for name, values in equal_points(pool.moments, np.array([100.0]), np.array([0.1])).items():
        np.testing.assert_allclose(found[name], values[0], rtol=0.02)
