"""Shares of the teacher with a free constant: the closed form, spikes with gaps, and the paper's matrix."""

from __future__ import annotations

from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.polynomial import hermite_e

import theorycalc as tc
from tests.helpers.problems import CASE, CUBIC, TEACHER, problem

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
