"""The fixed point for inputs with a covariance, with the whole rest of the gradient (docs/theory/inputs.md).

Neurons of one u are spread by C(u) = [(k_u + 2c_2uΣS)Σ(k_u + 2c_2uSΣ) + u²ϖΣTΣ]/s_u², in which Σ does not commute with
S and T.  So K(C) and 𝓔 = (V⁻¹ + K)⁻¹ are no functions of an eigenvalue.  But with p = SΣx and a multiplier q,

    xᵀ(V⁻¹ + K)x = xᵀV⁻¹x + (x, p)ᵀΣB(x, p) + xᵀΣTΣx B_T   and   0 = qᵀ(p − SΣx)

are linear in the batch: a point z_j enters by A_j = r_jD + φ₀r_j²B_T and its projections on (Σx, q).  Leaving it out,

    G = ⟨Pᵀ L⁻¹ P⟩,     L(τ) = L_0(τ) + P Π Pᵀ,     Π = E_r[A(1 + φ₀GA)⁻¹],

P taking (Σx, q) out of (x, p, q): one matrix G beside Q(u) and ς(h).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError, spelled
from theorycalc.numbers.dual import Arrays, Dual, inverse, joined
from theorycalc.numbers.iteration import settle
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.dressed.fixed_point import (
    Carried,
    Solution,
    averaged,
    second_moment,
    transposed,
    without_turning,
)
from theorycalc.theory.dressed.input_levels import (
    BatchLaw,
    InputLevels,
    LevelTurning,
    gauss_rule,
    level_lengths,
    levels_of,
)
from theorycalc.theory.dressed.neurons import DressedStep, Network
from theorycalc.theory.dressed.residual import residual_of

_TOLERANCE = 1e-11
_RESIDUALS = 48  # nodes of asinh(r/√(E r²)), in which long tails are short


class Embeddings(NamedTuple):
    """The places of x, p and q among (x, p, q), and of Σx and q among (Σx, q), each of R shapes."""

    x: Array
    loads: Array  # of (x, Σx, p) but for Σx, and
    scaled_loads: Array  # of Σx, by τ
    pq: Array
    scaled_x: Array  # of (Σx, q)
    q: Array  # of (Σx, q)
    multiplier: Array  # qᵀp + pᵀq
    exchange: Array  # D: −(qᵀ(Σx) + (Σx)ᵀq)
    first: Array  # Σx of (Σx, q)


class LevelOperators(NamedTuple):
    """V, B over (x, Σx, p) and B_T, which carry derivatives if Q and g do."""

    V: Arrays
    B: Arrays
    B_T: Arrays


class Seen(NamedTuple):
    """At every level: K seen by x alone, T = (I + VK)⁻¹, L⁻¹, and P; for every residual: A and (1 + φ₀GA)⁻¹."""

    K: Arrays
    T: Arrays
    inverse: Arrays
    P: Array
    A: Arrays
    M: Arrays


@functools.lru_cache(maxsize=16)
def embeddings(shapes: int) -> Embeddings:
    """Return the embeddings for the given number of shapes."""
    one, eye = np.eye(3), np.eye(shapes)
    two = np.eye(2)
    return Embeddings(
        x=np.kron(one[:, :1], eye),
        loads=np.kron(np.outer(one[0], one[0]) + np.outer(one[1], one[2]), eye),
        scaled_loads=np.kron(np.outer(one[0], one[1]), eye),
        pq=np.kron(one[:, 1:], eye),
        scaled_x=np.kron(np.outer(one[0], two[0]), eye),
        q=np.kron(np.outer(one[2], two[1]), eye),
        multiplier=np.kron(np.outer(one[1], one[2]) + np.outer(one[2], one[1]), eye),
        exchange=-np.kron(two[::-1], eye),
        first=np.kron(two[:, :1], eye),
    )


@functools.lru_cache(maxsize=16)
def batch_of(step: DressedStep, level: int) -> BatchLaw:
    """Return the residuals of the step's batch at a few nodes."""
    law = residual_of(step, level)
    measures = np.concatenate([law.weights[None], law.first, law.second.reshape(len(law.first) ** 2, -1)])
    unit = math.sqrt(float(law.mean(law.r**2)))
    w, weights, *others = gauss_rule(np.arcsinh(law.r / unit), law.weights, measures, _RESIDUALS << level)
    size = len(law.first)
    first, second = np.array(others[:size]), np.array(others[size:]).reshape(size, size, -1)
    slopes = step.spread / step.case.scatter  # Var σ'
    return BatchLaw(float(law.ratio), max(0.0, slopes - 4 * step.c2**2), unit * np.sinh(w), weights, first, second)


def level_loadings(network: Network) -> Array:
    """Return the neurons' loadings on x, Σx and p, (1, k_u − 1, 2c_2u)/s_u times α."""
    parts = np.ones_like(network.kept), network.kept - 1, 2 * network.c2 * network.u
    return np.concatenate([(part / network.scale)[..., None] * network.loadings for part in parts], axis=-1)


