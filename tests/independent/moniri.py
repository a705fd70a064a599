"""The training gain of Moniri and others as their theorem prints it, by the inverse of Ω.

B. Moniri, D. Lee, H. Hassani, E. Dobriban, A theory of non-linear feature learning with one gradient step in two-layer
neural networks (arXiv 2310.07891).  Both sums run from 1 to ℓ; ξ_{p,i} is the coefficient of H_i in x^p.
m_1 and m_2 are Adlam and Pennington's τ_1 and τ_2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from tests.independent import adlam_pennington


def xi(p: int, i: int) -> float:
    """Return the coefficient of H_i in x^p."""
    j, odd = divmod(p - i, 2)
    return 0.0 if odd or j < 0 else math.factorial(p) / (2**j * math.factorial(j) * math.factorial(i))


def training_gain(
    phi: float, psi: float, lam: float, c_1: float, c_rest: float, teacher: Sequence[float], noise: float, ell: int
) -> float:
    """Return Δ_ℓ for a teacher with the Hermite coefficients c_⋆1, c_⋆2, …."""
    m_1, m_2 = adlam_pennington.traces(phi, psi, lam * psi / phi, c_1**2 + c_rest**2, c_1**2)
    energy = sum(math.factorial(k) * c**2 for k, c in enumerate(teacher, 1)) + noise**2
    kappa = teacher[0] ** 2 + phi * energy
    rho = teacher[0] / math.sqrt(kappa)
    powers = range(1, ell + 1)

    def weight(k: int) -> Any:
        return psi / phi * (m_2 if k == 1 else m_1 * math.factorial(k))

    inverse = [
        [kappa ** ((i + j) / 2) * sum(weight(k) * xi(i, k) * xi(j, k) for k in range(min(i, j) + 1)) for j in powers]
        for i in powers
    ]
    omega = np.linalg.inv(np.array(inverse))
    coefficients = [*teacher, *[0.0] * ell][:ell]
    r = [c * weight(p) * rho**p for p, c in zip(powers, coefficients, strict=True)]
    vector = np.array(
        [kappa ** (i / 2) * sum(r_p * xi(i, p) for p, r_p in zip(powers, r, strict=True)) for i in powers]
    )
    return float(lam * vector @ omega @ vector)
