"""A two-layer network as libraries build it, in plain NumPy: lengths of layers, biases, uniform weights, intercept."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Built(NamedTuple):
    """How a network is built: σ with its slope, the lengths and laws of both layers, and biases of its neurons."""

    activation: object
    slope: object
    length: float = 1.0  # of the rows of W
    scale: float = 1.0  # standard deviation of √N a
    first_layer: str = "sphere"  # or "uniform" entries
    second_layer: str = "gaussian"
    biases: bool = False  # uniform on ±1/√d
    intercept: bool = False


def gains(rng, built, teacher, sizes, etas, ridges, noise, gradient="residual"):
    """Return training and test gains of one draw: an array over η, λ and (training, test).

    The test loss is that of 4n new points, the same before and after the step.
    """
    n, d, N = sizes
    beta = rng.standard_normal(d)
    beta /= np.linalg.norm(beta)
    if built.first_layer == "uniform":
        W = rng.uniform(-1, 1, (N, d)) * np.sqrt(3 / d)
    else:
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1)[:, None]
    W *= built.length
    laws = {
        "gaussian": rng.standard_normal,
        "sign": lambda size: rng.choice([-1.0, 1.0], size),
        "uniform": lambda size: rng.uniform(-np.sqrt(3), np.sqrt(3), size),
    }
    a = built.scale * laws[built.second_layer](N) / np.sqrt(N)
    b = rng.uniform(-1, 1, N) / np.sqrt(d) if built.biases else np.zeros(N)

    def batch(size):
        x = rng.standard_normal((size, d))
        return x, teacher(x @ beta) + noise * rng.standard_normal(size)

    (X, y), (X_fit, y_fit), (X_test, y_test) = batch(n), batch(n), batch(4 * n)
    before = X @ W.T + b
    residual = y - built.activation(before) @ a if gradient == "residual" else y
    G = -((residual[:, None] * built.slope(before)).T @ X) * a[:, None] / n  # of ½ mean (y − f)²

    def losses(weights):
        F, F_test, target = built.activation(X_fit @ weights.T + b), built.activation(X_test @ weights.T + b), y_fit
        shift, level = (F.mean(axis=0), y_fit.mean()) if built.intercept else (np.zeros(N), 0.0)
        F, F_test, target = F - shift, F_test - shift, y_fit - level
        values, vectors = np.linalg.eigh(F.T @ F / n)
        along, of_test = vectors.T @ (F.T @ target / n), F_test @ vectors
        found = []
        for ridge in ridges:
            head = along / (values + ridge)
            train = target @ target / n - along @ head  # of the ridge objective
            found.append((train, np.mean((y_test - level - of_test @ head) ** 2)))
        return np.array(found)

    initial = losses(W)
    return np.array([initial - losses(W - eta * G) for eta in etas])
