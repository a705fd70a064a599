"""The ridge fit for a whole path of λ from a single Krylov space, without a Gram matrix.

See docs/theory/setting.md#the-two-losses.

â(λ) = (G + λI)⁻¹ Fᵀỹ/n with G = FᵀF/n minimises (1/n)‖ỹ − Fã‖² + λ‖ã‖².  The Krylov space of G and
Fᵀỹ is the same for every λ: Lanczos (all vectors kept orthogonal) builds it once from products with F,
and each λ costs one tridiagonal solve.

Accuracy: a residual r of the normal equations moves the fitted values by at most √n‖r‖ max_g √g/(g + λ),
g over the eigenvalues of G, the smallest of them taken from the Lanczos matrix.  Lanczos stops when
this, for the smallest λ, is below 1e-9 of the labels' norm; every λ is then checked with its true
residual.  Where that fails (λ below a spectrum that reaches to 0), the fit goes through the singular
values of F, and says so.

An intercept costs no penalty, so it makes the mean of the misfits zero: the fit is that of features and labels less
their means over the batch, and the intercept is ȳ − f̄ᵀâ.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError
from theorycalc.numbers.exact import Floats

TOLERANCE = 1e-9  # of the fitted values, relative to the labels
MOST_ITERATIONS = 600
_CHECK_EVERY = 10
_BREAKDOWN = 1e-14  # of the largest entry of the Lanczos matrix: the rest of a vector is rounding
_LARGEST = 1e150  # of a sum of squares: its own square is a number, too
_CACHED_ROWS = 64  # of F, which are read from memory once for both products of FᵀFv


@dataclass(frozen=True)
class Fit:
    """The fit for every λ: â in the columns of ``weights``, its errors on the batch, and how it was computed."""

    weights: Floats
    train_losses: Floats  # (1/n)‖ỹ − Fâ‖² + λ‖â‖², the minimum of the objective, penalty included
    train_errors: Floats  # (1/n)‖ỹ − Fâ‖², without the penalty
    method: str  # "lanczos" or "svd"
    residual: float  # the largest relative residual over λ
    fallback: str | None  # why Lanczos was not enough
    intercepts: Floats  # one for every λ; zeros for a fit without

    def predictions(self, features: Floats) -> Floats:
        """Return the fitted function at points with the given features, one column for every λ."""
        return np.asarray(features @ self.weights + self.intercepts)


def intercept_path(features: Floats, labels: Floats, ridges: tuple[float, ...]) -> Fit:
    """Return the fit of the second layer and an unpenalised constant for every λ.

    >>> fit = intercept_path(np.array([[1.0], [3.0]]), np.array([5.0, 9.0]), (0.0, 1.0))
    >>> fit.weights, fit.intercepts, fit.predictions(np.array([[2.0]]))
    (array([[2., 1.]]), array([3., 5.]), array([[7., 7.]]))
    """
    mean, centre = np.mean(features, axis=0), float(np.mean(labels))
    fit = ridge_path(features - mean, labels - centre, ridges)
    return replace(fit, intercepts=centre - mean @ fit.weights)


def ridge_path(features: Floats, labels: Floats, ridges: tuple[float, ...]) -> Fit:
    """Return the fit of the second layer for every λ.

    >>> fit = ridge_path(np.array([[1.0], [1.0]]), np.array([1.0, 3.0]), (1.0, 3.0))
    >>> fit.weights, fit.train_losses, fit.train_errors, fit.method
    (array([[1. , 0.5]]), array([3., 4.]), array([2.  , 3.25]), 'lanczos')
    """
    with np.errstate(over="ignore", invalid="ignore"):
        start = features.T @ labels / len(labels)
        size, total = float(np.linalg.norm(start)), float(np.vdot(features, features))
    if not np.isfinite(size) or not (1 / _LARGEST < total < _LARGEST or not features.any()):
        raise DomainError(
            "the features overflow, or underflow: the step is too large, or values of the activation are far from 1"
        )
    no_intercepts = np.zeros(len(ridges))
    if size == 0:  # nothing to fit
        weights: Floats = np.zeros((features.shape[1], len(ridges)))
        losses, errors, _ = _judge(features, labels, ridges, weights)
        return Fit(weights, losses, errors, "lanczos", 0.0, None, no_intercepts)
    allowed = TOLERANCE * float(np.linalg.norm(labels)) / len(labels) ** 0.5
    space = _lanczos(features, start / size, min(ridges), allowed / size)
    weights = size * space.solutions(ridges)
    losses, errors, residuals = _judge(features, labels, ridges, weights)
    shifts = residuals * [_amplification(ridge, space.lowest) for ridge in ridges]
    if np.all(shifts <= allowed):
        return Fit(weights, losses, errors, "lanczos", float(np.max(residuals)) / size, None, no_intercepts)
    trouble = (
        f"after {len(space.basis)} Lanczos iterations the fitted values may be wrong by "
        f"{TOLERANCE * np.max(shifts) / allowed:.1e} of the labels"
    )
    weights = _by_singular_values(features, labels, ridges)
    losses, errors, residuals = _judge(features, labels, ridges, weights)
    return Fit(weights, losses, errors, "svd", float(np.max(residuals)) / size, trouble, no_intercepts)


def _judge(
    features: Floats, labels: Floats, ridges: tuple[float, ...], weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the objective at â, whose error in â is of second order, its misfit, and ‖Fᵀỹ/n − (G + λ)â‖."""
    misfit = labels[:, None] - features @ weights
    errors = np.mean(misfit**2, axis=0)
    losses = errors + np.asarray(ridges) * np.sum(weights**2, axis=0)
    left = features.T @ misfit / len(labels) - np.asarray(ridges) * weights
    return losses, errors, np.linalg.norm(left, axis=0)


