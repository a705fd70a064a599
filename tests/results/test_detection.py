"""Deviations that draws show, against scipy's distributions and trials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from theorycalc.results.detection import FEWEST_DRAWS, POWER, draws_to_show, thresholds


@pytest.mark.parametrize("draws", [8, 20, 500, None])
@pytest.mark.parametrize("level", [0.01, 0.05])
def test_thresholds_are_those_of_students_t(draws, level):
    law = stats.norm if draws is None else stats.t(draws - 1)
    critical, shows = thresholds(draws, level)
    assert critical == pytest.approx(law.isf(level / 2))
    assert shows == pytest.approx(law.isf(level / 2) + law.isf(1 - POWER))


def test_the_number_is_the_least():
    for deviations in (0.1, 1, 3.5, 40):
        draws = draws_to_show(deviations, 0.01)
        assert thresholds(draws, 0.01)[1] * deviations <= math.sqrt(draws)
        assert draws == FEWEST_DRAWS or thresholds(draws - 1, 0.01)[1] * deviations > math.sqrt(draws - 1)
    many = draws_to_show(1e4, 0.01)  # the normal law
    assert many == pytest.approx((stats.norm.isf(0.005) + stats.norm.isf(0.1)) ** 2 * 1e8, rel=1e-6)


def test_a_difference_shows_nine_times_in_ten():
    """Against theory with so many draws, and between two arms with twice as many of each."""
    rng = np.random.default_rng(0)
    trials, difference = 2000, 0.5
    draws = draws_to_show(1 / difference, 0.01)
    against_theory = stats.ttest_1samp(rng.standard_normal((trials, draws)) + difference, 0, axis=1).pvalue
    first, second = rng.standard_normal((2, trials, 2 * draws))
    between_arms = stats.ttest_ind(first + difference, second, axis=1).pvalue
    for found in (against_theory, between_arms):
        assert (
            abs(np.mean(found < 0.01) - POWER) < 4 * math.sqrt(POWER * (1 - POWER) / trials) + 0.02
        )  # t is a bit wide
