"""Sizes or ratios of a problem, and those that contradict each other."""

from __future__ import annotations

from fractions import Fraction

import pytest

import theorycalc as tc
from theorycalc.model.ratios import read_ratios, read_sizes, read_step_samples

SIZES = {"n": 900, "d": 300, "N": 600}


def test_ratios_are_those_of_the_sizes():
    assert read_ratios("1/3", 0.5, SIZES) == {"phi": Fraction(1, 3), "psi": Fraction(1, 2)}
    with pytest.raises(tc.ArgumentError, match="contradicts the sizes") as caught:
        read_ratios("1/2", None, SIZES)
    assert caught.value.argument == "phi"


def test_sizes_come_together():
    with pytest.raises(tc.ArgumentError, match="d= and N=") as caught:
        read_sizes(900, None, None)
    assert caught.value.argument == "d"
    with pytest.raises(tc.ArgumentError, match="needs the ratios") as caught:
        read_ratios("1/2", None, {})
    assert caught.value.argument == "psi"


def test_a_batch_is_a_number_of_points_or_a_share():
    assert read_step_samples(None, SIZES) is None
    assert read_step_samples(300, SIZES) == 300
    assert read_step_samples("1/3", {}) == Fraction(1, 3)
    with pytest.raises(tc.TheoryError, match="positive whole number"):
        read_step_samples("1/3", SIZES)
