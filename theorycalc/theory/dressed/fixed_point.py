"""The resolvent of the features without their mean part: one fixed point for g(h) = 1/ς(h) and Q(u) (section 9.4).

With S = (1/ψ) E_u[Q ααᵀ], α(u) = μ_1(u, ·)√w, and V = diag(g):  T = (I + VS)⁻¹,  𝓔 = TV,  Z = TᵀS, and

    1/Q(u) = 1 + E_h[ν² g] + αᵀ𝓔α,      1/g(h) = λ(h) + (φ/ψ) E_u[ν² Q] + φ Z_hh/w_h.

Both right sides grow when g and Q grow, less than in proportion: so the iteration converges from anywhere, and
Newton's method, whose matrix is made of squares, finishes it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.theory.dressed.network import Network
from theorycalc.theory.dressed.rules import Array

TOLERANCE = 1e-12  # of the equations, relative to their terms
_MOST_STEPS = 200
_SAFE = 0.2  # below this residual Newton's steps are tried
_LONGEST_LOG_STEP = 1.0


@dataclass(frozen=True)
class Balance:
    """The parts of both equations at some g and Q, and their residuals relative to their terms."""

    S: Array
    T: Array
    Z: Array
    own: Array  # αᵀ𝓔α' for pairs of u
    mixed: Array  # αᵀTγ for u and h
    between: Array  # γᵀZγ for pairs of h
    u_residual: Array
    h_residual: Array


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
    return Balance(S, T, Z, own, alpha_T / root, between, 1 / Q - u_terms, 1 / g - h_terms)


def _newton_matrix(network: Network, found: Balance, g: Array, Q: Array) -> Array:
    step = network.step
    size = Q.shape[-1]
    matrix = np.empty((*Q.shape[:-1], size + g.shape[-1], size + g.shape[-1]))
    cross = network.noise + found.mixed.real**2
    matrix[..., :size, :size] = found.own.real**2 * (network.u_weights / step.psi)
    matrix[..., :size, size:] = -cross * network.h_weights
    matrix[..., size:, :size] = -(step.phi / step.psi) * transposed(cross) * network.u_weights
    matrix[..., size:, size:] = step.phi * found.between.real**2 * network.h_weights
    diagonal = np.arange(matrix.shape[-1])
    matrix[..., diagonal, diagonal] -= 1 / np.concatenate([Q, g], axis=-1) ** 2
    return matrix


@dataclass(frozen=True)
class Solution:
    """g and Q where both equations hold to ``residual``, with the derivative along λ(h) → λ + ες(h)²."""

    g: Array
    Q: Array
    g_slope: Array
    Q_slope: Array
    residual: Array


def solve(network: Network, ridge: Array) -> Solution:
    """Solve for every η of the network, with λ = ``ridge`` there."""
    g = np.repeat(1 / (ridge[:, None] + 1), len(network.h), axis=1)
    Q = np.full((len(network.eta), len(network.a)), 0.5)
    size = Q.shape[-1]
    at = np.repeat(ridge[:, None], len(network.h), axis=1)
    before = np.full(len(ridge), np.inf)
    for _ in range(_MOST_STEPS):
        found = balance(network, at, g, Q)
        residual = np.maximum(np.abs(found.u_residual * Q).max(axis=-1), np.abs(found.h_residual * g).max(axis=-1))
        if np.all(residual < TOLERANCE):
            break
        newton = (residual < _SAFE) & (residual < before / 2)
        before = np.where(newton, residual, np.inf)
        change = np.concatenate([found.u_residual, found.h_residual], axis=-1)
        ratio = np.linalg.solve(_newton_matrix(network, found, g, Q), -change[..., None])[..., 0]
        ratio = np.clip(ratio / np.concatenate([Q, g], axis=-1), -_LONGEST_LOG_STEP, _LONGEST_LOG_STEP)
        plain_Q, plain_g = 1 / (1 / Q - found.u_residual), 1 / (1 / g - found.h_residual)
        Q = np.where(newton[:, None], Q * np.exp(ratio[:, :size]), plain_Q)
        g = np.where(newton[:, None], g * np.exp(ratio[:, size:]), plain_g)
    else:
        raise PrecisionError(f"the fixed point did not reach {TOLERANCE:g}: its residual is {residual.max():.1e}")
    matrix = _newton_matrix(network, found, g, Q)
    push = np.concatenate([np.zeros_like(Q), 1 / g**2], axis=-1)  # the residual falls by ες² in the second equation
    slope = np.linalg.solve(matrix, push[..., None])[..., 0]
    return Solution(g, Q, slope[:, size:], slope[:, :size], residual)
