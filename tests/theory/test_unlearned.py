"""What a fit to the teacher itself leaves of it at fresh points."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.dressed.fixed_point import solve
from theorycalc.theory.dressed.labels import signal_given
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.unlearned import unlearned

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
