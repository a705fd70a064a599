"""The spectrum of the inputs in one number system, and its moments."""

from __future__ import annotations

import numpy as np
import pytest

from theorycalc.model.inputs import ball_levels, read_inputs
from theorycalc.numbers.balls import ball_precision
from theorycalc.theory import covariance
from theorycalc.theory.covariance import ISOTROPIC, InputLevel, input_moments, spectrum_of

LEVELS = [InputLevel(2.0, 0.25, 0.5), InputLevel(2 / 3, 0.75, 0.5)]


def test_means_are_those_of_each_point():
    spectrum, points = spectrum_of(LEVELS), np.array([[0.5, 1.0, 3.0]])
    found = spectrum.mean(lambda tau: 1 / (1 + tau * points), points)
    wanted = [[sum(one.weight / (1 + one.eigenvalue * x) for one in LEVELS) for x in points[0]]]
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_many_points_are_taken_in_blocks(monkeypatch):
    spectrum, points = spectrum_of(LEVELS), np.linspace(0, 3, 7)
    whole = spectrum.teacher_mean(lambda tau: np.exp(-tau * points), points)
    monkeypatch.setattr(covariance, "_AT_ONCE", 7)
    np.testing.assert_allclose(spectrum.teacher_mean(lambda tau: np.exp(-tau * points), points), whole, rtol=1e-15)


@pytest.mark.checks("inputs_direction")
def test_moments_in_balls_and_floats_agree():
    floats = input_moments(LEVELS)
    with ball_precision(100):
        exact = input_moments([InputLevel(*level) for level in ball_levels(read_inputs("two_level(3, 1/4, 1/2)"))])
    assert floats == pytest.approx([float(value) for value in exact], rel=1e-15)
    assert floats.aligned**2 + floats.across == pytest.approx(0.5 * 4 + 0.5 * 4 / 9)
    assert floats.spread + 1 == pytest.approx(floats.square) == pytest.approx(0.25 * 4 + 0.75 * 4 / 9)


def test_no_levels_are_the_identity():
    assert input_moments([]) == ISOTROPIC == input_moments([InputLevel(1.0, 1.0, 1.0)])
