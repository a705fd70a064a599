"""Ridge regression on random features by the replica equations of Gerace and others, in their letters.

F. Gerace, B. Loureiro, F. Krzakala, M. Mézard, L. Zdeborová, Generalisation error in learning with random features and
the hidden manifold model (arXiv 2002.09339): d latent inputs c, p features x = σ(Fᵀc/√d), n samples, α = n/p, γ = d/p;
the fit minimises Σ ½(y − w·x/√p)² + (λ/2)‖w‖².  κ_1 = E[ξσ(ξ)], κ_⋆² = E σ² − κ_1².  With the square loss, labels enter
by E y² and E[y c·θ] alone, V and V̂ do not depend on q and m, and q is linear in q̂.

g is the Stieltjes transform of the law of FFᵀ/p for Gaussian F (Marchenko and Pastur), z = (λ + V̂_w)/V̂_s.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from scipy.optimize import brentq


class Errors(NamedTuple):
    """Limits of the mean squared residual in training and on fresh points, and of the overlaps M and Q."""

    training: float
    test: float
    overlap: float
    length: float

    @property
    def error_rate(self) -> float:
        """The share of signs that differ from those of a teacher of unit length: arccos(M/√Q)/π."""
        return math.acos(self.overlap / math.sqrt(self.length)) / math.pi


class Moments(NamedTuple):
    """V̂_s, V̂_w with λ added, and 1 − zg, z(g − zg'), 1 − 2zg + z²g', 1/γ − 1 + zg, 1/γ − 1 + z²g' at −z."""

    V_s: float
    below: float
    first: float
    mixed: float
    second: float
    first_rest: float
    second_rest: float


def errors(
    alpha: float, gamma: float, lam: float, kappa_1: float, kappa_star: float, label_square: float, label_slope: float
) -> Errors:
    """Return the errors for labels with these E y² and E[y c·θ], where θ has unit length."""
    V = variance(alpha, gamma, lam, kappa_1, kappa_star)
    hat = alpha / (1 + V)
    at = moments(hat, gamma, lam, kappa_1, kappa_star)
    m_hat = hat * kappa_1 * label_slope / gamma
    M = kappa_1 * m_hat / at.V_s * at.first

    def length(q_s: float, q_w: float) -> float:
        """Return Q = κ_1²q_s + κ_⋆²q_w for m̂_s² + q̂_s and q̂_w."""
        linear = q_s * at.second / at.V_s**2 + q_w * at.mixed / (at.below * at.V_s)
        rest = gamma * (q_w * at.second_rest / at.below**2 + q_s * at.mixed / (at.below * at.V_s))
        return kappa_1**2 * linear + kappa_star**2 * rest

    signal = length(m_hat**2, 0)
    share = length(hat**2 * kappa_1**2 / (alpha * gamma), hat**2 * kappa_star**2 / alpha)  # per unit of test error
    test = (label_square - 2 * label_slope * M + signal) / (1 - share)
    return Errors(test / (1 + V) ** 2, test, M, signal + share * test)


def variance(alpha: float, gamma: float, lam: float, kappa_1: float, kappa_star: float) -> float:
    """Return V = κ_1²V_s + κ_⋆²V_w, the root of its own equation between 0 and E σ²/λ."""

    def excess(V: float) -> float:
        at = moments(alpha / (1 + V), gamma, lam, kappa_1, kappa_star)
        return kappa_1**2 * at.first / at.V_s + kappa_star**2 * gamma * at.first_rest / at.below - V

    return float(brentq(excess, 0.0, (kappa_1**2 + kappa_star**2) / lam, xtol=1e-300, rtol=4 * 2.0**-52, maxiter=2000))


def moments(hat: float, gamma: float, lam: float, kappa_1: float, kappa_star: float) -> Moments:
    """Return the traces at V̂_s = κ_1²hat/γ, V̂_w = κ_⋆²hat."""
    V_s, below = hat * kappa_1**2 / gamma, lam + hat * kappa_star**2
    z = below / V_s
    half = z + 1 - gamma
    root = math.sqrt(half**2 + 4 * z * gamma)
    g = 2 / (half + root)  # of γzg² + (z + 1 − γ)g = 1
    slope = g * (1 + gamma * g) / root  # ∫dμ(t)/(t + z)²
    return Moments(
        V_s, below, 1 - z * g, z * g - z**2 * slope, 1 - 2 * z * g + z**2 * slope,
        1 / gamma - 1 + z * g, 1 / gamma - 1 + z**2 * slope,
    )  # fmt: skip
