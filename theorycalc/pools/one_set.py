"""gcv(): the test loss of a ridge fit, estimated from its own training set, with the spread of the estimate.

See docs/theory/own_features.md#from-one-training-set.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError, spelled, true_or_false
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats, NumbersLike
from theorycalc.pools.feature_losses import read_ridges
from theorycalc.pools.sources import FeaturesLike, LabelledRows, LabelsLike, blocks
from theorycalc.results.base import Points
from theorycalc.results.table import Row, Table, column

_HEADINGS = {"gcv": "estimated test loss", "spread": "spread", "left_out": "leave-one-out"}


@dataclass(frozen=True, repr=False, eq=False)
class CrossValidation(Points):
    """Generalised cross-validation of ridge fits to one training set."""

    kind: ClassVar[str] = "cross_validation"
    meanings: ClassVar[dict[str, str]] = {
        "n": "points of the fit",
        "gcv": "estimate of the test loss, n yᵀR²y/(tr R)²",
        "spread": "standard deviation of this estimate over training sets, estimated from this one",
        "left_out": "mean squared error at points that were left out one by one",
    }

    n: int
    N: int
    intercept: bool
    ridge: float | Floats
    gcv: float | Floats
    spread: float | Floats
    left_out: float | Floats

    def _table(self, full: bool) -> Table:
        title = f"Generalised cross-validation of ridge fits to {self.n} points with {self.N} features"
        seen = (column("ridge"), *(column(name, words) for name, words in _HEADINGS.items()))
        return Table(title, self._columns(), seen, full)

    def _arguments(self) -> Row:
        return {"ridge": self.ridge}

    def _quantities(self) -> Row:
        return {name: getattr(self, name) for name in _HEADINGS}

    def _inputs(self) -> Row:
        return {"n": self.n, "N": self.N, "intercept": self.intercept}


@checked_call
def gcv(
    F: FeaturesLike, y: LabelsLike | None = None, ridge: NumbersLike = (), *, intercept: bool = True
) -> CrossValidation:
    """Estimate the test loss of ridge fits from their training set alone.

    Parameters
    ----------
    F, y : array, path or iterable of batches
        The n training points, as :func:`features` takes a pool; there may be fewer of them than features.
    ridge : number or sequence of numbers, λ ≥ 0
        Ridges of (1/n)‖y − Fa‖² + λ‖a‖².
    intercept : bool, default True
        Whether the fit has a constant that costs no penalty.

    Returns
    -------
    CrossValidation
        The estimate at each λ, and its spread over training sets.

    Raises
    ------
    TheoryError
        There are fewer than three points, or least squares through all of them leaves nothing to judge by.

    >>> rng = np.random.default_rng(0)
    >>> F = rng.standard_normal((200, 50))
    >>> found = gcv(F, F[:, 0] + rng.standard_normal(200), ridge=[0.1, 1])
    >>> found.gcv.round(2).tolist(), found.spread.round(2).tolist()
    ([1.21, 1.31], [0.15, 0.13])
    """
    with_intercept = true_or_false(intercept, "intercept")
    ridges = read_ridges(ridge)
    parts = list(blocks(F, y))
    rows = LabelledRows(*(np.concatenate(part) for part in zip(*parts, strict=True))) if parts else None
    if rows is None or len(rows.features) < 3:
        raise DomainError(f"{spelled('F')} has fewer than three points: nothing can be left out", argument="F")
    found = _validated(rows, ridges.ravel(), with_intercept).reshape(3, *ridges.shape)
    values = dict(zip(_HEADINGS, (part[()] for part in found), strict=True))
    n, N = rows.features.shape
    return CrossValidation(n=n, N=N, intercept=with_intercept, ridge=ridges[()], **values)


def _validated(rows: LabelledRows, ridges: Floats, intercept: bool) -> Floats:
    """Return the estimate, its spread and the leave-one-out error at each λ.

    R, the resolvent on all directions but that of the intercept, enters by ratios only, so that λ = 0 needs no other
    formula: its scale is free.
    """
    features, labels = rows
    n = len(features)
    if intercept:
        features, labels = features - np.mean(features, axis=0), labels - np.mean(labels, axis=0)
    left, values, _ = linalg.svd(features, full_matrices=False, check_finite=False)
    present = values > max(features.shape) * np.finfo(float).eps * max(values[0], 1e-300)
    left, values = left[:, present], values[present]
    along = left.T @ labels
    outside = labels - left @ along
    free = n - int(intercept) - len(values)
    own = np.maximum(1 - int(intercept) / n - np.sum(left**2, axis=1), 0.0)  # of each point, outside of the features
    found = []
    for ridge in ridges:
        if free == 0 and ridge == 0:
            filtered, rest = 1 / values**2, 0.0
        else:
            filtered, rest = ridge * n / (values**2 + n * ridge), 1.0
        solved = rest * outside + left @ (filtered[:, None] * along)
        diagonal = rest * own + left**2 @ filtered
        trace = rest * free + np.sum(filtered)
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = np.sum((solved / diagonal[:, None]) ** 2, axis=1)
        squares = np.where(diagonal > 0, squares, np.inf)
        found.append(
            [n * np.sum(solved**2) / trace**2, _jackknife(rest, own, left, filtered, solved), np.mean(squares)]
        )
    return np.array(found).T


def _jackknife(rest: float, own: Floats, left: Floats, filtered: Floats, solved: Floats) -> float:
    """Return the spread of the estimate by the estimates that each leave out one point, which are known exactly.

    Without point i, R loses the matrix of rank one Re_ie_iᵀR/R_ii.
    """
    n = len(own)
    once, twice = (rest * own + left**2 @ filtered**power for power in (1, 2))  # diagonals of R and R²
    again = rest * (solved - left @ (left.T @ solved)) + left @ (filtered[:, None] * (left.T @ solved))  # R²y
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = solved / once[:, None]
        top = np.sum(solved**2) + np.sum(ratio**2 * twice[:, None] - 2 * ratio * again, axis=1)
        estimates = (n - 1) * top / (np.sum(once) - twice / once) ** 2
    if not np.isfinite(estimates).all():
        return float("inf")
    return float(np.sqrt((n - 1) / n * np.sum((estimates - np.mean(estimates)) ** 2)))
