"""One pass over a pool: sums to rounding, however far from zero, whatever the blocks; the sample is uniform."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law
from theorycalc.errors import DomainError
from theorycalc.pools.gathering import gather, order_probability
from theorycalc.pools.sources import LabelledRows


def in_blocks(F, y, size):
    return [LabelledRows(F[i : i + size], y[i : i + size]) for i in range(0, len(F), size)]


@pytest.mark.parametrize("size", [1, 7, 50, 1000])
@pytest.mark.parametrize("intercept", [True, False])
def test_sums_do_not_depend_on_the_blocks(size, intercept):
    rng = np.random.default_rng(0)
    F, y = rng.standard_normal((50, 4)) + 3, rng.standard_normal((50, 2))
    found = gather(in_blocks(F, y, size), intercept, 0)
    rows = np.concatenate([F, y], axis=1)
    rows = rows - rows.mean(axis=0) if intercept else rows
    np.testing.assert_allclose(np.tril(found.sums), np.tril(rows.T @ rows), rtol=1e-12, atol=1e-12)
    assert (found.points, found.features, found.outputs) == (50, 4, 2)


def test_features_far_from_zero_lose_no_digits():
    """A mean of 1e8 would leave no digit of E x² − (E x)²."""
    rng = np.random.default_rng(1)
    F = rng.integers(0, 1000, (999, 3)).astype(float)
    y = rng.standard_normal((999, 1))
    near, far = (gather(in_blocks(F + shift, y, 100), True, 0).sums[:3, :3] for shift in (0.0, 1e8))
    np.testing.assert_allclose(np.tril(far), np.tril(near), rtol=1e-9, atol=1e-3)


def test_the_sample_is_uniform(monkeypatch):
    monkeypatch.setattr("theorycalc.pools.gathering.SAMPLED_NUMBERS", 2000)
    points = 20 * 1000
    F = np.arange(points, dtype=float)[:, None]
    sample = gather(in_blocks(F, F, 700), True, 3).sample[:, 0]
    assert len(np.unique(sample)) == 1000
    assert abs(np.mean(sample) - points / 2) < 4 * points / np.sqrt(12 * 1000)
    assert len(gather(in_blocks(F[:50], F[:50], 7), True, 3).sample) == 50


def test_equal_points_have_equal_prints():
    F = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    prints = gather(in_blocks(F, F[:, :1], 2), True, 0).prints
    assert prints[0] == prints[2] != prints[1]


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        ([], "no points"),
        ([(np.ones((3, 0)), np.ones((3, 1)))], "0 columns"),
        ([(np.ones((3, 2)), np.ones((3, 0)))], "no column"),
        ([(np.ones((3, 2)), np.ones((3, 1))), (np.ones((3, 4)), np.ones((3, 1)))], "4 features and 1 outputs"),
        ([(np.array([[1e200], [-1e200]]), np.ones((2, 1)))], "overflow"),
    ],
)
def test_refusals(parts, words):
    with pytest.raises(DomainError, match=words):
        gather([LabelledRows(*part) for part in parts], True, 0)


RNG = np.random.default_rng(0)
F = RNG.standard_normal((600, 5))
Y = F[:, 0] + RNG.standard_normal(600)


@pytest.mark.parametrize(
    ("given", "intercept", "words", "argument"),
    [
        ((F[:5], Y[:5]), False, "5 points and 5 features", "F"),
        ((F[:6], Y[:6]), True, "6 points less one for the intercept and 5 features", "F"),
        ((F, np.full(600, 0.1)), True, "y= is constant: there is nothing to learn", "y"),
        ((F, np.zeros(600)), False, "y= is zero", "y"),
        ((F, np.stack([Y, np.ones(600)], axis=1)), True, "constant in a column", "y"),
        ((np.ones((600, 2)), Y), True, "F= is constant", "F"),
    ],
)
def test_refused_pools(given, intercept, words, argument):
    with pytest.raises(tc.DomainError, match=words) as caught:
        tc.features(*given, intercept=intercept)
    assert caught.value.argument == argument


def holds(F, y):
    return [condition.holds for condition in tc.features(F, y).conditions][:2]


def test_an_honest_pool_meets_all_conditions():
    assert holds(F, Y) == [True, True]


def test_an_order_is_noticed():
    order = np.argsort(Y)
    assert holds(F[order], Y[order]) == [False, True]
    alternating = np.argsort(Y)[np.arange(600).reshape(2, 300).T.ravel()]  # equal means of stretches, unlike neighbours
    assert holds(F[alternating], Y[alternating]) == [False, True]
    assert "(p = " in str(tc.features(F[order], Y[order]).conditions[0])


def test_random_orders_are_rarely_called_ordered():
    """At the level 1e-3 the number of false alarms among 2000 is about 2; 12 would be astonishing."""
    rng = np.random.default_rng(1)
    heavy = rng.standard_t(4, (300, 2))
    probabilities = np.array([order_probability(rng.permutation(heavy)) for _ in range(2000)])
    assert np.count_nonzero(probabilities < 1e-3) < 12
    assert np.mean(probabilities < 0.05) < 0.06


def test_small_pools_have_no_test_and_constant_traits_count_for_nothing():
    assert np.isnan(order_probability(F[:50]))
    assert order_probability(np.ones((200, 3))) == 1.0
    assert holds(F[:50], Y[:50]) == [None, True]


def test_duplicates_are_noticed():
    again = np.concatenate([np.arange(600), [5, 5]])
    found = tc.features(F[again], Y[again]).conditions[1]
    assert (found.holds, found.statement) == (False, "no point occurs twice (2 of 602 are)")


def test_features_that_hardly_ever_vary_are_named():
    rng = np.random.default_rng(4)
    rare = (rng.random((4000, 40)) < 0.01) * 1.0
    pool = tc.features(rare, rng.standard_normal(4000))
    assert "FAILS: several points of each fit carry" in repr(pool.losses(60, 0.001))
    assert "FAILS: several points of each fit carry" not in repr(pool.losses(2000, 0.001))
    usual = tc.features(rng.standard_normal((4000, 40)), rng.standard_normal(4000))
    assert "FAILS: several points of each fit carry" not in repr(usual.losses(30, 0.001))


def test_coordinates_and_slopes_are_those_of_least_squares():
    F, y = law(6).draw(80, np.random.default_rng(0))
    sample = tc.features(F, y).sample
    fitted = sample.coordinates @ sample.slopes[:, 0]
    misfits = np.sort(sample.labels[:, 0] - fitted)
    centred = F - F.mean(axis=0)
    expected = y - y.mean() - centred @ np.linalg.lstsq(centred, y - y.mean(), rcond=None)[0]
    np.testing.assert_allclose(misfits, np.sort(expected), atol=1e-12)
    np.testing.assert_allclose(np.mean(sample.coordinates**2, axis=0), tc.features(F, y).eigenvalues, rtol=1e-9)
