"""What networks with biases lose and gain: ``python -m benchmarks.biases [draws]``.

Ridge fits with strong spikes against limits, and real networks with the true gradient against dressed features, by
numpy alone.  Prints the tables of docs/theory/kinds.md#how-well-it-agrees.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from itertools import product
from typing import NamedTuple

import numpy as np

import theorycalc as tc
from benchmarks.pages import agreement, table
from tests.helpers.matrices import first_layer, mean_and_error
from theorycalc.numbers.systems import Array

DRAWS = 24
SHAPES = ((700, 350, 525, 0.1), (500, 600, 1200, 0.05))  # n, d, N and λ of the limits
SIZES = (600, 300, 450, 0.1)  # of finite steps
ALPHAS = (0.2, 0.4)
NOISE = 0.5


class Activation(NamedTuple):
    """An activation and its slope."""

    values: Callable[[Array], Array]
    slope: Callable[[Array], Array]


ACTIVATIONS = {
    "relu": Activation(lambda z: np.maximum(z, 0), lambda z: (z > 0) * 1.0),
    "tanh": Activation(np.tanh, lambda z: 1 - np.tanh(z) ** 2),
}
NETWORKS = (("relu", {-1: 1, 1: 1}), ("tanh", {0: 1, 2: 1}), ("tanh", "normal(1)"))


def biases_of(rng: np.random.Generator, biases: object, N: int) -> Array:
    """Return the biases of N neurons: of two kinds, as many of each, or normal."""
    return rng.standard_normal(N) if isinstance(biases, str) else np.repeat(list(dict(biases)), [N // 2, N - N // 2])


def batch(rng: np.random.Generator, count: int, d: int) -> tuple[Array, Array]:
    """Return points, and their labels H_1 + H_2/2 + ε of the first input."""
    X = rng.standard_normal((count, d))
    return X, X[:, 0] + (X[:, 0] ** 2 - 1) / 2 + NOISE * rng.standard_normal(count)


def losses(F: Array, y: Array, G: Array, z: Array, free: tuple[Array, Array], lam: float) -> Array:
    """Return training and test loss of ridge on F with the columns of ``free`` unpenalised."""
    Q, R = np.linalg.qr(free[0])
    apart, rest = F - Q @ (Q.T @ F), y - Q @ (Q.T @ y)
    a = apart.T @ np.linalg.solve(apart @ apart.T + lam * len(y) * np.eye(len(y)), rest)
    b = np.linalg.solve(R, Q.T @ (y - F @ a))
    return np.array([np.mean((y - F @ a - free[0] @ b) ** 2) + lam * a @ a, np.mean((z - G @ a - free[1] @ b) ** 2)])


def strong_spikes(rng: np.random.Generator, shape: tuple[int, int, int, float]) -> Array:
    """Return losses before, and gains by h and h², of tanh(w·x + b) with normal b and a step on the labels."""
    n, d, N, lam = shape
    W, b = first_layer(rng, N, d), biases_of(rng, "normal(1)", N)
    (X0, y0), (X, y), (there, z) = batch(rng, n, d), batch(rng, n, d), batch(rng, 6000, d)
    beta = X0.T @ y0
    h, h_there = (points @ beta / np.linalg.norm(beta) for points in (X, there))
    powers = tuple(np.stack([projection**k for k in range(3)], axis=1) for projection in (h, h_there))
    constant = tuple(columns[:, :1] for columns in powers)
    F, G = np.tanh(X @ W.T + b), np.tanh(there @ W.T + b)
    before = losses(F, y, G, z, constant, lam)
    return np.concatenate([before, before - losses(F, y, G, z, powers, lam)])


def gains(rng: np.random.Generator, name: str, biases: object, gradient: str, eta: float) -> Array:
    """Return the training and the test gain of one network."""
    (n, d, N, lam), (sigma, slope) = SIZES, ACTIVATIONS[name]
    W, b, a = first_layer(rng, N, d), biases_of(rng, biases, N), rng.standard_normal(N) / math.sqrt(N)
    (X0, y0), (X, y), (there, z) = batch(rng, n, d), batch(rng, n, d), batch(rng, 3000, d)
    r = y0 - (sigma(X0 @ W.T + b) - means_of(sigma, b)) @ a if gradient == "residual" else y0
    moved = W + eta * a[:, None] * ((slope(X0 @ W.T + b) * r[:, None]).T @ X0) / n
    free = np.ones((n, 1)), np.ones((len(z), 1))
    found = [losses(sigma(X @ V.T + b), y, sigma(there @ V.T + b), z, free, lam) for V in (W, moved)]
    return np.asarray(found[0] - found[1])


def means_of(sigma: Callable[[Array], Array], b: Array) -> Array:
    """Return E σ(Z + b) of each neuron."""
    z = np.linspace(-9, 9, 9001)
    weights = np.exp(-(z**2) / 2)
    return np.array([weights @ sigma(z + bias) for bias in b]) / weights.sum()


def problem(name: str, shape: tuple[int, int, int, float], biases: object) -> tc.Problem:
    """Return the problem, with or without its biases."""
    n, d, N, lam = shape
    return tc.Problem(name, "H1 + H2/2", n=n, d=d, N=N, ridge=lam, noise=NOISE, intercept=True, biases=biases)


def cells(mean: Array, error: Array, theory: Array) -> list[str]:
    """Return mean ± standard error (theory) of each number."""
    return [f"{m:.3f} ± {e:.3f} ({t:.3f})" for m, e, t in zip(mean, error, theory, strict=True)]


def main(draws: int = DRAWS) -> None:
    """Simulate, and print both tables, then how far the theories with and without biases are off."""
    off: dict[str, list[Array]] = {"limits": [], "finite steps": [], "without biases": []}
    rows = []
    for index, shape in enumerate(SHAPES):
        mean, error = mean_and_error([strong_spikes(np.random.default_rng([1, index, i]), shape) for i in range(draws)])
        found = tc.predict(problem("tanh", shape, "normal(1)"), ell=2)
        theory = [found.train_loss_initial, found.test_loss_initial, found.train_gain, found.test_gain]
        off["limits"].append((mean - theory) / error)
        rows.append((", ".join(map(str, shape)), *cells(mean, error, np.array(theory))))
    print("\n".join(table("n, d, N, λ | L_tr(F₀) | L_te(F₀) | Δ_2 | Λ_2", rows)), end="\n\n")
    rows = []
    for index, ((name, biases), gradient, alpha) in enumerate(product(NETWORKS, ("labels", "residual"), ALPHAS)):
        eta = SIZES[0] ** alpha
        seeds = [np.random.default_rng([2, index, i]) for i in range(draws)]
        mean, error = mean_and_error([gains(rng, name, biases, gradient, eta) for rng in seeds])
        steps = [tc.step(problem(name, SIZES, given), eta=eta, gradient=gradient) for given in (biases, None)]
        theories = [np.array([float(step.train_gain), float(step.test_gain)]) for step in steps]
        for group, theory in zip(("finite steps", "without biases"), theories, strict=True):
            off[group].append((mean - theory) / error)
        words = str(problem(name, SIZES, biases).biases)
        rows.append((name, words, gradient, f"{alpha}", *cells(mean, error, theories[0])))
    print("\n".join(table("σ | biases | gradient | α | training gain | test gain", rows)), end="\n\n")
    for words, scores in off.items():
        counted = "{} of {} within 3 standard errors, rms z {:.2f}, largest {:.1f}"
        print(f"{words}: {counted.format(*agreement(np.concatenate(scores)))}")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
