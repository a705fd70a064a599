"""The network after one step of order √d by the equations of Cui and others, in their letters.

H. Cui, L. Pesce, Y. Dandi, F. Krzakala, Y. M. Lu, L. Zdeborová, B. Loureiro, Asymptotics of feature learning in
two-layer networks after one gradient-step (arXiv 2402.04980): as many neurons as inputs, a second layer of equal
entries, and the fit minimises ‖y − Fw/√p‖² + λ‖w‖².  A neuron sees rκ + √c z at a point whose projection on the spike
is κ; the spike has the cosine γ with the teacher's direction.  In the limit d → ∞ the eigenvalues D of the bulk are c
times those of Marchenko and Pastur's law on (0, 4), and the weights along the spike and along the teacher are c and D:
where the authors draw one matrix of weights, we take its mean.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

_NODES = np.linspace(-10, 10, 201)  # for means over N(0, 1): the trapezoidal rule is exact to rounding for smooth σ
_MOST = 5000  # iterations
_CLOSE = 1e-14

Function = Callable[[Any], Any]


class Spike(NamedTuple):
    """The network after the step: the variance c of the bulk, the strength r of the spike, and its cosine γ."""

    c: float
    r: float
    gamma: float


class Conditioned(NamedTuple):
    """Means over the rest of an input given κ: of the student, μ_0, μ_1, μ_2²; of the teacher, E y, E[yξ], E y²."""

    kappa: Any
    weights: Any
    mu_0: Any
    mu_1: Any
    rest: Any
    y: Any
    slope: Any
    square: Any


def spike(slope: Function, teacher: Function, alpha_0: float, eta: float) -> Spike:
    """Return the network after a step of strength η on α_0 samples for each input; ``slope`` is σ'."""
    z, weights = nodes()

    def mean(values: Any) -> float:
        return float(weights @ values)

    h_1, teacher_1, teacher_2 = mean(slope(z)), mean(z * teacher(z)), mean(teacher(z) ** 2)
    spread = mean((slope(z) - h_1) ** 2)
    length = teacher_1**2 + teacher_2 / alpha_0
    return Spike(
        1 + eta**2 * teacher_2 * spread / alpha_0, eta * math.sqrt(length) * h_1, teacher_1 / math.sqrt(length)
    )


def nodes() -> tuple[Any, Any]:
    """Return nodes and weights for means over N(0, 1)."""
    weights = np.exp(-(_NODES**2) / 2)
    return _NODES, weights / weights.sum()


def conditioned(student: Function, teacher: Function, after: Spike) -> Conditioned:
    """Return the means at the nodes of κ."""
    z, weights = nodes()
    kappa, inner = z[:, None], z[None, :]
    seen = student(after.r * kappa + math.sqrt(after.c) * inner)
    labels = teacher(after.gamma * kappa + math.sqrt(1 - after.gamma**2) * inner)
    mu_0, mu_1 = seen @ weights, (seen * inner) @ weights / math.sqrt(after.c)
    rest = (seen**2) @ weights - mu_0**2 - mu_1**2 * after.c
    return Conditioned(z, weights, mu_0, mu_1, rest, labels @ weights, (labels * inner) @ weights, labels**2 @ weights)


def traces(V_1: float, V_2: float, lam: float, c: float) -> tuple[float, float, float, float, float]:
    """Return ⟨D/S⟩, ⟨1/S⟩, ⟨D²/S²⟩, ⟨D/S²⟩, ⟨1/S²⟩ for S = λ + V̂_1D + V̂_2."""
    scale = V_1 * c
    z = (lam + V_2) / scale
    root = math.sqrt(z**2 + 4 * z)
    g = 2 / (z + root)
    square = g * (1 + g) / root
    one, two = 1 - z * g, 1 - 2 * z * g + z**2 * square
    return one / V_1, g / scale, two / V_1**2, (g - z * square) / (V_1 * scale), square / scale**2


class Solution(NamedTuple):
    """The mean squared error on fresh points, and the overlaps that the authors' notebook prints beside it."""

    error: float
    q_1: float
    q_2: float
    m: float
    theta: float
    psi: float
    V_1: float
    V_2: float


def solve(alpha: float, lam: float, after: Spike, given: Conditioned, along: bool = True) -> Solution:
    """Return the fixed point for α samples per input, by iteration to rounding.

    Without ``along`` the features have no linear part along the spike: θ = 0.
    """
    k, mu_0, mu_1, rest = given.kappa, given.mu_0, given.mu_1, given.rest
    V_1 = V_2 = psi = m = q_1 = q_2 = 1.0
    theta = float(along)
    for _ in range(_MOST):
        leverage = given.weights / (1 + mu_1**2 * V_1 + rest * V_2)
        fitted = mu_0 * m + mu_1 * k * theta
        error = (
            given.square - 2 * fitted * given.y + fitted**2 - 2 * mu_1 * psi * given.slope + mu_1**2 * q_1 + rest * q_2
        )
        hat_1, hat_2 = (alpha * float(leverage @ part) for part in (mu_1**2, rest))
        squared = leverage**2 / given.weights
        q_hat_1, q_hat_2 = (alpha * float((squared * error) @ part) for part in (mu_1**2, rest))
        theta_hat = along * alpha * float(leverage @ (k * mu_1 * (given.y - fitted)))
        psi_hat = alpha * float(leverage @ (mu_1 * given.slope))
        first, zeroth, two, mixed, least = traces(hat_1, hat_2, lam, after.c)
        flat, steep = q_hat_2 + theta_hat**2 * after.c, q_hat_1 + psi_hat**2
        m_new = float(leverage @ (mu_0 * (given.y - mu_1 * k * theta))) / float(leverage @ mu_0**2)
        new = np.array(
            [first, zeroth, theta_hat * after.c * zeroth, psi_hat * first, m_new,
             steep * two + flat * mixed, steep * mixed + flat * least]
        )  # fmt: skip
        old = np.array([V_1, V_2, theta, psi, m, q_1, q_2])
        if np.abs(new - old).max() < _CLOSE:
            return Solution(float(given.weights @ error), q_1, q_2, m, theta, psi, V_1, V_2)
        V_1, V_2, theta, psi, m, q_1, q_2 = (float(x) for x in (new + old) / 2)
    raise ArithmeticError(f"no solution was found: the last step still went {np.abs(new - old).max():.1e}")
