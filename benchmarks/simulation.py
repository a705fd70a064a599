"""The speed of one replicate against its matrix products and a plain script; writes docs/simulation_speed.md.

Run it by ``make bench`` or ``python -m benchmarks.simulation``.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.pages import DOCS, write_between
from benchmarks.timing import Ratio, end, machine, ratio_of, ratio_table, rotation
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import Settings, read_settings

N_RIDGE, N_INPUTS, N_NEURONS = 4000, 2000, 3000
PATH = tuple(np.geomspace(0.01, 1, 20))
MIDDLE = 0.1
STEPS = (0.2, 0.25, 0.3, 0.35, 0.4)
ROUNDS = 3


def settings(ridge: object = PATH, precision: str = "float64", alpha: object = 0.3) -> Settings:
    """The case that is measured: n = 4000, d = 2000, N = 3000, tanh(x + 1), α = 0.3 or a curve."""
    sizes = {"n": N_RIDGE, "d": N_INPUTS, "N": N_NEURONS}
    problem = tc.Problem("tanh(x + 1)", ["1", "1/2"], **sizes, ridge="1/10", noise="1/2")
    return read_settings(problem, n=N_RIDGE, alpha=alpha, ridge=ridge, precision=precision)


def products(inputs: np.ndarray, weights: np.ndarray, slopes: np.ndarray) -> None:
    """The matrix products that no simulation of the network can avoid, on matrices of their sizes.

    They are X W₀ᵀ, the gradient, X̃W₀ᵀ, X̃Wᵀ, and both for the test points.
    """
    slopes.T @ inputs
    for _ in range(5):
        inputs @ weights.T


def plain_script() -> list[tuple[float, float, float, float]]:
    """The same replicate as a person would type it: one n×n Cholesky factorisation per λ."""
    n, d, N, eta = N_RIDGE, N_INPUTS, N_NEURONS, N_RIDGE**0.3
    rng = np.random.default_rng(0)
    mean = float(tc.activation("tanh(x + 1)").mean)
    beta = rng.standard_normal(d)
    beta /= np.linalg.norm(beta)

    def points() -> tuple[np.ndarray, np.ndarray]:
        x = rng.standard_normal((n, d))
        z = x @ beta
        return x, z + (z**2 - 1) / 2 + 0.5 * rng.standard_normal(n)

    W0 = rng.standard_normal((N, d))
    W0 /= np.linalg.norm(W0, axis=1, keepdims=True)
    a = rng.standard_normal(N) / np.sqrt(N)
    X, y = points()
    H = np.tanh(X @ W0.T + 1)
    residual = y - (H - mean) @ a
    W = W0 + eta / n * (np.outer(residual, a) * (1 - H**2)).T @ X
    (X, y), (T, t) = points(), points()
    results = []
    for V in (W0, W):
        F, G = np.tanh(X @ V.T + 1) - mean, np.tanh(T @ V.T + 1) - mean
        K = F @ F.T
        for lam in PATH:
            factor = linalg.cho_factor(K + lam * n * np.eye(n))
            solution = linalg.cho_solve(factor, y)
            head = F.T @ solution
            results.append((lam, lam * y @ solution, np.mean((t - G @ head) ** 2), np.sum(head**2)))
    return results


def measured() -> tuple[list[Ratio], float, dict[str, Any]]:
    """Return ratios, timed alternately, the largest relative change of a loss by float32, and the solver's report."""
    whole, single, rough = settings(), settings(MIDDLE), settings(precision="float32")
    curve = settings(MIDDLE, alpha=list(STEPS))
    rng = np.random.default_rng(0)
    sizes = ((N_RIDGE, N_INPUTS), (N_NEURONS, N_INPUTS), (N_RIDGE, N_NEURONS))
    matrices = [rng.standard_normal(size) for size in sizes]
    kept: dict[str, Any] = {}

    def replicated(name: str, case: Settings) -> None:
        kept[name] = replicate(case, 0)[0]

    replicated("float64", whole)  # not measured
    works = {
        "ours": lambda: replicated("float64", whole),
        "products": lambda: products(*matrices),
        "single": lambda: replicated("single", single),
        "curve": lambda: replicated("curve", curve),
        "plain": plain_script,
        "float32": lambda: replicated("float32", rough),
    }
    times = rotation(works, ROUNDS)
    name = "one replicate, 20 ridge values"
    ours = times["ours"]
    found = [
        ratio_of(name, "its matrix products alone", ours, times["products"], target=1 / 2),
        ratio_of(name, f"the same with one ridge value, {MIDDLE}", ours, times["single"], target=1 / 1.3),
        ratio_of(name, "plain script, one Cholesky per λ", ours, times["plain"], target=3),
        ratio_of(
            f"one replicate, {len(STEPS)} steps on its draw",
            f"{len(STEPS)} replicates of one step",
            times["curve"],
            [len(STEPS) * seconds for seconds in times["single"]],
            target=2,
        ),
        ratio_of("the same with float32 products", "float64 products", times["float32"], ours, target=1),
    ]
    pairs = list(zip(kept["float64"]["rows"], kept["float32"]["rows"], strict=True))
    losses = ("train_loss_initial", "test_loss_initial", "train_loss", "test_loss")
    error = max(abs(exact[loss] / rough[loss] - 1) for exact, rough in pairs for loss in losses)
    return found, error, kept["float64"]["solver"]


def main() -> None:
    """Run everything on one BLAS thread, and write the page."""
    with threadpool_limits(limits=1, user_api="blas"):
        found, error, solver = measured()
    said = (
        f"The largest relative residual of the fits is {solver['residual']:.0e} ({solver['method']}). "
        f"float32 products change the losses by at most {error:.0e} of themselves. "
        f"One replicate needs at most {settings().memory / 2**20:.0f} MiB."
    )
    write_between(DOCS / "simulation_speed.md", "speed", [*ratio_table(found, "s"), "", said, "", machine()])
    end(found)


if __name__ == "__main__":
    main()
