"""The solution for inputs with a covariance: float64 against balls, and what balls prove."""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np
import pytest

from tests.theory.test_spectral_traces import drawn
from theorycalc.model.inputs import ball_levels, read_inputs
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.numbers.systems import BALLS
from theorycalc.theory.covariance import InputLevel, InputSpectrum, spectrum_of
from theorycalc.theory.solver import ball_traces, float_traces
from theorycalc.theory.spectral_solver import enclose_spectral
from theorycalc.theory.traces import balance_of

SIZES = Fraction(1, 2), Fraction(2, 3), Fraction(1, 10)
MOMENTS = Fraction(1, 2), Fraction(3, 10)


def in_balls(spectrum: InputSpectrum) -> InputSpectrum:
    return InputSpectrum(
        *(np.array([ball(float(x)) for x in column], dtype=object) for column in vars(spectrum).values())
    )


@pytest.mark.parametrize("seed", range(3))
def test_floats_are_as_good_as_their_type(seed):
    spectrum, sizes, moments = drawn(seed, 4, points=12)
    floats = np.array(float_traces(*sizes, *moments, spectrum))
    with ball_precision(300):
        for point, size in enumerate(sizes.T):
            exact = ball_traces(list(map(float, size)), *map(ball, moments), 300, in_balls(spectrum))
            assert all(value.rel_accuracy_bits() > 150 for value in exact)
            assert floats[:, point] == pytest.approx([float(value.mid()) for value in exact], rel=2e-13)


@pytest.mark.parametrize("bits", [120, 1000])
def test_one_level_has_the_digits_of_section_three(bits):
    with ball_precision(bits):
        one = InputSpectrum(*np.full((3, 1), ball(Fraction(1)), dtype=object))
        found = ball_traces(SIZES, *map(ball, MOMENTS), bits, one)
        wanted = ball_traces(SIZES, *map(ball, MOMENTS), bits)
        for this, other in zip(found, wanted, strict=True):
            assert this.overlaps(other)
            assert this.rel_accuracy_bits() > bits - 40


def test_sizes_beyond_float64():
    """λ = 10^-300: for N < n, p → 1 − φ/ψ, so m_1 → (1/4)(3/4)/λ."""
    tiny = Fraction(1, 10**300)
    with ball_precision(2200):
        levels = spectrum_of([InputLevel(*one) for one in ball_levels(read_inputs("two_level(9, 1/4)"))])
        found = ball_traces((*SIZES[:2], tiny), *map(ball, MOMENTS), 2200, levels)
        assert abs(found.m1 * ball(tiny) - ball(Fraction(3, 16))) < 1e-100


def test_a_ball_too_wide_proves_nothing():
    with ball_precision(100):
        levels = spectrum_of([InputLevel(*one) for one in ball_levels(read_inputs("two_level(9, 1/4)"))])
        wide = balance_of(BALLS, *map(ball, (*SIZES, *MOMENTS)))._replace(b=flint.arb(2, 1))
        assert not enclose_spectral(wide, levels, 100).is_finite()


def test_small_eigenvalues_that_decide_are_reached():
    """Almost all of a linear network's inputs hardly vary: Newton's method doubles its way to them."""
    levels = InputSpectrum(np.array([1e9, 1e-9]), np.array([1e-9, 1 - 1e-9]), np.array([0.5, 0.5]))
    found = float_traces(2.0, 1.0, 1e-12, 1.0, 1e-12, levels)
    with ball_precision(300):
        exact = ball_traces((2.0, 1.0, 1e-12), ball(1.0), ball(1e-12), 300, in_balls(levels))
    assert found.m1 == pytest.approx(float(exact.m1), rel=1e-12)
