"""Points of unequal leverage: heavy-tailed features, where equal leverages are far off, by simulation."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law, ridge_fit
from theorycalc.pools.feature_losses import equal_points
from theorycalc.pools.leverages import settled

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
    assert "FAILS: no few points dominate the features" in repr(pool)
    assert np.all(np.isfinite(pool.losses([5, 50], [0.0, 1e-3, 1.0]).test_loss))


def test_beyond_the_size_of_the_pool_losses_go_on_continuously():
    pool = tc.features(*drawn(300, np.random.default_rng(3), True))
    before, after = pool.losses(300, [0.0, 0.1]), pool.losses(301, [0.0, 0.1])
    for name in NAMES:
        np.testing.assert_allclose(getattr(after, name), getattr(before, name), rtol=3e-3)
    assert np.all(np.isfinite(pool.losses(10**6, [0.0, 0.1]).test_loss))


def test_iterations_that_do_not_settle_are_refused(monkeypatch):
    monkeypatch.setattr("theorycalc.pools.leverages._MOST_CYCLES", 5)
    with pytest.raises(tc.DomainError, match="do not settle"):
        settled(lambda x: x + 1, np.zeros((2, 1)))
