"""The resolvent of the features without their mean part: one fixed point for ς(h) = 1/g(h) and Q(u).

See docs/theory/dressed.md#the-fixed-point.

With V = E_h[γγᵀg] and K(s) = (1/ψ) E_u[Q C(u, s) ααᵀ] for neurons spread by C(u, s) along the eigenvectors of S
(theory/dressed/turning.py):  T = (I + VK)⁻¹,  𝓔 = TV,  Z = KT, all of them at s, and with ⟨·⟩ the mean over s

    1/Q(u) = 1 + E_h[ν² g] + αᵀ⟨C𝓔⟩α,      ς(h) = λ(h) + (φ/ψ) E_u[ν² Q] + φ γᵀ⟨Z⟩γ.

As a map of (ς, Q) this grows with both, and is concave: Z is a parallel sum of K and V⁻¹, Q one of numbers.  So
x − map(x) is convex, and Newton's method from any point above the solution descends to it: ς with Q = 1 and Z = K,
where nothing is taken off, is such a point; and one step from a point near the solution leads above it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.numbers.dual import Arrays, Dual, inverse
from theorycalc.numbers.systems import Array
from theorycalc.running.budget import check
from theorycalc.theory.dressed.input_levels import LevelTurning, only_its_levels
from theorycalc.theory.dressed.neurons import Network
from theorycalc.theory.dressed.turning import NEAREST, Turning, only_its_spike, room, spread_of, turning_between

TOLERANCE = 1e-12  # of the equations, relative to their terms
_MOST_STEPS = 100
_FAST = 0.02  # a step that leaves more than this of the residual calls for a new matrix
_MOST_CURVES = 8
_SMALLEST = 1e-12  # 1/s of a pole


class Operators(NamedTuple):
    """K_0, K_1, K_2 of K(s) = K_0 + K_1s + K_2s², and V, with derivatives if Q and g have them."""

    K: tuple[Arrays, Arrays, Arrays]
    V: Arrays


@dataclass(frozen=True)
class DressedBalance:
    """The components of both equations at some g and Q, and the images of Q and ς under the map."""

    operators: Operators
    T: Array  # over (η, s)
    Q_map: Array
    sigma_map: Array  # of ς


def transposed(matrix: Arrays) -> Arrays:
    """Return the transposes of a stack of matrices."""
    return matrix.swapaxes(-1, -2)


def second_moment(network: Network, weights: Arrays, left: Array, right: Array) -> Arrays:
    """Return E_u[weights · left rightᵀ] for stacks of functions of u."""
    return transposed(left * (network.u_weights * weights)[..., None]) @ right


def operators_of(
    network: Network, spread: tuple[Array, Array, Array], g: Arrays, Q: Arrays, leading: bool = False
) -> Operators:
    """Return K_0, K_1, K_2 and V for neurons spread by A_0 + A_1s + A_2s²; ``leading`` as in Turning."""
    alpha, gamma = network.loadings, network.shapes
    turned = alpha * (np.arange(alpha.shape[-1]) == 0) if leading else alpha
    K0, K1, K2 = (
        second_moment(network, Q * part, part_alpha, part_alpha) / network.step.case.psi
        for part, part_alpha in zip(spread, (alpha, alpha, turned), strict=True)
    )
    return Operators((K0, K1, K2), (gamma * g[:, None, :]) @ transposed(gamma))


def at_nodes(parts: tuple[Arrays, ...], s: Array) -> Arrays:
    """Return parts_0 + parts_1 s + parts_2 s² at every node, along a new second axis."""
    first, second, third = (part[:, None] for part in parts)
    s = s.reshape(-1, *[1] * (first.ndim - 2))
    return first + s * (second + s * third)


def averaged(weights: Array, values: Arrays) -> Arrays:
    """Return the means of values over (η, s), one for each row of weights, on the second axis."""
    flat = values.reshape(*values.shape[:2], -1)
    means = weights @ flat
    return means.reshape(values.shape[0], *weights.shape[:-1], *values.shape[2:])


def inverses(operators: Operators, s: Array) -> Arrays:
    """Return T = (I + VK)⁻¹ at every node."""
    K0, K1, K2 = (operators.V @ part for part in operators.K)
    try:
        return inverse(at_nodes((np.eye(K0.shape[-1]) + K0, K1, K2), s))
    except np.linalg.LinAlgError:
        raise PrecisionError(
            "rounding leaves no digits: a matrix of the fixed point has no inverse; take a smaller step, or an "
            "activation that grows less",
            argument="eta",
        ) from None


def times_K(operators: Operators, moments: Arrays) -> Arrays:
    """Return the mean of Z = KT from those of T, sT and s²T, on the second axis."""
    K0, K1, K2 = operators.K
    return K0 @ moments[:, 0] + K1 @ moments[:, 1] + K2 @ moments[:, 2]


def balance(network: Network, turning: Turning, ridge: Array, g: Array, Q: Array) -> DressedBalance:
    """Return both equations at g and Q; ``ridge`` is λ(h) at the nodes of h."""
    case, alpha, gamma = network.step.case, network.loadings, network.shapes
    operators = operators_of(network, turning.spread_of, g, Q, turning.leading)
    T = inverses(operators, turning.nodes.s)
    T_moments = averaged(turning.nodes.weights.bulk * turning.nodes.s ** np.arange(3)[:, None], T)
    noise_h = (network.noise @ (network.h_weights * g)[..., None])[..., 0]
    noise_u = ((network.u_weights * Q)[..., None, :] @ network.noise)[..., 0, :]
    spreads = enumerate(turning.spread_of)
    linear = sum(part * _form(alpha, T_moments[:, power] @ operators.V) for power, part in spreads)
    u_terms = 1 + noise_h + linear
    between = _form(transposed(gamma), times_K(operators, T_moments)) / network.h_weights
    h_terms = ridge + case.phi / case.psi * noise_u + case.phi * between
    return DressedBalance(operators, T, 1 / u_terms, h_terms)


def _form(vectors: Array, matrix: Array) -> Array:
    """Return vᵀMv for every row v."""
    return np.einsum("eur,eur->eu", vectors @ matrix, vectors)


def newton_matrix(network: Network, turning: Turning, found: DressedBalance, g: Array) -> Array:
    """Return the derivative of x − map(x) in x = (Q, ς): means of squares."""
    case, alpha, gamma = network.step.case, network.loadings[:, None], network.shapes[:, None]
    size, h_weights, u_weights = found.Q_map.shape[-1], network.h_weights, network.u_weights
    moments = turning.nodes.weights.bulk * turning.nodes.s ** np.arange(5)[:, None]
    alpha_T = alpha @ found.T
    own = averaged(moments, (alpha_T @ (found.operators.V[:, None] @ transposed(alpha))) ** 2)
    mixed = averaged(moments[:3], (alpha_T @ gamma) ** 2)
    gamma_K = at_nodes(tuple(transposed(network.shapes) @ part for part in found.operators.K), turning.nodes.s)
    between = averaged(moments[0], (gamma_K @ (found.T @ gamma)) ** 2)
    spread = [part[..., None] for part in turning.spread_of]
    pairs = [(i + j, left * transposed(right)) for i, left in enumerate(spread) for j, right in enumerate(spread)]
    u_with_u = sum(product * own[:, power] for power, product in pairs)
    u_with_h = network.noise + sum(part * mixed[:, i] for i, part in enumerate(spread)) / h_weights
    h_with_h = between / (h_weights * h_weights[:, None])
    matrix = np.empty((*g.shape[:-1], size + g.shape[-1], size + g.shape[-1]))
    shrink = found.Q_map[..., :, None] ** 2
    matrix[..., :size, :size] = -shrink * u_with_u * (u_weights / case.psi)
    matrix[..., :size, size:] = -shrink * u_with_h * (h_weights * g**2)[..., None, :]
    matrix[..., size:, :size] = -(case.phi / case.psi) * transposed(u_with_h) * u_weights
    matrix[..., size:, size:] = -case.phi * h_with_h * (h_weights * g**2)[..., None, :]
    diagonal = np.arange(matrix.shape[-1])
    matrix[..., diagonal, diagonal] += 1
    return matrix


class Carried(NamedTuple):
    """g and Q with their derivatives for a change in λ(h)."""

    g: Dual
    Q: Dual


@dataclass(frozen=True)
class Solution:
    """g and Q that satisfy both equations to ``residual``, with their derivatives for two changes in λ(h)."""

    turning: Turning | LevelTurning
    by_leverage: Carried  # λ + ες(h)²
    by_ridge: Carried  # λ + ε
    residual: Array


def _above(network: Network, ridge: Array) -> tuple[Array, Array]:
    """Return Q and ς above the solution."""
    case = network.step.case
    Q = np.ones((len(network.eta), len(network.a)))
    variance = network.noise + (network.linear**2) / network.h_weights
    return Q, ridge + case.phi / case.psi * (network.u_weights[None, None, :] @ variance)[:, 0, :]


def _not_reached(residual: Array) -> PrecisionError:
    return PrecisionError(
        f"rounding leaves no digits: the fixed point did not reach {TOLERANCE:g}, its residual is "
        f"{residual.max():.1e}; take a smaller step, or an activation that grows less",
        argument="eta",
    )


def solve(network: Network, ridge: Array, accuracy: float = 1e-9, level: int = 0) -> Solution:
    """Return the solution for every η of the network, each at its own λ in ``ridge``.

    First with only the spike of S, which tells where the poles of the means over S are; then with all of S.
    """
    at = np.repeat(ridge[:, None], len(network.h), axis=1)
    start = without_turning(network, at)
    if network.step.isotropic or not network.u.any():
        return with_slopes(start)
    poles = poles_of(network, start.g, start.Q)
    for _ in range(_MOST_CURVES):
        turning = turning_between(network, poles, accuracy, level)
        start = _newton(network, turning, at, start.Q, 1 / start.g)
        poles = poles_of(network, start.g, start.Q)
        if room(poles, turning.focus, turning.interval).min() > NEAREST * turning.angle:
            return with_slopes(start)
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        "no contour encloses the spectrum of the rest of the gradient; take a smaller step", argument="eta"
    )


def without_turning(network: Network, at: Array) -> Reached:
    """Return the solution with the rest of the gradient treated as even noise, except for the mean of S."""
    even = only_its_levels(network) if network.step.case.levels else only_its_spike(network)
    return _newton(network, even, at, *_above(network, at))


@dataclass(frozen=True)
class Reached:
    """g and Q that satisfy both equations, and the derivative of the equations there."""

    turning: Turning
    g: Array
    Q: Array
    matrix: Array
    residual: Array


def _newton(network: Network, turning: Turning, at: Array, Q: Array, sigma: Array) -> Reached:
    """Return the solution by Newton's method from a point near or above it, keeping a Newton matrix while it helps."""
    size = Q.shape[-1]
    matrix, before = None, np.full(len(Q), np.inf)
    for _ in range(_MOST_STEPS):
        check()
        found = balance(network, turning, at, 1 / sigma, Q)
        excess = np.concatenate([Q - found.Q_map, sigma - found.sigma_map], axis=-1)
        scale = np.concatenate([Q, sigma], axis=-1)
        residual = np.abs(excess / scale).max(axis=-1)
        done = bool(np.all(residual < TOLERANCE))
        if matrix is None or done or np.any(residual > np.maximum(_FAST * before, TOLERANCE)):
            matrix = newton_matrix(network, turning, found, 1 / sigma)
        if done:
            return Reached(turning, 1 / sigma, Q, matrix, residual)
        before = residual
        lower = np.concatenate([found.Q_map, found.sigma_map], axis=-1)
        try:
            new = scale - np.linalg.solve(matrix, excess[..., None])[..., 0]
        except np.linalg.LinAlgError:  # pragma: no cover - by rounding only, and no known problem reaches it
            raise _not_reached(residual) from None
        new = np.where(new > 0, new, lower)  # only rounding could bring it here
        Q, sigma = new[:, :size], new[:, size:]
    raise _not_reached(residual)


