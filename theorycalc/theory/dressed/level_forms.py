"""Quadratic forms along the directions of the teacher and of the step, for inputs with a covariance.

See docs/theory/inputs.md#finite-steps.

Along the coordinates D of which the residual knows, v and W̃₀ᵀa, the batch adds ΔΠ = E[A(1 + φ₀GA)⁻¹(x_dx_d' − δ)] to
Π.  In Σβ = Σ_jr_jΣz_j/n₀ a point has r_j where S has A_j: its forms are those of D with k_d = E[x_d(1 + φ₀AG)⁻¹r], and
E[φ₀r²(1 + φ₀GA)⁻¹G] beside them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.dual import Arrays, inverse, joined
from theorycalc.numbers.systems import Array
from theorycalc.theory.case import Case
from theorycalc.theory.dressed.fixed_point import Carried, averaged, second_moment, transposed
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
