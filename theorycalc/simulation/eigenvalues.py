"""The eigenvalues of FFᵀ/n: spikes, their directions, and the traces of F₀; and the singular values of W.

See docs/theory/windows.md#how-large-each-term-is, docs/theory/traces.md and docs/theory/weights.md.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError
from theorycalc.numbers.exact import Floats
from theorycalc.results.quantities import WEIGHTS

TOP = 10
_QUANTILES = 201
_POWERS = 3  # of X̃β to look for where ℓ is not given
_EDGE_WIDTHS = 4.0
_RESOLVED = 1e-10  # of the largest eigenvalue: above it the smallest has six digits


@dataclass(frozen=True)
class Decomposition:
    """The n eigenvalues of FFᵀ/n in increasing order, and its leading eigenvectors as columns, largest first."""

    values: Floats
    leading: Floats
    rank: int  # min(n, N): the other eigenvalues are 0
    powers: int  # of X̃β to look for


def small_gram(features: Floats) -> Floats:
    """Return FᵀF/n or FFᵀ/n, whichever is smaller, for F with n rows.

    >>> small_gram(np.array([[1.0, 2.0]]))
    array([[5.]])
    """
    n, N = features.shape
    return np.asarray((features.T @ features if n >= N else features @ features.T) / n)


def decompose(features: Floats, ell: int | None) -> Decomposition:
    """Return the eigenvalues of FFᵀ/n and its ℓ + 2 leading eigenvectors (for ℓ = None, as for ℓ = 3).

    >>> decompose(np.array([[2.0], [0.0]]), 1).values
    array([0., 2.])
    """
    n, N = features.shape
    powers = _POWERS if ell is None else ell
    values, vectors = linalg.eigh(small_gram(features), check_finite=False, overwrite_a=True)
    leading = vectors[:, ::-1][:, : powers + 2]
    if n >= N:  # from the eigenvectors of FᵀF
        leading = features @ leading
        norms = np.linalg.norm(leading, axis=0)
        leading = leading / np.where(norms > 0, norms, 1.0)  # of eigenvalue 0 there may be nothing
    everything = np.concatenate([np.zeros(n - len(values)), np.maximum(values, 0.0)])
    return Decomposition(everything, np.ascontiguousarray(leading), min(n, N), powers)


def spectrum_record(
    initial: Decomposition, stepped: Decomposition, projection: Floats, has_mean: bool = False
) -> dict[str, object]:
    """Return the spectrum of FFᵀ/n after and before the step, small enough to store for every replicate.

    ``top`` and ``top_initial``: the 10 largest eigenvalues.  ``quantiles``, ``quantiles_initial``: the n
    eigenvalues, zeros included, at 201 equally spaced ranks.  ``alignments``: for each of the leading left
    singular vectors its squared cosines with X̃β, …, (X̃β)^{∘ℓ} (``projection`` is X̃β), each power less its
    projection on the ones before it, so that a row sums to at most 1.  ``spikes``: how many of these
    vectors are more than half of those powers (a row sum above 1/2; a vector of the bulk has about ℓ/n)
    and have an eigenvalue above ``threshold`` = (1 + 4 m^{−2/3}) times the largest one before the step,
    m = min(n, N), since the edge of a bulk moves by the order m^{−2/3} of itself from draw to draw.
    Eigenvalues above it without such a vector are the bulk, which a large step widens.  If the features have a mean, an
    eigenvalue before the step with a vector that is mostly constant counts for no edge, and powers are taken less
    their mean.

    >>> x = np.array([1.0, -2.0, 0.0])
    >>> initial, stepped = decompose(np.eye(3), 1), decompose(np.eye(3) + 9 * np.outer(x, x), 1)
    >>> record = spectrum_record(initial, stepped, x)
    >>> record["spikes"], np.round(record["alignments"][0], 12)
    (1, array([1.]))
    """
    first = initial.leading[:, 0]
    constant = has_mean and len(first) > 1 and float(np.sum(first)) ** 2 > len(first) / 2  # more than half, squared
    edge = float(initial.values[-2 if constant else -1])
    threshold = (1 + _EDGE_WIDTHS * stepped.rank ** (-2 / 3)) * edge
    alignments = (stepped.leading.T @ _powers_basis(projection, stepped.powers, has_mean)) ** 2
    outside = stepped.values[::-1][: len(alignments)] > threshold
    return {
        "top": stepped.values[::-1][:TOP].tolist(),
        "top_initial": initial.values[::-1][:TOP].tolist(),
        "threshold": threshold,
        "spikes": int(np.sum(outside & (np.sum(alignments, axis=1) > 1 / 2))),
        "alignments": alignments.tolist(),
        "quantiles": quantiles(stepped.values),
        "quantiles_initial": quantiles(initial.values),
    }


def _powers_basis(projection: Floats, powers: int, has_mean: bool) -> Floats:
    """Return orthonormal columns that span the first k powers of the entries, for every k, or zeros for zeros."""
    norm = float(np.linalg.norm(projection))
    if norm == 0:
        return np.zeros((len(projection), powers))
    scaled = projection / norm * len(projection) ** 0.5
    first = 0 if has_mean else 1
    basis, _ = np.linalg.qr(scaled[:, None] ** np.arange(first, powers + 1))
    return np.asarray(basis[:, 1 - first :])


def quantiles(values: Floats) -> list[float]:
    """Return sorted values at 201 equally spaced ranks.

    >>> len(quantiles(np.arange(1000.0))), quantiles(np.arange(1000.0))[-1]
    (201, 999.0)
    """
    ranks = np.linspace(0, len(values) - 1, _QUANTILES).round().astype(int)
    return [float(value) for value in values[ranks]]


def empirical_traces(features: Floats, inputs: Floats, ridges: tuple[float, ...]) -> list[dict[str, float]]:
    """Return m_1 = (φ/ψ) tr R₀ and m_2 = (φ/ψ)(1/d) tr(X̃ᵀR₀X̃) for every λ, R₀ = (F₀F₀ᵀ + λnI)⁻¹.

    See docs/theory/traces.md.

    >>> x = np.ones((1, 1))
    >>> empirical_traces(x, x, (1.0,))
    [{'ridge': 1.0, 'm1': 0.5, 'm2': 0.5}]
    """
    n, N = features.shape
    d = inputs.shape[1]
    values, vectors = linalg.eigh(small_gram(features), check_finite=False, overwrite_a=True)
    if values[0] + min(ridges) < _RESOLVED * values[-1]:
        reason = f"traces: ridge={min(ridges):g} is below the resolution of the eigenvalues of F₀ in float64"
        raise DomainError(reason, argument="ridge")
    if n >= N:  # R₀ = (1 − F(FᵀF + λn)⁻¹Fᵀ)/(λn)
        energy = np.sum((vectors.T @ (features.T @ inputs)) ** 2, axis=1) / n
        total = np.sum(inputs**2)
        m1 = [(np.sum(1 / (values + ridge)) + (n - N) / ridge) / n for ridge in ridges]
        m2 = [(total - np.sum(energy / (values + ridge))) / (ridge * n) for ridge in ridges]
    else:
        energy = np.sum((vectors.T @ inputs) ** 2, axis=1) / n
        m1 = [np.sum(1 / (values + ridge)) / n for ridge in ridges]
        m2 = [np.sum(energy / (values + ridge)) for ridge in ridges]
    if not np.all(np.isfinite([*m1, *m2])):
        raise DomainError(  # pragma: no cover - features that overflow are refused before
            f"traces: tr R₀ overflows at ridge={min(ridges):g}"
        )
    ratio = N / n
    return [
        {"ridge": ridge, "m1": float(ratio * first), "m2": float(ratio * second / d)}
        for ridge, first, second in zip(ridges, m1, m2, strict=True)
    ]


def weights_record(weights: Floats, second_layer: Floats, direction: Floats, teacher: Floats) -> dict[str, object]:
    """Return the singular values of W, small enough to store for every replicate.

    ``top``: the 10 largest.  ``quantiles``: the N square roots of the eigenvalues of WWᵀ, zeros included, at 201
    equally spaced ranks.  ``top_singular_value``, and the squared cosines of its left vector with a, ``overlap_a``,
    and of its right vector with the direction of the step, ``overlap_direction``, and with β⋆, ``overlap_teacher``.

    >>> x, y = np.array([1.0, 0.0]), np.array([0.6, 0.8])
    >>> record = weights_record(np.diag([3.0, 2.0]), x, y, x)
    >>> [round(record[name], 12) for name in WEIGHTS], record["top"]
    ([3.0, 1.0, 0.36, 1.0], [3.0, 2.0])
    """
    values, left, right = _decomposed(weights)
    overlaps = _cosine(left, second_layer), _cosine(right, direction), _cosine(right, teacher)
    return {
        "top": values[::-1][:TOP].tolist(),
        "quantiles": quantiles(values),
        **dict(zip(WEIGHTS, (float(values[-1]), *overlaps), strict=True)),
    }


def _decomposed(weights: Floats) -> tuple[Floats, Floats, Floats]:
    """Return the N singular values in increasing order, and the vectors of the largest."""
    N, d = weights.shape
    tall = d < N
    squares, vectors = linalg.eigh(weights.T @ weights if tall else weights @ weights.T, check_finite=False)
    values = np.concatenate([np.zeros(N - len(squares)), np.sqrt(np.maximum(squares, 0.0))])
    found = vectors[:, -1]
    other = weights @ found if tall else found @ weights
    return (values, other, found) if tall else (values, found, other)


def _cosine(one: Floats, other: Floats) -> float:
    """Return the squared cosine of the angle between two vectors, or 0 if one of them is 0."""
    norm = float(np.linalg.norm(one) * np.linalg.norm(other))
    return min(1.0, (float(one @ other) / norm) ** 2) if norm else 0.0
