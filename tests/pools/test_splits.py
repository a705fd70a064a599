"""Repeated splits: the fits are ridge fits, predictions agree, and a wrong prediction is seen."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law, ridge_fit
from theorycalc.pools.splits import compared

F, Y = law(20).draw(1500, np.random.default_rng(0))
POOL = tc.features(F, Y)


def test_the_first_split_by_hand():
    found = POOL.compare(F, Y, 40, [0.1, 1.0], draws=2, seed=7)
    by_hand = []
    for draw in range(2):
        chosen = np.random.default_rng([7, 40, draw]).permutation(1500)
        weights, constant = ridge_fit(F[chosen[:40]], Y[chosen[:40]], 0.1)
        by_hand.append(np.mean((Y - F @ weights - constant)[chosen[40:]] ** 2))
    row = found.rows[0]
    assert (row["n"], row["ridge"], row["quantity"]) == (40, 0.1, "test_loss")
    assert row["observed"] == pytest.approx(np.mean(by_hand), rel=1e-7)
    assert row["standard_error"] == pytest.approx(np.std(by_hand, ddof=1) / np.sqrt(2), rel=1e-6)
    assert row["predicted"] == pytest.approx(POOL.losses(40, 0.1).test_loss)
    assert len(found.rows) == 6


@pytest.mark.slow
def test_predictions_agree_and_wrong_ones_do_not():
    found = POOL.compare(F, Y, [15, 40, 200], [0.0, 0.1, 1.0], draws=60)
    assert max(abs(row["z"]) for row in found.rows) < 4.5
    assert np.median(found.deviations) < 0.03
    assert "in the median" in repr(found)
    wrong = replace(found.losses, test_loss=1.3 * found.losses.test_loss)
    assert abs(compared(wrong, F, Y, 20, 0).worst["deviation"]) > 0.2


def test_without_intercept_and_with_several_outputs():
    pool = tc.features(F, np.stack([Y, F[:, 1]], axis=1), intercept=False)
    found = pool.compare(F, np.stack([Y, F[:, 1]], axis=1), 100, 0.1, draws=5)
    alone = tc.features(F, Y, intercept=False).compare(F, Y, 100, 0.1, draws=5)
    assert found.rows[0]["observed"] > alone.rows[0]["observed"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: POOL.compare(F, Y, 1499, 0.1), "leaves fewer than two of 1500 points"),
        (lambda: POOL.compare(F[:, :5], Y, 20, 0.1), "5 features, and the pool 20"),
        (lambda: POOL.compare(F, Y[:9], 20, 0.1), "for each point"),
        (lambda: POOL.compare(F, Y, 20, 0.1, draws=1), "whole number from 2"),
        (lambda: POOL.compare(F, Y, 20, 0.1, seed=-1), "whole number from 0"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(tc.DomainError, match=words):
        call()


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(("n", "N", "ridge"), [(12, 5, 0.1), (12, 5, 0.0), (8, 20, 0.1), (8, 20, 0.0)])
def test_the_definitions(n, N, ridge, intercept):
    F, y = law(N).draw(n, np.random.default_rng(n + N))
    found = tc.gcv(F, y, ridge, intercept=intercept)
    small = ridge or 1e-9
    centre = np.eye(n) - int(intercept) / n
    resolvent = centre @ np.linalg.inv(centre @ F @ F.T @ centre + n * small * np.eye(n)) @ centre
    assert found.gcv == pytest.approx(n * np.sum((resolvent @ y) ** 2) / np.trace(resolvent) ** 2, rel=1e-5)
    left_out = []
    for i in range(n):
        others = np.arange(n) != i
        weights, constant = ridge_fit(F[others], y[others], ridge * n / (n - 1), intercept)
        left_out.append((y[i] - F[i] @ weights - constant) ** 2)
    assert found.left_out == pytest.approx(np.mean(left_out), rel=1e-6)
    jackknife = []
    for i in range(n):
        others = np.arange(n) != i
        jackknife.append(tc.gcv(F[others], y[others], ridge * n / (n - 1), intercept=intercept).gcv)
    assert found.spread == pytest.approx(np.sqrt((n - 1) / n * np.sum((jackknife - np.mean(jackknife)) ** 2)), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "ridge", "most"), [(30, 0.1, 2.0), (100, 0.1, 1.25), (300, 0.01, 1.25)])
def test_mean_and_spread_over_training_sets(n, ridge, most):
    """A jackknife errs on the safe side: by much where 30 points meet 40 features, and else hardly."""
    known, rng = law(), np.random.default_rng(n)
    found = [tc.gcv(*known.draw(n, rng), ridge) for _ in range(400)]
    estimates = np.array([one.gcv for one in found])
    losses = [known.excess(*ridge_fit(*known.draw(n, rng), ridge)) for _ in range(100)]
    error = np.hypot(np.std(estimates) / 20, np.std(losses) / 10)
    assert abs(np.mean(estimates) - np.mean(losses)) < 3.5 * error
    ratio = np.mean([one.spread for one in found]) / np.std(estimates, ddof=1)
    assert 0.85 < ratio < most


def test_outputs_are_added_and_pools_check_their_features():
    F, y = law(10).draw(60, np.random.default_rng(0))
    both = tc.gcv(F, np.stack([y, y**2], axis=1), [0.1, 1])
    np.testing.assert_allclose(both.gcv, tc.gcv(F, y, [0.1, 1]).gcv + tc.gcv(F, y**2, [0.1, 1]).gcv)
    pool = tc.features(F, y)
    assert pool.gcv(F[:20], y[:20], 0.1) == tc.gcv(F[:20], y[:20], 0.1)
    with pytest.raises(tc.DomainError, match="9 features, and the pool 10"):
        pool.gcv(F[:, :9], y, 0.1)
    with pytest.raises(tc.DomainError, match="fewer than three points"):
        tc.gcv(F[:2], y[:2], 0.1)
    with pytest.raises(tc.DomainError, match="ridge is empty"):
        tc.gcv(F, y)
    assert "Generalised cross-validation of ridge fits to 60 points" in repr(both)
    assert both.to_dict()["inputs"] == {"n": 60, "N": 10, "intercept": True}
