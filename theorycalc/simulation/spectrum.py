"""What the eigenvalues of FFᵀ/n show: spikes, their directions, and the traces of F₀ (theory sections 3, 5, 10)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from theorycalc.simulation.functions import Array

_TOP = 10
_QUANTILES = 201
_POWERS = 3  # of X̃β that are looked for where ℓ is not given
_EDGE_WIDTHS = 4.0


def empirical_traces(features: Array, inputs: Array, gram: Array, ridges: tuple[float, ...]) -> list[dict[str, float]]:
    """Return m_1 = (φ/ψ) tr R₀ and m_2 = (φ/ψ)(1/d) tr(X̃ᵀR₀X̃) for every λ, R₀ = (F₀F₀ᵀ + λnI)⁻¹ (section 3).

    >>> x = np.ones((1, 1))
    >>> empirical_traces(x, x, x, (1.0,))
    [{'ridge': 1.0, 'm1': 0.5, 'm2': 0.5}]
    """
    n, N = features.shape
    d = inputs.shape[1]
    values, vectors = linalg.eigh(gram, check_finite=False)
    if n >= N:  # R₀ = (1 − F(FᵀF + λn)⁻¹Fᵀ)/(λn)
        energy = np.sum((vectors.T @ (features.T @ inputs)) ** 2, axis=1) / n
        total = np.sum(inputs**2)
        m1 = [(np.sum(1 / (values + ridge)) + (n - N) / ridge) / n for ridge in ridges]
        m2 = [(total - np.sum(energy / (values + ridge))) / (ridge * n) for ridge in ridges]
    else:
        energy = np.sum((vectors.T @ inputs) ** 2, axis=1) / n
        m1 = [np.sum(1 / (values + ridge)) / n for ridge in ridges]
        m2 = [np.sum(energy / (values + ridge)) for ridge in ridges]
    ratio = N / n
    return [
        {"ridge": ridge, "m1": float(ratio * first), "m2": float(ratio * second / d)}
        for ridge, first, second in zip(ridges, m1, m2, strict=True)
    ]


def spectrum_record(
    features: Array, gram: Array, gram_initial: Array, projection: Array, ell: int | None
) -> dict[str, Any]:
    """Return the spectrum of FFᵀ/n after and before the step, small enough to keep for every replicate.

    ``top`` and ``top_initial``: the 10 largest eigenvalues.  ``quantiles``, ``quantiles_initial``: the
    eigenvalues (n of them, zeros included) at 201 equally spaced ranks.  ``spikes``: how many lie above
    ``threshold`` = (1 + 4 m^{−2/3}) times the largest one before the step, m = min(n, N): the edge of a
    bulk moves by the order m^{−2/3} of itself from draw to draw.  ``alignments``: for each of the leading
    left singular vectors its squared cosines with X̃β, …, (X̃β)^{∘ℓ} (ℓ = 3 where it is not given), each
    power less its projection on the ones before it, so that a row sums to at most 1.
    """
    n, N = features.shape
    small = min(n, N)
    powers = _POWERS if ell is None else ell
    values, vectors = linalg.eigh(gram, check_finite=False)
    before = linalg.eigvalsh(gram_initial, check_finite=False)
    threshold = (1 + _EDGE_WIDTHS * small ** (-2 / 3)) * float(before[-1])
    leading = vectors[:, ::-1][:, : min(_TOP, powers + 2, small)]
    left = features @ leading if n >= N else leading
    left = left / np.linalg.norm(left, axis=0)
    scaled = projection / np.linalg.norm(projection)
    basis, _ = np.linalg.qr(scaled[:, None] ** np.arange(1, powers + 1))
    return {
        "top": values[::-1][:_TOP].tolist(),
        "top_initial": before[::-1][:_TOP].tolist(),
        "threshold": threshold,
        "spikes": int(np.sum(values > threshold)),
        "alignments": ((left.T @ basis) ** 2).tolist(),
        "quantiles": _quantiles(values, n),
        "quantiles_initial": _quantiles(before, n),
    }


def _quantiles(values: Array, n: int) -> list[float]:
    everything = np.sort(np.concatenate([np.zeros(n - len(values)), np.maximum(values, 0.0)]))
    ranks = np.linspace(0, n - 1, _QUANTILES).round().astype(int)
    return [float(value) for value in everything[ranks]]
