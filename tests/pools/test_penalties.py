"""The root ν of each n and λ: equal to the balance to rounding, over many decades, with and without ridge."""

from __future__ import annotations

import numpy as np
import pytest

from theorycalc.pools.penalties import PoolMoments, penalties
from theorycalc.pools.pool_equations import balance


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
    monkeypatch.setattr("theorycalc.pools.penalties._NUMBERS_AT_ONCE", 100)
    for part, all_at_once in zip(here.sums(nu), whole, strict=True):
        assert np.array_equal(part, all_at_once)
