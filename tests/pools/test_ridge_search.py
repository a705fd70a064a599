"""The best ridge of each n is where the test loss is least."""

from __future__ import annotations

import numpy as np

import theorycalc as tc
from tests.helpers.pools import law
from theorycalc.pools.ridge_search import RIDGES_SEARCHED, least_ridge


def test_the_test_loss_is_flat_at_the_best_ridge():
    pool = tc.features(*law(20).draw(400, np.random.default_rng(0)))
    tried = np.mean(pool.eigenvalues) * RIDGES_SEARCHED
    (best,) = least_ridge(pool.moments, pool.sample, np.array([60.0]), tried)
    low, middle, high = pool.losses(60, [best / 1.3, best, best * 1.3]).test_loss
    assert middle < low
    assert middle < high
    assert abs(high - low) / (high + low - 2 * middle) < 0.5  # the parabola's minimum is near the middle
