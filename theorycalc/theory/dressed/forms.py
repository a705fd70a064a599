"""Quadratic forms of the resolvent, which give the losses (docs/theory/dressed.md#quadratic-forms).

For functions f, k of a point, fᵀR̃k → E[fk g] − ℓ_fᵀ Z_all ℓ_k with ℓ_f = E[γ f (x·d) g] for the few directions d that
matter: β⋆, and c, the part of the step direction orthogonal to it.  Z of the directions is the mean of Z(s) over their
shares in the spectrum of S.  Functions of h are kept by their values at the nodes, as 1_{h = h_j}/√w_j.  The mean part
of the features then enters as spikes do in the pencil, node by node.  Beside h a point has the coordinate ε, the part
of (‖x‖² − d)/√(2d) that does not depend on h; functions εκ(h) of it are kept for the few shapes κ that neurons have.

L_tr = λ ỹᵀRỹ, L_te = −d/dε ỹᵀRỹ at λ(h) = λ + ες(h)², and the training error without the penalty is −λ² d/dε ỹᵀRỹ at
λ + ε.  The derivatives are exact: g and Q carry theirs along.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.dual import Arrays, Dual, inverse, inverse_form, joined
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.beside_h import forms_beside, labels_beside
from theorycalc.theory.dressed.direction_forms import blocks, diagonal, directions_of, others_of
from theorycalc.theory.dressed.fixed_point import Carried, Solution, transposed
from theorycalc.theory.dressed.input_levels import LevelTurning
from theorycalc.theory.dressed.multi_index import LabelMoments
from theorycalc.theory.dressed.neurons import Network
from theorycalc.theory.dressed.turning import Turning


@dataclass(frozen=True)
class Forms:
    """Quadratic forms of the node functions and of εκ: without the mean part, within it, and between the two."""

    P: Dual
    unit: Array  # the size of each function
    gram: Dual  # N E_u[μ_0 μ_0ᵀ Q]
    coupling: Dual  # E
    Z_all: Dual
    along: Dual  # ℓ of the functions
    own_part: Dual  # how the directions couple to the mean part
    neurons: Arrays  # whose inverse stands for diag(Q) where neurons know W₀ᵀa
    Z: Dual  # of the directions, and
    changed: Dual  # ΔV, with which it is bent


def forms_of(network: Network, turning: Turning | LevelTurning, at: Carried) -> Forms:
    """Return the forms at a solution."""
    step, h, gamma, g = network.step, network.h, network.shapes, at.g
    Z, own_part, gram, neurons = directions_of(network, turning, at)
    # V of the directions: E[(x·d)(x·d') | h] is not 1 and 0, since h is a mixture of them.
    beside = (gamma * (g * (h**2 - 1))[:, None, :]) @ transposed(gamma)
    toward = step.toward
    changed = blocks([[d * other * beside for other in toward[i:]] for i, d in enumerate(toward)])
    bend = inverse(np.eye(Z.shape[-1]) + Z @ changed)
    Z_all, bent = bend @ Z, bend @ own_part
    along_nodes = transposed(joined([gamma * (g * d * h)[:, None, :] for d in toward], axis=1))
    norms = (network.norm_shapes * g[:, None, :]) @ transposed(network.norm_shapes)
    along = joined([along_nodes, np.zeros((*norms.shape[:-1], along_nodes.shape[-1]))], axis=-2)
    none = np.zeros((*g.shape, norms.shape[-1]))
    apart = blocks([[diagonal(g), none], [norms]])
    if network.beside is not None:
        assert isinstance(turning, Turning)  # several steps of inputs with a covariance are refused
        more_along, more = forms_beside(network.beside, g, gamma, others_of(network, turning, at), step.open_part)
        along = joined([along, more_along], axis=-2)
        apart = blocks([[apart, np.zeros((*apart.shape[:-1], more.shape[-1]))], [more]])
    along = with_constant(network, along)
    apart = with_constant(network, transposed(with_constant(network, apart)))
    gram = gram - transposed(own_part) @ changed @ bent
    return Forms(
        P=apart - along @ Z_all @ transposed(along),
        unit=np.sqrt(np.abs(np.einsum("...ii->...i", apart.value))),
        gram=gram,
        coupling=along @ bent,
        Z_all=Z_all,
        along=along,
        own_part=bent,
        neurons=neurons,
        Z=Z,
        changed=changed,
    )


def with_constant(network: Network, rows: Dual) -> Dual:
    """Return functions in rows, with the constant 1, a sum of node functions, added if a raw activation has it."""
    if not network.step.fit.constant:
        return rows
    root = np.sqrt(network.h_weights)
    one = root @ rows[..., : len(root), :]
    return joined([rows, one[..., None, :]], axis=-2)


class LabelSystem(NamedTuple):
    """Mid x = Q for the labels: ỹᵀRỹ is ``plain`` minus QᵀMid⁻¹Q, and the lower half of x has the forms VᵀRỹ."""

    plain: Dual
    mid: Dual
    vector: Dual
    scale: Array  # of the lower half

    @property
    def form(self) -> Dual:
        """ỹᵀRỹ for every η."""
        return self.plain - inverse_form(self.mid, self.vector)

    @property
    def lower(self) -> Array:
        """VᵀRỹ of the functions in V."""
        solved = np.linalg.solve(self.mid.value, self.vector.value[..., None])[..., 0]
        return solved[..., self.scale.shape[-1] :] * self.scale


class Target(NamedTuple):
    """A function of a point in the equations: its ℓ, and its forms with the node functions and the mean part."""

    along: Dual
    functions: Dual
    neurons: Dual

    def vector(self, forms: Forms, scale: Array) -> Dual:
        """Return Q of the function."""
        return joined([self.functions / forms.unit, self.neurons * scale], axis=-1)


def target_of(network: Network, moments: LabelMoments, forms: Forms, g: Dual) -> Target:
    """Return a function with given moments as it enters the equations, for every η."""
    root, gamma = np.sqrt(network.h_weights), network.shapes
    parts = [gamma @ (g * (root * part))[..., None] for part in moments.along]
    along = joined(parts, axis=1)
    across = network.norm_shapes @ (g * (root * moments.across / math.sqrt(2 * network.step.inputs)))[..., None]
    apart = joined([g * (root * moments.mean), across[..., 0]], axis=-1)
    if network.beside is not None:
        linear = sum(part * row for part, row in zip(network.step.open_part, moments.along, strict=True))
        apart = joined([apart, labels_beside(network.beside, g * root, linear, moments.across)], axis=-1)
    functions = with_constant(network, apart[..., None])[..., 0]
    return Target(
        along,
        functions=functions - (forms.along @ (forms.Z_all @ along))[..., 0],
        neurons=(transposed(along) @ forms.own_part)[..., 0, :],
    )


def label_system(network: Network, labels: LabelMoments, forms: Forms, g: Dual) -> LabelSystem:
    """Return the equations for the labels, for every η."""
    label = target_of(network, labels, forms, g)
    squares = g[..., None, :] @ (network.h_weights * labels.square)[:, None]  # row by row: equal steps stay equal
    plain = (squares - transposed(label.along) @ (forms.Z_all @ label.along))[..., 0, 0]
    if network.step.fit.intercept:
        free = free_constant(network, forms)
        plain = plain - free.between(label, label)
        label, forms = free.taken_off(label), free.taken_out(forms)
    mid, scale = mid_of(forms)
    return LabelSystem(plain, mid, label.vector(forms, scale), scale)


class FreeConstant(NamedTuple):
    """The constant 1, which an intercept fits without a penalty: R̃ becomes R̃ − R̃11ᵀR̃/1ᵀR̃1.

    It is a sum of node functions.  See docs/theory/dressed.md#a-free-constant.
    """

    parts: Array  # of 1 in the functions
    functions: Dual  # its forms with the functions,
    neurons: Dual  # with the mean part,
    square: Dual  # and with itself

    def between(self, first: Target, second: Target) -> Dual:
        """Return the part subtracted from the form of two functions, fᵀR̃1 1ᵀR̃f'/1ᵀR̃1."""
        return first.functions @ self.parts * (second.functions @ self.parts) / self.square

    def taken_off(self, target: Target) -> Target:
        """Return a function without its constant."""
        share = (target.functions @ self.parts / self.square)[..., None]
        return target._replace(
            functions=target.functions - share * self.functions, neurons=target.neurons - share * self.neurons
        )

    def taken_out(self, forms: Forms) -> Forms:
        """Return the forms without the constant."""
        share, own = (part / self.square[..., None] for part in (self.functions, self.neurons))
        return replace(
            forms,
            P=forms.P - share[..., :, None] * self.functions[..., None, :],
            coupling=forms.coupling - share[..., :, None] * self.neurons[..., None, :],
            gram=forms.gram + own[..., :, None] * self.neurons[..., None, :],
        )


