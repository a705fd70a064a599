"""The ridge fit for a whole path of λ from one Gram matrix and one Krylov space (theory section 1).

â(λ) minimises (1/n)‖ỹ − Fã‖² + λ‖ã‖².  With G = FᵀF/n or K = FFᵀ/n, whichever is smaller,

    â = (G + λI)⁻¹ Fᵀỹ/n      or      â = Fᵀ(K + λI)⁻¹ ỹ/n,

and the Krylov space of the matrix and the right-hand side is the same for every λ: Lanczos
(all vectors kept orthogonal) builds it once, and each λ costs one tridiagonal solve.  It stops
when the relative residual of the smallest λ, which is the largest, is below 1e-10.  The error of
the fitted values, relative to the labels, is then at most √κ/2 times that, κ = ‖G‖/λ.
Where that is not reached (λ near 0, or far below the spectrum), the fit goes through the
singular values of F, and says so.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError
from theorycalc.simulation.functions import Array

TOLERANCE = 1e-10  # relative residual
MOST_ITERATIONS = 600  # about where the singular values cost no more
_CHECK_EVERY = 10


@dataclass(frozen=True)
class Fit:
    """The fit for every λ: â in the columns of ``weights``, L_tr, and how it was found."""

    weights: Array
    train_losses: Array
    method: str  # "lanczos" or "svd"
    residual: float  # the largest relative residual over λ
    fallback: str | None  # why Lanczos was not enough


def small_gram(features: Array) -> Array:
    """Return FᵀF/n or FFᵀ/n, the smaller one; F of n rows.

    >>> small_gram(np.array([[1.0, 2.0]]))
    array([[5.]])
    """
    rows, columns = features.shape
    with np.errstate(over="ignore", invalid="ignore"):
        gram = features.T @ features if columns <= rows else features @ features.T
        gram /= rows
    if not np.all(np.isfinite(np.diagonal(gram))):
        raise DomainError("the features overflow: the step is too large for this activation")
    return np.asarray(gram)


def ridge_path(features: Array, labels: Array, ridges: tuple[float, ...], gram: Array | None = None) -> Fit:
    """Fit the second layer for every λ; L_tr is the minimum of the objective, penalty included.

    >>> fit = ridge_path(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]), (1.0, 3.0))
    >>> fit.weights, fit.train_losses, fit.method
    (array([[1. , 0.5]]), array([3., 4.]), 'lanczos')
    """
    n, columns = features.shape
    matrix = small_gram(features) if gram is None else gram
    primal = columns <= n
    start = (features.T @ labels if primal else labels) / n
    solutions, residual, trouble = _lanczos(matrix, start, ridges)
    if trouble is None:
        weights = solutions if primal else features.T @ solutions
        return Fit(weights, _objective(features, labels, weights, ridges), "lanczos", residual, None)
    weights = _by_singular_values(features, labels, ridges)
    residuals = features.T @ (labels[:, None] - features @ weights) / n - np.asarray(ridges) * weights
    scale = np.linalg.norm(features.T @ labels) / n
    residual = float(np.max(np.linalg.norm(residuals, axis=0)) / scale)
    return Fit(weights, _objective(features, labels, weights, ridges), "svd", residual, trouble)


def _objective(features: Array, labels: Array, weights: Array, ridges: tuple[float, ...]) -> Array:
    """Return the objective at â: an error of â enters it by its square only."""
    misfit = labels[:, None] - features @ weights
    return np.asarray(np.mean(misfit**2, axis=0) + np.asarray(ridges) * np.sum(weights**2, axis=0))


def _lanczos(matrix: Array, start: Array, ridges: tuple[float, ...]) -> tuple[Array, float, str | None]:
    """Solve (matrix + λ) x = start for every λ; return x in columns, the residual, and what went wrong."""
    size, norm = len(start), float(np.linalg.norm(start))
    if norm == 0:
        return np.zeros((size, len(ridges))), 0.0, None
    most, lowest = min(size, MOST_ITERATIONS), min(ridges)
    basis = np.zeros((most, size))
    diagonal, off = np.zeros(most), np.zeros(most)
    basis[0] = start / norm
    residual, done = np.inf, 0
    for k in range(most):
        vector = linalg.blas.dsymv(1.0, matrix.T, basis[k])  # reads one triangle only
        diagonal[k] = basis[k] @ vector
        vector -= basis[: k + 1].T @ (basis[: k + 1] @ vector)
        vector -= basis[: k + 1].T @ (basis[: k + 1] @ vector)  # twice is enough
        off[k] = np.linalg.norm(vector)
        done = k + 1
        exhausted = done == size or off[k] <= np.finfo(float).eps * np.max(diagonal[:done])
        if exhausted or done == most or done % _CHECK_EVERY == 0:
            column = _tridiagonal_solve(diagonal[:done], off[:done], lowest)
            residual = np.inf if column is None else abs(off[k] * column[-1])
        if exhausted or residual <= TOLERANCE / 2:
            break
        if done < most:
            basis[done] = vector / off[k]
    columns = [_tridiagonal_solve(diagonal[:done], off[:done], ridge) for ridge in ridges]
    good = [column for column in columns if column is not None]
    if len(good) < len(ridges):
        return start, np.inf, f"the matrix is singular at ridge={lowest:g}"
    solutions = norm * (basis[:done].T @ np.array(good).T)
    worst = int(np.argmin(ridges))
    residual = float(np.linalg.norm(start - matrix @ solutions[:, worst] - lowest * solutions[:, worst])) / norm
    if not residual <= TOLERANCE:
        return start, residual, f"Lanczos left a relative residual of {residual:.1e} after {done} iterations"
    return solutions, residual, None


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
