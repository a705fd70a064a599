"""Simulated feature matrices: what tests and the errata compare the theory with.

Nothing here knows the theory: small networks with true draws, and spikes so strong that their limit is reached.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.polynomial.hermite_e import hermeval

_STRONG = 1e4  # of a spike beside F₀, so that the ridge does not shrink it
_TEST_POINTS = 4  # times n


def cubic(z):
    """The activation H_1 + H_2/2 + 3H_3/10."""
    return hermeval(z, [0, 1, 0.5, 0.3])


def setting_2(z):
    """The teacher of Setting 2, H_1 + H_2/√2."""
    return hermeval(z, [0, 1, 2**-0.5])


def first_layer(rng, N: int, d: int):
    """Rows on the unit sphere."""
    W = rng.standard_normal((N, d))
    return W / np.linalg.norm(W, axis=1, keepdims=True)


@dataclass(frozen=True)
class Network:
    """Sizes, activation, teacher and the standard deviation of the noise; whether f₀ takes part in the step."""

    n: int
    d: int
    N: int
    sigma: Callable
    teacher: Callable
    noise: float
    included: bool = False

    def batch(self, rng, size: int, beta_star):
        """Points, and their labels."""
        X = rng.standard_normal((size, self.d))
        return X, self.teacher(X @ beta_star) + self.noise * rng.standard_normal(size)


def unit(rng, d: int):
    """A direction."""
    x = rng.standard_normal(d)
    return x / np.linalg.norm(x)


def strong_spikes(rng, network: Network, spikes: Sequence[Sequence[int]], ridges: Sequence[float], tau: float = 0.0):
    """Training and test loss of one draw, over (ridge, set of powers): F₀ plus strong spikes of those powers.

    The square is h² + ``tau``.
    """
    n, N, sigma = network.n, network.N, network.sigma
    beta_star = unit(rng, network.d)
    W = first_layer(rng, N, network.d)
    a = rng.standard_normal(N) / np.sqrt(N)
    (X, y), (X2, y2), (XT, yT) = (network.batch(rng, size, beta_star) for size in (n, n, _TEST_POINTS * n))
    beta = X.T @ (y - sigma(X @ W.T) @ a if network.included else y)
    beta /= np.linalg.norm(beta)
    found = np.empty((len(ridges), len(spikes), 2))
    for j, powers in enumerate(spikes):
        F, FT = (sigma(Z @ W.T) for Z in (X2, XT))
        for k in powers:
            right = _STRONG * a**k / np.linalg.norm(a**k)
            more = tau if k == 2 else 0.0
            F, FT = F + np.outer((X2 @ beta) ** k + more, right), FT + np.outer((XT @ beta) ** k + more, right)
        eigenvalues, vectors = np.linalg.eigh(F @ F.T)
        along = vectors.T @ y2
        for i, ridge in enumerate(ridges):
            dual = vectors @ (along / (eigenvalues + ridge * n))
            found[i, j] = ridge * y2 @ dual, np.mean((yT - FT @ (F.T @ dual)) ** 2)
    return found


def mean_and_error(draws):
    """Mean over the first axis, and its standard error."""
    draws = np.asarray(draws)
    return draws.mean(axis=0), draws.std(axis=0, ddof=1) / np.sqrt(len(draws))
