"""The directions β⋆ and c in the quadratic forms: their Z, and their coupling to the mean part of the features.

See docs/theory/dressed.md#quadratic-forms and docs/theory/inputs.md#finite-steps.

For inputs with a covariance the batch adds ΔΠ = E[A(1 + φ₀GA)⁻¹(x_dx_d' − δ)] to Π, along the coordinates D of which
the residual knows, v and W̃₀ᵀa.  In Σβ = Σ_jr_jΣz_j/n₀ a point has r_j where S has A_j: its forms are those of D with
k_d = E[x_d(1 + φ₀AG)⁻¹r], and E[φ₀r²(1 + φ₀GA)⁻¹G] beside them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.dual import Arrays, Dual, inverse, joined
from theorycalc.numbers.systems import Array
from theorycalc.theory.case import Case
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
from theorycalc.theory.dressed.level_turning import (
    Seen,
    embeddings,
    level_loadings,
    level_operators,
    loads_at,
    scattered,
    settled,
)
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
    """Return the result of directions_of(), given t_d of the neurons and the summand added to 1/Q, if any."""
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
    """Return the coupling of the directions to the lengths of neurons, and the lengths' part of N E_u[μ_0 μ_0ᵀ Q].

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
    """Return Z for a direction that is independent of labels and of W₀ᵀa."""
    operators = operators_of(network, turning.spread_of, at.g, at.Q, turning.leading)
    powers = turning.nodes.s ** np.arange(3)[:, None]
    return times_K(operators, averaged(turning.nodes.weights.bulk * powers, inverses(operators, turning.nodes.s)))


def constant_of(network: Network) -> Array:
    """Return c_0 of the neurons at each node, if it is a feature of the fit."""
    return np.full(len(network.a), network.step.fit.constant) if network.kinds is None else network.kinds.constant


def _to_lengths(network: Network) -> Array:
    """Return twice the response of the mean part to ‖w_i‖²/s_u², which is 0 for norms and constants."""
    beside = 0 if network.beside is None else len(network.beside.factors)
    others = int(network.norm_shapes.shape[-2]) + beside + int(network.step.fit.constant != 0)
    return np.concatenate([network.quadratic, np.zeros((*network.quadratic.shape[:-1], others))], axis=-1)


def blocks(upper: Sequence[Sequence[Arrays]]) -> Dual:
    """Return a symmetric matrix from its blocks on and right of the diagonal, row by row."""
    count = range(len(upper))
    rows = [[upper[i][j - i] if j >= i else transposed(upper[j][i - j]) for j in count] for i in count]
    return _block(rows)


def diagonal(values: Dual) -> Dual:
    """Return diagonal matrices with these entries."""
    return values[..., None] * np.eye(values.shape[-1])


class LevelForms(NamedTuple):
    """Z of v and c, and of neurons that depend on W̃₀ᵀa: their t_d along both, and their part of 𝓔 beside the bulk.

    Both with √(N weight) of their nodes; None where the initial output takes no part in the step.
    """

    Z: Arrays
    own: Arrays | None = None
    beside: Arrays | None = None


class _Along(NamedTuple):
    """Forms of L⁻¹ along D without the batch's part ΔΠ: of (x, p, q), with (Σx, q), and of (Σx, q)."""

    whole: Arrays  # of v alone
    mixed: list[Arrays]
    inside: Arrays


