"""scaling_law(): losses against n and N, a simulation of one, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc

LINEAR = {"n": 10**9, "d": 300, "N": 10**9, "ridge": "1e-12", "inputs": "power(3/2, 2)", "first_layer": "gaussian"}


def test_losses_are_those_of_predict():
    problem = tc.Problem("tanh", "H1 + H2/2", n=900, d=300, N=600, ridge="1/10", noise="1/2", inputs="two_level(4)")
    law = tc.scaling_law(problem, "N", [100, 200, 400], ell=1)
    alone = tc.predict(tc.Problem(**(vars(problem) | {"N": 200, "phi": None, "psi": None})), ell=1)
    assert law.test_loss[1] == pytest.approx(alone.test_loss, rel=1e-12)
    assert law.excess[1] == pytest.approx(alone.test_loss - 0.25 - 0.5, rel=1e-12)  # 2!/4 of H2/2
    assert law.known is None
    assert [row["size"] for row in law.rows] == [100, 200, 400]


def test_usual_sizes_end_at_d():
    law = tc.scaling_law(tc.Problem("x", "H1", **LINEAR))
    assert law.sizes[0] == 10
    assert law.sizes[-1] in (299, 300)
    assert "the known exponent is 1" in repr(law)
    assert len(law.plot().axes[0].lines) == 2


@pytest.mark.slow
def test_a_dominant_eigenvalue_does_no_harm_to_linear_features():
    d, n, N, draws = 300, 60, 100, 200
    tau = np.arange(1, d + 1.0) ** -1.5
    tau /= np.mean(tau)
    share = np.arange(1, d + 1.0) ** -2
    v = np.sqrt(share / np.sum(share))
    losses = []
    for seed in range(draws):
        rng = np.random.default_rng([5, seed])
        W = rng.standard_normal((N, d)) / np.sqrt(d) * np.sqrt(tau)
        z = rng.standard_normal((n, d))
        F, y = z @ W.T, z @ v
        head = np.linalg.solve(F.T @ F / n + 1e-3 * np.eye(N), F.T @ y / n)
        losses.append(np.sum((W.T @ head - v) ** 2))
    problem = tc.Problem("x", "H1", **(LINEAR | {"n": n, "N": N, "ridge": "1/1000"}))
    expected = float(tc.scaling_law(problem, "n", [n - 1, n, n + 1]).test_loss[1])
    error = np.std(losses) / np.sqrt(draws)
    assert abs(np.mean(losses) - expected) < 3 * error
    isotropic = tc.predict(tc.Problem(**(vars(problem) | {"phi": None, "psi": None, "inputs": None})), ell=0)
    assert abs(np.mean(losses) - isotropic.test_loss) > 10 * error


@pytest.mark.parametrize(
    ("problem", "options", "argument"),
    [
        (tc.Problem("x", "H1", 1, 1, 1), {}, "problem"),
        (tc.Problem("x", "H1", **LINEAR), {"growing": "d"}, "growing"),
        (tc.Problem("x", "H1", **LINEAR), {"sizes": [10, 20]}, "sizes"),
        (tc.Problem("x", "H1", **LINEAR), {"sizes": [10, 30, 20]}, "sizes"),
        (tc.Problem("x", "H1", **LINEAR), {"sizes": [10, 20.5, 30]}, "sizes"),
        (tc.Problem("x", "H1", **LINEAR), {"ell": 2}, "ell"),
        (tc.Problem("x", "H1", **LINEAR), {"ell": 1}, "inputs"),
        (tc.Problem("tanh", "H1", **LINEAR), {}, "inputs"),
    ],
)
def test_what_is_refused(problem, options, argument):
    with pytest.raises(tc.TheoryError) as caught:
        tc.scaling_law(problem, **options)
    assert caught.value.argument == argument
