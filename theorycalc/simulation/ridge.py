"""The ridge fit for a whole path of λ from one Krylov space, without a Gram matrix (theory section 1).

â(λ) = (G + λI)⁻¹ Fᵀỹ/n with G = FᵀF/n minimises (1/n)‖ỹ − Fã‖² + λ‖ã‖².  The Krylov space of G and
Fᵀỹ is the same for every λ: Lanczos (all vectors kept orthogonal) builds it once from products with F,
and each λ costs one tridiagonal solve.  It stops when the relative residual of the smallest λ, which is
the largest, is below 1e-10.  The error of the fitted values, relative to the labels, is then at most
√κ/2 times that, κ = ‖G‖/λ.  Where that is not reached (λ near 0, or far below the spectrum), the fit
goes through the singular values of F, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError
from theorycalc.simulation.functions import Array

TOLERANCE = 1e-10  # relative residual
MOST_ITERATIONS = 600
_CHECK_EVERY = 10
_BREAKDOWN = 1e-14  # of the largest entry of the Lanczos matrix: what is left of a vector is rounding
_CACHED_ROWS = 64  # of F, which are read from memory once for both products of FᵀFv


@dataclass(frozen=True)
class Fit:
    """The fit for every λ: â in the columns of ``weights``, L_tr, and how it was found."""

    weights: Array
    train_losses: Array
    method: str  # "lanczos" or "svd"
    residual: float  # the largest relative residual over λ
    fallback: str | None  # why Lanczos was not enough


def ridge_path(features: Array, labels: Array, ridges: tuple[float, ...]) -> Fit:
    """Fit the second layer for every λ; L_tr is the minimum of the objective, penalty included.

    >>> fit = ridge_path(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]), (1.0, 3.0))
    >>> fit.weights, fit.train_losses, fit.method
    (array([[1. , 0.5]]), array([3., 4.]), 'lanczos')
    """
    with np.errstate(over="ignore", invalid="ignore"):
        start = features.T @ labels / len(labels)
        size = float(np.linalg.norm(start))
        if not np.isfinite(size) or not np.isfinite(np.linalg.norm(_gram_times(features, start))):
            raise DomainError("the features overflow: the step is too large for this activation")
    if size == 0:  # nothing to fit
        weights = np.zeros((features.shape[1], len(ridges)))
        return Fit(weights, _objective(features, labels, weights, ridges), "lanczos", 0.0, None)
    found, iterations = _lanczos(features, start / size, ridges)
    residual = np.inf if found is None else _residual(features, start, ridges, size * found)
    if found is not None and residual <= TOLERANCE:
        weights = size * found
        return Fit(weights, _objective(features, labels, weights, ridges), "lanczos", residual, None)
    trouble = f"Lanczos left a relative residual of {residual:.1e} after {iterations} iterations"
    weights = _by_singular_values(features, labels, ridges)
    residual = _residual(features, start, ridges, weights)
    return Fit(weights, _objective(features, labels, weights, ridges), "svd", residual, trouble)


def _gram_times(features: Array, vectors: Array) -> Array:
    """Return G v = FᵀFv/n for one vector, or for the columns of a matrix."""
    total = np.zeros((features.shape[1], *vectors.shape[1:]))
    for start in range(0, len(features), _CACHED_ROWS):
        rows = features[start : start + _CACHED_ROWS]
        total += rows.T @ (rows @ vectors)
    return np.asarray(total / len(features))


def _objective(features: Array, labels: Array, weights: Array, ridges: tuple[float, ...]) -> Array:
    """Return the objective at â: an error of â enters it by its square only."""
    misfit = labels[:, None] - features @ weights
    return np.asarray(np.mean(misfit**2, axis=0) + np.asarray(ridges) * np.sum(weights**2, axis=0))


def _residual(features: Array, start: Array, ridges: tuple[float, ...], weights: Array) -> float:
    """Return the largest ‖Fᵀỹ/n − (G + λ)â‖ / ‖Fᵀỹ/n‖ over λ."""
    left = start[:, None] - _gram_times(features, weights) - np.asarray(ridges) * weights
    return float(np.max(np.linalg.norm(left, axis=0)) / np.linalg.norm(start))


def _lanczos(features: Array, start: Array, ridges: tuple[float, ...]) -> tuple[Array | None, int]:
    """Solve (G + λ) x = start, of norm 1, for every λ; return x in columns (None: singular) and the iterations."""
    most = min(*features.shape, MOST_ITERATIONS)
    basis = np.empty((most, len(start)))
    diagonal, off = np.empty(most), np.empty(most)
    basis[0] = start
    for done in range(1, most + 1):
        known = basis[:done]
        vector = _gram_times(features, known[-1])
        diagonal[done - 1] = known[-1] @ vector
        for _ in range(2):  # once leaves what rounding brings back, twice does not
            vector -= (known @ vector) @ known
        off[done - 1] = length = np.linalg.norm(vector)
        if length <= _BREAKDOWN * np.max(diagonal[:done]):
            break  # the space is complete
        if done % _CHECK_EVERY == 0:
            column = _tridiagonal_solve(diagonal[:done], off[:done], min(ridges))
            if column is not None and length * abs(column[-1]) <= TOLERANCE / 2:
                break
        if done < most:
            basis[done] = vector / length
    columns = [_tridiagonal_solve(diagonal[:done], off[:done], ridge) for ridge in ridges]
    found = [column for column in columns if column is not None]
    if len(found) < len(ridges):
        return None, done
    return basis[:done].T @ np.array(found).T, done


def _tridiagonal_solve(diagonal: Array, off: Array, ridge: float) -> Array | None:
    """Solve (T + λ) z = e_1 for the Lanczos matrix T; None where it is not positive definite."""
    if len(diagonal) == 1:  # for which LAPACK's wrapper has no off-diagonal to take
        return None if diagonal[0] + ridge <= 0 else 1 / (diagonal + ridge)
    bands = np.zeros((2, len(diagonal)))
    bands[0] = diagonal + ridge
    bands[1, :-1] = off[: len(diagonal) - 1]
    first = np.zeros(len(diagonal))
    first[0] = 1.0
    try:
        return np.asarray(linalg.solveh_banded(bands, first, lower=True, check_finite=False))
    except np.linalg.LinAlgError:
        return None


def _by_singular_values(features: Array, labels: Array, ridges: tuple[float, ...]) -> Array:
    """Return â by F = U S Vᵀ; for λ = 0 that of least norm."""
    left, values, right = linalg.svd(features, full_matrices=False, check_finite=False)
    zero = values <= np.finfo(float).eps * max(features.shape) * values[0]
    along = left.T @ labels
    shrunk = [np.where(zero, 0.0, values) / np.where(zero, 1.0, values**2 + len(labels) * ridge) for ridge in ridges]
    return np.asarray(right.T @ (np.array(shrunk) * along).T)
