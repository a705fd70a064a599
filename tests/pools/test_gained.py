"""What features gain: differences of losses, against fits to drawn points; pools of other data are refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law, ridge_fit

LAW = law(N=20)
SEEN = 8  # features that the network knows before


def drawn_pools(points):
    F, y = LAW.draw(points, np.random.default_rng(1))
    return tc.features(F[:, :SEEN], y), tc.features(F, y)


@pytest.fixture(scope="module")
def data():
    return LAW.draw(300, np.random.default_rng(1))


@pytest.fixture(scope="module")
def pools():
    return drawn_pools(300)


def test_gains_are_differences(pools):
    before, after = pools
    n, ridge = [30, 200], [0.01, 0.1, 1.0]
    gain = tc.feature_gain(before, after, n, ridge)
    for name in ("test", "train"):
        first, last = (getattr(pool.losses(n, ridge), f"{name}_loss") for pool in pools)
        np.testing.assert_array_equal(getattr(gain, f"{name}_gain"), first - last)
    best = tc.feature_gain(before, after, n)
    assert gain.best == best
    assert best.best is None
    for pool, ridges in ((before, best.ridge_initial), (after, best.ridge)):
        np.testing.assert_array_equal(pool.best_ridge(n).ridge, ridges)
    assert np.all(best.test_loss_initial <= gain.test_loss_initial.min(axis=1))
    assert np.all(best.test_loss <= gain.test_loss.min(axis=1))


def test_the_same_features_gain_nothing(pools):
    gain = tc.feature_gain(pools[0], pools[0], [10, 100], [0, 0.1])
    assert not np.any(gain.test_gain)
    assert not np.any(gain.train_gain)
    assert not np.any(gain.best.test_gain)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "ridge"), [(60, 0.03), (60, 0.5), (200, 0.1)])
def test_fits_gain_as_much(n, ridge):
    """Fits to drawn points, paired; and the wrong sign would be noticed."""
    pools = drawn_pools(20_000)
    rng = np.random.default_rng(2)
    found = []
    for _ in range(200):
        (F, y), (other, labels) = LAW.draw(n, rng), LAW.draw(2000, rng)
        losses = []
        for columns in (SEEN, len(LAW.omega)):
            weights, constant = ridge_fit(F[:, :columns], y, ridge)
            test = np.mean((labels - other[:, :columns] @ weights - constant) ** 2)
            train = np.mean((y - F[:, :columns] @ weights - constant) ** 2) + ridge * weights @ weights
            losses.append([test, train])
        found.append(np.subtract(*losses))
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
    gain = tc.feature_gain(*pools, n, ridge)
    predicted = np.array([gain.test_gain, gain.train_gain])
    pool_error = np.abs(predicted) / np.sqrt(pools[0].M / 2)  # of a variance that is estimated from M points
    assert np.all(abs(mean - predicted) < 4 * np.hypot(error, pool_error))
    assert np.all(abs(mean + predicted) > 10 * error)


def test_tables_and_rows(pools):
    gain = tc.feature_gain(*pools, [30, 200], [0.01, 0.1])
    assert [(row["n"], row["ridge"]) for row in gain.rows] == [(30, 0.01), (30, 0.1), (200, 0.01), (200, 0.1)]
    assert gain.rows[2]["test_gain"] == gain.test_gain[1, 0]
    text = repr(gain)
    assert "at the same λ" in text
    assert "at the best λ of each, n = 30: test loss" in text
    assert "at the best λ of each, n = 200: test loss" in text
    assert "λ before" in repr(gain.best)
    assert repr(tc.feature_gain(*pools, 30, 0.1)).count("at the best λ of each, n = 30") == 1
    assert tc.feature_gain(*pools, 30, 0.1).to_dict()["rows"][0]["n"] == 30
    assert dict(gain.to_dataset().sizes) == {"n": 2, "ridge": 2}


def test_pools_of_other_data_are_refused(data, pools):
    F, y = data
    others = {
        "must be a pool made by": F,
        "only one of the pools has an intercept": tc.features(F, y, intercept=False),
        "the pools have other labels": tc.features(F, 2 * y),
        "299": tc.features(F[1:], y[1:]),
        "compute both features of the same inputs": tc.features(F, np.column_stack([y, y])),
    }
    for words, other in others.items():
        with pytest.raises(tc.TheoryError, match=words) as found:
            tc.feature_gain(pools[0], other, 30)
        assert found.value.argument == "after"
    with pytest.raises(tc.ArgumentError, match="before must be a pool"):
        tc.feature_gain(F, pools[1], 30)


def test_every_condition_and_note_is_kept(data):
    F, y = data
    order = np.argsort(y)
    pools = [tc.features(part, y[order]) for part in (F[order, :SEEN], np.column_stack([F[order], np.ones(len(y))]))]
    gain = tc.feature_gain(*pools, 30)
    assert not all(condition.holds for condition in gain.conditions)
    assert len(gain.notes) == 1
    assert dataclasses.replace(gain, notes=()) != gain
