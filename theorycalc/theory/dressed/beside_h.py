"""Functions of a point's coordinates other than h, shared by neurons (docs/theory/later_steps.md#beside-h).

Such neurons see p h + Σ_k q_k g_k + s z.  In g_1, the part of x·β⋆ that h leaves open, and in g_2, …, along which the
batches' noise moved them together, their mean output is expanded to second order: μ_1 q_k/s_u g_k, and with μ_2 =
E[(z² − 1)σ] μ_2 q_kq_l/s_u² g_kg_l and μ_2 (q_k/s_u)² (g_k² − 1)/2.  Each is a sum of products of functions of u and h.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.dual import Arrays, Dual, joined
from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.dressed.later_steps import LaterSteps

_SMALLEST = 1e-8  # size of a function of which labels know, beside the linear part of neurons
_SMALLEST_NOISE = 1e-4  # and of others, which count by their square
_NONE = -1


class Beside(NamedTuple):
    """Functions γ(h)·g_k, γ(h)·g_kg_l and γ(h)·(g_k² − 1)/√2: orthonormal γ for each k, l, and their weights in u."""

    loadings: Array  # over (η, u, function)
    shapes: Array  # γ√w_h, over (η, function, h)
    factors: Array  # k and l of each function, l = −1 where there is none

    @property
    def linear(self) -> Array:
        """A mask of the functions γ(h)·g_1."""
        return np.all(self.factors == (0, _NONE), axis=-1)

    @property
    def quadratic(self) -> Array:
        """A mask of the functions γ(h)·(g_1² − 1)/√2."""
        return np.all(self.factors == (0, 0), axis=-1)

    @property
    def noisy(self) -> Array:
        """A mask of the functions that are linear in a g of which labels are independent."""
        return (self.factors[:, 0] > 0) & (self.factors[:, 1] == _NONE)

    def at(self, which: Array) -> Beside:
        """Return these functions with their steps reordered or repeated."""
        return self._replace(loadings=self.loadings[which], shapes=self.shapes[which])


def functions_beside(later: LaterSteps, linear: Array, quadratic: Array, u_weights: Array) -> Beside:
    """Return the functions of neurons, given μ_1√w_h and μ_2√w_h over (η, u, h)."""
    size = np.linalg.norm(linear * np.sqrt(u_weights)[:, None], axis=(1, 2))
    loadings, shapes, factors = [], [], []
    for k, other in _pairs(later.beside.shape[1]):
        part = linear * later.beside[:, k, :, None]
        if other != _NONE:
            norm = math.sqrt(2) if k == other else 1.0
            part = quadratic * (later.beside[:, k] * later.beside[:, other] / norm)[..., None]
        _, sizes, found = np.linalg.svd(part * np.sqrt(u_weights)[:, None], full_matrices=False)
        known = k == 0 and other <= 0
        kept = sizes > (_SMALLEST if known else _SMALLEST_NOISE) * size[:, None]
        count = int(kept.sum(axis=-1).max())
        loadings.append(part @ np.swapaxes(found[:, :count], -1, -2) * kept[:, None, :count])
        shapes.append(found[:, :count])
        factors.append(np.tile([k, other], (count, 1)))
    return Beside(np.concatenate(loadings, axis=-1), np.concatenate(shapes, axis=1), np.concatenate(factors))


def _pairs(count: int) -> list[tuple[int, int]]:
    return [*((k, _NONE) for k in range(count)), *itertools.combinations_with_replacement(range(count), 2)]


def forms_beside(
    beside: Beside, g: Dual, gamma: Array, bulk: Arrays, open_part: tuple[Number, ...]
) -> tuple[Dual, Dual]:
    """Return ℓ of the functions in the directions, and their forms: E[ff'g] minus ℓᵀZℓ along g_2, g_3, ….

    g_1 is a mixture of the directions, ``open_part``; the others are directions of their own, with Z of the ``bulk``.
    """
    weighted = beside.shapes * g[:, None, :]
    same, noisy = 1 * np.all(beside.factors[:, None] == beside.factors, axis=-1), 1 * beside.noisy
    with_linear = weighted @ np.swapaxes(gamma, -1, -2)
    own = with_linear @ bulk @ with_linear.swapaxes(-1, -2)
    apart = same * (weighted @ np.swapaxes(beside.shapes, -1, -2)) - same * noisy * own
    along = joined([part * (1 * beside.linear)[:, None] * with_linear for part in open_part], axis=-1)
    return along, apart


def labels_beside(beside: Beside, weighted: Dual, linear: Array, across: Array) -> Dual:
    """Return the forms of labels with the functions, given g√w_h, E[y g_1 | h] and E[y (g_1² − 1) | h]."""
    first, second = ((beside.shapes @ (weighted * part)[..., None])[..., 0] for part in (linear, across / math.sqrt(2)))
    return first * beside.linear + second * beside.quadratic
