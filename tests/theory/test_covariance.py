"""The spectrum of the inputs in one number system, its moments, and the directions that count."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.inputs import ball_levels, read_inputs
from theorycalc.numbers.balls import ball_precision
from theorycalc.theory import covariance
from theorycalc.theory.covariance import ISOTROPIC, InputLevel, directions_of, input_moments, spectrum_of

LEVELS = [InputLevel(2.0, 0.25, 0.5), InputLevel(2 / 3, 0.75, 0.5)]


def test_means_are_those_of_each_point():
    spectrum, points = spectrum_of(LEVELS), np.array([[0.5, 1.0, 3.0]])
    found = spectrum.mean(lambda tau: 1 / (1 + tau * points), points)
    wanted = [[sum(one.weight / (1 + one.eigenvalue * x) for one in LEVELS) for x in points[0]]]
    np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_many_points_are_taken_in_blocks(monkeypatch):
    spectrum, points = spectrum_of(LEVELS), np.linspace(0, 3, 7)
    whole = spectrum.teacher_mean(lambda tau: np.exp(-tau * points), points)
    monkeypatch.setattr(covariance, "_AT_ONCE", 7)
    np.testing.assert_allclose(spectrum.teacher_mean(lambda tau: np.exp(-tau * points), points), whole, rtol=1e-15)


@pytest.mark.checks("inputs_direction")
def test_moments_in_balls_and_floats_agree():
    floats = input_moments(LEVELS)
    with ball_precision(100):
        exact = input_moments([InputLevel(*level) for level in ball_levels(read_inputs("two_level(3, 1/4, 1/2)"))])
    assert floats == pytest.approx([float(value) for value in exact], rel=1e-15)
    assert floats.aligned**2 + floats.across == pytest.approx(0.5 * 4 + 0.5 * 4 / 9)
    assert floats.spread + 1 == pytest.approx(floats.square) == pytest.approx(0.25 * 4 + 0.75 * 4 / 9)


def test_no_levels_are_the_identity():
    assert input_moments([]) == ISOTROPIC == input_moments([InputLevel(1.0, 1.0, 1.0)])


SIZES = {"n": 600, "d": 300, "N": 450, "ridge": "1/10"}


def problem(inputs: object) -> tc.Problem:
    return tc.Problem("relu", "H1 + H2/2", **SIZES, inputs=inputs)


@pytest.mark.checks("directions_of_inputs")
def test_directions_are_those_of_the_eigenvalues():
    tau = np.arange(1, 301) ** -0.3
    found = directions_of(problem("power(3/10)"), "labels")
    assert found.step == pytest.approx(np.sum(tau**2) ** 2 / np.sum(tau**4))
    assert found.largest == pytest.approx(tau[0] / np.sum(tau))
    cubes = np.sum(tau**3) ** 2 / np.sum(tau**6)
    assert directions_of(problem("power(3/10)"), "residual").step == pytest.approx(cubes)


def test_levels_without_a_number_of_inputs_are_always_valid():
    wild = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", inputs="two_level(1000, 1/1000)")
    assert directions_of(wild, "residual") is None
    assert tc.predict(wild, ell=1).train_gain > 0


@pytest.mark.parametrize("inputs", ["power(3/2)", tc.Inputs.given([100.0, *[1.0] * 299])])
def test_one_eigenvalue_that_dominates_is_refused(inputs):
    with pytest.raises(tc.DomainError, match=r"tc\.features") as caught:
        tc.predict(problem(inputs), ell=1)
    assert caught.value.argument == "inputs"
