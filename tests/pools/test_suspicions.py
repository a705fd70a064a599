"""Checks of pools: too few points, labels that do not vary, an order, duplicates."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.pools.suspicions import order_probability

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
def test_refusals(given, intercept, words, argument):
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
    assert (found.holds, found.statement) == (False, "no point is there twice (2 of 602 are)")


def test_features_that_hardly_ever_vary_are_named():
    rng = np.random.default_rng(4)
    rare = (rng.random((4000, 40)) < 0.01) * 1.0
    pool = tc.features(rare, rng.standard_normal(4000))
    assert "FAILS: several points of each fit carry" in repr(pool.losses(60, 0.001))
    assert "FAILS: several points of each fit carry" not in repr(pool.losses(2000, 0.001))
    usual = tc.features(rng.standard_normal((4000, 40)), rng.standard_normal(4000))
    assert "FAILS: several points of each fit carry" not in repr(usual.losses(30, 0.001))
