"""gcv(): equal to its definition and to leaving points out one by one; its spread by simulation."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law, ridge_fit


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
