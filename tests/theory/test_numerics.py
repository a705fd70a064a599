"""The pencil in floats and in balls."""

from __future__ import annotations

import math

import flint
import numpy as np
import pytest

from tests.helpers.problems import RATIOS, problem
from theorycalc.model.enums import GradientTarget
from theorycalc.theory.pencil.numerics import ball_gains, float_gains, pencil_of


@pytest.mark.checks("pencil_gains")
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("psi", ["1e-17", "2/3", "1e17"])
@pytest.mark.parametrize("phi", RATIOS)
def test_the_pencil_has_its_proven_digits(phi, psi, gradient):
    """At steps of which the first spike is 30 at most: many times stronger ones are refused."""
    pencil = pencil_of(problem("tanh(x + 1)", "H1 + H2/2", phi, psi), 10**6, gradient)
    eta, ridge = np.array([30 / math.sqrt(1 + pencil.case.kappa)]), np.array([0.1])
    rounded = float_gains(pencil, eta, ridge)
    proven = ball_gains(pencil, lambda: flint.arb(float(eta[0])), int(rounded.top[0]), 15)
    for x, truth in zip((rounded.train, rounded.test), proven, strict=True):
        assert abs(float((flint.arb(x[0]) - truth) / truth)) < 1e-9
