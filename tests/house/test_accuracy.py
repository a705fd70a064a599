"""float64 against proven values at the same binary inputs: the claim is 1e-14 on every output."""

from __future__ import annotations

import warnings
from fractions import Fraction

import flint
import numpy as np
import pytest

import theorycalc as tc
from benchmarks.audit import CLAIM, bin_of, errors, worst_errors
from benchmarks.audit_digits import judge
from benchmarks.audit_problems import KINDS
from theorycalc.numbers.balls import ball_precision
from theorycalc.theory.conditions import spikes_of
from theorycalc.theory.limits import Values, ball_values, float_values
from theorycalc.theory.plans import Plan, Point, float_terms


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_output_is_accurate(kind):
    """500 problems see what is wrong with one in a hundred with a probability of 99.3 %; make audit draws 100,000."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        worst = worst_errors(seed=2024, problems=500, kind=kind)
    assert max(error for error, _ in worst.values()) <= CLAIM, worst


def test_a_teacher_that_vanishes_at_zero():
    """T(1) = 0 and ρ → 1: evaluated from t = 0 alone, T would lose half the digits."""
    case = {
        "coefficients": None,
        "c1": 1e3, "c_rest": 1e-3, "present": (1, 4), "teacher": [1.0, 2.0, 0.0, -1.0], "phi": 1e-8, "psi": 1e-8,
        "ridge": 1e-8, "noise": 0.0, "network": "theorem", "ell": 4,
        "first_layer": "sphere", "second_layer": "gaussian", "step_samples": None,
    }  # fmt: skip
    assert max(errors(case).values()) <= CLAIM


@pytest.mark.checks("direction", "gaps")
@pytest.mark.parametrize("away", [1e-4, 1e-7, 1e-10, 1e-13])
def test_spikes_with_gaps_that_hardly_see_the_teacher(away):
    """x^5 alone is orthogonal to this teacher at t = 1/4: the rounding of t alone would cost eight digits there."""
    teacher = [2.0**-10, 0.0, 4.0, 0.0, -8.0]  # E[f x^5] ∝ 4·60·t^1 − 8·120·t² apart from ρ, without its linear part
    energy = teacher[0] ** 2 + 6 * 16 + 120 * 64
    t = 0.25 * (1 + away)

    def gain(number, **options):
        activation = tc.Activation.from_moments(number(100.0), number(0.01), present=(1, 5))
        sizes = [number(x) for x in (teacher[0] ** 2 * (1 / t - 1) / energy, 1e-6, 1e-3)]
        return tc.predict(tc.Problem(activation, [number(c) for c in teacher], *sizes), ell=5, **options).train_gain

    assert float(abs(gain(float) / gain(Fraction, digits=25) - 1)) <= CLAIM


@pytest.mark.checks("direction", "gaps")
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_points_of_an_array_are_computed_by_balls_where_spikes_with_gaps_hardly_see_the_teacher(gradient):
    """Arrays of φ, ψ and σ_ε around a zero of the share have the values of single points, in their shape."""
    activation = tc.Activation.from_coefficients(["1", "0", "0", "0", "1/5"])
    case = tc.Problem(activation, ["1/2", "0", "1", "0", "-1/2"], "1/2", "2/3", "1/10", second_layer="sign")
    plan = Plan(case, spikes_of(case, 5), "closed", None, gradient)
    phi, psi, noise = np.geomspace(1e-3, 1e3, 60)[:, None], np.array([0.5, 2.0]), np.array([0.25])
    found = float_values(plan, float_terms(plan), Point(phi, psi, 0.1, noise))
    assert np.shape(found.test_gain) == (60, 2)
    for i, j in np.ndindex(60, 2):
        point = [Fraction(float(x)) for x in (phi[i, 0], psi[j], 0.1, noise[0])]
        exact = Values(*ball_values(plan, point, 20))
        for name in ("train_gain", "test_gain"):
            value = np.broadcast_to(getattr(found, name), (60, 2))[i, j]
            assert value == pytest.approx(float(getattr(exact, name)), rel=CLAIM)


@pytest.mark.checks("direction", "ceiling")
def test_a_step_that_hardly_points_to_a_teacher_of_every_degree():
    """t = 1e-37: B is of order t², which 160 bits do not hold beside 1."""

    def gain(number, **options):
        activation = tc.Activation.from_moments(number(1e6), number(1e-4))
        sizes = [number(x) for x in (1.5e19, 1.4e-3, 3e5, 3.2e9)]
        return tc.predict(tc.Problem(activation, "exp(x/2)", *sizes), ell="inf", **options).train_gain

    assert float(abs(gain(float) / gain(Fraction, digits=25) - 1)) <= CLAIM


def test_the_audit_of_digits_sees_what_is_wrong():
    with ball_precision(400):
        truth = flint.arb(2).sqrt()
        near = flint.arb(truth.mid(), 1e-35)
        assert judge(near, truth, 30) == "right"
        assert judge(near + flint.arb("1e-30"), truth, 30) == "outside"
        assert judge(flint.arb((near + flint.arb("2e-29")).mid(), 1e-28), truth, 30) == "wrong digit"
        assert judge(flint.arb((near - flint.arb("6e-30")).mid(), 1e-28), truth, 30) == "unrounded"
        assert judge(flint.arb(0), truth, 30) == "outside"
        assert judge(flint.arb(0), flint.arb(0), 30) == "right"


def test_the_audit_of_floats_sees_what_is_wrong():
    assert [bin_of(x) for x in (0.0, 2e-16, 5e-15, 1.0, float("inf"))] == ["-16.5", "-15.5", "-14.0", "wrong", "wrong"]
