"""Eigenvalues in the mean over networks whose initial output has a random mean.

See docs/theory/dressed.md#outliers-with-options.

The mean of the initial output of a raw activation differs from network to network, and with it places, overlaps and
the number of outliers.  The i-th largest eigenvalue of a network is its i-th outlier, or, where it has fewer, the edge
of its bulk: that has a mean and a standard deviation over networks.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.systems import Array

_MOST = 0.5  # of networks have an outlier that is listed

BETWEEN = "the initial output has a random mean: places are means over networks, ± the deviation that it causes"


class NetworkOutliers(NamedTuple):
    """Outliers of networks with one mean of their initial output, in falling order, and how many networks have it."""

    weight: float
    places: Array
    overlaps: Array  # outlier × vectors
    edge: float


class MeanOutliers(NamedTuple):
    """Outliers that most networks have: means and deviations of the places, means of the overlaps and of the edge."""

    places: Array
    overlaps: Array
    deviations: Array
    edge: float


def mean_outliers(networks: Sequence[NetworkOutliers]) -> MeanOutliers:
    """Return the outliers in the mean over networks; in those that lack one, its place is the edge of their bulk.

    >>> one = NetworkOutliers(0.75, np.array([3.0]), np.array([[0.8]]), 2.0)
    >>> other = NetworkOutliers(0.25, np.array([]), np.zeros((0, 1)), 2.2)
    >>> found = mean_outliers([one, other])
    >>> found.places, found.overlaps, found.deviations.round(6), found.edge
    (array([2.8]), array([[0.6]]), array([0.34641]), 2.05)
    """
    weights = np.array([one.weight for one in networks])
    weights = weights / weights.sum()
    counts = np.array([len(one.places) for one in networks])
    listed = int(np.sum([weights @ (counts > i) > _MOST for i in range(counts.max(initial=0))]))
    places = np.array([np.append(one.places, [one.edge] * listed)[:listed] for one in networks])
    vectors = max(one.overlaps.shape[1] for one in networks)
    overlaps = np.zeros((len(networks), listed, vectors))
    for i, one in enumerate(networks):
        known = one.overlaps[:listed]
        overlaps[i, : len(known), : known.shape[1]] = known
    mean = weights @ places
    edge = float(weights @ np.array([one.edge for one in networks]))
    return MeanOutliers(mean, np.tensordot(weights, overlaps, 1), np.sqrt(weights @ (places - mean) ** 2), edge)