def level_forms(network: Network, turning: LevelTurning, at: Carried) -> LevelForms:
    """Return the forms along v and c, and along W̃₀ᵀa if the initial output takes part in the step."""
    case, (levels, batch) = network.step.case, (turning.levels, turning.batch)
    operators = level_operators(network, batch, *at)
    G, found = settled(turning, operators)
    to, count = embeddings(operators.V.shape[-1]), 1 + int(case.included)
    base = _along(found, (levels.shares, levels.tau * levels.weights)[:count])
    felt = found.A @ found.M
    excess = batch.second[:count, :count] - np.eye(count)[..., None] * batch.weights
    changed = _block([[averaged(excess[i, j], felt) for j in range(count)] for i in range(count)])
    bend = inverse(np.eye(changed.shape[-1]) + changed @ base.inside)
    size = 2 * operators.V.shape[-1]

    def part(matrix: Arrays, i: int, j: int) -> Arrays:
        return matrix[:, size * i : size * (i + 1), size * j : size * (j + 1)]

    sources = batch.r[:, None, None] * to.first
    toward = joined([averaged(batch.first[i], transposed(found.M) @ sources) for i in range(count)], axis=-2)

    of_step = scattered(batch, found, G) + transposed(toward) @ (base.inside @ bend) @ toward
    mixed = to.x.T @ base.mixed[0]
    of_teacher = to.x.T @ base.whole @ to.x - mixed @ part(bend @ changed, 0, 0) @ transposed(mixed)
    with_step = mixed @ bend[:, :size] @ toward
    V_inverse = inverse(operators.V)
    teacher, between, rest = _apart(case, of_teacher, with_step / math.sqrt(case.kappa), of_step / case.kappa)
    Z = _block(
        [
            [V_inverse - V_inverse @ teacher @ V_inverse, -(V_inverse @ between @ V_inverse)],
            [-(V_inverse @ transposed(between) @ V_inverse), V_inverse - V_inverse @ rest @ V_inverse],
        ]
    )
    if not case.included:
        return LevelForms(Z)
    both = math.sqrt(network.step.N) * (np.sqrt(network.u_weights) * network.own)[:, None] * level_loadings(network)
    loads, share = loads_at(levels, operators.V.shape[-1]), levels.weights * levels.tau  # of W̃₀ᵀa
    own_mixed = averaged(share, transposed(loads) @ found.inverse @ found.P)
    own_bent = own_mixed @ bend[:, size:]
    own_teacher = -(own_mixed @ part(bend @ changed, 1, 0) @ transposed(base.mixed[0]) @ to.x)
    own_rest = (own_bent @ toward / math.sqrt(case.kappa) - case.rho * own_teacher) / case.off_teacher
    return LevelForms(
        Z,
        own=joined([both @ (one @ V_inverse) for one in (own_teacher, own_rest)], axis=-1),
        beside=-(both @ (own_mixed @ part(bend @ changed, 1, 1) @ transposed(own_mixed)) @ transposed(both)),
    )


def mean_of_S_along(network: Network, moments: Sequence[Arrays], V: Arrays, Q: Arrays) -> Arrays:
    """Return the summand of Z from the mean 2c_⋆2vvᵀ of S where all else of S is noise: by its leading shape, squared.

    It moves a neuron by 4c_2c_⋆2u(w̃_i·v)Σv.  ``moments`` are the means of T, τT and τ²T between v and each direction.
    """
    step, size = network.step, V.shape[-1]
    moved = 4 * network.c2 * step.case.step_quadratic * network.u / network.scale
    leading = network.loadings * (np.arange(size) == 0)
    added = step.case.moments.aligned * second_moment(network, Q * moved**2, leading, leading) / step.case.psi
    along = joined([moment[:, 1] for moment in moments], axis=-1)
    return transposed(along) @ (added @ inverse(np.eye(size) + moments[0][:, 2] @ V @ added)) @ along


def _along(found: Seen, measures: Sequence[Array]) -> _Along:
    whole = averaged(measures[0], found.inverse)
    mixed = [averaged(measure, found.inverse @ found.P) for measure in measures]
    inside = [averaged(measure, transposed(found.P) @ found.inverse @ found.P) for measure in measures]
    none = 0 * inside[0]
    rows = range(len(inside))
    return _Along(whole, mixed, _block([[inside[i] if i == j else none for j in rows] for i in rows]))


def _apart(case: Case, teacher: Arrays, with_step: Arrays, of_step: Arrays) -> tuple[Arrays, Arrays, Arrays]:
    """Return the forms of v and c from those of v and the step direction, ρv + √(1 − ρ²)c."""
    rho, off = case.rho, case.off_teacher
    mixed = (with_step - rho * teacher) / off
    rest = (of_step - rho * (with_step + transposed(with_step)) + rho**2 * teacher) / off**2
    return teacher, mixed, rest


def _block(rows: Sequence[Sequence[Arrays]]) -> Arrays:
    return joined([joined(row, axis=-1) for row in rows], axis=-2)
