"""Points of unequal leverage: heavy-tailed features, where equal leverages are far off, by simulation."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law, ridge_fit
from theorycalc.pools.feature_losses import equal_points
from theorycalc.pools.leverages import class_losses, point_losses, sample_moments, settled

NAMES = ("train_error", "train_loss", "test_loss")
PLACES = [(20, 0.0), (20, 0.1), (60, 0.01), (60, 0.1), (60, 1.0), (300, 0.01)]
LAW = law()


def drawn(points, rng, noisy):
    """Gaussian features times a random size; noise of the same size if it is asked for."""
    size = np.exp(0.6 * rng.standard_normal((points, 1)))
    features = rng.standard_normal((points, 40)) * np.sqrt(LAW.omega) * size
    noise = size[:, 0] if noisy else 1.0
    return features, features @ LAW.beta + noise * rng.standard_normal(points)


@pytest.mark.slow
@pytest.mark.parametrize("noisy", [False, True])
def test_fits_to_heavy_tails(noisy):
    rng = np.random.default_rng(0)
    pool = tc.features(*drawn(60_000, rng, noisy))
    tested = drawn(60_000, rng, noisy)
    worst, equal = [], []
    for n, ridge in PLACES:
        found = []
        for _ in range(200):
            F, y = drawn(n, rng, noisy)
            weights, constant = ridge_fit(F, y, ridge)
            error = np.mean((y - F @ weights - constant) ** 2)
            fresh = np.mean((tested[1] - tested[0] @ weights - constant) ** 2)
            found.append([error, error + ridge * weights @ weights, fresh])
        mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(200)
        one, other = pool.losses(n, ridge), equal_points(pool.moments, np.array([float(n)]), np.array([ridge]))
        surely = 3 * error + 1e-12
        worst.append((abs([getattr(one, name) for name in NAMES] - mean) - surely) / (mean + 1e-12))
        equal.append((abs([other[name][0] for name in NAMES] - mean) - surely) / (mean + 1e-12))
    assert np.max(worst) < 0.05  # the accuracy that docs/own_features.md promises
    assert np.max(equal) > 0.3


def test_gaussian_points_are_almost_equal():
    pool = tc.features(*law(200).draw(3000, np.random.default_rng(1)))
    found = pool.losses([100, 300], [0.01, 0.1])
    n, ridge = np.repeat([100.0, 300.0], 2), np.tile([0.01, 0.1], 2)
    for name, values in equal_points(pool.moments, n, ridge).items():
        np.testing.assert_allclose(np.ravel(getattr(found, name)), values, rtol=0.02)


def test_points_that_dominate_are_named():
    rng = np.random.default_rng(2)
    size = rng.standard_cauchy((300, 1))  # one point has most of the variance
    pool = tc.features(size * rng.standard_normal((300, 20)), rng.standard_normal(300))
    assert "FAILS: the features are not dominated by a few points" in repr(pool)
    assert np.all(np.isfinite(pool.losses([5, 50], [0.0, 1e-3, 1.0]).test_loss))


def test_beyond_the_size_of_the_pool_losses_go_on_continuously():
    pool = tc.features(*drawn(300, np.random.default_rng(3), True))
    before, after = pool.losses(300, [0.0, 0.1]), pool.losses(301, [0.0, 0.1])
    for name in NAMES:
        np.testing.assert_allclose(getattr(after, name), getattr(before, name), rtol=3e-3)
    assert np.all(np.isfinite(pool.losses(10**6, [0.0, 0.1]).test_loss))


def test_iterations_that_do_not_settle_are_refused(monkeypatch):
    monkeypatch.setattr("theorycalc.pools.leverages._MOST_CYCLES", 5)
    with pytest.raises(tc.DomainError, match="do not converge"):
        settled(lambda x: x + 1, np.zeros((2, 1)))


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


def test_classes_of_gaussian_points_are_almost_equal():
    pool = tc.features(*law(200).draw(3000, np.random.default_rng(1)))
    own = sample_moments(pool.sample, intercept=True)
    found = class_losses(own, pool.sample, 100.0, 0.1)
    for name, values in equal_points(pool.moments, np.array([100.0]), np.array([0.1])).items():
        np.testing.assert_allclose(found[name], values[0], rtol=0.02)
