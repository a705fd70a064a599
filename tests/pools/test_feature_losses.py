"""The losses of a pool as a result: shapes, limits without ridge, tables and data sets."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law
from theorycalc.pools.feature_losses import RIDGES_SEARCHED, equal_points, least_ridge

POOL = tc.features(*law(20).draw(400, np.random.default_rng(0)))


@pytest.mark.slow
def test_shapes_follow_the_arguments():
    assert np.ndim(POOL.losses(50, 0.1).test_loss) == 0
    assert isinstance(POOL.losses(50, 0.1).n, int)
    assert POOL.losses([50, 60, 70], 0.1).test_loss.shape == (3,)
    assert POOL.losses(50, [0.1, "1/5"]).test_loss.shape == (2,)
    grid = POOL.losses([50, 60, 70], [0.1, 0.2])
    assert grid.test_loss.shape == (3, 2)
    assert grid.test_loss[1, 1] == POOL.losses(60, 0.2).test_loss
    assert [(row["n"], row["ridge"]) for row in grid.rows][:3] == [(50, 0.1), (50, 0.2), (60, 0.1)]
    assert dict(grid.to_dataset().sizes) == {"n": 3, "ridge": 2}


def test_without_ridge():
    few, threshold, many = (POOL.losses(n, 0) for n in (15, 21, 200))
    assert (few.train_error, few.train_loss, few.degrees_of_freedom) == (0.0, 0.0, pytest.approx(15))
    assert (threshold.train_error, threshold.test_loss) == (0.0, np.inf)
    assert many.degrees_of_freedom == pytest.approx(21)
    assert many.train_error == pytest.approx(many.train_loss, rel=1e-5)  # weights of points, fitted by classes
    equal = equal_points(POOL.moments, np.array([200.0]), np.array([0.0]))
    assert equal["train_error"][0] == pytest.approx(POOL.noise * (199 - 20) / 200)
    assert equal["test_loss"][0] == pytest.approx(POOL.noise * 201 / 200 * 199 / (199 - 20))
    for n in (15, 200):  # and continuous there
        small, none = POOL.losses(n, 1e-11), POOL.losses(n, 0)
        assert small.test_loss == pytest.approx(none.test_loss, rel=1e-5)
        assert small.train_error == pytest.approx(none.train_error, rel=1e-5, abs=1e-15)


def test_a_large_penalty_leaves_the_labels():
    found = POOL.losses(100, 1e12)
    variance = POOL.label_variance * 400 / 399
    assert found.test_loss == pytest.approx(variance * 101 / 100, rel=1e-3)
    assert found.train_error == pytest.approx(variance * 99 / 100, rel=1e-6)
    assert found.degrees_of_freedom == pytest.approx(1, rel=1e-9)


def test_losses_go_the_right_way():
    ridges = np.geomspace(1e-4, 1e3, 30)
    found = POOL.losses([10, 21, 100, 1000], ridges)
    assert np.all(np.diff(found.train_error, axis=1) > 0)
    assert np.all(np.diff(found.train_loss, axis=1) > 0)
    assert np.all(np.diff(found.degrees_of_freedom, axis=1) < 0)
    assert np.all(found.train_error < found.train_loss)
    assert np.all(found.train_error < found.test_loss)


def test_tables_say_what_numbers_are():
    one, many = POOL.losses(50, 0.1), POOL.losses([50, 60], [0.1, 0.2])
    assert "mean squared error at fresh points" in repr(one)
    assert "predicted from a pool of 400 points" in repr(many)
    assert many.to_dict()["inputs"] == {"M": 400, "N": 20, "intercept": True}
    assert "Mean squared error at fresh points" in tc.FeatureLosses.__doc__


@pytest.mark.parametrize(
    ("n", "ridge", "words", "argument"),
    [
        (1, 0.1, "n=1 must be a whole number from 2", "n"),
        (2.5, 0.1, "must be a whole number", "n"),
        ([], 0.1, "list of them", "n"),
        ([[5]], 0.1, "list of them", "n"),
        (50, -1, "ridge", "ridge"),
        (50, float("nan"), "ridge", "ridge"),
        (50, [[0.1]], "a number or a list of numbers", "ridge"),
        (50, "much", "ridge", "ridge"),
    ],
)
def test_refusals(n, ridge, words, argument):
    with pytest.raises(tc.TheoryError, match=words) as caught:
        POOL.losses(n, ridge)
    assert caught.value.argument == argument


def test_the_test_loss_is_flat_at_the_best_ridge():
    pool = tc.features(*law(20).draw(400, np.random.default_rng(0)))
    tried = np.mean(pool.eigenvalues) * RIDGES_SEARCHED
    (best,) = least_ridge(pool.moments, pool.sample, np.array([60.0]), tried)
    low, middle, high = pool.losses(60, [best / 1.3, best, best * 1.3]).test_loss
    assert middle < low
    assert middle < high
    assert abs(high - low) / (high + low - 2 * middle) < 0.5  # the parabola's minimum is near the middle
