"""Known exponents of power laws against the limits, and that a step leaves them as they are."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.covariance import InputLevel, spectrum_of
from theorycalc.theory.exponents import exponent_over_neurons, exponent_over_samples
from theorycalc.theory.spectral_traces import aligned_shares

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
