"""Outliers of weights and features after several steps against networks in plain NumPy, which share nothing with ours.

``python -m benchmarks.later_weights`` writes its table into docs/theory/weights.md.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from tests.helpers.matrices import mean_and_error
from theorycalc.numbers.exact import Floats

SIZES = {"n": 600, "d": 300, "N": 450}
DRAWS = 24
SLOPES: dict[str, Callable[[Floats], Floats]] = {
    "tanh(x + 1)": lambda z: 1 / np.cosh(z + 1) ** 2,
    "relu": lambda z: (z > 0) * 1.0,
    "softplus": lambda z: 1 / (1 + np.exp(-z)),
    "max(0, x)**2": lambda z: 2 * np.maximum(z, 0),
}


class Cell(NamedTuple):
    """Networks, and the steps that they take."""

    activation: str
    steps: int
    second_layer: str
    eta: float


CELLS = (
    *(Cell(name, 3, "gaussian", eta) for name in ("tanh(x + 1)", "relu", "softplus") for eta in (3.0, 6.0, 12.0)),
    *(Cell("tanh(x + 1)", 2, law, 12.0) for law in ("gaussian", "uniform", "sign", "constant")),
    *(Cell("relu", 4, law, 8.0) for law in ("uniform", "sign", "constant")),
    *(Cell("max(0, x)**2", 2, "gaussian", eta) for eta in (2.0, 4.0)),
)


def largest(rng: np.random.Generator, cell: Cell) -> Floats:
    """Return the two largest singular values of W with their overlaps, for one network."""
    n, d, N = SIZES.values()
    beta = rng.standard_normal(d)
    beta /= np.linalg.norm(beta)
    W = rng.standard_normal((N, d))
    W /= np.linalg.norm(W, axis=1)[:, None]
    laws = {"gaussian": rng.standard_normal(N), "uniform": rng.uniform(-math.sqrt(3), math.sqrt(3), N)}
    laws |= {"sign": rng.choice([-1.0, 1.0], N), "constant": np.ones(N)}
    a, total = laws[cell.second_layer] / math.sqrt(N), np.zeros(d)
    for _ in range(cell.steps):
        X = rng.standard_normal((n, d))
        t = X @ beta
        y = t + (t**2 - 1) / math.sqrt(2) + rng.standard_normal(n) / 2
        W = W + cell.eta * (a[:, None] * (SLOPES[cell.activation](W @ X.T) * y)) @ X / n
        total += X.T @ y / n
    left, values, right = np.linalg.svd(W, full_matrices=False)
    cosines = left.T @ a / np.linalg.norm(a), right @ total / np.linalg.norm(total), right @ beta
    return np.array([values, *(cosine**2 for cosine in cosines)])[:, :2].T


def expected(cell: Cell, **how: str) -> tc.WeightSpectrum:
    """Return the spectrum of W that the theory has."""
    options = {"steps": cell.steps, "second_layer": cell.second_layer}
    problem = tc.Problem(cell.activation, "H1 + H2/sqrt(2)", **SIZES, ridge=1, noise="1/2", **options)
    return tc.weight_spectrum(problem, eta=cell.eta, gradient="labels", **how)


def rows(cell: Cell, seed: int) -> Iterator[list[str]]:
    """Yield a row for each outlier of a cell; where no second one is expected, the second value beside the edge."""
    rng = np.random.default_rng(seed)
    means, errors = mean_and_error([largest(rng, cell) for _ in range(DRAWS)])
    found, summed = expected(cell), expected(cell, method="pencil")
    head = [cell.activation, str(cell.steps), cell.second_layer, f"{cell.eta:g}"]
    for i in range(2):
        cells = [f"{mean:.3f} ± {error:.3f}" for mean, error in zip(means[i], errors[i], strict=True)]
        if i < len(found.outliers):
            theory = found.outliers[i]
            cells = [f"{seen}; {x:.3f}" for seen, x in zip(cells, theory, strict=True)]
            cells[0] += f" (z {(means[i, 0] - theory.place) / errors[i, 0]:+.1f})"
            yield [*head, "σ_1" if i == 0 else "σ_2", *cells, f"{summed.outlier:.3f}" if i == 0 else "–"]
        else:
            yield [*head, "σ_2, edge", f"{cells[0]}; {found.edges[0][1]:.3f}", *["–"] * 4]


if __name__ == "__main__":
    head = "σ | steps | $a$ | η each | value | place | with $a$ | with the steps | with $\\beta_\\star$ | as one step"
    with threadpool_limits(1):
        found = [row for seed, cell in enumerate(CELLS) for row in rows(cell, seed)]
    write_between(DOCS / "theory" / "weights.md", "several steps", table(head, found))
