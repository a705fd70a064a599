"""Penalties of other papers: each minimiser, computed by hand, is ours at the translated λ."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.conventions import CONVENTIONS

n, d, N = 30, 12, 20
rng = np.random.default_rng(0)
F, y = rng.standard_normal((n, N)), rng.standard_normal(n)


def minimiser(features: np.ndarray, fit_weight: float, penalty: float) -> np.ndarray:
    """Fitted values of argmin fit_weight·‖y − features a‖² + penalty·‖a‖²."""
    gram = fit_weight * features.T @ features + penalty * np.eye(N)
    return features @ np.linalg.solve(gram, fit_weight * features.T @ y)


LAM = 0.37
THEIRS = {
    "mean": minimiser(F, 1 / n, LAM),
    "sum": minimiser(F, 1, LAM),
    "half_sum": minimiser(F, 1 / 2, LAM / 2),
    "mean_scaled_features": minimiser(F / np.sqrt(N), 1 / n, LAM),
    "sum_scaled_features": minimiser(F / np.sqrt(N), 1, LAM),
    "mei_montanari": minimiser(F, 1 / n, N / d * LAM),
}


@pytest.mark.checks("ridge_convention")
@pytest.mark.parametrize("convention", CONVENTIONS)
def test_translation(convention):
    ours = float(tc.ridge_from(convention, LAM, n=n, phi=f"{d}/{n}", psi=f"{d}/{N}"))
    assert np.allclose(minimiser(F, 1 / n, ours), THEIRS[convention], rtol=1e-12)


def test_every_convention_is_tested_and_differs():
    assert set(THEIRS) == set(CONVENTIONS)
    assert not np.allclose(THEIRS["sum"], THEIRS["mean"])