def loads_at(levels: InputLevels, shapes: int) -> Array:
    """Return (x, Σx, p) among (x, p, q) at every level."""
    to = embeddings(shapes)
    return to.loads + levels.tau[:, None, None] * to.scaled_loads


def noise_of(network: Network, batch: BatchLaw) -> Array:
    """Return u²ϖ/s_u²."""
    return batch.rest * (network.u / network.scale) ** 2


def level_operators(network: Network, batch: BatchLaw, g: Arrays, Q: Arrays) -> LevelOperators:
    """Return V, B and B_T at g and Q."""
    psi, loadings, both = network.step.case.psi, network.loadings, level_loadings(network)
    return LevelOperators(
        V=(network.shapes * g[:, None, :]) @ transposed(network.shapes),
        B=second_moment(network, Q, both, both) / psi,
        B_T=second_moment(network, Q * noise_of(network, batch), loadings, loadings) / psi,
    )


def point_matrices(r: Array, ratio: Number, B_T: Arrays) -> Arrays:
    """Return A = rD + φ₀r²B_T, through which a point of the batch with residual r enters, over (η, r).

    See docs/theory/inputs.md#all-of-the-rest.

    >>> point_matrices(np.array([2.0]), 0.5, np.array([[[3.0]]]))[0, 0].tolist()
    [[6.0, -2.0], [-2.0, 0.0]]
    """
    at = embeddings(B_T.shape[-1])
    r = r[:, None, None]
    return r * at.exchange + ratio * r**2 * (at.first @ B_T @ at.first.T)[:, None]


def respond(levels: InputLevels, batch: BatchLaw, operators: LevelOperators, G: Arrays) -> Seen:
    """Return the responses at a given G; K is formed without V⁻¹, so that small shapes keep their digits."""
    size = operators.V.shape[-1]
    at = embeddings(size)
    A = point_matrices(batch.r, batch.ratio, operators.B_T)
    M = inverse(np.eye(2 * size) + batch.ratio * (G[:, None] @ A))
    felt = averaged(batch.weights, A @ M)
    tau = levels.tau[:, None, None]
    P = tau * at.scaled_x + at.q
    loads = loads_at(levels, size)
    L = tau * (loads @ operators.B[:, None] @ transposed(loads)) + at.multiplier + P @ felt[:, None] @ transposed(P)
    rest = inverse(L[..., size:, size:])
    back = rest @ L[..., size:, :size]
    K = L[..., :size, :size] - L[..., :size, size:] @ back
    T = inverse(np.eye(size) + operators.V[:, None] @ K)
    column = at.x - at.pq @ back
    whole = column @ (T @ operators.V[:, None]) @ transposed(column) + at.pq @ rest @ at.pq.T
    return Seen(K, T, whole, P, A, M)


def seen_by_points(levels: InputLevels, found: Seen) -> Arrays:
    """Return G = ⟨PᵀL⁻¹P⟩."""
    return averaged(levels.weights, transposed(found.P) @ found.inverse @ found.P)


def settled(turning: LevelTurning, operators: LevelOperators) -> tuple[Arrays, Seen]:
    """Return G and the responses, with derivatives if the operators have them; G itself is that of the turning."""
    G = turning.G
    if not isinstance(operators.V, Dual):
        return G, respond(turning.levels, turning.batch, operators, G)
    unit = np.abs(G).max()

    def moved(vector: Array) -> Array:
        found = respond(turning.levels, turning.batch, operators, Dual(G, unit * vector.reshape(G.shape)))
        return seen_by_points(turning.levels, found).slope.ravel() / unit

    found = settle(moved, np.zeros(G.size), _TOLERANCE)
    _check(found.change)
    whole = Dual(G, unit * found.point.reshape(G.shape))
    return whole, respond(turning.levels, turning.batch, operators, whole)


class LevelBalance(NamedTuple):
    """The images of Q, ς and G under the map."""

    Q: Arrays
    sigma: Arrays
    G: Arrays


def level_balance(
    network: Network, turning: LevelTurning, ridge: Array, g: Arrays, Q: Arrays, G: Arrays
) -> LevelBalance:
    """Return the equations at g, Q and G; ``ridge`` is λ(h) at the nodes of h."""
    case, levels, batch = network.step.case, turning.levels, turning.batch
    operators = level_operators(network, batch, g, Q)
    found = respond(levels, batch, operators, G)
    loads = loads_at(levels, operators.V.shape[-1])
    both = averaged(levels.weights * levels.tau, transposed(loads) @ found.inverse @ loads)
    noise_h = (network.noise @ (network.h_weights * g)[..., None])[..., 0]
    noise_u = ((network.u_weights * Q)[..., None, :] @ network.noise)[..., 0, :]
    linear = _form(level_loadings(network), both)
    linear = linear + noise_of(network, batch) * _form(network.loadings, scattered(batch, found, G))
    Z = averaged(levels.weights, found.K @ found.T)
    between = _form(transposed(network.shapes), Z) / network.h_weights
    return LevelBalance(
        Q=1 / (1 + noise_h + linear),
        sigma=ridge + case.phi / case.psi * noise_u + case.phi * between,
        G=seen_by_points(levels, found),
    )


