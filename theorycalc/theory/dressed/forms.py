"""Quadratic forms of the resolvent, and with them the losses (theory section 9.4).

For functions f, k of a point, fᵀR̃k → E[fk g] − ℓ_fᵀ Z_all ℓ_k with ℓ_f = E[γ f (x·d) g] for the two directions d that
matter: β⋆, and c, the part of the step direction orthogonal to it.  Z_all = (S⁻¹ + V)⁻¹, S and V of both directions.
γ are the node functions 1_{h = h_j}/√w_j, so every E[· | h] is diagonal.  The mean part of the features then enters as
spikes do in the pencil, node by node.

L_tr = λ ỹᵀRỹ, and L_te = −d/dε ỹᵀRỹ at λ(h) = λ + ες(h)².  The derivative is exact: everything is evaluated once at
complex numbers whose imaginary parts, of size 10⁻³⁰, are the derivatives.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from theorycalc.theory.dressed.fixed_point import Balance, Solution, balance, second_moment, transposed
from theorycalc.theory.dressed.network import Network
from theorycalc.theory.dressed.responses import responses
from theorycalc.theory.dressed.rules import Array

_TINY = 1e-30  # the unit of derivatives: its square is below any rounding


@dataclass(frozen=True)
class Labels:
    """Conditional moments of a label given h: E y, E[y x·β⋆], E[y x·c] and E y²."""

    mean: Array
    along_teacher: Array
    along_rest: Array
    square: Array


def labels_given(network: Network, level: int) -> Labels:
    """Return the moments of y = σ⋆(x·β⋆) + ε, with x·β⋆ = ρh + √(1−ρ²)g and x·c = √(1−ρ²)h − ρg."""
    rho, h = network.step.rho, network.h
    other = math.sqrt(1 - rho**2)
    found = responses(network.step.teacher, rho * h, np.full_like(h, other), level)
    return Labels(
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
    own_part: Array  # how the direction c couples to the mean part


def forms_of(network: Network, found: Balance, g: Array, Q: Array) -> Forms:
    """Return the forms at a solution; g and Q may be complex."""
    step, h = network.step, network.h
    rho, other = step.rho, math.sqrt(1 - step.rho**2)
    size = len(h)
    S_rest, own_part = _rest_direction(network, found, g, Q)
    S = np.zeros((*g.shape[:-1], 2 * size, 2 * size), dtype=g.dtype)
    S[..., :size, :size] = found.S + _extra_part(network, Q)
    S[..., size:, size:] = S_rest
    # V of the two directions: E[(x·d)(x·d') | h], which is not 1 and 0, since h is a mixture of both.
    both, rest, mixed = rho**2 * h**2 + other**2, other**2 * h**2 + rho**2, rho * other * (h**2 - 1)
    V = np.zeros_like(S)
    diagonal = np.arange(size)
    for i, j, moment in ((0, 0, both), (0, 1, mixed), (1, 0, mixed), (1, 1, rest)):
        V[..., i * size + diagonal, j * size + diagonal] = g * moment
    Z_all = np.linalg.solve(np.eye(2 * size) + S @ V, S)
    along_nodes = np.concatenate([_diagonal(g * (rho * h)), _diagonal(g * (other * h))], axis=-1)  # by E[x·d | h]
    gram = step.N * second_moment(network, Q, network.mean, network.mean)
    if network.norm_response is not None:  # row norms fluctuate by 1/√(2d)
        gram = gram + second_moment(network, Q, network.norm_response, network.norm_response) / (2 * step.psi)
    return Forms(
        P=_diagonal(g) - along_nodes @ Z_all @ transposed(along_nodes),
        gram=gram,
        coupling=(other * h * g)[..., :, None] * own_part,
        Z_all=Z_all,
        along_nodes=along_nodes,
        own_part=own_part,
    )


def label_form(network: Network, labels: Labels, forms: Forms, g: Array) -> Array:
    """Return ỹᵀRỹ for every η."""
    root, size = np.sqrt(network.h_weights), len(network.h)
    along_label = np.concatenate([g * root * labels.along_teacher, g * root * labels.along_rest], axis=-1)
    bent = (forms.Z_all @ along_label[..., None])[..., 0]
    q = g * root * labels.mean - (forms.along_nodes @ bent[..., None])[..., 0]
    plain = (network.h_weights * g) @ labels.square - _dot(along_label, bent)
    low = (along_label[..., None, size:] @ forms.own_part)[..., 0, :]
    mid, scale = mid_of(forms)
    vector = np.concatenate([q, np.broadcast_to(low * scale, q.shape)], axis=-1)
    return plain - _dot(vector, np.linalg.solve(mid, vector[..., None])[..., 0])


def mid_of(forms: Forms) -> tuple[Array, Array]:
    """Return Mid = [[P, I + E], [(I + E)ᵀ, −gram]] and the scale of its lower half: gram may be of any size."""
    size = forms.P.shape[-1]
    scale = 1 / np.sqrt(1 + np.einsum("...ii->...i", forms.gram).real)
    right = (np.eye(size) + forms.coupling) * scale[..., None, :]
    mid = np.empty((*forms.P.shape[:-2], 2 * size, 2 * size), dtype=forms.P.dtype)
    mid[..., :size, :size] = forms.P
    mid[..., :size, size:] = right
    mid[..., size:, :size] = transposed(right)
    mid[..., size:, size:] = -forms.gram * scale[..., None, :] * scale[..., :, None]
    return mid, scale


def _rest_direction(network: Network, found: Balance, g: Array, Q: Array) -> tuple[Array, Array]:
    """Return S of the direction c, and how c couples to the mean part: c contains ωW₀ᵀa if f₀ is in the step.

    Then Z_c = Z + ω²TᵀS_3T, S_3 = N E_u[a²Qααᵀ], and S_c = (Z_c⁻¹ − V)⁻¹ = (I − ω²S_3TV)⁻¹(S + ω²S_3T).
    """
    step = network.step
    if not step.included:
        return found.S, np.zeros((1, len(network.h), len(network.h)))
    omega = -step.c1 / math.sqrt(step.kappa * (1 - step.rho**2))
    a = math.sqrt(step.N) * network.a
    bent = omega**2 * second_moment(network, Q * a**2, network.linear, network.linear) @ found.T
    S_rest = np.linalg.solve(np.eye(len(network.h)) - bent * g[..., None, :], found.S + bent)
    own = math.sqrt(step.N) * second_moment(network, Q * a, network.linear, network.mean)
    return S_rest, omega * transposed(found.T) @ own


def _extra_part(network: Network, Q: Array) -> Array:
    """Return S of the linear part that the spike of Xᵀdiag(r)X/n adds along β⋆: u·4c_2c_⋆2 (w_i·β⋆)(x·β⋆).

    Of the neuron's slope its leading part α_1γ_1 is taken: what is left is of the order of the cross moments that the
    theory drops.
    """
    step = network.step
    u = network.eta[:, None] * network.a
    extra = (4 * step.c2 * step.c_star_2 * u / network.scale)[..., None] * network.leading
    return second_moment(network, Q, extra, extra) / step.psi


def _diagonal(values: Array) -> Array:
    return values[..., None] * np.eye(values.shape[-1])


def _dot(x: Array, y: Array) -> Array:
    products: Array = np.einsum("...i,...i->...", x, y)
    return products


def losses(network: Network, labels: Labels, ridge: Array, solution: Solution) -> tuple[Array, Array]:
    """Return training and test loss after the step, for every η with its λ."""
    g, Q = solution.g + 1j * _TINY * solution.g_slope, solution.Q + 1j * _TINY * solution.Q_slope
    at = ridge[:, None] + 1j * _TINY / solution.g**2
    form = label_form(network, labels, forms_of(network, balance(network, at, g, Q), g, Q), g)
    return ridge * form.real, -form.imag / _TINY
