"""The ridge of least test loss for each number of points."""

from __future__ import annotations

import numpy as np

from theorycalc.numbers.exact import Floats
from theorycalc.pools.feature_losses import computed, equal_points, unequal_points
from theorycalc.pools.leverages import PoolSample
from theorycalc.pools.penalties import PoolMoments

RIDGES_SEARCHED = 10.0 ** np.arange(-10, 6.25, 0.5)  # times the mean eigenvalue
_WIDTHS = (0.6, 0.3, 0.1)  # in log λ, of the parabolas that find the best


def least_ridge(pool: PoolMoments, sample: PoolSample, n: Floats, tried: Floats) -> Floats:
    """Return the λ of least test loss for each n.

    It is first sought among those tried as if all points had the same leverage, and then made better by three points
    around it, the last time with whole matrices, which cost most.
    """
    grid = np.broadcast_to(tried, (len(n), len(tried)))
    first = np.argmin(equal_points(pool, np.broadcast_to(n[:, None], grid.shape), grid)["test_loss"], axis=1)
    inside = np.flatnonzero((first > 0) & (first < len(tried) - 1))
    place = np.log(tried[first[inside]])
    for width in _WIDTHS if len(inside) else ():
        around = place[:, None] + width * np.arange(-1, 2)
        at = np.repeat(n[inside], 3), np.exp(np.ravel(around))
        found = computed(pool, sample, *at) if width == _WIDTHS[-1] else unequal_points(pool, sample, *at)
        low, middle, high = found["test_loss"].reshape(around.shape).T
        bend = np.maximum(low - 2 * middle + high, 1e-300)
        place = place + width * np.clip((low - high) / (2 * bend), -2.0, 2.0)
    best: Floats = tried[first]
    best[inside] = np.exp(place)
    return best
