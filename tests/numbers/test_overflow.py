"""Numbers beyond float64 are one error of ours, about the most extreme argument."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.overflow import most_extreme, within_float64


@pytest.mark.parametrize(
    "compute",
    [
        lambda: 1e200**2,
        lambda: 1 / (1e-200 * 1e-200),
        lambda: math.exp(1000),
        lambda: float(10**400),
        lambda: np.float64(1e200) * np.ones(2) * 1e200,
        lambda: np.ones(2) / np.zeros(2),
        lambda: np.array(np.inf) - np.array(np.inf),
        lambda: np.linalg.inv(np.zeros((2, 2))),
    ],
)
def test_a_number_beyond_float64_is_an_error_of_ours(compute):
    with pytest.raises(tc.PrecisionError, match=r"(beyond float64|rounding leaves no digits).*; take less extreme"):
        checked_call(compute)()


def test_expected_infinities_and_errors_of_ours_are_left_alone():
    with within_float64(dict), np.errstate(divide="ignore"):
        assert 1 / np.zeros(1) == np.inf
    with pytest.raises(tc.PrecisionError, match=r"^too few digits$"), within_float64(dict):
        raise tc.PrecisionError("too few digits")  # which is an ArithmeticError, too


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"phi": "1/2", "noise": 1e-12, "n": 10**400}, "n"),
        ({"phi": Fraction(1, 10**30), "n": 10**9}, "phi"),
        ({"phi": 0, "ridge": [1e300], "activation": "1e300*x", "noise": True, "eta": "1e3"}, None),
        ({}, None),
    ],
)
def test_the_most_extreme_number(arguments, name):
    assert most_extreme(arguments) == name


def test_the_error_shows_the_number_and_not_all_of_its_digits():
    @checked_call
    def root(n):
        return math.sqrt(float(n))

    with pytest.raises(tc.PrecisionError, match=r"take less extreme numbers than n=10{37}…$") as caught:
        root(10**400)
    assert caught.value.argument == "n"
