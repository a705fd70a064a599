"""Eigenvalues in the mean over networks, of a few numbers."""

from __future__ import annotations

import numpy as np
import pytest

from theorycalc.theory.over_networks import NetworkOutliers, mean_outliers


def network(weight, places, edge):
    return NetworkOutliers(weight, np.array(places, dtype=float), np.full((len(places), 1), 0.5), edge)


def test_a_value_that_few_networks_have_is_not_listed():
    found = mean_outliers([network(0.6, [4], 2), network(0.4, [5, 3], 2)])
    assert found.places == pytest.approx([4.4])
    assert found.deviations == pytest.approx([np.sqrt(0.24)])
    most = mean_outliers([network(0.4, [4], 2), network(0.6, [5, 3], 2.5)])
    assert most.places == pytest.approx([4.6, 0.4 * 2 + 0.6 * 3])
    assert most.overlaps == pytest.approx(np.array([[0.5], [0.3]]))
    assert most.edge == pytest.approx(2.3)
    none = mean_outliers([network(1, [], 2)])
    assert (len(none.places), none.edge) == (0, 2)
