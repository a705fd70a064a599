"""The root of the balance, in floats and in balls."""

from __future__ import annotations

import flint
import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.numbers.balls import ball_precision
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.solver import enclose_root, solve_floats, until_proven
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
    ratio = start(FLOATS, equation) / solve_floats(equation)
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
