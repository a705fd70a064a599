"""Shares of the teacher: with a free constant, of infinitely many spikes, and in the mean over networks."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import hermite_e

import theorycalc as tc
from tests.helpers.problems import CASE, CUBIC, TEACHER, problem
from theorycalc.errors import ArgumentError, PrecisionError
from theorycalc.model.spikes import ODD, ONE_AND_EVEN
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.explained import NODES, rule, shares_from_covariance

C_STAR = [1 / factorial(k) for k in range(1, 5)]


@pytest.mark.checks("free_constant")
@pytest.mark.parametrize("network", ["theorem", "literal"])
def test_the_floor_is_gone_and_with_it_the_lengths_and_the_law_of_the_rows(network):
    for ell, layer in ((1, "sphere"), (2, "gaussian"), (3, "sphere"), (4, "gaussian")):
        case = problem(CUBIC if ell < 4 else "tanh(x + 1)", TEACHER, intercept=True, first_layer=layer)
        found = tc.predict(case, ell=ell, network=network, digits=25)
        t, s = float(found.rho) ** 2, 4 / 3 * 0.1
        B = sum(factorial(k) * C_STAR[k - 1] ** 2 * t**k for k in range(2, ell + 1))
        assert float(found.train_gain) == pytest.approx(s * (float(found.m2) * t + float(found.m1) * B), rel=1e-13)


def projected(powers, tau, rho):
    """The teacher's energy of degree ≥ 2 in the span of 1 and of E_z(h + √τz)^k, by least squares on a Gauss rule."""
    nodes, weights = hermite_e.hermegauss(40)
    weights = np.sqrt(weights / weights.sum())
    y = hermite_e.hermeval(nodes, [0, 0, *(c * rho**k for k, c in enumerate(C_STAR[1:], start=2))])
    z, z_weights = hermite_e.hermegauss(20)
    columns = [((nodes[:, None] + np.sqrt(tau) * z) ** k) @ (z_weights / z_weights.sum()) for k in powers]
    A = np.stack([np.ones_like(nodes), nodes, *columns], axis=1) * weights[:, None]
    y = y * weights
    return float(np.sum((A @ np.linalg.lstsq(A, y)[0]) ** 2))


@pytest.mark.checks("free_constant", "gaps")
@pytest.mark.parametrize("powers", [(4,), (3, 4), (2, 6), (5, 6)])
@pytest.mark.parametrize("network", ["theorem", "literal"])
def test_gaps_by_least_squares(powers, network):
    case = problem({1: 1} | {k: Fraction(1, factorial(k)) for k in powers}, TEACHER, intercept=True)
    found = tc.predict(case, ell=powers[-1], network=network, gradient="labels")
    kappa, slope = found.kappa, float(case.activation.slope_variance)
    tau = slope * (kappa - 1) / kappa if network == "literal" else 0.0
    explained = projected(powers, tau, found.rho)
    expected = 4 / 3 * 0.1 * (found.m2 * found.rho**2 + found.m1 * explained)
    assert found.train_gain == pytest.approx(expected, rel=1e-9)
    if network == "theorem":
        matrix = tc.predict(case, ell=powers[-1], form="matrix")
        assert matrix.test_gain == pytest.approx(found.test_gain, rel=1e-9)
        assert matrix.test_loss == pytest.approx(found.test_loss, rel=1e-9)


NAMES = st.sampled_from(["relu", "softplus", "gelu", "tanh(x + 1)", "elu"])
SHARES = st.sampled_from(["0", "1/10", "2/5", "1"])


@settings(max_examples=15, deadline=None)
@given(name=NAMES, ell=st.sampled_from([1, 2, 3, 4]), fit=SHARES, step=SHARES, mean=st.booleans(), digits=st.booleans())
def test_raw_with_intercept_is_centred_with_intercept_to_the_last_digit(name, ell, fit, step, mean, digits):
    teacher = f"{TEACHER} + 1/3" if mean else TEACHER
    options = {"intercept": True, "centred_labels": not mean, "corrupt_fit": fit, "corrupt_step": step}
    raw, centred = (tc.Problem(name, teacher, **CASE, **options, centred=c) for c in (False, True))
    how = {"ell": ell, "digits": 20 if digits else None}
    for network in ({}, {"network": "literal", "gradient": "labels"}):
        one, other = (tc.predict(case, **how, **network) for case in (raw, centred))
        assert one._quantities() == other._quantities()
    alone = tc.Problem(name, teacher, **CASE, **(options | {"intercept": False}), centred=False)
    assert tc.predict(alone, **how)._quantities() == tc.predict(raw, **how)._quantities()


@pytest.mark.checks("ceiling")
@pytest.mark.parametrize("mean", [0, 3])
@pytest.mark.parametrize("spikes", [ODD, ONE_AND_EVEN], ids=["odd", "1+even"])
def test_shares_of_one_parity_by_hand(spikes, mean):
    """t²/2 and t³ are 1/8 each at t = 1/2, and the square of the mean is no share of anything."""
    share = shares_from_covariance(FLOATS, lambda ns, t: mean**2 + t + t**2 / 2 + t**3, 1.0, 0.5, 0.5, spikes)
    assert share.explained == pytest.approx(0.125)
    assert share.left == pytest.approx(1 + 0.5 - 0.125)


CUBIC_TEACHER = "H1 + H2/2 + H3/6"


def raw(**options):
    return problem("relu", options.pop("teacher", CUBIC_TEACHER), centred=False, **options)


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
    for options in (
        {},
        {"teacher": f"{CUBIC_TEACHER} + 7/10", "centred_labels": False},
        {"corrupt_fit": "1/4", "ridge": 0},
    ):
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
        one = problem("relu", f"{CUBIC_TEACHER} + ({mean:.17f})", intercept=True, centred_labels=False)
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
