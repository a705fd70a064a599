"""Moments of labels given h, and what a fit to the teacher itself leaves of it at fresh points."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.dressed.fixed_point import solve
from theorycalc.theory.dressed.labels import labels_given, signal_given, unlearned
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of

RATIOS = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"}


def networks(**options):
    problem = tc.Problem("relu", options.pop("teacher", "H1 + H2/sqrt(2)"), **RATIOS, **options)
    return network_after(step_of(problem, 300, "labels"), np.ones(1), Resolution())


def test_without_options_labels_are_the_signal_and_noise():
    network = networks()
    signal, labels = signal_given(network, 0), labels_given(network, 0)
    for name in ("mean", "along", "across"):
        assert np.array_equal(getattr(signal, name), getattr(labels, name))
    assert np.allclose(labels.square, signal.square + 0.25, rtol=1e-15)


def test_the_moments_of_a_quadratic_teacher():
    network = networks()
    rho, other = network.step.toward
    h, found = network.h, signal_given(network, 0)
    assert np.allclose(found.mean, rho * h + rho**2 * (h**2 - 1) / np.sqrt(2), atol=1e-9)
    linear = other * (1 + np.sqrt(2) * rho * h)  # E[y g']
    assert np.allclose(found.along[0], rho * h * found.mean + other * linear, atol=1e-8)
    assert np.allclose(found.along[1], other * h * found.mean - rho * linear, atol=1e-8)
    assert np.allclose(found.across, np.sqrt(2) * other**2, atol=1e-8)


@pytest.mark.parametrize(
    ("options", "kept", "mean"),
    [
        ({"corrupt_fit": "1/4", "flip_fit": "1/10"}, 0.6, 0.0),
        ({"teacher": "2*H0 + H1 + H2/sqrt(2)", "centred": False, "centred_labels": False}, 1.0, 2.0),
        ({"teacher": "2*H0 + H1 + H2/sqrt(2)", "intercept": True, "centred_labels": False}, 1.0, 0.0),
    ],
)
def test_labels_that_are_corrupted_or_have_a_mean(options, kept, mean):
    network = networks(**options)
    signal, labels = signal_given(network, 0), labels_given(network, 0)
    weights, along = network.h_weights, np.stack([d * network.h for d in network.step.toward])
    assert np.allclose(labels.mean, kept * signal.mean + mean)
    assert np.allclose(labels.along, kept * signal.along + mean * along)
    assert np.allclose(labels.across, kept * signal.across)
    assert weights @ labels.square == pytest.approx(2 + 0.25 + mean**2)  # whatever happens to labels keeps their square


SIZES = {"n": 300, "d": 150, "N": 225, "ridge": "1/10", "noise": "1/2"}


def left_of(problem, eta):
    network = network_after(step_of(problem, problem.N, "labels"), np.array([eta]), Resolution())
    return float(unlearned(network, signal_given(network, 0), solve(network, np.array([0.1])))[0])


@pytest.mark.parametrize("intercept", [False, True])
def test_before_the_step_it_is_the_limit(intercept):
    problem = tc.Problem("erf", "H1 + H2/sqrt(2)", **SIZES, intercept=intercept)  # c_2 = 0: ‖x‖² plays no part
    known = tc.predict(tc.Problem("erf", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10"), ell=0)
    assert left_of(problem, 0.0) == pytest.approx(float(known.m2 / known.m1) + 1, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("intercept", [False, True])
def test_it_is_that_of_networks_and_leverage_matters(intercept):
    problem = tc.Problem("relu", "H1 + H2/sqrt(2)", **SIZES, intercept=intercept)
    n, d, N, eta, draws, seen = problem.n, problem.d, problem.N, 12.0, 60, []
    for seed in range(draws):
        rng = np.random.default_rng([8, seed])
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / np.sqrt(N)
        W /= np.linalg.norm(W, axis=1)[:, None]
        X, fit, test = (rng.standard_normal((points, d)) for points in (n, n, 3000))
        labels, f, fresh = (x[:, 0] + (x[:, 0] ** 2 - 1) / np.sqrt(2) for x in (X, fit, test))
        labels += rng.standard_normal(n) / 2
        W += eta * ((X @ W.T > 0) * np.outer(labels, a)).T @ X / n
        F, G = (np.maximum(x @ W.T, 0) - 1 / np.sqrt(2 * np.pi) for x in (fit, test))
        middle, mean = (F.mean(axis=0), f.mean()) if intercept else (0.0, 0.0)
        F, G = F - middle, G - middle
        found = G @ np.linalg.solve(F.T @ F + 0.1 * n * np.eye(N), F.T @ (f - mean)) + mean
        seen.append(np.mean(fresh * (fresh - found)))
    mean, error = np.mean(seen), np.std(seen, ddof=1) / np.sqrt(draws)
    assert abs(mean - left_of(problem, eta)) < 3 * error
    assert abs(mean - left_of(problem, 0.0)) > 5 * error
