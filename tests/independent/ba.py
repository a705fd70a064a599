"""What a small step gains, by one rank-one term on the features, with the traces of Adlam and Pennington.

J. Ba, M. A. Erdogdu, T. Suzuki, Z. Wang, D. Wu, G. Yang, High-dimensional asymptotics of feature learning: how one
gradient step improves the representation (arXiv 2205.01445).  Where η stays of order one, the features after the step
are F_0 + D h aᵀ with D = μ_1²η√κ, and the weights W_0 + ϑ â b̂ᵀ: each a matrix with one spike.  By Woodbury's formula

    ỹᵀRỹ = ỹᵀR_0ỹ − A w²x/(1 + wx),   A = μ_⋆1⁴/κ,   w = (ψ/φ)τ_2,   x = D²(1 − (ψ/φ)(1 − λs)),   s = (ψ/φ)τ_1,

with κ = μ_⋆1² + φ(E y²); the outlier of the weights is Benaych-Georges and Nadakuditi's.  φ = d/n, ψ = d/N.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from tests.independent import adlam_pennington


class Gains(NamedTuple):
    """What the step takes from the penalised training error and from the test error, as n → ∞ at fixed η."""

    training: float
    test: float


class Outlier(NamedTuple):
    """The largest singular value of the weights, and the squared overlap of its right vector with the step."""

    place: float
    overlap: float


def gains(
    phi: float, psi: float, lam: float, mu_1: float, mu_rest: float, linear: float, energy: float, eta: float
) -> Gains:
    """Return the gains for a teacher whose linear part is ``linear``, and labels of second moment ``energy``."""
    ratio = psi / phi
    case = (phi, psi, lam * ratio, mu_1**2 + mu_rest**2, mu_1**2)
    tau = adlam_pennington.traces(*case)
    slope = -ratio * np.linalg.solve(
        adlam_pennington.by_tau(tau, *case), adlam_pennington.by_gamma(tau, psi, mu_1**2)
    )  # by λ
    (s, w), (s_, w_) = ratio * tau, ratio * slope
    kappa = linear**2 + phi * energy
    strength = mu_1**4 * eta**2 * kappa
    x, x_ = strength * (1 - ratio * (1 - lam * s)), strength * ratio * (s + lam * s_)
    share = linear**4 / kappa
    form = share * w**2 * x / (1 + w * x)
    form_ = share * (2 * w * w_ * x / (1 + w * x) + w**2 * (x_ - w_ * x**2) / (1 + w * x) ** 2)
    return Gains(float(lam * form), float(-form_ / s**2))


def outlier(phi: float, psi: float, mu_1: float, linear: float, energy: float, eta: float) -> Outlier | None:
    """Return the outlier of the weights, or None where the step is too small for one."""
    spike, aspect = (mu_1 * eta) ** 2 * (linear**2 + phi * energy), 1 / psi  # ϑ², N/d
    if spike**2 <= aspect:
        return None
    place = math.sqrt((1 + spike) * (aspect + spike) / spike)
    return Outlier(place, 1 - (aspect + spike) / (spike * (spike + 1)))
