"""Quadratic forms of the resolvent, and with them the losses (docs/theory/dressed.md#quadratic-forms).

For functions f, k of a point, fᵀR̃k → E[fk g] − ℓ_fᵀ Z_all ℓ_k with ℓ_f = E[γ f (x·d) g] for the two directions d that
matter: β⋆, and c, the part of the step direction orthogonal to it.  Z of both directions is the mean of Z(s) over their
shares in the spectrum of S.  Functions of h are kept by their values at the nodes, as 1_{h = h_j}/√w_j.  The mean part
of the features then enters as spikes do in the pencil, node by node.

L_tr = λ ỹᵀRỹ, L_te = −d/dε ỹᵀRỹ at λ(h) = λ + ες(h)², and the training error without the penalty is −λ² d/dε ỹᵀRỹ at
λ + ε.  The derivatives are exact: g and Q carry theirs along.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.dual import Arrays, Dual, inverse, inverse_form, joined
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.fixed_point import (
    Carried,
    Solution,
    averaged,
    inverses,
    operators_of,
    second_moment,
    times_K,
    transposed,
)
from theorycalc.theory.dressed.neurons import Network
from theorycalc.theory.dressed.responses import responses
from theorycalc.theory.dressed.turning import Turning


class LabelMoments(NamedTuple):
    """Conditional moments of a label given h: E y, E[y x·β⋆], E[y x·c] and E y²."""

    mean: Array
    along_teacher: Array
    along_rest: Array
    square: Array


def labels_given(network: Network, level: int) -> LabelMoments:
    """Return the moments of y = σ⋆(x·β⋆) + ε, with x·β⋆ = ρh + √(1−ρ²)g and x·c = √(1−ρ²)h − ρg."""
    rho, other, h = network.step.case.rho, network.step.case.off_teacher, network.h
    found = responses(network.step.teacher, rho * h, np.full_like(h, other), level)
    return LabelMoments(
        mean=found.mean,
        along_teacher=rho * h * found.mean + other * found.linear,
        along_rest=other * h * found.mean - rho * found.linear,
        square=found.variance + found.mean**2 + network.step.case.noise**2,
    )


@dataclass(frozen=True)
class Forms:
    """Quadratic forms of the node functions: without the mean part, of the mean part, and between the two."""

    P: Dual
    gram: Dual  # N E_u[μ_0 μ_0ᵀ Q]
    coupling: Dual  # E
    Z_all: Dual
    along_nodes: Dual  # ℓ of the node functions
    own_part: Dual  # how the two directions couple to the mean part


def forms_of(network: Network, turning: Turning, at: Carried) -> Forms:
    """Return the forms at a solution."""
    step, h, gamma, (g, Q) = network.step, network.h, network.shapes, at
    rho, other = step.case.rho, step.case.off_teacher
    Z, own_part, gram = directions_of(network, turning, at)
    # V of the two directions: E[(x·d)(x·d') | h] is not 1 and 0, since h is a mixture of both.
    beside = (gamma * (g * (h**2 - 1))[:, None, :]) @ transposed(gamma)
    changed = _blocks(rho**2 * beside, rho * other * beside, other**2 * beside)
    bend = inverse(np.eye(Z.shape[-1]) + Z @ changed)
    Z_all, bent = bend @ Z, bend @ own_part
    along_nodes = transposed(joined([gamma * (g * d * h)[:, None, :] for d in (rho, other)], axis=1))
    gram = gram - transposed(own_part) @ changed @ bent
    if network.norm_response is not None:  # row norms fluctuate by 1/√(2d)
        gram = gram + second_moment(network, Q, network.norm_response, network.norm_response) / (2 * step.case.psi)
    return Forms(
        P=_diagonal(g) - along_nodes @ Z_all @ transposed(along_nodes),
        gram=gram,
        coupling=along_nodes @ bent,
        Z_all=Z_all,
        along_nodes=along_nodes,
        own_part=bent,
    )


def label_form(network: Network, labels: LabelMoments, forms: Forms, g: Dual) -> Dual:
    """Return ỹᵀRỹ for every η."""
    root, gamma = np.sqrt(network.h_weights), network.shapes
    parts = [gamma @ (g * (root * part))[..., None] for part in (labels.along_teacher, labels.along_rest)]
    along_label = joined(parts, axis=1)
    bent = forms.Z_all @ along_label
    q = g * (root * labels.mean) - (forms.along_nodes @ bent)[..., 0]
    squares = g[..., None, :] @ (network.h_weights * labels.square)[:, None]  # row by row: equal steps stay equal
    plain = (squares - transposed(along_label) @ bent)[..., 0, 0]
    low = (transposed(along_label) @ forms.own_part)[..., 0, :]
    unit = np.sqrt(g.value)
    mid, scale = mid_of(forms, unit)
    result: Dual = plain - inverse_form(mid, joined([q / unit, low * scale], axis=-1))
    return result


def mid_of(forms: Forms, unit: Array) -> tuple[Dual, Array]:
    """Return Mid = [[P, I + E], [(I + E)ᵀ, −gram]], its upper half in a unit, and the lower half's scale.

    P is of the size of g, and gram of any: with √|g| as the unit no entry is large, whatever the units of σ are.
    """
    size = forms.P.shape[-1]
    scale = unit / np.sqrt(1 + unit**2 * np.einsum("...ii->...i", forms.gram.value))
    right = (np.eye(size) + forms.coupling) / unit[..., :, None] * scale[..., None, :]
    upper = forms.P / unit[..., None, :] / unit[..., :, None]
    return _blocks(upper, right, -forms.gram * scale[..., None, :] * scale[..., :, None]), scale


def directions_of(network: Network, turning: Turning, at: Carried) -> tuple[Dual, Arrays, Dual]:
    """Return Z of the directions β⋆ and c, their coupling to the mean part, and N E_u[μ_0 μ_0ᵀ Q].

    If f₀ is in the step, c and S know W₀ᵀa = Σ a_iw_i, and the part a_i(w_i·ŵ_i)W₀ᵀa of a neuron is no noise: with
    t_d = a⟨(w_i·ŵ_i)(I + VK)⁻¹⟩ᵀα over the share of d with W₀ᵀa it adds N E_u[ttᵀQ] to Z, and couples by N E_u[tμ_0Q].
    There Q stands for neurons that know nothing of S; what W₀ᵀa has of 𝓔 beside the bulk comes on top of 1/Q.
    """
    step, (s, weights), (g, Q) = network.step, turning.nodes, at
    operators = operators_of(network, turning.spread_of, g, Q, turning.leading)
    T = inverses(operators, s)
    powers = s ** np.arange(3)[:, None]

    def T_of(share: Array) -> Arrays:
        return averaged(share * powers, T)

    Z = _blocks(*(times_K(operators, T_of(share)) for share in (weights.teacher, weights.cross, weights.rest)))
    root = math.sqrt(step.N) * np.sqrt(network.u_weights)[:, None]  # N may be beyond int64
    mean = root * network.mean
    if not step.case.included:
        return Z, np.zeros((*Z.shape[:-1], len(network.h))), transposed(mean) @ (Q[..., None] * mean)
    own = [root * network.a[:, None] * kept[..., None] * network.loadings for kept in turning.kept]
    shares = T_of(weights.own_teacher), T_of(weights.own_rest)
    tau = joined([sum(part @ T_d[:, p] for p, part in enumerate(own)) for T_d in shares], axis=-1)
    beside = T_of(weights.own - weights.bulk) @ operators.V[:, None]
    extra = sum(
        left @ beside[:, p + q] @ transposed(right) for p, left in enumerate(own) for q, right in enumerate(own)
    )
    with_own = inverse(_diagonal(1 / Q) + extra)
    return Z + transposed(tau) @ with_own @ tau, transposed(tau) @ with_own @ mean, transposed(mean) @ with_own @ mean


def _blocks(first: Dual, between: Dual, second: Dual) -> Dual:
    rows = joined([first, between], axis=-1), joined([transposed(between), second], axis=-1)
    result: Dual = joined(rows, axis=-2)
    return result


def _diagonal(values: Dual) -> Dual:
    return values[..., None] * np.eye(values.shape[-1])


def losses(network: Network, labels: LabelMoments, ridge: Array, solution: Solution) -> tuple[Array, Array]:
    """Return training and test loss after the step, for every η with its λ."""
    form = _form_along(network, labels, solution.turning, solution.by_leverage)
    return ridge * form.value, -form.slope


def train_error(network: Network, labels: LabelMoments, ridge: Array, solution: Solution) -> Array:
    """Return (1/n)‖ỹ − Fâ‖² after the step, for every η with its λ."""
    error: Array = -(ridge**2) * _form_along(network, labels, solution.turning, solution.by_ridge).slope
    return error


def _form_along(network: Network, labels: LabelMoments, turning: Turning, at: Carried) -> Dual:
    return label_form(network, labels, forms_of(network, turning, at), at.g)
