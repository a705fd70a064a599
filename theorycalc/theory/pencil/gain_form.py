"""QᵀMid⁻¹Q of the pencil in float64 arrays, by singular values (docs/theory/pencil.md#how-it-is-computed)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import Array


def form_of(weights: Dual, q: Dual, own: Dual, root_thetas: Sequence[Dual], factors: Sequence[Array]) -> Dual:
    """Return QᵀMid⁻¹Q, from √θ and Y of each kind of neuron.

    With M = I + E and C = √W M⁻ᵀ √θ Y it is q̂ᵀC(I + CᵀC)⁻¹Cᵀq̂, q̂ = q/√W: by the singular values σ of C a sum of
    σ²/(1 + σ²) ≤ 1, which is right for spikes of any size.  z = (x, y, v) = Mid⁻¹Q follows from the same sum.
    """
    root_W, shape = np.sqrt(weights.value), factors[0].shape
    inverse = np.broadcast_to(np.eye(shape[-1]), shape).copy()  # of M, whose second row is e_1 + own
    inverse[:, 1, :] = -own.value / (1 + own.value[:, 1:2])
    inverse[:, 1, 1] = 1 / (1 + own.value[:, 1])  # not 1 less the quotient, which cancels for strong spikes
    loaded = [part.value[:, None, None] * Y for part, Y in zip(root_thetas, factors, strict=True)]
    spread = np.swapaxes(inverse, -1, -2) @ np.concatenate(loaded, axis=-1)
    U, sigma, V = np.linalg.svd(root_W[:, :, None] * spread, full_matrices=False)
    free = np.broadcast_to(weights.value == 0, q.shape)  # H_0 of an intercept
    share = np.einsum("bki,bk->bi", U, np.where(free, 0.0, q.value / np.where(free, 1.0, root_W)))
    value = np.einsum("bi,bi->b", sigma**2 / (1 + sigma**2), share**2)
    v = np.einsum("bij,bi->bj", V, sigma / (1 + sigma**2) * share)
    x = np.einsum("bij,bj->bi", spread, v)
    left = np.einsum("bki,bi->bk", U, share / (1 + sigma**2)) * root_W  # q − Wx
    y = np.einsum("bij,bj->bi", inverse, left)
    slope = 2 * np.einsum("bi,bi->b", q.slope, x) - np.einsum("bi,bi->b", weights.slope, x**2)
    slope -= 2 * x[:, 1] * np.einsum("bi,bi->b", own.slope, y)
    for part, Y, one in zip(root_thetas, factors, np.split(v, len(factors), axis=-1), strict=True):
        slope += 2 * part.slope * np.einsum("bi,bij,bj->b", y, Y, one)
    return Dual(value, slope)
