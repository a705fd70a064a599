"""λ = 0: the limit λ → 0⁺, against proven values at λ = 10^-300."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import problem
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.theory.limits import Values
from theorycalc.theory.solver import ball_limits, ball_traces
from theorycalc.theory.traces import weights_of

CURVED = tc.Activation.from_coefficients(["1/2", "1/5", "1/10", "1/20"])
LINEAR = tc.Activation.from_coefficients(["1/2"])
SHAPES = [
    ("1/2", "1/3"),
    ("3/2", "1/3"),
    ("1/2", "2/3"),
    ("3/2", "2"),
    ("1/2", "1/2"),
    ("3/2", "3/2"),
    ("1", "1/2"),
    ("1", "1"),
    ("1/2", "1"),
    ("1", "2"),
    ("2", "1"),
]


@pytest.mark.checks("ridgeless_balance", "ridgeless_wide", "ridgeless_narrow", "ridgeless_square", "ridgeless_low_rank")
@pytest.mark.parametrize("network", ["theorem", "literal"])
@pytest.mark.parametrize("layer", ["sphere", "gaussian"])
@pytest.mark.parametrize("activation", [CURVED, LINEAR], ids=["curved", "linear"])
@pytest.mark.parametrize(("phi", "psi"), SHAPES)
def test_the_limit_is_where_small_ridges_lead(phi, psi, activation, layer, network):
    case = problem(activation, ["1", "1/2", "1/3", "1/5"], phi, psi, ridge=0, first_layer=layer)
    limit, rounded = (tc.predict(case, ell=3, digits=digits, network=network) for digits in (20, None))
    near = tc.predict(case, ell=3, digits=20, ridge="1e-300", network=network)
    for name in Values._fields:
        exact, close, value = (getattr(p, name) for p in (limit, near, rounded))
        if math.isinf(exact):
            assert value == float(exact)
            assert abs(close) > 1e40
            assert (close > 0) == (exact > 0)
        elif exact == 0:
            assert value == 0
            assert abs(close) < 1e-60
        else:
            assert abs(close / exact - 1) < 1e-18
            assert abs(value / exact - 1) < 1e-14


@pytest.mark.checks("ridgeless_balance", "ridgeless_wide", "ridgeless_narrow", "ridgeless_square", "ridgeless_low_rank")
@pytest.mark.parametrize("c_rest", ["3/10", "0"])
@pytest.mark.parametrize(("phi", "psi"), SHAPES)
def test_traces_and_weights_are_where_small_ridges_lead(phi, psi, c_rest):
    """At λ = 10^-300, with an error of some root of it; at thresholds how test_rest is split matters to nothing."""
    sizes, tiny = (Fraction(phi), Fraction(psi)), Fraction(1, 10**300)
    with ball_precision(4000):
        c1, rest = ball(Fraction(1, 2)), ball(Fraction(c_rest))
        traces, weights = ball_limits(sizes, c1, rest, linear=c_rest == "0")
        near = ball_traces((*sizes, tiny), c1, rest, 4000)
        close = near._asdict() | weights_of(near, *map(ball, (*sizes, tiny)))._asdict()
        for name, limit in (traces._asdict() | weights._asdict()).items():
            if name in ("chi_p", "test_constant", "test_bulk"):
                continue
            if limit.is_finite():
                assert abs(close[name] - limit) < 1e-50, name
            else:
                assert close[name] > 1e50 if limit > 0 else close[name] < -1e50, name


@pytest.mark.checks("ridgeless_square", "ridgeless_low_rank")
def test_thresholds_are_infinite_and_only_they():
    n_over_d = {"1/2": False, "2/3": False, "1": True, "3/2": False}  # ψ for φ = 1
    for psi, at_threshold in n_over_d.items():
        assert math.isinf(tc.predict(problem(CURVED, phi=1, psi=psi, ridge=0), ell=2).test_loss_initial) == at_threshold
    for phi, psi, at_threshold in (("1", "1/2", True), ("1/2", "1/2", False), ("2", "2", True), ("1/2", "2", False)):
        found = tc.predict(problem(LINEAR, phi=phi, psi=psi, ridge=0), ell=1).test_loss_initial
        assert math.isinf(found) == at_threshold, (phi, psi)  # min(N, d) = n


@pytest.mark.checks("ridgeless_square")
def test_the_linear_part_alone_gains_without_bound_at_the_threshold():
    case = problem(CURVED, teacher=["1", "1/2"], phi=1, psi=1, ridge=0)
    assert tc.predict(case, ell=1).test_gain == math.inf
    assert tc.predict(case, ell=1, ridge="1e-300", digits=20).test_gain > 1e40


@pytest.mark.checks("ridgeless_square")
def test_nothing_gained_at_a_threshold_is_zero_not_nan():
    p = tc.predict(problem(CURVED, teacher=["0", "1"], phi=1, psi=1, ridge=0), ell=3)
    assert p.test_loss_initial == p.test_loss == math.inf
    assert p.test_gain == 0


def test_arrays_may_mix_zero_and_positive_ridges():
    ridge = np.array([0, 0.1, 0, 1e-3])
    phi = np.array([[0.5], [2 / 3], [1.5]])  # N < n, N = n, N > n
    mixed = tc.predict(problem(CURVED), ell=2, phi=phi, ridge=ridge)
    assert mixed.test_loss.shape == (3, 4)
    for index in np.ndindex(3, 4):
        single = tc.predict(problem(CURVED), ell=2, phi=phi[index[0], 0], ridge=ridge[index[1]])
        for name in Values._fields:
            assert getattr(mixed, name)[index] == pytest.approx(getattr(single, name), rel=1e-15)
    traces = tc.traces(phi=phi, psi=2 / 3, ridge=ridge, c1=0.5, c_rest=0.3)
    assert np.isinf(traces.m1[:2, [0, 2]]).all()
    assert np.isfinite(traces.m1[2]).all()
    assert not np.isnan(traces.m2_slope).any()


@pytest.mark.checks("ridgeless_narrow", "ridgeless_low_rank")
def test_ordinary_least_squares():
    """c_{>1} = 0, d < n ≤ N: L_te = σ_ε²/(1 − d/n), with a teacher that is linear."""
    p = tc.predict(problem(LINEAR, teacher=["1"], phi="1/4", psi="1/8", ridge=0, noise="1/2"), ell=1)
    assert p.test_loss_initial == pytest.approx(0.25 / 0.75, rel=1e-15)
    assert p.train_loss_initial == pytest.approx(0.25 * 0.75, rel=1e-15)
