"""Levels of power laws: in float64 and as balls."""

from __future__ import annotations

import numpy as np
import pytest

from theorycalc.model.inputs import ball_levels, read_inputs
from theorycalc.numbers.balls import ball_precision


@pytest.mark.parametrize("text", ["power(1/3, 2, 12)", "power(2, -1, 12)", "power(1/2)"])
def test_a_power_law_follows_its_exponents(text):
    found = read_inputs(text, 12)
    places = np.arange(1, 13.0)
    a, b = map(float, found.law)
    eigenvalues, shares = (np.array([getattr(one, name) for one in found.levels]) for name in ("eigenvalue", "share"))
    assert eigenvalues == pytest.approx(places**-a / np.mean(places**-a), rel=1e-13)
    assert shares == pytest.approx(places**-b / np.sum(places**-b), rel=1e-13)
    with ball_precision(200):
        balls = ball_levels(found)
        assert all(one.rel_accuracy_bits() > 180 for level in balls for one in level)
    floats = np.array([[float(value) for value in level] for level in found.levels])
    assert np.array([[float(value) for value in level] for level in balls]) == pytest.approx(floats, rel=1e-13)