def _gram_times(features: Floats, vector: Floats) -> Floats:
    """Return G v = FᵀFv/n."""
    total = np.zeros_like(vector)
    for start in range(0, len(features), _CACHED_ROWS):
        rows = features[start : start + _CACHED_ROWS]
        total += rows.T @ (rows @ vector)
    return np.asarray(total / len(features))


def _amplification(ridge: float, lowest: float) -> float:
    """Return max √g/(g + λ) over g ≥ lowest: the factor from a residual to the fitted values."""
    worst = max(ridge, lowest)
    return float(worst**0.5 / (worst + ridge)) if worst > 0 else np.inf


@dataclass(frozen=True)
class _Krylov:
    """Orthonormal vectors in rows, and the tridiagonal matrix T of G between them."""

    basis: Floats
    diagonal: Floats
    off: Floats

    @property
    def lowest(self) -> float:
        """The smallest eigenvalue of T, or the smallest that can be told from 0 despite rounding."""
        values = linalg.eigvalsh_tridiagonal(self.diagonal, self.off[:-1], check_finite=False)
        return float(max(values[0], np.finfo(float).eps * values[-1]))

    def column(self, ridge: float) -> Floats:
        """Return the solution z of (T + λ) z = e_1, or 0 if T + λ is singular, as the true residual will show."""
        first = np.zeros(len(self.diagonal))
        first[0] = 1.0
        if len(first) == 1:
            return first / (self.diagonal + ridge)
        bands = np.array([self.diagonal + ridge, self.off])
        try:
            return np.asarray(linalg.solveh_banded(bands, first, lower=True, check_finite=False))
        except np.linalg.LinAlgError:  # pragma: no cover - no known problem reaches it
            return np.zeros_like(first)

    def solutions(self, ridges: tuple[float, ...]) -> Floats:
        """Return the solutions x of (G + λ) x = start in columns."""
        return np.asarray(self.basis.T @ np.array([self.column(ridge) for ridge in ridges]).T)


def _lanczos(features: Floats, start: Floats, ridge: float, allowed: float) -> _Krylov:
    """Return the Krylov space of G and ``start``, large enough for this λ if the iterations suffice."""
    most = min(*features.shape, MOST_ITERATIONS)
    basis = np.empty((most, len(start)))
    diagonal, off = np.empty(most), np.empty(most)
    basis[0] = start
    for done in range(1, most + 1):  # pragma: no branch - the loop ends by a break
        known = basis[:done]
        vector = _gram_times(features, known[-1])
        diagonal[done - 1] = known[-1] @ vector
        for _ in range(2):  # once is not enough after rounding, twice is
            vector -= (known @ vector) @ known
        off[done - 1] = length = float(np.linalg.norm(vector))
        space = _Krylov(known, diagonal[:done], off[:done])
        if done == most or length <= _BREAKDOWN * np.max(diagonal[:done]):
            break  # there is no more
        if done % _CHECK_EVERY == 0:
            residual = length * abs(space.column(ridge)[-1])
            if residual * _amplification(ridge, space.lowest) <= allowed / 2:
                break
        basis[done] = vector / length
    return space


def _by_singular_values(features: Floats, labels: Floats, ridges: tuple[float, ...]) -> Floats:
    """Return â from F = U S Vᵀ; for λ = 0, that of smallest norm."""
    left, values, right = linalg.svd(features, full_matrices=False, check_finite=False)
    zero = values <= np.finfo(float).eps * max(features.shape) * values[0]
    along = left.T @ labels
    shrunk = [np.where(zero, 0.0, values) / np.where(zero, 1.0, values**2 + len(labels) * ridge) for ridge in ridges]
    return np.asarray(right.T @ (np.array(shrunk) * along).T)
