"""Inputs of which one eigenvalue, or a few, dominate."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.self_averaging import directions_of

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
