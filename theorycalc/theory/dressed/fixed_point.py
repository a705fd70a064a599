"""The resolvent of the features without their mean part: one fixed point for ς(h) = 1/g(h) and Q(u) (section 9.4).

With S = (1/ψ) E_u[Q ααᵀ], α(u) = μ_1(u, ·)√w, and V = diag(g):  T = (I + VS)⁻¹,  𝓔 = TV,  Z = TᵀS, and

    1/Q(u) = 1 + E_h[ν² g] + αᵀ𝓔α,      ς(h) = λ(h) + (φ/ψ) E_u[ν² Q] + φ Z_hh/w_h.

As a map of (ς, Q) this grows with both, and is concave: Z is a parallel sum of S and V⁻¹, Q one of numbers.  So
x − map(x) is convex, and Newton's method from any point above the solution descends to it: ς with Q = 1 and Z = S,
where nothing is taken off, is such a point.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.theory.dressed.network import Network
from theorycalc.theory.dressed.rules import Array

TOLERANCE = 1e-12  # of the equations, relative to their terms
_MOST_STEPS = 100


@dataclass(frozen=True)
class Balance:
    """The parts of both equations at some g and Q, and what the map makes of these."""

    S: Array
    T: Array
    Z: Array
    own: Array  # αᵀ𝓔α' for pairs of u
    mixed: Array  # αᵀTγ for u and h
    between: Array  # γᵀZγ for pairs of h
    Q_map: Array
    sigma_map: Array  # of ς


def transposed(matrix: Array) -> Array:
    """Return the transposes of a stack of matrices."""
    return np.swapaxes(matrix, -1, -2)


def second_moment(network: Network, weights: Array, left: Array, right: Array) -> Array:
    """Return E_u[weights · left rightᵀ] for stacks of functions of u."""
    return transposed(left * (network.u_weights * weights)[..., None]) @ right


def balance(network: Network, ridge: Array, g: Array, Q: Array) -> Balance:
    """Return both equations at g and Q; ``ridge`` is λ(h) at the nodes of h, and may carry a derivative."""
    step, alpha, root = network.step, network.linear, np.sqrt(network.h_weights)
    S = second_moment(network, Q, alpha, alpha) / step.psi
    T = np.linalg.inv(np.eye(len(network.h)) + g[..., :, None] * S)
    Z = transposed(T) @ S
    alpha_T = alpha @ T
    own = (alpha_T * g[..., None, :]) @ transposed(alpha)
    between = Z / (root * root[:, None])
    noise_h = (network.noise @ (network.h_weights * g)[..., None])[..., 0]
    noise_u = ((network.u_weights * Q)[..., None, :] @ network.noise)[..., 0, :]
    u_terms = 1 + noise_h + np.einsum("...ii->...i", own)
    h_terms = ridge + step.phi / step.psi * noise_u + step.phi * np.einsum("...ii->...i", between)
    return Balance(S, T, Z, own, alpha_T / root, between, 1 / u_terms, h_terms)


def newton_matrix(network: Network, found: Balance, g: Array) -> Array:
    """Return the derivative of x − map(x) in x = (Q, ς): squares, so that no sign is in doubt."""
    step = network.step
    size = found.Q_map.shape[-1]
    matrix = np.empty((*g.shape[:-1], size + g.shape[-1], size + g.shape[-1]))
    cross = network.noise + found.mixed**2
    shrink = found.Q_map[..., :, None] ** 2
    matrix[..., :size, :size] = -shrink * found.own**2 * (network.u_weights / step.psi)
    matrix[..., :size, size:] = -shrink * cross * (network.h_weights * g**2)[..., None, :]
    matrix[..., size:, :size] = -(step.phi / step.psi) * transposed(cross) * network.u_weights
    matrix[..., size:, size:] = -step.phi * found.between**2 * (network.h_weights * g**2)[..., None, :]
    diagonal = np.arange(matrix.shape[-1])
    matrix[..., diagonal, diagonal] += 1
    return matrix


@dataclass(frozen=True)
class Solution:
    """g and Q where both equations hold to ``residual``, with the derivative along λ(h) → λ + ες(h)²."""

    g: Array
    Q: Array
    g_slope: Array
    Q_slope: Array
    residual: Array


def _above(network: Network, ridge: Array) -> tuple[Array, Array]:
    """Return Q and ς above the solution."""
    step = network.step
    Q = np.ones((len(network.eta), len(network.a)))
    variance = network.noise + (network.linear**2) / network.h_weights
    return Q, ridge + step.phi / step.psi * (network.u_weights[None, None, :] @ variance)[:, 0, :]


def _not_reached(residual: Array) -> PrecisionError:
    return PrecisionError(
        f"rounding leaves no digits: the fixed point did not reach {TOLERANCE:g}, its residual is "
        f"{residual.max():.1e}; take a smaller step, or an activation that grows less"
    )


def solve(network: Network, ridge: Array) -> Solution:
    """Solve for every η of the network, with λ = ``ridge`` there."""
    at = np.repeat(ridge[:, None], len(network.h), axis=1)
    Q, sigma = _above(network, at)
    size = Q.shape[-1]
    for _ in range(_MOST_STEPS):
        found = balance(network, at, 1 / sigma, Q)
        excess = np.concatenate([Q - found.Q_map, sigma - found.sigma_map], axis=-1)
        scale = np.concatenate([Q, sigma], axis=-1)
        residual = np.abs(excess / scale).max(axis=-1)
        matrix = newton_matrix(network, found, 1 / sigma)
        if np.all(residual < TOLERANCE):
            break
        lower = np.concatenate([found.Q_map, found.sigma_map], axis=-1)
        try:
            new = scale - np.linalg.solve(matrix, excess[..., None])[..., 0]
        except np.linalg.LinAlgError:  # by rounding only
            raise _not_reached(residual) from None
        new = np.where(new > 0, new, lower)  # only rounding could bring it here
        Q, sigma = new[:, :size], new[:, size:]
    else:
        raise _not_reached(residual)
    push = np.concatenate([np.zeros_like(Q), sigma**2], axis=-1)
    slope = np.linalg.solve(matrix, push[..., None])[..., 0]
    return Solution(1 / sigma, Q, -slope[:, size:] / sigma**2, slope[:, :size], residual)
