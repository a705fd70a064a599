"""The fields of a pool: slopes and coordinates give back the least squares fit of the sample's points."""

from __future__ import annotations

import numpy as np

import theorycalc as tc
from tests.helpers.pools import law


def test_coordinates_and_slopes_are_those_of_least_squares():
    F, y = law(6).draw(80, np.random.default_rng(0))
    sample = tc.features(F, y).sample
    fitted = sample.coordinates @ sample.slopes[:, 0]
    misfits = np.sort(sample.labels[:, 0] - fitted)
    centred = F - F.mean(axis=0)
    expected = y - y.mean() - centred @ np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    np.testing.assert_allclose(misfits, np.sort(expected), atol=1e-12)
    np.testing.assert_allclose(np.mean(sample.coordinates**2, axis=0), tc.features(F, y).eigenvalues, rtol=1e-9)
