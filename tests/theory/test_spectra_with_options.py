"""Outliers of networks whose activation is raw, whose labels have a mean, or whose step has corrupted labels."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.pencil.numerics import pencil_of

RATIOS = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}
RAW = tc.Problem("relu", "H1 + H2/sqrt(2)", **RATIOS, centred=False)
LIFTED = tc.Problem("relu", "H0 + H1 + H2/sqrt(2)", **RATIOS, intercept=True, centred_labels=False)
PLACES = 2  # of outliers that are compared
CORRUPT = tc.Problem("relu", "H1 + H2/sqrt(2)", **RATIOS, corrupt_step="2/5")


def test_before_a_step_the_constant_of_a_raw_activation_is_an_outlier():
    """(c_0 + c_2(‖x‖²/d − 1))1ᵀ on the bulk, of the size Nc_0²: of variance Var σ beside it."""
    found = tc.spectrum(RAW, n=10**6, eta=0, gradient="labels", method="pencil")
    size = 0.75e6 / (2 * np.pi)
    assert found.outliers[0] == pytest.approx(size, rel=1e-4)
    assert found.alignments[0, 0] == pytest.approx(1, abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("problem", "alpha"), [(RAW, 0.15), (LIFTED, 0.15), (CORRUPT, 0.15)])
def test_both_theories_agree_for_small_steps(problem, alpha):
    dressed, pencil = (
        tc.spectrum(problem, n=10**8, alpha=alpha, gradient="labels", method=name) for name in ("dressed", "pencil")
    )
    assert len(dressed.outliers) == len(pencil.outliers)
    assert np.allclose(dressed.outliers, pencil.outliers, rtol=1e-4)
    assert np.allclose(dressed.alignments[:, :2], pencil.alignments[:, :2], atol=1e-4)


@pytest.mark.checks("first_lift")
def test_the_mean_of_the_labels_lifts_the_first_spike():
    """h + 4c_2²E r/(c_1²√κ) in its place: a constant beside h in the vector of the outlier."""
    found = tc.spectrum(LIFTED, n=10**8, alpha=0.15, gradient="labels", method="pencil")
    case = pencil_of(LIFTED, 10**8, "labels").case
    lift = 4 / (8 * np.pi) / (0.25 * np.sqrt(case.kappa))  # c_2² = 1/(8π), c_1² = 1/4, E r = 1
    assert found.alignments[0, 0] / found.alignments[0, 1] == pytest.approx(lift**2, rel=2e-2)


@pytest.mark.slow
def test_an_intercept_is_noted_and_a_constant_layer_with_a_growing_output_refused():
    with_it, without = (
        tc.spectrum(replace(CORRUPT, intercept=which), n=400, eta=5, gradient="labels") for which in (True, False)
    )
    assert np.array_equal(with_it.outliers, without.outliers)
    assert any("intercept" in note for note in with_it.notes)
    for verb in (tc.spectrum, tc.weight_spectrum):
        with pytest.raises(tc.TheoryError, match="grows without limit") as caught:
            verb(replace(RAW, second_layer="constant"), n=400, eta=5)
        assert caught.value.argument == "second_layer"
    weights, centred = (
        tc.weight_spectrum(problem, n=400, eta=5, gradient="labels") for problem in (RAW, replace(RAW, centred=True))
    )
    assert weights.outlier == centred.outlier


@pytest.mark.slow
@pytest.mark.parametrize(
    ("problem", "shift", "mean", "corrupt"), [(RAW, 0, 0, 0), (LIFTED, 1, 1, 0), (CORRUPT, 1, 0, 0.4)]
)
def test_outliers_of_networks(problem, shift, mean, corrupt):
    n, d, N, draws, seen = 400, 200, 300, 20, []
    for seed in range(draws):
        rng = np.random.default_rng([17, seed])
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / np.sqrt(N)
        W /= np.linalg.norm(W, axis=1)[:, None]
        X = rng.standard_normal((n, d))
        t = np.where(rng.random(n) < corrupt, rng.standard_normal(n), X[:, 0])
        y = mean + t + (t**2 - 1) / np.sqrt(2) + rng.standard_normal(n) / 2
        W += n**0.45 * ((X @ W.T > 0) * np.outer(y, a)).T @ X / n
        F = np.maximum(rng.standard_normal((n, d)) @ W.T, 0) - shift / np.sqrt(2 * np.pi)
        seen.append(np.linalg.eigvalsh(F.T @ F / n)[: -PLACES - 1 : -1])
    found = tc.spectrum(problem, n=n, alpha="0.45", gradient="labels").outliers[:PLACES]
    average, error = np.mean(seen, axis=0), np.std(seen, axis=0, ddof=1) / np.sqrt(draws)
    assert np.all(np.abs(average - found) < 3 * error + 0.03 * found)  # places are right up to terms of order 1/n


@pytest.mark.slow
def test_outliers_of_networks_after_several_steps():
    """Three steps on fresh batches of labels; one step of their sum has another first outlier."""
    n, d, N, eta, draws, seen = 400, 200, 300, 12.0, 24, []
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", n=n, d=d, N=N, ridge=1, noise="1/2", steps=3)
    mean = float(problem.activation.mean)
    for seed in range(draws):
        rng = np.random.default_rng([23, seed])
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / np.sqrt(N)
        W /= np.linalg.norm(W, axis=1)[:, None]
        for _ in range(3):
            X = rng.standard_normal((n, d))
            y = X[:, 0] + (X[:, 0] ** 2 - 1) / np.sqrt(2) + rng.standard_normal(n) / 2
            W = W + eta * (np.outer(y, a) / np.cosh(X @ W.T + 1) ** 2).T @ X / n
        F = np.tanh(rng.standard_normal((n, d)) @ W.T + 1) - mean
        seen.append(np.linalg.eigvalsh(F.T @ F / n)[: -PLACES - 1 : -1])
    expected = tc.spectrum(problem, eta=eta, gradient="labels").outliers
    summed = tc.spectrum(replace(problem, steps=1, step_samples=3 * n), eta=3 * eta, gradient="labels").outliers
    error = np.std(seen, axis=0, ddof=1) / np.sqrt(draws)
    assert len(expected) == PLACES
    assert np.all(np.abs(np.mean(seen, axis=0) - expected) < 3 * error)
    assert abs(np.mean(seen, axis=0)[0] - summed[0]) > 4 * error[0]


def test_shared_noise_refuses_a_spectrum():
    fast = tc.Problem("max(0, x)**2", "H1", n=600, d=300, N=500, ridge=1, noise="1/2", steps=4)
    with pytest.raises(tc.TheoryError, match="squared length of neurons is noise"):
        tc.spectrum(fast, eta=6, gradient="labels")
