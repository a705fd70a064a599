"""Quadratic forms of the resolvent, and with them the losses (docs/theory/dressed.md#quadratic-forms).

For functions f, k of a point, fᵀR̃k → E[fk g] − ℓ_fᵀ Z_all ℓ_k with ℓ_f = E[γ f (x·d) g] for the two directions d that
matter: β⋆, and c, the part of the step direction orthogonal to it.  Z of both directions is the mean of Z(s) over their
shares in the spectrum of S.  Functions of h are kept by their values at the nodes, as 1_{h = h_j}/√w_j.  The mean part
of the features then enters as spikes do in the pencil, node by node.

L_tr = λ ỹᵀRỹ, L_te = −d/dε ỹᵀRỹ at λ(h) = λ + ες(h)², and the training error without the penalty is −λ² d/dε ỹᵀRỹ at
λ + ε.  The derivatives are exact: everything is evaluated at complex numbers whose imaginary parts, of size 10⁻³⁰, are
the derivatives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.theory.dressed.fixed_point import (
    Operators,
    Slopes,
    Solution,
    at_nodes,
    averaged,
    inverses,
    operators_of,
    second_moment,
    times_K,
    transposed,
)
from theorycalc.theory.dressed.neurons import Network
from theorycalc.theory.dressed.responses import responses
from theorycalc.theory.dressed.rules import Array
from theorycalc.theory.dressed.turning import Turning

TINY = 1e-30  # the unit of derivatives: its square is below any rounding


class LabelMoments(NamedTuple):
    """Conditional moments of a label given h: E y, E[y x·β⋆], E[y x·c] and E y²."""

    mean: Array
    along_teacher: Array
    along_rest: Array
    square: Array


def labels_given(network: Network, level: int) -> LabelMoments:
    """Return the moments of y = σ⋆(x·β⋆) + ε, with x·β⋆ = ρh + √(1−ρ²)g and x·c = √(1−ρ²)h − ρg."""
    rho, other, h = network.step.rho, network.step.off_teacher, network.h
    found = responses(network.step.teacher, rho * h, np.full_like(h, other), level)
    return LabelMoments(
        mean=found.mean,
        along_teacher=rho * h * found.mean + other * found.linear,
        along_rest=other * h * found.mean - rho * found.linear,
        square=found.variance + found.mean**2 + network.step.noise_variance,
    )


@dataclass(frozen=True)
class Forms:
    """Forms of the node functions: without the mean part, of the mean part, and between both."""

    P: Array
    gram: Array  # N E_u[μ_0 μ_0ᵀ Q]
    coupling: Array  # E
    Z_all: Array
    along_nodes: Array  # ℓ of the node functions
    own_part: Array  # how the two directions couple to the mean part


def forms_of(network: Network, turning: Turning, g: Array, Q: Array) -> Forms:
    """Return the forms at a solution; g and Q carry their derivatives as imaginary parts."""
    step, h, gamma = network.step, network.h, network.shapes
    rho, other = step.rho, step.off_teacher
    Z, own_part, gram = directions_of(network, turning, g, Q)
    # V of the two directions: E[(x·d)(x·d') | h], which is not 1 and 0, since h is a mixture of both.
    both, rest, mixed = rho**2 * h**2 + other**2, other**2 * h**2 + rho**2, rho * other * (h**2 - 1)
    V_teacher, V_rest, V_cross = (
        (gamma * (g * moment)[:, None, :]) @ transposed(gamma) for moment in (both - 1, rest - 1, mixed)
    )
    changed = _blocks(V_teacher, V_cross, V_rest)
    bend = np.linalg.inv(np.eye(Z.shape[-1]) + Z @ changed)
    Z_all, bent = bend @ Z, bend @ own_part
    along_nodes = transposed(np.concatenate([gamma * (g * d * h)[:, None, :] for d in (rho, other)], axis=1))
    gram = gram - transposed(own_part) @ changed @ bent
    if network.norm_response is not None:  # row norms fluctuate by 1/√(2d)
        gram = gram + second_moment(network, Q, network.norm_response, network.norm_response) / (2 * step.psi)
    return Forms(
        P=_diagonal(g) - along_nodes @ Z_all @ transposed(along_nodes),
        gram=gram,
        coupling=along_nodes @ bent,
        Z_all=Z_all,
        along_nodes=along_nodes,
        own_part=bent,
    )


def label_form(network: Network, labels: LabelMoments, forms: Forms, g: Array) -> Array:
    """Return ỹᵀRỹ for every η."""
    root, gamma = np.sqrt(network.h_weights), network.shapes
    parts = [gamma @ (g * root * part)[..., None] for part in (labels.along_teacher, labels.along_rest)]
    along_label = np.concatenate(parts, axis=1)[..., 0]
    bent = (forms.Z_all @ along_label[..., None])[..., 0]
    q = g * root * labels.mean - (forms.along_nodes @ bent[..., None])[..., 0]
    plain = (network.h_weights * g) @ labels.square - _dot(along_label, bent)
    low = (along_label[..., None, :] @ forms.own_part)[..., 0, :]
    unit = np.sqrt(g.real)
    mid, scale = mid_of(forms, unit)
    vector = np.concatenate([q / unit, np.broadcast_to(low * scale, q.shape)], axis=-1)
    return plain - _dot(vector, np.linalg.solve(mid, vector[..., None])[..., 0])


def mid_of(forms: Forms, unit: Array) -> tuple[Array, Array]:
    """Return Mid = [[P, I + E], [(I + E)ᵀ, −gram]], its upper half in a unit, and the lower half's scale.

    P is of the size of g, and gram of any: with √|g| as the unit no entry is large, whatever the units of σ are.
    """
    size = forms.P.shape[-1]
    scale = unit / np.sqrt(1 + unit**2 * np.einsum("...ii->...i", forms.gram).real)
    right = (np.eye(size) + forms.coupling) / unit[..., :, None] * scale[..., None, :]
    mid = np.empty((*forms.P.shape[:-2], 2 * size, 2 * size), dtype=forms.P.dtype)
    mid[..., :size, :size] = forms.P / unit[..., None, :] / unit[..., :, None]
    mid[..., :size, size:] = right
    mid[..., size:, :size] = transposed(right)
    mid[..., size:, size:] = -forms.gram * scale[..., None, :] * scale[..., :, None]
    return mid, scale


def directions_of(network: Network, turning: Turning, g: Array, Q: Array) -> tuple[Array, Array, Array]:
    """Return Z of the directions β⋆ and c, how they couple to the mean part, and N E_u[μ_0 μ_0ᵀ Q].

    If f₀ is in the step, c and S know W₀ᵀa = Σ a_iw_i, and the part a_i(w_i·ŵ_i)W₀ᵀa of a neuron is no noise: with
    t_d = a⟨(w_i·ŵ_i)(I + VK)⁻¹⟩ᵀα over the share of d with W₀ᵀa it adds N E_u[ttᵀQ] to Z, and couples by N E_u[tμ_0Q].
    There Q stands for neurons that know nothing of S; what W₀ᵀa has of 𝓔 beside the bulk comes on top of 1/Q.
    """
    step, (s, weights) = network.step, turning.nodes
    at, slope = (
        operators_of(network, turning.spread_of, g_part, Q_part, turning.leading)
        for g_part, Q_part in ((g.real, Q.real), (g.imag / TINY, Q.imag / TINY))
    )
    T = inverses(at, s)
    changes = tuple(slope.V @ part + at.V @ change for part, change in zip(at.K, slope.K, strict=True))
    T_slope = -T @ at_nodes(changes, s) @ T
    powers = s ** np.arange(3)[:, None]

    def T_of(share: Array) -> Array:
        return averaged(share * powers, T) + 1j * TINY * averaged(share * powers, T_slope)

    operators = Operators(_dual(at.K, slope.K), at.V + 1j * TINY * slope.V)
    Z = _blocks(*(times_K(operators, T_of(share)) for share in (weights.teacher, weights.cross, weights.rest)))
    root = math.sqrt(step.N) * np.sqrt(network.u_weights)[:, None]  # N may be beyond int64
    mean = root * network.mean
    if not step.included:
        return Z, np.zeros((len(g), Z.shape[-1], len(network.h))), transposed(mean) @ (Q[..., None] * mean)
    own = [root * network.a[:, None] * kept[..., None] * network.loadings for kept in turning.kept]
    shares = T_of(weights.own_teacher), T_of(weights.own_rest)
    tau = np.concatenate([sum(part @ T_d[:, p] for p, part in enumerate(own)) for T_d in shares], axis=-1)
    beside = T_of(weights.own - weights.bulk) @ operators.V[:, None]
    extra = sum(
        left @ beside[:, p + q] @ transposed(right) for p, left in enumerate(own) for q, right in enumerate(own)
    )
    with_own = np.linalg.inv(_diagonal(1 / Q) + extra)
    return Z + transposed(tau) @ with_own @ tau, transposed(tau) @ with_own @ mean, transposed(mean) @ with_own @ mean


def _dual(values: tuple[Array, Array, Array], slopes: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
    first, second, third = (value + 1j * TINY * slope for value, slope in zip(values, slopes, strict=True))
    return first, second, third


def _blocks(first: Array, between: Array, second: Array) -> Array:
    return np.concatenate(
        [np.concatenate([first, between], axis=-1), np.concatenate([transposed(between), second], axis=-1)], axis=-2
    )


def _diagonal(values: Array) -> Array:
    return values[..., None] * np.eye(values.shape[-1])


def _dot(x: Array, y: Array) -> Array:
    products: Array = np.einsum("...i,...i->...", x, y)
    return products


def losses(network: Network, labels: LabelMoments, ridge: Array, solution: Solution) -> tuple[Array, Array]:
    """Return training and test loss after the step, for every η with its λ."""
    form = _form_along(network, labels, solution, solution.by_leverage)
    return ridge * form.real, -form.imag / TINY


def train_error(network: Network, labels: LabelMoments, ridge: Array, solution: Solution) -> Array:
    """Return (1/n)‖ỹ − Fâ‖² after the step, for every η with its λ."""
    slope: Array = _form_along(network, labels, solution, solution.by_ridge).imag / TINY
    return -(ridge**2) * slope


def _form_along(network: Network, labels: LabelMoments, solution: Solution, slopes: Slopes) -> Array:
    g, Q = solution.g + 1j * TINY * slopes.g, solution.Q + 1j * TINY * slopes.Q
    return label_form(network, labels, forms_of(network, solution.turning, g, Q), g)
