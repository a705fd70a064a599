"""Real images: ReLU features before and after a large step, against ridge fits to other images.

The images are those of Debian's package dataset-fashion-mnist; without it the test is skipped.
"""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from benchmarks.own_features import IMAGES, pixels_and_classes
from tests.helpers.pools import ridge_fit

SIZES, RIDGES = [50, 200, 1000], [0.01, 0.1, 1.0]
DRAWS = 8


def relu_network(W):
    return lambda x: np.maximum(x @ W, 0)


def measured(F, y, n, ridge, rng):
    points = rng.permutation(len(y))
    train, test = points[:n], points[n : n + 5000]
    weights, constant = ridge_fit(F[train], y[train], ridge)
    return np.mean((y[test] - F[test] @ weights - constant) ** 2)


@pytest.mark.slow
@pytest.mark.skipif(not IMAGES.exists(), reason="needs Debian's package dataset-fashion-mnist")
def test_losses_and_gains_of_real_images():
    """Within 5 % everywhere and 3 % in the median, beyond three standard errors of the measurement."""
    images, classes = pixels_and_classes()
    assert images.shape == (70_000, 784)
    rng = np.random.default_rng(0)
    order = rng.permutation(len(images))[:24_000]
    X, y = (images[order] - images.mean(axis=0)) / 90.0, np.where(classes[order] < 5, -1.0, 1.0)
    taught, pool, rest = slice(0, 4000), slice(4000, 14_000), slice(14_000, None)
    W, a = rng.standard_normal((784, 150)) / 28, rng.choice([-1.0, 1.0], 150) / 150**0.5
    slopes = y[taught, None] * (X[taught] @ W > 0) * a
    networks = [relu_network(W), relu_network(W + X[taught].T @ slopes / 4000)]
    pools = [tc.features(tc.feature_batches(network, X[pool], y[pool])) for network in networks]
    features = [tc.features_of(network, X[rest]) for network in networks]
    seen = np.empty((DRAWS, 2, len(SIZES), len(RIDGES)))
    for draw, i, j in np.ndindex(DRAWS, len(SIZES), len(RIDGES)):
        for k, F in enumerate(features):  # on the same points
            seen[draw, k, i, j] = measured(F, y[rest], SIZES[i], RIDGES[j], np.random.default_rng((draw, i)))
    gain = tc.feature_gain(*pools, SIZES, RIDGES)
    mean, error = seen.mean(axis=0), seen.std(axis=0, ddof=1) / DRAWS**0.5
    predicted, allowed = np.array([gain.test_loss_initial, gain.test_loss]), 0.05 * mean + 3 * error
    off = abs(predicted - mean)
    assert np.median(off / mean) < 0.03
    assert np.all(off < allowed), (off / mean, error / mean)
    assert np.any(abs(predicted[::-1] - mean) > allowed)  # the networks taken for each other are noticed
