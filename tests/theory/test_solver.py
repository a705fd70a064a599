"""The roots of the balances, in floats and in balls."""

from __future__ import annotations

from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.theory.test_spectral_traces import drawn
from theorycalc.model.inputs import ball_levels, read_inputs
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.numbers.systems import BALLS, FLOATS
from theorycalc.theory.covariance import InputLevel, InputSpectrum, spectrum_of
from theorycalc.theory.solver import (
    ball_traces,
    enclose_root,
    enclose_spectral,
    float_traces,
    solve_balance,
    until_proven,
)
from theorycalc.theory.traces import Balance, balance_of, start


@given(seed=st.integers(0, 10**6))
def test_the_start_is_an_upper_bound_near_the_root(seed):
    """Newton's method is monotone only from above: the start must never be below the root."""
    rng = np.random.default_rng(seed)
    phi, psi, ridge = 10 ** rng.uniform(-20, 20, (3, 4000))
    c1, c_rest = 10 ** rng.uniform(-20, 20, (2, 4000))
    psi[::7] = phi[::7]
    c_rest[::5] = 0
    equation = balance_of(FLOATS, phi, psi, ridge, c1, c_rest)
    ratio = start(FLOATS, equation) / solve_balance(FLOATS, equation)
    assert ratio.min() > 1 - 1e-12
    assert ratio.max() < 3


def test_extremes_beyond_float64():
    """λ = 10^-1000: proven digits where floats have no numbers."""
    result = tc.traces(phi="1/2", psi="2/3", ridge="1e-1000", c1="1/2", c_rest="3/10", digits=20)
    with mpmath.workdps(30):
        # N < n: p → 1 − φ/ψ = 1/4, so m_1 → (1/4)(3/4)·10^1000
        assert abs(result.m1 / mpmath.mpf("0.1875e1000") - 1) < mpmath.mpf("1e-19")


def test_a_ball_too_wide_proves_nothing():
    """Coefficients that are hardly known give no enclosure, rather than a wrong one."""
    with ball_precision(100):
        wide = [flint.arb(x, 0.4) for x in (0.5, 0.75, 0.5, 0.5, 2.0, 2.0)]
        assert enclose_root(Balance(*wide, True), 100).is_nan()
        narrow = [flint.arb(x) for x in (0.5, 0.75, 0.5, 0.5, 2.0, 2.0)]
        assert enclose_root(Balance(*narrow, True), 100).rel_accuracy_bits() > 80


def test_only_true_infinities_are_exact():
    with ball_precision(60):
        with pytest.raises(tc.PrecisionError, match="could not be proven"):
            until_proven(lambda bits: [flint.arb(0, flint.arb.pos_inf())], 10)
        assert not until_proven(lambda bits: [flint.arb.neg_inf()], 10)[0].is_finite()


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


def test_a_ball_too_wide_proves_nothing_with_a_covariance():
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