def with_slopes(found: Reached) -> Solution:
    """Return the solution with the derivatives of g and Q for λ(h) growing like ς(h)² and like 1."""
    size = found.Q.shape[-1]
    pushes = np.zeros((*found.matrix.shape[:-1], 2))
    pushes[:, size:, 0], pushes[:, size:, 1] = 1 / found.g**2, 1
    slopes = np.linalg.solve(found.matrix, pushes)
    by_leverage, by_ridge = (
        Carried(Dual(found.g, -slopes[:, size:, i] * found.g**2), Dual(found.Q, slopes[:, :size, i])) for i in (0, 1)
    )
    return Solution(found.turning, by_leverage, by_ridge, found.residual)


def poles_of(network: Network, g: Array, Q: Array) -> Array:
    """Return every s at which I + VK(s) is singular, for each η: 1/s are the eigenvalues of a companion matrix."""
    K, V = operators_of(network, spread_of(network), g, Q)
    sign = float(np.sign(g.flat[0]))  # below 0 where λ = −z is outside of the spectrum
    root = np.linalg.cholesky(sign * V)
    M0, M1, M2 = (sign * transposed(root) @ part @ root for part in K)
    inverse = np.linalg.inv(np.eye(M0.shape[-1]) + M0)
    size = M0.shape[-1]
    companion = np.zeros((len(M0), 2 * size, 2 * size))
    companion[:, :size, :size], companion[:, :size, size:] = -inverse @ M1, -inverse @ M2
    companion[:, size:, :size] = np.eye(size)
    eigenvalues = np.linalg.eigvals(companion)
    return 1 / np.where(np.abs(eigenvalues) > _SMALLEST, eigenvalues, _SMALLEST * 1j)
