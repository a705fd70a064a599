"""Δ_ℓ and Λ_ℓ: the two forms against each other, the printed special cases, the invariants."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest

import theorycalc as tc
from tests.helpers.agreement import CLOSE
from tests.helpers.problems import problem
from tests.helpers.teachers import sine_teacher
from theorycalc.theory.solver import float_traces
from theorycalc.theory.traces import weights_of


@pytest.mark.checks("weights", "constant_weight", "zeta")
def test_the_test_weight_of_the_rest_is_that_of_the_constant_and_of_the_bulk():
    for ridge in (0.01, 1.0, 30.0):
        weights = weights_of(float_traces(0.5, 2 / 3, ridge, 0.5, 0.3), 0.5, 2 / 3, ridge)
        assert weights.test_constant + weights.test_bulk == pytest.approx(weights.test_rest, rel=1e-14)


def test_a_teacher_without_linear_part_gains_nothing():
    for digits in (None, 30):
        p = tc.predict(problem(teacher=["0", "1"]), ell=4, digits=digits)
        assert p.rho == p.train_gain == p.test_gain == 0
        assert p.train_loss == p.train_loss_initial > 0
        assert [c.holds for c in p.conditions if c.statement == "c_⋆1 ≠ 0"] == [False]


@pytest.mark.checks("ceiling")
def test_a_teacher_that_is_not_a_polynomial():
    """sin: E[σ⋆(Z)σ⋆(Z')] = e^{-1} sinh t, and its Hermite series is the same thing."""
    activation = tc.Activation.from_moments("1/2", "3/10")
    case = problem(activation, sine_teacher())
    ceiling = tc.predict(case, ell="inf", digits=30)
    with mpmath.workdps(40):
        t = mpmath.mpf(ceiling.rho) ** 2
        weight = mpmath.mpf(1) / 10 * (mpmath.mpf(2) / 3) * 2
        series = sum(mpmath.exp(-1) * t**k / mpmath.factorial(k) for k in range(3, 60, 2))
        expected = weight * (mpmath.mpf(ceiling.m2) * mpmath.exp(-1) * t + mpmath.mpf(ceiling.m1) * series)
        assert abs(mpmath.mpf(ceiling.train_gain) / expected - 1) < CLOSE
    rounded = tc.predict(case, ell="inf", noise=[0, 0.5], phi=[[1e-8], [0.5]])
    assert rounded.train_gain[1, 1] == pytest.approx(float(ceiling.train_gain), rel=1e-14)
    exact = tc.predict(case, ell="inf", noise=0, phi=Fraction(1e-8), digits=25)
    assert rounded.test_loss[0, 0] == pytest.approx(float(exact.test_loss), rel=1e-14)
    assert tc.predict(case, ell=5).train_gain < float(ceiling.train_gain)
