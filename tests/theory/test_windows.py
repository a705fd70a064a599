"""The windows of α, and known exponents of power laws against the limits."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.theory.covariance import InputLevel, spectrum_of
from theorycalc.theory.spectral_traces import aligned_shares
from theorycalc.theory.windows import exponent_over_neurons, exponent_over_samples


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


SIZES = {"n": 10**9, "d": 8000, "N": 10**9, "ridge": "1e-18", "first_layer": "gaussian"}


def nearest_half(exponent: float) -> float:
    """Return the multiple of 1/2 next to an exponent: those known here are such multiples, and so are wrong ones."""
    return round(2 * exponent) / 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("over", "b", "exponent"),
    [
        *(("n", b, exponent_over_samples) for b in (1.5, 2, 3, 6)),
        *(("N", b, exponent_over_neurons) for b in (1.5, 2, 6)),
    ],
)
def test_local_exponents_tend_to_the_known_ones(over, b, exponent):
    problem = tc.Problem("x", "H1", **SIZES, inputs=tc.Inputs.power_law("3/2", b))
    local = tc.scaling_law(problem, over, [48, 96, 192]).exponent[1]
    assert nearest_half(local) == exponent(1.5, b)


@pytest.mark.parametrize(("a", "b"), [(1.5, 2.0), (1.5, 4.0)])
def test_the_step_leaves_the_exponent(a, b):
    # what the step leaves of a linear teacher, without noise in its direction; x grows as the size to the power a
    places = np.arange(1, 200_001)
    tau, share = places**-a, places**-b / np.sum(places**-b)
    levels = zip(tau / np.mean(tau), np.full(len(tau), 1 / len(tau)), share, strict=True)
    spectrum = spectrum_of([InputLevel(*level) for level in levels])

    def left(load):
        kept = spectrum.teacher_mean(lambda one: 1 / (1 + load * one))
        return float(kept * aligned_shares(spectrum, load, 1.0, 1.0, 0.0, 0.0).train_left)

    assert nearest_half(a * np.log10(left(1e-2) / left(1e-1))) == min(b - 1, a)
