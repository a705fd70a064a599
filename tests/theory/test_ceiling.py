"""Infinitely many spikes: shares from the covariance of the teacher."""

from __future__ import annotations

import pytest

from theorycalc.model.spikes import ODD, ONE_AND_EVEN
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.ceiling import shares_from_covariance


@pytest.mark.checks("ceiling")
@pytest.mark.parametrize("mean", [0, 3])
@pytest.mark.parametrize("spikes", [ODD, ONE_AND_EVEN], ids=["odd", "1+even"])
def test_shares_of_one_parity_by_hand(spikes, mean):
    """t²/2 and t³ are 1/8 each at t = 1/2, and the square of the mean is no share of anything."""
    share = shares_from_covariance(FLOATS, lambda ns, t: mean**2 + t + t**2 / 2 + t**3, 1.0, 0.5, 0.5, spikes)
    assert share.explained == pytest.approx(0.125)
    assert share.left == pytest.approx(1 + 0.5 - 0.125)
