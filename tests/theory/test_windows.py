from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc


@pytest.mark.checks("window")
@given(ell=st.integers(1, 10**6), part=st.fractions("1/1000", "999/1000"))
def test_every_inner_point_finds_its_window(ell, part):
    low, high = tc.window_bounds(ell)
    assert tc.window(low + part * (high - low)) == ell


@pytest.mark.checks("window")
@pytest.mark.parametrize("ell", [1, 2, 3, 7, 50])
def test_boundaries_are_refused_and_their_windows_named(ell):
    _, high = tc.window_bounds(ell)
    for alpha in (high, str(high), float(high), np.nextafter(float(high), 1), np.nextafter(float(high), 0)):
        with pytest.raises(tc.DomainError, match=rf"window ℓ = {ell} .*window ℓ = {ell + 1} .*tc.step"):
            tc.window(alpha)


@pytest.mark.checks("window")
def test_a_float_four_ulp_away_is_on_the_boundary():
    for ulps in (-4, -3, 3, 4):
        with pytest.raises(tc.DomainError, match="on the boundary"):
            tc.window(1 / 3 + ulps * np.spacing(1 / 3))


@pytest.mark.checks("window")
def test_a_float_five_ulp_away_is_inside():
    boundary = 1 / 3
    assert tc.window(boundary - 5 * np.spacing(boundary)) == 2
    assert tc.window(boundary + 5 * np.spacing(boundary)) == 3
    assert tc.window("0.3333333333333333333333333333") == 2


@pytest.mark.checks("window")
@pytest.mark.parametrize("alpha", [0, "-1/10", -0.0, "1/2", 0.5, 0.49999999999999994, "0.7"])
def test_outside_the_theorem(alpha):
    with pytest.raises(tc.DomainError, match=r"the theorem needs α .*tc\.step"):
        tc.window(alpha)


@pytest.mark.parametrize("ell", [0, -1, 1.5, True, "2"])
def test_window_bounds_take_whole_numbers(ell):
    with pytest.raises(tc.DomainError, match="as windows are numbered"):
        tc.window_bounds(ell)


@pytest.mark.checks("window")
def test_bounds_are_exact():
    assert [tc.window_bounds(ell) for ell in (1, 2, np.int64(3))] == [
        (Fraction(0), Fraction(1, 4)),
        (Fraction(1, 4), Fraction(1, 3)),
        (Fraction(1, 3), Fraction(3, 8)),
    ]
