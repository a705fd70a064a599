"""Steps of spectra: which arguments ask for one, and the words that spectra share."""

from __future__ import annotations

import pytest

import theorycalc as tc
from theorycalc.model.sizes import Sizes
from theorycalc.results.spectrum_steps import between_networks, has_step, sized_step

RATIOS = tc.Problem("relu", "H1", "1/2", "1/2", 1)
SIZED = tc.Problem("relu", "H1", n=100, d=50, N=80, ridge=1)


def test_a_step_is_asked_for_by_sizes_and_its_size():
    assert has_step(RATIOS, 100, {"eta": None})
    assert has_step(SIZED, None, {"eta": 1})
    assert not has_step(SIZED, None, {"eta": None, "alpha": None})
    for name in ("eta", "d", "powers"):
        with pytest.raises(tc.TheoryError, match="which needs n") as caught:
            has_step(RATIOS, None, {name: 1})
        assert caught.value.argument == name


def test_a_step_of_one_sample_has_no_exponent():
    with pytest.raises(tc.TheoryError, match="n=1"):
        sized_step(RATIOS, Sizes(1, 1, 1), None, 1, "labels")


def test_deviations_have_two_digits():
    assert between_networks(0.123456) == "± 0.12 between networks; "
