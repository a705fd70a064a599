"""The equations of a pool: another form, their limits, and Gaussian features by simulation."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law, measured
from theorycalc.pools.feature_losses import equal_points
from theorycalc.pools.feature_pool import features
from theorycalc.pools.pool_equations import PoolMoments, balance, penalties

NAMES = ("train_error", "train_loss", "test_loss")
PLACES = [(25, 0.01), (25, 0.3), (40, 0.05), (41, 0.3), (120, 0.0), (120, 0.1), (500, 0.02)]


def of_population(omega, beta, noise, n, ridge, m):
    """The equations of docs/theory/own_features.md#the-limit-of-many-points, by bisection in κ."""
    low, high = 0.0, n * ridge / m + np.sum(omega)
    for _ in range(200):
        kappa = (low + high) / 2
        smaller = kappa * (m - np.sum(omega / (omega + kappa))) < n * ridge
        low, high = (kappa, high) if smaller else (low, kappa)
    left = kappa / (omega + kappa)
    test = (noise**2 + np.sum(beta**2 * omega * left**2)) / (1 - np.sum((1 - left) ** 2) / m)
    share = n * ridge / (m * kappa)
    objective = share * (noise**2 + np.sum(beta**2 * omega * left))
    return np.array([m / n * share**2 * test, m / n * objective, (1 + (n - m) / n) * test])


@pytest.mark.checks("own_features")
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "ridge"), [place for place in PLACES if place[1]])
def test_an_endless_pool_gives_the_equations_of_the_population(n, ridge, intercept):
    known, M = law(), 10**13
    free = M - int(intercept)
    pool = PoolMoments(
        free * known.omega, free * known.beta**2 * known.omega, known.noise**2 * (free - 40), M, intercept
    )
    found = equal_points(pool, np.array([float(n)]), np.array([ridge]))
    expected = of_population(known.omega, known.beta, known.noise, n, ridge, n - int(intercept))
    np.testing.assert_allclose([found[name][0] for name in NAMES], expected, rtol=1e-9)


@pytest.mark.checks("own_features")
def test_equal_eigenvalues_give_the_quadratic_of_marchenko_and_pastur():
    N, n, ridge, M = 50, 80, 0.3, 10**13
    pool = PoolMoments(np.full(N, 2.0 * M), np.full(N, 0.5 * M / N), 1.0 * (M - N), M, False)
    found = equal_points(pool, np.array([float(n)]), np.array([ridge]))
    b = 2 - ridge - 2 * N / n  # κ² + bκ = 2λ
    kappa = (-b + np.sqrt(b * b + 8 * ridge)) / 2
    left = kappa / (2 + kappa)
    assert found["test_loss"][0] == pytest.approx((1 + 0.5 * left**2) / (1 - N / n * (1 - left) ** 2), rel=1e-9)


@pytest.mark.checks("own_features")
@pytest.mark.parametrize("intercept", [True, False])
def test_at_the_size_of_the_pool_training_losses_are_those_of_the_pool(intercept):
    F, y = law().draw(150, np.random.default_rng(1))
    found = features(F, y, intercept=intercept).losses(150, 0.2)
    centred, labels = (F - F.mean(axis=0), y - y.mean()) if intercept else (F, y)
    gram = centred @ centred.T
    resolvent = np.linalg.inv(gram + 150 * 0.2 * np.eye(150))
    residual = 150 * 0.2 * resolvent @ labels
    free = 150 - int(intercept)
    fitted = np.trace(gram @ resolvent)
    assert found.train_error == pytest.approx(residual @ residual / 150, rel=1e-10)
    assert found.train_loss == pytest.approx(0.2 * labels @ resolvent @ labels, rel=1e-10)
    assert found.degrees_of_freedom == pytest.approx(fitted + int(intercept), rel=1e-10)
    hat = gram @ resolvent + int(intercept) / 150
    left_out = np.mean((residual / (1 - np.diagonal(hat))) ** 2)
    assert found.test_loss == pytest.approx(left_out, rel=1e-6)  # leave-one-out, exactly
    gcv = free * (residual @ residual) / (free - fitted) ** 2
    equal = equal_points(tc.features(F, y, intercept=intercept).moments, np.array([150.0]), np.array([0.2]))
    assert equal["test_loss"][0] == pytest.approx((1 + int(intercept) / 150) * gcv, rel=1e-10)


