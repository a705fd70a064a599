"""Error rates in the limit for inputs with a covariance: against ridge fits with strong spikes, in numpy alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.numbers.balls import ball_precision
from theorycalc.theory import fit_scatter
from theorycalc.theory.case import ball_case
from theorycalc.theory.fit_scatter import ball_scatter
from theorycalc.theory.solver import ball_weights
from theorycalc.theory.spectral_traces import alignment, remainder

SHARE = 0.9  # of the teacher in the large eigenvalues
PROBLEM = tc.Problem("relu", "sign(x)", "1/2", "2/3", "1/10", inputs="two_level(9, 1/4, 9/10)")


def simulated(draws, n, d, N, seed):
    """Return rates of ridge on F₀ with h without a penalty, and before the step, with their standard errors."""
    rng = np.random.default_rng(seed)
    scales = np.sqrt(np.where(np.arange(d) < d // 4, 3.0, 1 / 3))
    shares = np.where(np.arange(d) < d // 4, SHARE / (d // 4), (1 - SHARE) / (d - d // 4))
    found = []
    for _ in range(draws):
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        v = rng.standard_normal(d)
        large = np.arange(d) < d // 4
        for part in (large, ~large):
            v[part] *= math.sqrt(shares[part].sum()) / np.linalg.norm(v[part])
        X, fresh, batch = (rng.standard_normal((m, d)) for m in (n, 6000, n))  # whitened
        y, clean, first = (np.sign(x @ v) for x in (X, fresh, batch))
        X, fresh, batch = (x * scales for x in (X, fresh, batch))
        beta = batch.T @ first / n
        h, h_fresh = ((x @ beta)[:, None] for x in (X, fresh))
        F, F_fresh = (np.maximum(x @ W.T, 0) - 1 / math.sqrt(2 * math.pi) for x in (X, fresh))
        R = np.linalg.inv(F @ F.T + 0.1 * n * np.eye(n))
        b = np.linalg.solve(h.T @ R @ h, h.T @ R @ y)
        before, after = F_fresh @ (F.T @ (R @ y)), h_fresh @ b + F_fresh @ (F.T @ (R @ (y - h @ b)))
        found.append([np.mean(np.sign(f) != clean) for f in (before, after)])
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(draws)


def learns_all(case, weights, stepped):
    """A remainder of which nothing is kept, with the same loss."""
    found = remainder(case, weights, stepped)
    return found._replace(kept=0.0, learned=1.0, beside=found.beside + found.kept**2) if stepped else found


@pytest.mark.slow
def test_strong_spikes_have_these_rates(monkeypatch):
    """A fit that learns all of t − ρh, with the same loss, and inputs without a covariance are rejected."""
    seen, error = simulated(60, 600, 300, 450, seed=5)
    found = tc.error_rate(PROBLEM, ell=1)
    assert abs(found.error_rate_initial - seen[0]) < 3 * error[0]
    assert abs(found.error_rate - seen[1]) < 3 * error[1]
    monkeypatch.setattr(fit_scatter, "remainder", learns_all)
    isotropic = tc.Problem("relu", "sign(x)", "1/2", "2/3", "1/10")
    for problem in (PROBLEM, isotropic):
        assert abs(tc.error_rate(problem, ell=1).error_rate - seen[1]) > 4 * error[1]


@pytest.mark.slow
def test_equal_eigenvalues_are_no_covariance():
    """Levels that come together have the rates of isotropic inputs, proven and rounded."""
    near = tc.Problem("relu", "sign(x)", "1/2", "2/3", "1/10", inputs="two_level(10001/10000)")
    one = tc.Problem("relu", "sign(x)", "1/2", "2/3", "1/10")
    for ell in (0, 1, 3):
        found, expected = (tc.error_rate(problem, ell=ell).error_rate for problem in (near, one))
        assert found == pytest.approx(expected, abs=1e-5)
        assert float(tc.error_rate(near, ell=ell, digits=20).error_rate) == pytest.approx(found, abs=1e-12)


@pytest.mark.parametrize(
    ("phi", "psi", "ridge", "network"),
    [
        ("1/2", "2/3", "1e8", "theorem"),
        ("1/2", "2/3", "1e20", "literal"),
        ("1/10000", 10000, "1e6", "theorem"),
        (3, 2, "1e6", "literal"),
    ],
)
def test_large_ridges_leave_all_digits(phi, psi, ridge, network):
    problem = tc.Problem("tanh", "sign(x)", phi, psi, ridge, inputs="two_level(9, 1/4)")
    rounded, proven = (tc.error_rate(problem, ell=1, network=network, digits=digits) for digits in (None, 15))
    for name in ("error_rate_initial", "error_rate"):
        assert getattr(rounded, name) == pytest.approx(float(getattr(proven, name)), rel=1e-12)


@pytest.mark.parametrize("network", ["theorem", "literal"])
@pytest.mark.parametrize("stepped", [False, True])
def test_the_scatter_is_that_of_the_loss(network, stepped):
    """Without a covariance's sums: what the loss of page 21 has beside what is kept."""
    with ball_precision(200):
        case = ball_case(PROBLEM, "labels" if network == "theorem" else "residual")
        sizes = PROBLEM.phi, PROBLEM.psi, PROBLEM.ridge
        found, (_, weights) = ball_scatter(case, sizes, 200, stepped), ball_weights(case, sizes, 200)
        linear = weights.test_linear
        linear *= alignment(case, weights).test_left / case.one_minus_t if stepped else 1
        assert (found.linear - (linear - found.kept**2)).contains(0)
        assert (found.rest - (weights.test_rest - 1)).contains(0)
        assert (found.kept + found.learned).contains(1)
        assert stepped or found.kept.overlaps(weights.kept)
        assert max(x.rad() for x in found[:4]) < 1e-40


def test_refusals():
    with pytest.raises(tc.DomainError, match="need ridge= above 0: their limit without ridge is not derived") as e:
        tc.error_rate(PROBLEM, ell=1, ridge=0)
    assert e.value.argument == "ridge"
    sized = tc.Problem("relu", "sign(x)", n=400, d=200, N=300, ridge="1/10", inputs="two_level(4)")
    with pytest.raises(tc.ArgumentError, match="not part of error rates after finite steps") as error:
        tc.error_rate(sized, eta=1)
    assert error.value.argument == "inputs"
