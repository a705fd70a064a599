"""Eigenvalues of the covariance of a data matrix, and the shares in them of the direction that its labels follow."""

from __future__ import annotations

import numpy as np

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.numbers.exact import Floats

_ROUNDING = 1e-12  # eigenvalues below this part of the largest are 0


def estimated(X: object, y: object = None) -> tuple[list[float], list[float] | None]:
    """Return the eigenvalues and, with labels, the shares of v = Σ^−½E[xy] (docs/theory/inputs.md#from-data).

    >>> [round(value, 2) for value in estimated([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]] * 100)[0]]
    [1.99, 0.51]
    """
    points = _floats(X, "X", 2)
    count, d = points.shape
    if count <= d:
        raise ArgumentError(
            f"inputs: {count} points in {d} dimensions do not tell the covariance; more points than columns are needed",
            argument="X",
        )
    points = points - np.mean(points, axis=0)
    eigenvalues, vectors = np.linalg.eigh(points.T @ points / count)
    eigenvalues, vectors = eigenvalues[::-1], vectors[:, ::-1]
    if eigenvalues[0] <= 0:
        raise DomainError("inputs: the columns of X are constant", argument="X")
    eigenvalues = np.where(eigenvalues > _ROUNDING * eigenvalues[0], eigenvalues, 0.0)
    found = eigenvalues > 0
    shown = shrunk(eigenvalues, count)
    if y is None:
        return shown.tolist(), None
    labels = _floats(y, "y", 1)
    if len(labels) != count:
        raise ArgumentError(f"inputs: {count} points and {len(labels)} labels; each needs one", argument="y")
    labels = labels - np.mean(labels)
    seen = np.zeros(d)
    along = vectors.T @ (points.T @ labels) / count
    seen[found] = along[found] ** 2 / eigenvalues[found]
    rest = max(float(np.mean(labels**2)) - float(np.sum(seen)), 0.0)
    chance = rest / (count - 1 - np.count_nonzero(found))  # what noise, or a function that is not linear, adds to each
    shares = np.maximum(seen - np.where(found, chance, 0.0), 0.0)
    if not np.sum(shares) > 0:
        raise DomainError("inputs: the labels y follow no direction of X beyond chance", argument="y")
    return shown.tolist(), shares.tolist()


def shrunk(eigenvalues: Floats, count: int) -> Floats:
    """Return eigenvalues of a sample drawn to their mean, so that their second moment is that of the covariance.

    The sample adds ⟨τ⟩²d/M to ⟨τ²⟩; directions that do not vary at all stay as they are.

    >>> shrunk(np.array([1.5, 0.5]), 16).tolist()
    [1.3535533905932737, 0.6464466094067263]
    """
    varying = eigenvalues > 0
    mean, spread = float(np.mean(eigenvalues[varying])), float(np.var(eigenvalues[varying]))
    excess = mean**2 * np.count_nonzero(varying) / count
    factor = np.sqrt(max(spread - excess, 0.0) / spread) if spread > 0 else 0.0
    return np.where(varying, mean + factor * (eigenvalues - mean), 0.0)


def _floats(given: object, name: str, dimensions: int) -> Floats:
    try:
        found = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise ArgumentError(f"inputs: {name} is not an array of numbers", argument=name) from None
    if found.ndim != dimensions or found.size == 0:
        wanted = "one row for each point" if dimensions == 2 else "one label for each point"
        raise ArgumentError(f"inputs: {name} has the shape {found.shape}; {wanted} is needed", argument=name)
    if not np.all(np.isfinite(found)):
        raise DomainError(f"inputs: {name} has values that are not finite", argument=name)
    return found
