"""The cost of a feature, of order 1/n, against sampled matrices and networks, and the scatter of one draw."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
from scipy.optimize import brentq

import theorycalc as tc
from tests.helpers.problems import problem as example
from theorycalc.theory.dressed import finite_size
from theorycalc.theory.dressed.finite_size import LeftOut, coarse_fit, cost, rise, scatter, shifts
from theorycalc.theory.dressed.neurons import step_of

n, N, RIDGE, STRENGTH = 120, 90, 1.0, 20.0


class Law(NamedTuple):
    """The limits for F = Z + t v e_1ᵀ, Z of independent normal entries, and labels βv + noise."""

    s: float
    theta: float
    features: float
    f: float


def law(beta, ridge):
    s = brentq(lambda s: 1 / s - ridge - N / n / (1 + s), 1e-9, 1 / ridge)
    strength = s / (1 + s) * STRENGTH**2
    features = strength / (1 + strength)
    return Law(s, 1 / (1 + s), features, s * (1 + beta**2 * (1 - features)))


def slope(value, ridge, width=1e-3):
    return (value(ridge + width) - value(ridge - width)) / (2 * width)


def fitted(beta, ridge, f=None):
    """G, with the residual after the fit, or with another f."""
    f = f or (lambda r: law(beta, r).f)
    s, theta, features, _ = law(beta, ridge)
    return float(cost(features, ridge * f(ridge), -(ridge**2) * slope(f, ridge), s, theta, ridge, n, N))


def predicted_rise(beta, sign=1.0):
    """The test loss after the spike less that before it."""
    s, theta, features, _ = law(beta, RIDGE)
    s_slope, theta_slope = (slope(lambda r, i=i: law(beta, r)[i], RIDGE) for i in (0, 1))
    test = -slope(lambda r: law(beta, r).f, RIDGE) / s**2
    G_slope = slope(lambda r: fitted(beta, r), RIDGE)
    before = -(1 + beta**2) * s_slope / s**2
    return test - before + sign * rise(G_slope, features, test, s, s_slope, theta, theta_slope, n)


def sampled(beta, draws):
    """The square (Q − Mid b)ᵀMid⁻¹(Q − Mid b) and the rise of the test loss, of every draw."""
    rng, (s, theta, *_) = np.random.default_rng(7), law(beta, RIDGE)
    b = np.linalg.solve([[s, 1 / STRENGTH], [1 / STRENGTH, -theta]], [beta * s, 0.0])
    found = []
    for _ in range(draws):
        Z, v = rng.standard_normal((n, N)), rng.standard_normal(n)
        y, first = beta * v + rng.standard_normal(n), Z[:, 0].copy()
        R = np.linalg.inv(Z @ Z.T + RIDGE * n * np.eye(n))
        across = v @ R @ first + 1 / STRENGTH
        mid = np.array([[v @ R @ v, across], [across, first @ R @ first - 1]])
        Q = np.array([v @ R @ y, first @ R @ y])
        left = Q - mid @ b
        before = Z.T @ R @ y
        Z[:, 0] += STRENGTH * v
        after = Z.T @ np.linalg.solve(Z @ Z.T + RIDGE * n * np.eye(n), y)
        changed = after @ after + (beta - STRENGTH * after[0]) ** 2 - before @ before - beta**2
        found.append((left @ np.linalg.solve(mid, left), changed))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(draws)
    return zip(mean, error, strict=True)


@pytest.mark.slow
@pytest.mark.checks("feature_cost")
@pytest.mark.parametrize("beta", [0.0, 1.0])
def test_the_cost_is_that_of_sampled_matrices(beta):
    """A strong spike that knows nothing of the labels, and one that is half of them: 4000 draws."""
    (square, square_error), (raised, error) = sampled(beta, 4000)
    assert abs(square - fitted(beta, RIDGE)) < 4 * square_error
    assert abs(raised - predicted_rise(beta)) < 4 * error
    assert abs(raised - predicted_rise(beta, sign=0.0)) > 5 * error  # no cost
    assert abs(raised - predicted_rise(beta, sign=-1.0)) > 10 * error
    if beta:  # the residual before the fit
        early = fitted(beta, RIDGE, f=lambda r: (1 + beta**2) * law(beta, r).s)
        assert abs(square - early) > 10 * square_error


@pytest.mark.slow
@pytest.mark.checks("feature_cost")
def test_h_itself_costs_less_than_other_features(monkeypatch):
    """A linear network, whose only feature is h: 1200 draws reject the cost of a whole feature.

    It is a small one, since the cost falls with the size faster than the scatter of draws.
    """
    problem = tc.Problem("x", "H1 + H2/sqrt(2)", n=100, d=50, N=75, ridge="1/10", noise="1/2")
    row = tc.simulate(problem, alpha="0.4", replicates=1200, seed=11).rows[0]
    found = tc.step(problem, alpha="0.4")
    step, place = step_of(found.problem, 75, "residual"), (np.array([float(found.eta)]), np.array([0.1]))
    share = tc.predict(problem, ell=1).m2 / tc.predict(problem, ell=1).m1
    assert float(coarse_fit(step, *place).features[0]) == pytest.approx(share, rel=0.2)
    bare = float(found.test_gain + shifts(step, *place).test[0])
    monkeypatch.setattr(finite_size, "features_in_force", lambda forms: np.ones(len(forms.unit)))
    whole = bare - float(shifts(step, *place).test[0])
    error = row["test_gain_se"]
    assert abs(row["test_gain"] - found.test_gain) < 4 * error
    assert abs(row["test_gain"] - whole) > 4 * error


@pytest.mark.checks("feature_cost")
@pytest.mark.parametrize("rows", ["sphere", "gaussian"])
def test_no_step_has_no_cost(rows):
    step = step_of(example("relu", "H1 + H2/2", first_layer=rows), 750, "residual")
    for shift in shifts(step, np.zeros(2), np.array([0.1, 1.0])):
        assert shift.tolist() == [0.0, 0.0]
    small, large = (np.array(shifts(step, np.full(1, eta), np.array([0.1])))[:, 0] for eta in (0.1, 8.0))
    assert np.all(np.abs(small) < 0.05 * np.abs(large))
    assert large[0] < 0 < large[1]  # the training loss falls, the test loss rises


@pytest.mark.checks("feature_cost")
def test_the_cost_falls_with_the_size():
    """k/n at a fixed η²/N; k grows, too, as weaker functions of h come into force."""
    costs, counts = [], []
    for size in (750_000, 7_500_000):
        step, place = (
            step_of(example("relu", "H1 + H2/2"), size, "labels"),
            (np.array([math.sqrt(size)]), np.array([0.1])),
        )
        counts.append(float(coarse_fit(step, *place).features[0]))
        costs.append(np.array(shifts(step, *place))[:, 0] / counts[-1])
    assert costs[0] == pytest.approx(10 * costs[1], rel=0.02)
    assert 1 < counts[1] / counts[0] < 1.3


@pytest.mark.checks("feature_cost")
def test_a_cost_beyond_a_fifth_of_the_loss_is_left_out(monkeypatch):
    step = step_of(tc.Problem("relu", "H1 + H2", n=8, d=40, N=8, ridge="1/100", noise=1), 8, "residual")
    place = np.array([8.0]), np.array([0.01])
    assert np.array(shifts(step, *place)).tolist() == [[0.0], [0.0], [0.0]]
    monkeypatch.setattr(finite_size, "LARGEST", 1.0)
    assert shifts(step, *place).test[0] > 0.2 * coarse_fit(step, *place).test[0]


@pytest.mark.checks("spread")
@pytest.mark.parametrize("correlation", [0.0, 0.6, 1.0])
def test_the_scatter_of_a_difference(correlation):
    """a e² − a'e'² of correlated normal e and e' at two places, by a rule in two dimensions."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(12)
    first = nodes[:, None] + 0 * nodes
    second = correlation * first + math.sqrt(1 - correlation**2) * nodes
    both = np.outer(weights, weights) / weights.sum() ** 2
    means, deviations, scales = ([0.5, -1.0], [0.3, 2.0]), (0.7, 1.1), (1.5, 0.4)
    chance = np.array([[0.25], [0.75]])
    values = [
        scales[0] * (m + deviations[0] * first) ** 2 - scales[1] * (k + deviations[1] * second) ** 2
        for m, k in zip(*means, strict=True)
    ]
    moments = [chance[:, 0] @ [np.sum(both * v**p) for v in values] for p in (1, 2)]
    left = [LeftOut(np.array(m)[None, :, None], np.array([t**2])) for m, t in zip(means, deviations, strict=True)]
    covariance = np.array([correlation * deviations[0] * deviations[1]])
    found = scatter([np.array([a]) for a in scales], left, covariance, chance)[0]
    assert found == pytest.approx(moments[1] - moments[0] ** 2, rel=1e-9)


@pytest.mark.slow
def test_the_gain_of_a_step_too_small_to_be_seen_scatters_by_nothing():
    """A difference of rounded numbers may be -1e-17 there, whose root is not a number."""
    case = tc.Problem("tanh", "H1 + H2/2", "173/100", "101/10", 1, first_scale="202/25", second_layer="sign")
    biased = replace(case, second_scale="1/2", intercept=True, biases="3:1")
    assert "nan" not in str(tc.step(biased, n=400, eta="1e-30", gradient="labels", method="isotropic"))
