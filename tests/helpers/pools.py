"""Gaussian features of a known law, and ridge fits to them by plain linear algebra."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from theorycalc.numbers.exact import Floats


class Law(NamedTuple):
    """Features √ω_j z_j + mean, labels βᵀx + constant + noise."""

    omega: Floats
    beta: Floats
    noise: float = 0.7
    mean: float = 1.0

    def draw(self, points: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        features = rng.standard_normal((points, len(self.omega))) * np.sqrt(self.omega) + self.mean
        return features, features @ self.beta + 2 + self.noise * rng.standard_normal(points)

    def excess(self, weights: Floats, constant: float) -> float:
        """Return the mean squared error of a fit at fresh points, exactly."""
        apart = self.beta - weights
        bias = 2 - constant + self.mean * np.sum(apart)
        return float(np.sum(self.omega * apart**2) + bias**2 + self.noise**2)


def law(N: int = 40, seed: int = 5) -> Law:
    rng = np.random.default_rng(seed)
    return Law(3 * np.linspace(1, 0.05, N) ** 2, 0.3 * rng.standard_normal(N))


def ridge_fit(features: Floats, labels: Floats, ridge: float, intercept: bool = True) -> tuple[Floats, float]:
    """Return the weights and the constant of a ridge fit, by least squares on rows √(nλ) below the features."""
    n, N = features.shape
    mean, centre = (features.mean(axis=0), labels.mean()) if intercept else (np.zeros(N), 0.0)
    rows = np.vstack([features - mean, np.sqrt(n * ridge) * np.eye(N)])
    weights = np.linalg.lstsq(rows, np.concatenate([labels - centre, np.zeros(N)]), rcond=None)[0]
    return weights, float(centre - mean @ weights)


def measured(law: Law, n: int, ridge: float, draws: int, seed: int) -> tuple[Floats, Floats]:
    """Return training error, training loss and test loss: means over draws, and their standard errors."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(draws):
        features, labels = law.draw(n, rng)
        weights, constant = ridge_fit(features, labels, ridge)
        error = np.mean((labels - features @ weights - constant) ** 2)
        found.append([error, error + ridge * weights @ weights, law.excess(weights, constant)])
    return np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / np.sqrt(draws)