@pytest.mark.checks("own_features")
@pytest.mark.slow
@pytest.mark.parametrize("points", [20_000, 400, 80])
def test_fits_to_gaussian_features(points):
    """Means over pools of M points against means over fits: also M = 2N has no bias that shows."""
    known, rng = law(), np.random.default_rng(points)
    pools = [features(*known.draw(points, rng)) for _ in range(1 if points > 1000 else 16)]
    worst = []
    for n, ridge in PLACES:
        found = np.array([[getattr(pool.losses(n, ridge), name) for name in NAMES] for pool in pools])
        mean, error = measured(known, n, ridge, 150, seed=n)
        spread = np.std(found, axis=0, ddof=1) / np.sqrt(len(pools)) if len(pools) > 1 else np.mean(found, axis=0) / 70
        worst.append(abs(np.mean(found, axis=0) - mean) / np.hypot(error, spread))
    assert np.max(worst) < 4


@pytest.mark.checks("own_features")
@pytest.mark.slow
def test_the_plain_covariance_of_a_small_pool_would_be_noticed():
    """Without the correction for M, of the size N/M, M = 2N is far off."""
    known, rng = law(), np.random.default_rng(0)
    naive = []
    for _ in range(20):
        F, y = known.draw(80, rng)
        centred = F - F.mean(axis=0)
        omega, vectors = np.linalg.eigh(centred.T @ centred / 80)
        beta = vectors.T @ np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
        rest = np.sqrt(np.sum((y - y.mean() - centred @ vectors @ beta) ** 2) / (79 - 40))
        naive.append(of_population(omega, beta, rest, 25, 0.01, 24))
    mean, error = measured(known, 25, 0.01, 100, seed=1)
    z = (np.mean(naive, axis=0) - mean) / np.hypot(error, np.std(naive, axis=0) / 20**0.5)
    assert np.all(z[:2] > 5)  # its training losses are too large


def pool(decades: float, count: int = 30, points: int = 1000) -> PoolMoments:
    sigma = points * np.geomspace(1, 10**-decades, count)
    return PoolMoments(sigma, np.ones(count), 1.0, points, True)


@pytest.mark.parametrize("decades", [0.0, 2.0, 8.0])
@pytest.mark.parametrize("m", [1.0, 10.0, 29.0, 30.0, 31.0, 500.0, 1e6])
def test_the_balance_holds(decades, m):
    here = pool(decades)
    weight = (m + 1) * np.concatenate([[0.0], np.geomspace(1e-12, 1e6, 19)])
    sizes = np.full(len(weight), m)
    nu = penalties(here, sizes, weight)
    sums = here.sums(nu)
    size = nu * abs(sizes - sums.fitted) + weight * sums.free + nu * m * 1e-6
    assert np.all(abs(balance(nu, sizes, weight, sums)) <= 1e-8 * size)
    assert np.all(np.diff(nu) > 0)


def test_without_ridge_few_points_interpolate_and_many_do_not():
    here = pool(2.0)
    nu = penalties(here, np.array([10.0, 30.0, 100.0]), np.zeros(3))
    assert here.sums(nu).fitted[0] == pytest.approx(10, rel=1e-12)
    assert nu[1:].tolist() == [0.0, 0.0]


def test_many_points_are_taken_in_parts(monkeypatch):
    here, nu = pool(2.0), np.geomspace(1e-3, 1e3, 50).reshape(5, 10)
    whole = here.sums(nu)
    monkeypatch.setattr("theorycalc.pools.pool_equations._NUMBERS_AT_ONCE", 100)
    for part, all_at_once in zip(here.sums(nu), whole, strict=True):
        assert np.array_equal(part, all_at_once)
