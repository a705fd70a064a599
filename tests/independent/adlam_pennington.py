"""The random-features limit of Adlam and Pennington, in their letters and conventions.

B. Adlam, J. Pennington, The neural tangent kernel in high dimensions: triple descent and a multi-scale theory of
generalization (arXiv 2008.06786), with the first layer frozen: n_0 inputs, n_1 neurons, m samples, φ = n_0/m,
ψ = n_0/n_1, kernel K = FᵀF/n_1 + γ, η = E σ², ζ = (E σ')² for a centred σ. τ_1 = tr(K⁻¹)/m and τ_2 = tr(XᵀX K⁻¹/n_0)/m
solve two coupled polynomial equations, and with τ' = dτ/dγ the errors of a linear teacher of unit length with noise
σ_ε² are

    E_train = −γ²(σ_ε²τ_1' + τ_2'),    E_test = E_train/(γτ_1)².

A non-linear part of the teacher counts as noise. E_train is the mean square of the residuals, without the penalty, and
E_test has the noise in it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_STEP = 4.0  # γ falls by this factor from one solution to the next
_NEWTON = 8  # steps at each γ
_CLOSE = 1e-9  # how far the last may go, relative to τ


class Errors(NamedTuple):
    """Limits of the training error with its penalty and without, and of the test error."""

    penalised: float
    training: float
    test: float


def errors(phi: float, psi: float, gamma: float, eta: float, zeta: float, linear: float, noise: float) -> Errors:
    """Return the errors of a teacher whose linear part has the square ``linear``, all else the variance ``noise``."""
    tau = traces(phi, psi, gamma, eta, zeta)
    slope = -np.linalg.solve(by_tau(tau, phi, psi, gamma, eta, zeta), by_gamma(tau, psi, zeta))
    training = -(gamma**2) * (noise * slope[0] + linear * slope[1])
    return Errors(gamma * (noise * tau[0] + linear * tau[1]), training, training / (gamma * tau[0]) ** 2)


def traces(phi: float, psi: float, gamma: float, eta: float, zeta: float) -> np.ndarray:
    """Return τ_1, τ_2: known where γ is large, both near 1/γ, and followed from there."""
    largest = max(gamma, 1e3 * eta * (1 + 1 / phi) * (1 + phi / psi))
    path = np.geomspace(largest, gamma, 1 + int(np.ceil(np.log(largest / gamma) / np.log(_STEP))))
    log_tau = np.full(2, -np.log(largest))
    for g in path:
        for _ in range(_NEWTON):
            case = (np.exp(log_tau), phi, psi, g, eta, zeta)
            miss = equations(*case)
            step = np.linalg.solve(by_tau(*case) * case[0] - miss[:, None], miss)  # of log τ; equations over τ_1τ_2
            log_tau = log_tau - np.clip(step, -1, 1)
    if np.abs(step).max() > _CLOSE:
        raise ArithmeticError(f"no solution was found: the last step still went {np.abs(step).max():.1e}")
    return np.exp(log_tau)


def equations(tau: np.ndarray, phi: float, psi: float, gamma: float, eta: float, zeta: float) -> np.ndarray:
    """Return what must vanish."""
    t_1, t_2 = tau
    shared = zeta * t_1 * t_2 * (gamma * t_1 - 1)
    return np.array(
        [
            phi * (zeta * t_1 * t_2 + phi * (t_2 - t_1)) + psi * shared,
            phi * (t_1 - t_2) * (zeta * (t_2 - t_1) + eta * t_1) + shared,
        ]
    )


def by_tau(tau: np.ndarray, phi: float, psi: float, gamma: float, eta: float, zeta: float) -> np.ndarray:
    """Return the derivatives of the equations by τ_1 and τ_2."""
    t_1, t_2 = tau
    shared = np.array([zeta * t_2 * (2 * gamma * t_1 - 1), zeta * t_1 * (gamma * t_1 - 1)])
    first = phi * np.array([zeta * t_2 - phi, zeta * t_1 + phi])
    rest = eta - zeta
    second = phi * np.array([2 * rest * t_1 + (2 * zeta - eta) * t_2, (2 * zeta - eta) * t_1 - 2 * zeta * t_2])
    return np.array([first + psi * shared, second + shared])


def by_gamma(tau: np.ndarray, psi: float, zeta: float) -> np.ndarray:
    """Return the derivatives of the equations by γ."""
    slope = zeta * tau[0] ** 2 * tau[1]
    return np.array([psi * slope, slope])