def scattered(batch: BatchLaw, found: Seen, G: Arrays) -> Arrays:
    """Return ⟨ΣTΣ𝓔⟩, which is also the form for the even part of Σβ."""
    first = embeddings(G.shape[-1] // 2).first
    return averaged(batch.weights * batch.ratio * batch.r**2, first.T @ (found.M @ G[:, None]) @ first)


def _form(vectors: Array, matrix: Arrays) -> Arrays:
    """Return vᵀMv for every row v."""

    def rows(values: Array) -> Array:
        return np.einsum("eur,eur->eu", vectors @ values, vectors)

    return Dual(rows(matrix.value), rows(matrix.slope)) if isinstance(matrix, Dual) else rows(matrix)


def solve_levels(network: Network, ridge: Array, level: int = 0) -> Solution:
    """Return the solution for every η of the network, each at its own λ in ``ridge``.

    From the solution with even noise, by an accelerated iteration of the map: with it ln Q, ln ς and G are found one η
    after another, and then their derivatives, of which the equations are linear.
    """
    levels, batch = levels_of(network.step, level), batch_of(network.step, level)
    ones = [_solve_one(network.at(np.array([i])), ridge[i : i + 1], levels, batch) for i in range(len(ridge))]
    turnings, by_leverage, by_ridge, residuals = zip(*ones, strict=True)
    G = np.concatenate([turning.G for turning in turnings])
    turning = LevelTurning(levels, batch, level_lengths(network), G)

    def together(parts: Sequence[Carried]) -> Carried:
        return Carried(*(joined(each, axis=0) for each in zip(*parts, strict=True)))

    return Solution(turning, together(by_leverage), together(by_ridge), np.array(residuals))


class _One(NamedTuple):
    turning: LevelTurning
    by_leverage: Carried
    by_ridge: Carried
    residual: float


def _solve_one(network: Network, ridge: Array, levels: InputLevels, batch: BatchLaw) -> _One:
    """Return the solution for a network with a single η."""
    at = np.repeat(ridge[:, None], len(network.h), axis=1)
    start = without_turning(network, at)
    parts, size = (start.Q.shape[-1], start.g.shape[-1]), 2 * network.loadings.shape[-1]
    turning = LevelTurning(levels, batch, level_lengths(network), np.zeros((1, size, size)))
    first = level_balance(network, turning, at, start.g, start.Q, turning.G)
    unit = np.abs(first.G).max()

    def unpacked(vector: Array) -> tuple[Array, Array, Array]:
        log_Q, log_sigma, G = np.split(vector, np.cumsum(parts))
        return log_Q[None], log_sigma[None], unit * G.reshape(1, size, size)

    def packed(*arrays: Array) -> Array:
        return np.concatenate([array.ravel() for array in arrays])

    def image(vector: Array) -> Array:
        log_Q, log_sigma, G = unpacked(vector)
        try:
            found = level_balance(network, turning, at, np.exp(-log_sigma), np.exp(log_Q), G)
        except np.linalg.LinAlgError:  # pragma: no cover - a singular matrix on the way is by chance
            return np.full_like(vector, np.nan)
        return packed(np.log(found.Q), np.log(found.sigma), found.G / unit)

    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        values = settle(image, packed(np.log(start.Q), -np.log(start.g), first.G / unit), _TOLERANCE)
    _check(values.change)
    log_Q, log_sigma, G = unpacked(values.point)
    Q, sigma = np.exp(log_Q), np.exp(log_sigma)
    turning = replace(turning, G=G)

    def carried(vector: Array) -> Carried:
        Q_slope, sigma_slope, _ = unpacked(vector)
        return Carried(Dual(1 / sigma, -sigma_slope / sigma), Dual(Q, Q_slope * Q))

    def slopes(push: Array) -> Carried:
        def moved(vector: Array) -> Array:
            found = level_balance(network, turning, at, *carried(vector), Dual(G, unpacked(vector)[2]))
            return packed(found.Q.slope / Q, (found.sigma.slope + push) / sigma, found.G.slope / unit)

        found = settle(moved, packed(0 * Q, push / sigma, 0 * G), _TOLERANCE)
        _check(found.change)
        return carried(found.point)

    return _One(turning, slopes(sigma**2), slopes(np.ones_like(sigma)), values.change)


def _check(change: float) -> None:
    if not change < _TOLERANCE:
        raise PrecisionError(
            f"rounding leaves no digits: the fixed point did not reach {_TOLERANCE:g}, its residual is {change:.1e}; "
            f"take a smaller step, or {spelled('method', 'isotropic')}",
            argument="eta",
        )
