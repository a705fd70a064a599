"""The directions β⋆ and c in the quadratic forms: their Z, and how they couple to the mean part of the features.

See docs/theory/dressed.md#quadratic-forms.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from theorycalc.numbers.dual import Arrays, Dual, inverse, joined
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.fixed_point import (
    Carried,
    Operators,
    averaged,
    inverses,
    operators_of,
    second_moment,
    times_K,
    transposed,
)
from theorycalc.theory.dressed.input_levels import LevelTurning
from theorycalc.theory.dressed.level_forms import level_forms, mean_of_S_along
from theorycalc.theory.dressed.neurons import Network
from theorycalc.theory.dressed.turning import Turning


def directions_of(network: Network, turning: Turning | LevelTurning, at: Carried) -> tuple[Dual, Arrays, Dual, Arrays]:
    """Return Z of the directions, their coupling to the mean part, N E_u[μ_0 μ_0ᵀ Q], and Q⁻¹ as a matrix.

    If f₀ is in the step, c and S depend on W₀ᵀa = Σ a_iw_i, and a neuron's part a_i(w_i·ŵ_i)W₀ᵀa is not noise: with
    t_d = a⟨(w_i·ŵ_i)(I + VK)⁻¹⟩ᵀα over the share of d with W₀ᵀa it adds N E_u[ttᵀQ] to Z, and couples by N E_u[tμ_0Q].
    There Q stands for neurons independent of S; the part of 𝓔 along W₀ᵀa beside the bulk is added to 1/Q.
    """
    step, (g, Q) = network.step, at
    if isinstance(turning, LevelTurning):
        found = level_forms(network, turning, at)
        response = _to_lengths(network)
        of_length = second_moment(network, Q * turning.lengths.variance, response, response) / (2 * step.case.psi)
        uncoupled = np.zeros((*found.Z.shape[:-1], response.shape[-1]))
        return _with_mean_part(network, Q, found.Z, uncoupled, of_length, found.own, found.beside)
    s, weights = turning.nodes
    operators = operators_of(network, turning.spread_of, g, Q, turning.leading)
    T = inverses(operators, s)
    powers = s ** np.arange(3)[:, None]

    def T_of(share: Array) -> Arrays:
        return averaged(share * powers, T)

    by_length, of_length = lengths_along(network, turning, operators, T_of, Q)
    rows = enumerate(weights.directions)
    Z = blocks([[times_K(operators, T_of(share)) for share in row[i:]] for i, row in rows])
    if step.case.levels:
        Z = Z + mean_of_S_along(network, [T_of(share) for share in weights.directions[0]], operators.V, Q)
    if not step.case.included:
        return _with_mean_part(network, Q, Z, by_length, of_length)
    root = math.sqrt(step.N) * np.sqrt(network.u_weights)[:, None]  # N may be beyond int64
    own = [root * network.own[:, None] * kept[..., None] * network.loadings for kept in turning.kept]
    shares = map(T_of, weights.own_directions)
    tau = joined([sum(part @ T_d[:, p] for p, part in enumerate(own)) for T_d in shares], axis=-1)
    beside = T_of(weights.own - weights.bulk) @ operators.V[:, None]
    extra = sum(
        left @ beside[:, p + q] @ transposed(right) for p, left in enumerate(own) for q, right in enumerate(own)
    )
    return _with_mean_part(network, Q, Z, by_length, of_length, tau, extra)


def _with_mean_part(
    network: Network,
    Q: Dual,
    Z: Dual,
    by_length: Arrays,
    of_length: Arrays,
    tau: Arrays | None = None,
    extra: Arrays | None = None,
) -> tuple[Dual, Arrays, Dual, Arrays]:
    """Return the result of directions_of(), given t_d of the neurons and the summand beside 1/Q, if there is one."""
    step = network.step
    root = math.sqrt(step.N) * np.sqrt(network.u_weights)[:, None]  # N may be beyond int64
    constant = np.broadcast_to(constant_of(network)[:, None], (*network.mean.shape[:-1], 1))
    constant = constant[..., : int(step.fit.constant != 0)]
    norms = network.norm_loadings / math.sqrt(2 * step.inputs)
    beside = [] if network.beside is None else [network.beside.loadings]
    mean = root * np.concatenate([network.mean, norms, *beside, constant], axis=-1)
    if extra is None:
        return Z, by_length, transposed(mean) @ (Q[..., None] * mean) + of_length, diagonal(1 / Q)
    neurons = diagonal(1 / Q) + extra
    with_own = inverse(neurons)
    to_directions = transposed(tau) @ with_own
    gram = transposed(mean) @ with_own @ mean + of_length
    return Z + to_directions @ tau, to_directions @ mean + by_length, gram, neurons


def lengths_along(
    network: Network, turning: Turning, operators: Operators, T_of: Callable[[Array], Arrays], Q: Dual
) -> tuple[Dual, Dual]:
    """Return how the directions couple to the lengths of neurons, and the lengths' part of N E_u[μ_0 μ_0ᵀ Q].

    μ_0 responds to ‖w_i‖²/s_u² by E[(z² − 1)σ]/2.  Along b̂ the part of it and the linear part share w_i·b̂.
    See docs/theory/turning.md#neurons-of-different-lengths.
    """
    case, directions = network.step.case, turning.nodes.weights.directions
    response = _to_lengths(network)
    led = turning.lengths.lean[..., None] * response
    shared = [second_moment(network, Q * kept, network.loadings, led) / case.psi for kept in turning.kept]
    toward = network.step.toward
    with_b = [sum(d * share for d, share in zip(toward, row, strict=True)) for row in directions]
    parts = [sum(transposed(T_d[:, p]) @ part for p, part in enumerate(shared)) for T_d in map(T_of, with_b)]
    with_itself = sum(d * share for d, share in zip(toward, with_b, strict=True))
    inside = T_of(with_itself) @ operators.V[:, None]
    taken = sum(
        transposed(left) @ inside[:, p + q] @ right for p, left in enumerate(shared) for q, right in enumerate(shared)
    )
    own = second_moment(network, Q, led, led) / case.psi
    apart = second_moment(network, Q * turning.lengths.variance, response, response) / (2 * case.psi)
    return joined(parts, axis=-2), apart + own - taken


def others_of(network: Network, turning: Turning, at: Carried) -> Arrays:
    """Return Z of a direction of which labels and W₀ᵀa are independent."""
    operators = operators_of(network, turning.spread_of, at.g, at.Q, turning.leading)
    powers = turning.nodes.s ** np.arange(3)[:, None]
    return times_K(operators, averaged(turning.nodes.weights.bulk * powers, inverses(operators, turning.nodes.s)))


def constant_of(network: Network) -> Array:
    """Return c_0 of the neurons at each node, where it is a feature of the fit."""
    return np.full(len(network.a), network.step.fit.constant) if network.kinds is None else network.kinds.constant


def _to_lengths(network: Network) -> Array:
    """Return twice the response of the mean part to ‖w_i‖²/s_u²; norms and a constant have none."""
    others = np.zeros((*network.quadratic.shape[:-1], _others(network)))
    return np.concatenate([network.quadratic, others], axis=-1)


def _others(network: Network) -> int:
    """Return the number of functions beside those of the nodes."""
    beside = 0 if network.beside is None else len(network.beside.factors)
    return int(network.norm_shapes.shape[-2]) + beside + int(network.step.fit.constant != 0)


def blocks(upper: Sequence[Sequence[Arrays]]) -> Dual:
    """Return a symmetric matrix from its blocks on the diagonal and right of it, row by row."""
    count = range(len(upper))
    rows = [[upper[i][j - i] if j >= i else transposed(upper[j][i - j]) for j in count] for i in count]
    result: Dual = joined([joined(row, axis=-1) for row in rows], axis=-2)
    return result


def diagonal(values: Dual) -> Dual:
    """Return diagonal matrices."""
    return values[..., None] * np.eye(values.shape[-1])