def free_constant(network: Network, forms: Forms) -> FreeConstant:
    """Return the constant among the functions of the forms."""
    root = np.sqrt(network.h_weights)
    parts = np.concatenate([root, np.zeros(forms.unit.shape[-1] - len(root))])
    functions = parts @ forms.P
    return FreeConstant(parts, functions, parts @ forms.coupling, functions @ parts)


def label_form(network: Network, labels: LabelMoments, forms: Forms, g: Dual) -> Dual:
    """Return ỹᵀRỹ for every η."""
    return label_system(network, labels, forms, g).form


def mid_of(forms: Forms) -> tuple[Dual, Array]:
    """Return Mid = [[P, I + E], [(I + E)ᵀ, −gram]], with its upper half in a unit, and the scale of its lower half.

    P is of the size of g, and gram of any: with √|g| as the unit no entry is large, whatever the units of σ are.
    """
    size, unit = forms.P.shape[-1], forms.unit
    scale = unit / np.sqrt(1 + unit**2 * np.abs(np.einsum("...ii->...i", forms.gram.value)))
    right = (np.eye(size) + forms.coupling) / unit[..., :, None] * scale[..., None, :]
    upper = forms.P / unit[..., None, :] / unit[..., :, None]
    return blocks([[upper, right], [-forms.gram * scale[..., None, :] * scale[..., :, None]]]), scale


def losses(network: Network, labels: LabelMoments, ridge: Array, solution: Solution) -> tuple[Array, Array]:
    """Return training and test loss after the step, for every η at its λ."""
    form = _form_along(network, labels, solution.turning, solution.by_leverage)
    return ridge * form.value, -form.slope


def train_error(network: Network, labels: LabelMoments, ridge: Array, solution: Solution) -> Array:
    """Return (1/n)‖ỹ − Fâ‖² after the step, for every η at its λ."""
    return -(ridge**2) * _form_along(network, labels, solution.turning, solution.by_ridge).slope


def _form_along(network: Network, labels: LabelMoments, turning: Turning | LevelTurning, at: Carried) -> Dual:
    return label_form(network, labels, forms_of(network, turning, at), at.g)
