"""Means over networks whose initial output has a random mean, by three independent ways."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import problem
from theorycalc.errors import ArgumentError, PrecisionError
from theorycalc.theory.own_mean import NODES, rule

TEACHER = "H1 + H2/2 + H3/6"


def raw(**options):
    return problem("relu", options.pop("teacher", TEACHER), centred=False, **options)


@pytest.mark.checks("own_mean")
@pytest.mark.parametrize("width", [1e-8, 1e-3, 0.3, 1.0, 7.0, 1e6])
@pytest.mark.parametrize("power", [1, 4, 30])
def test_the_rule_has_full_accuracy_for_poles_at_any_distance(width, power):
    nodes, weights = rule(np.array(width), np.array(0.0), np.arange(NODES))
    found = float(np.sum(weights * (1 + (nodes / width) ** 2) ** -power))
    with mpmath.workdps(30):  # U is Tricomi's function: E(1 + Z²/δ²)^(−k) = (δ²/2)^(1/2) U(1/2, 3/2 − k, δ²/2)
        x = mpmath.mpf(width) ** 2 / 2
        expected = mpmath.sqrt(x) * mpmath.hyperu(0.5, mpmath.mpf(3) / 2 - power, x)
    assert found == pytest.approx(float(expected), rel=1e-13)


def test_the_rule_knows_poles_that_are_not_at_the_centre():
    for width, centre in ((0.01, 3.0), (0.5, -11.0), (0.01, 30.0), (20.0, 1e3)):
        nodes, weights = rule(np.array(width), np.array(centre), np.arange(NODES))
        with mpmath.workdps(40):  # E 1/(Z − z) is Faddeeva's function
            z = mpmath.mpc(centre, width)
            w = mpmath.exp(-(z**2) / 2) * mpmath.erfc(-1j * z / mpmath.sqrt(2))
            expected = width * mpmath.sqrt(mpmath.pi / 2) * mpmath.re(w)
        found = float(np.sum(weights / (1 + ((nodes - centre) / width) ** 2)))
        assert found == pytest.approx(float(expected), rel=1e-12)


@pytest.mark.checks("own_mean")
@pytest.mark.parametrize("ell", [1, 2, 4, "inf"])
def test_float64_and_balls_agree(ell):
    for options in ({}, {"teacher": f"{TEACHER} + 7/10", "centred_labels": False}, {"corrupt_fit": "1/4", "ridge": 0}):
        found, proven = (tc.predict(raw(**options), ell=ell, network="literal", digits=d) for d in (None, 20))
        for name, value in proven._quantities().items():
            assert getattr(found, name) == pytest.approx(float(value), rel=2e-14), name


def test_the_mean_over_networks_is_that_of_many_networks():
    """Of each Z the limit is that of centred activations and labels with the mean −c_0 Z."""
    found = tc.predict(raw(), ell=2, network="literal")
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    seen = []
    for node in nodes:
        mean = -float(tc.Activation.from_text("relu").mean) * float(node)
        one = problem("relu", f"{TEACHER} + ({mean:.17f})", intercept=True, centred_labels=False)
        each = tc.predict(one, ell=2, network="literal")
        seen.append([each.test_gain, each.kappa, each.rho**2])
    gain, kappa, square = np.average(seen, axis=0, weights=weights)
    assert found.test_gain == pytest.approx(gain, rel=1e-9)
    assert (found.kappa, found.rho**2) == pytest.approx((kappa, square), rel=1e-9)
    centred = tc.predict(raw(intercept=True), ell=2, network="literal", gradient="labels")
    assert found.test_gain != pytest.approx(centred.test_gain, rel=1e-2)


def test_arrays_are_taken_at_once():
    ridges, noises = [0.1, 1.0], [[0.0], [0.5], [1.0]]
    found = tc.predict(raw(), ell=2, network="literal", ridge=ridges, noise=noises)
    one = tc.predict(raw(), ell=2, network="literal", ridge=1.0, noise=0.5)
    assert found.test_gain.shape == (3, 2)
    assert found.test_gain[1, 1] == pytest.approx(one.test_gain, rel=1e-14)
    assert found.rho[1, 1] == pytest.approx(one.rho, rel=1e-14)


def test_what_has_no_mean_or_no_proof_is_refused():
    with pytest.raises(ArgumentError, match="grows without limit"):
        tc.predict(raw(second_layer="constant"), ell=1, network="literal")
    with pytest.raises(PrecisionError, match="polynomial teachers only"):
        tc.predict(raw(teacher="sin(x)"), ell="inf", network="literal", digits=20)
    assert tc.predict(raw(teacher="sin(x)"), ell="inf", network="literal").test_gain > 0
