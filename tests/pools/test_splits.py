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
