"""One pass over a pool: sums to rounding, however far from zero, whatever the blocks; the sample is uniform."""

from __future__ import annotations

import numpy as np
import pytest

from theorycalc.errors import DomainError
from theorycalc.pools.gathering import gather
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
