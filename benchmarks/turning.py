"""What the shape of the gradient's rest does, on the same draws: ``python -m benchmarks.turning``.

The real network against one whose gradient is u(c_1b + isotropic noise of the same size): the gain that the difference
makes, by simulation, by dressed features and by the isotropic form, which knows only the spike of S.  And how well T is
a quadratic function of S: tr(1 + C)⁻¹/d of sampled matrices against the law.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import theorycalc as tc
from tests.helpers.matrices import first_layer, mean_and_error
from theorycalc.model.requirements import Functions, functions_of
from theorycalc.theory.dressed.accuracy import dressed_losses
from theorycalc.theory.dressed.neurons import DressedStep, step_of
from theorycalc.theory.dressed.turning import _curve, _law

N_SAMPLES, D, N = 1000, 500, 750
ALPHAS = (0.2, 0.3)
RIDGE = 0.1
DRAWS = 40
TEST_POINTS = 3000
PROBLEM = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2")


def draw(functions: Functions, step: DressedStep, seed: int) -> list[list[float]]:
    """Return, for every α, by how much the real losses are below those with isotropic noise."""
    rng = np.random.default_rng(seed)
    noise = step.case.noise
    W = first_layer(rng, N, D)
    a = rng.standard_normal((N, 1)) / np.sqrt(N)
    X, fresh, test = (rng.standard_normal((size, D)) for size in (N_SAMPLES, N_SAMPLES, TEST_POINTS))
    r, y = (functions.teacher(x[:, 0]) + noise * rng.standard_normal(len(x)) for x in (X, fresh))
    gradient = (functions.slope(X @ W.T) * r[:, None]).T @ X / N_SAMPLES
    spread = step.spread / step.case.scatter * (D / N_SAMPLES) * np.mean(r**2)
    isotropic = step.case.c1 * (X.T @ r / N_SAMPLES) + rng.standard_normal((N, D)) * np.sqrt(spread / D)
    found = []
    for alpha in ALPHAS:
        losses = []
        for direction in (isotropic, gradient):
            weights = W + N_SAMPLES**alpha * a * direction
            features, there = (functions.activation(x @ weights.T) for x in (fresh, test))
            dual = np.linalg.solve(features @ features.T / N_SAMPLES + RIDGE * np.eye(N_SAMPLES), y)
            answers = there @ (features.T @ dual) / N_SAMPLES
            losses.append([RIDGE * y @ dual / N_SAMPLES, np.mean((functions.teacher(test[:, 0]) - answers) ** 2)])
        found.append([before - after for before, after in zip(*losses, strict=True)])
    return found


def predicted(step: DressedStep) -> np.ndarray:
    """Return the same difference by theory, for every α: training and test."""
    eta, ridge = N_SAMPLES ** np.array(ALPHAS), np.full(len(ALPHAS), RIDGE)
    before = tc.predict(PROBLEM, ell=0, ridge=ridge)
    losses = np.array([before.train_loss, before.test_loss, before.train_error])
    without_second = replace(step.case, c_star=(step.case.c_star[0], 0.0, *step.case.c_star[2:]))
    without = dressed_losses(replace(step, isotropic=True, case=without_second), eta, ridge, losses)
    found = dressed_losses(step, eta, ridge, losses)
    return np.stack([without.train - found.train, without.test - found.test], axis=-1)


def worst_fit(phi: str, size: int = 2000) -> tuple[float, float]:
    """Return the relative errors of tr(1 + C)⁻¹/d by the law and by C = 1, the worst of three C."""
    step = step_of(replace(PROBLEM, phi=phi), N, "labels")
    t0, t1, t2 = _law(step, 0).quadratic
    nodes = _curve(step, 0, 0.3 * np.sqrt(step.case.scatter), 0.1, 600)
    rng = np.random.default_rng(0)
    n = round(size / step.case.batch_ratio)
    X = rng.standard_normal((n, size))
    r = step.teacher.values(X[:, 0]) + step.case.noise * rng.standard_normal(n)
    S, T = (X.T * r) @ X / n, step.case.batch_ratio * (X.T * r**2) @ X / n
    errors = []
    for turn, noise in ((0.3, 0.1), (0.1, 0.3), (0.0, 0.3)):
        shifted = np.eye(size) + turn * S
        exact = np.trace(np.linalg.inv(np.eye(size) + shifted @ shifted + noise * T)) / size
        s = nodes.s
        fitted = np.sum(nodes.weights.bulk / (1 + (1 + turn * s) ** 2 + noise * (t0 + t1 * s + t2 * s**2))).real
        errors.append([fitted / exact - 1, 1 / (2 + (turn**2 + noise) * step.case.scatter) / exact - 1])
    worst = np.max(np.abs(errors), axis=0)
    return float(worst[0]), float(worst[1])


def main() -> None:
    """Print both comparisons."""
    for phi in ("1/2", "2"):
        print("φ₀ = {}: law within {:.1%}, isotropic within {:.1%}".format(phi, *worst_fit(phi)), flush=True)
    functions, step = functions_of(PROBLEM), step_of(PROBLEM, N, "labels")
    mean, error = mean_and_error([draw(functions, step, seed) for seed in range(DRAWS)])
    theories = predicted(step), predicted(replace(step, isotropic=True))
    for i, alpha in enumerate(ALPHAS):
        for j, loss in enumerate(("training", "test")):
            numbers = "dressed {:.4f}, isotropic {:.4f}".format(*(theory[i, j] for theory in theories))
            print(f"α = {alpha}, {loss}: network {mean[i, j]:.4f} ± {error[i, j]:.4f}, {numbers}", flush=True)


if __name__ == "__main__":
    main()
