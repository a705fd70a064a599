"""Covariances and coefficients of formulas, enclosed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

import theorycalc as tc
from tests.helpers.problems import CASE
from theorycalc.functions.grammar import parse
from theorycalc.model.enclosed import TreeCovariance
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import ball_precision
from theorycalc.numbers.systems import BALLS


@pytest.mark.checks("ceiling")
@pytest.mark.parametrize(("activation", "name"), [("tanh", "odd"), ("relu", "1+even"), ("elu", "all")])
def test_infinite_windows_of_a_covariance_are_those_of_its_coefficients(activation, name):
    """A polynomial teacher as a covariance function gives what its coefficients give."""
    c = [Fraction(1), Fraction(1, 2), Fraction(1, 6), Fraction(1, 24)]
    energies = [Fraction(1), Fraction(1, 2), Fraction(1, 6), Fraction(1, 24)]  # k! c_k²

    def covariance(ns, t):
        return sum(ns.rational(energy) * t ** (k + 1) for k, energy in enumerate(energies))

    smooth = tc.Teacher.from_moments(c, sum(energies), covariance=covariance)
    expected = tc.predict(Problem(activation, c, **CASE), ell="inf", digits=25)
    found = tc.predict(Problem(activation, smooth, **CASE), ell="inf", digits=25)
    assert expected.spikes == found.spikes == name
    for quantity in ("test_gain", "train_gain", "test_loss", "train_loss"):
        assert str(getattr(found, quantity)) == str(getattr(expected, quantity))


def test_the_covariance_at_opposite_points_is_that_with_the_mirrored_function():
    """E f(Z)f(−Z): −E f² of an odd function, 1 of e^{x/2}."""
    with ball_precision(100):
        odd, growing = (TreeCovariance(parse(text)) for text in ("tanh(x)", "exp(x/2)"))
        assert (odd(BALLS, arb(-1)) + odd(BALLS, arb(1))).contains(0)
        assert growing(BALLS, arb(-1)).contains(1)
        assert float(growing(BALLS, arb(-1)).rad()) < 1e-25
