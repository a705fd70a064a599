"""Inputs with a covariance in dressed features: its levels, and neurons with the gradient's rest as even noise.

See docs/theory/inputs.md#finite-steps.

With x = Σ^½z a neuron is w̃_i = Σ^½w_i, and sees w̃_i·z.  The step moves it by uΣ(c_1β + 2c_2Sw̃_i + noise_i), where β,
S and the noise are those of isotropic inputs z.  With S as noise neurons of one u are spread by

    C(u) = (Σ + u²v_0Σ²)/s_u²,     s_u² = 1 + u²v,     v = v_0⟨τ²⟩,     v_0 = φ₀Var σ' E r²,

so that the eigenvalues τ of Σ take the place of those of S.  Of S its mean 2c_⋆2vvᵀ is kept: it adds a part along Σv.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.dressed.lengths import LengthLaw
from theorycalc.theory.dressed.neurons import DressedStep, Network
from theorycalc.theory.dressed.residual import DirectionTransforms
from theorycalc.theory.dressed.turning import Nodes, Turning

_MOST_LEVELS = 24  # more are gathered


class InputLevels(NamedTuple):
    """Eigenvalues τ of Σ, the weights of their inputs, and the teacher's shares."""

    tau: Array
    weights: Array
    shares: Array


class BatchLaw(NamedTuple):
    """A few nodes for the residual r of the step's batch, with the coordinates on which it depends."""

    ratio: float  # φ₀
    rest: float  # ϖ = Var σ' − 4c_2²
    r: Array
    weights: Array
    first: Array  # weights times x_D, D the teacher's direction and W̃₀ᵀa
    second: Array


@dataclass(frozen=True)
class LevelTurning:
    """The levels of Σ, the batch of the step, and G, the mean resolvent that its points see."""

    levels: InputLevels
    batch: BatchLaw
    lengths: LengthLaw
    G: Array


@functools.lru_cache(maxsize=32)
def levels_of(step: DressedStep, level: int = 0) -> InputLevels:
    """Return the levels of a step's inputs, reduced to a Gauss rule if there are many."""
    tau, weights, shares = np.array(step.case.levels, dtype=float).T
    most = _MOST_LEVELS * (level + 2) // 2
    if len(tau) <= most:
        return InputLevels(tau, weights, shares)
    return InputLevels(*gauss_rule(tau, (weights + shares) / 2, np.stack([weights, shares]), most))


def gauss_rule(points: Array, weights: Array, measures: Array, count: int) -> tuple[Array, ...]:
    """Return at most ``count`` nodes for means over points, and the weights of each measure on them.

    The nodes are those of Gauss for ``weights``, by Lanczos' method; a measure keeps its first moments.

    >>> points, weights = np.linspace(0, 1, 1001), np.full(1001, 1 / 1001)
    >>> nodes, found = gauss_rule(points, weights, weights[None], 6)
    >>> abs(float(found @ np.exp(nodes)) - float(weights @ np.exp(points))) < 1e-12
    True
    """
    root = np.sqrt(weights)
    basis, diagonal, beside = [root / np.linalg.norm(root)], [], []
    while True:
        moved = points * basis[-1]
        diagonal.append(float(basis[-1] @ moved))
        for _ in range(2):  # twice is enough
            moved = moved - np.array(basis).T @ (np.array(basis) @ moved)
        length = float(np.linalg.norm(moved))
        if len(basis) == count or length <= 1e-12 * float(np.abs(points).max()):
            break
        beside.append(length)
        basis.append(moved / length)
    nodes, vectors = np.linalg.eigh(np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1))
    known = root > 0
    moments = measures[..., known] @ (np.array(basis)[:, known] / root[known]).T
    return nodes, *(moments @ vectors * vectors[0])


def even_spread(u: Number, noise: Number, square: Number) -> tuple[Number, Number]:
    """Return the coefficients of τ and τ² in C(u) = (τ + u²v_0τ²)/s_u² with s_u² = 1 + u²v_0⟨τ²⟩.

    ``noise`` is v_0 and ``square`` is ⟨τ²⟩.  See docs/theory/inputs.md#even-noise.

    >>> even_spread(1.0, 2.0, 1.5)
    (0.25, 0.5)
    """
    s_square = 1 + u**2 * noise * square
    return 1 / s_square, u**2 * noise / s_square


def level_lengths(network: Network) -> LengthLaw:
    """Return the effect on lengths after the step of rows whose lengths wᵀΣw differ before it."""
    case, share = network.step.case, (network.kept / network.scale) ** 4
    return LengthLaw((case.moments.square if case.gaussian_rows else case.moments.spread) * share, 0 * share)


def shares_of(step: DressedStep, levels: InputLevels) -> DirectionTransforms:
    """Return the levels' shares in the directions v and c, and in W̃₀ᵀa with them.

    The step direction is Σβ/√κ with β = c_⋆1v − c_1W̃₀ᵀa and an even rest.
    """
    (tau, weights, shares), case = levels, step.case
    own = float(case.own_linear) if case.included else 0.0
    size, rho, off = math.sqrt(case.kappa), case.rho, case.off_teacher
    with_b = case.step_linear * tau * shares / size
    sampled = float(case.scatter / case.moments.square)  # φ₀E r², the scatter of β of isotropic inputs z
    of_b = tau**2 * (case.step_linear**2 * shares + (sampled + own**2 * tau) * weights) / case.kappa
    with_c = (with_b - rho * shares) / off
    of_c = (of_b - 2 * rho * with_b + rho**2 * shares) / off**2
    return DirectionTransforms(
        bulk=weights,
        directions=np.array([[shares, with_c], [with_c, of_c]]),
        own=weights,  # W̃₀ᵀa is spread as the neurons are
        own_directions=np.stack([0 * tau, -own * tau**2 * weights / (size * off)]),
    )


def only_its_levels(network: Network) -> Turning:
    """Return neurons spread by Σ and by even noise, whose levels stand where those of S stand without a covariance."""
    step, u = network.step, network.u
    levels, none, square = levels_of(step), np.zeros_like(u), step.case.moments.square
    return Turning(
        nodes=Nodes(levels.tau, shares_of(step, levels)),
        spread_of=(none, *even_spread(u, step.spread / square, square)),
        kept=(np.ones_like(u), none),
        lengths=level_lengths(network),
        spikes=np.empty(0),
    )
