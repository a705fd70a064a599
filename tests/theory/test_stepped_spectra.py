"""Spectra of features and weights over networks whose initial output has a random mean, and refusals."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.matrices import mean_and_error
from theorycalc.theory.case import with_residual_mean
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.weights import law_after, outlier_of

RAW = tc.Problem("2 + tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2", centred=False)


@pytest.mark.slow
def test_both_theories_agree_on_features_for_small_steps():
    dressed, pencil = (tc.spectrum(RAW, n=10**8, alpha=0.15, method=name) for name in ("dressed", "pencil"))
    assert dressed.outliers[:2] == pytest.approx(pencil.outliers[:2], rel=2e-3)
    assert dressed.deviations[1] == pytest.approx(pencil.deviations[1], rel=2e-2)  # the constant hardly moves
    assert "between networks" in repr(pencil)


@pytest.mark.slow
def test_tables_and_rows_have_the_deviations():
    found = tc.spectrum(RAW, n=300, eta=6)
    rows = [row for row in found.rows if row["kind"] == "outlier"]
    assert [row["deviation"] for row in rows] == found.deviations.tolist()
    assert "means over networks" in " ".join(found.notes)
    assert "between networks" in repr(found)
    labels = tc.spectrum(RAW, n=300, eta=6, gradient="labels")
    assert labels.deviations is None
    assert "deviation" not in labels.rows[0]
    centred = tc.spectrum(replace(RAW, centred=True), n=300, eta=6)
    assert found.outliers[1] > centred.outliers[0]  # κ̃ has the square of the mean


SIZES = {"n": 400, "d": 200, "N": 300}
SIZED = tc.Problem("2 + tanh(x + 1)", "H1 + H2/sqrt(2)", **SIZES, ridge="1/10", noise="1/2", centred=False)
ETA, C0 = 8.0, 2.5779  # c_0 = 2 + E tanh(Z + 1)


def place_at(mean):
    """Return the place of the outlier of W in networks whose residual has this mean."""
    step = step_of(SIZED, SIZES["N"], "residual")
    case = with_residual_mean(step.case, mean)
    spread = step.spread / step.case.scatter * case.scatter
    return outlier_of(law_after(replace(step, case=case, spread=spread, output_mean=0.0), ETA)).place


@pytest.mark.slow
def test_means_and_deviations_are_integrals_over_networks():
    """A fine trapezoid rule in Z, instead of seven nodes."""
    Z = np.linspace(-6, 6, 241)
    weights = np.exp(-(Z**2) / 2)
    weights /= weights.sum()
    places = np.array([place_at(-float(SIZED.activation.mean) * z) for z in Z])
    found = tc.weight_spectrum(SIZED, eta=ETA)
    deviation = np.sqrt(weights @ (places - weights @ places) ** 2)
    assert found.outlier == pytest.approx(weights @ places, abs=deviation / 100)
    assert found.deviations[0] == pytest.approx(deviation, rel=2e-2)
    assert "means over networks" in repr(found)
    assert "between networks" in repr(found)
    (row,) = [row for row in found.rows if row["kind"] == "outlier"]
    assert row["deviation"] == found.deviations[0]


@pytest.mark.slow
def test_the_density_is_the_mean_of_densities():
    found = tc.weight_spectrum(SIZED, eta=ETA)
    high = max(part.edges[1] for _, part in found.bulk.parts)
    sigma = np.linspace(0.001, high, 4001)
    assert np.trapezoid(found.density(sigma), sigma) + found.atom == pytest.approx(1, abs=3e-3)
    assert found.edges[0][1] < high


@pytest.mark.parametrize("method", ["isotropic", "pencil"])
def test_other_networks_are_alike(method):
    found = tc.weight_spectrum(replace(SIZED, centred=True), eta=ETA, method=method)
    assert found.deviations == ()
    assert "deviation" not in found.rows[0]
    raw = tc.weight_spectrum(SIZED, eta=ETA, method=method)
    assert raw.outlier > found.outlier  # κ̃ has the square of the mean
    assert raw.deviations[0] > 1


@pytest.mark.slow
def test_spectra_of_networks():
    """Means within three standard errors; with each network's own mean taken into account, to a few per cent."""
    n, d, N = SIZES.values()
    seen, own = [], []
    for seed in range(40):
        rng = np.random.default_rng([29, seed])
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / np.sqrt(N)
        W /= np.linalg.norm(W, axis=1)[:, None]
        X = rng.standard_normal((n, d))
        y = X[:, 0] + (X[:, 0] ** 2 - 1) / np.sqrt(2) + rng.standard_normal(n) / 2
        H = X @ W.T
        r = y - (2 + np.tanh(H + 1)) @ a
        W = W + ETA * (np.outer(r, a) / np.cosh(H + 1) ** 2).T @ X / n
        F = 2 + np.tanh(rng.standard_normal((n, d)) @ W.T + 1)
        values = np.linalg.svd(W, compute_uv=False)
        seen.append(np.append(np.linalg.eigvalsh(F.T @ F / n)[:-3:-1], values[0]))
        own.append(values[0] / place_at(-C0 * a.sum()))
    mean, error = mean_and_error(seen)
    features, weights = tc.spectrum(SIZED, eta=ETA), tc.weight_spectrum(SIZED, eta=ETA)
    expected = np.append(features.outliers[:2], weights.outlier)
    assert np.all(np.abs(mean - expected) < 3 * error)
    deviations = np.append(features.deviations[:2], weights.deviations)
    assert np.all(np.abs(np.std(seen, axis=0, ddof=1) / deviations - 1) < 0.4)
    ratio, its_error = mean_and_error(own)
    assert abs(ratio - 1) < 3 * its_error < 0.1
    centred = tc.weight_spectrum(replace(SIZED, centred=True), eta=ETA)  # without the mean of f₀
    assert abs(mean[2] - centred.outlier) > 4 * error[2]
