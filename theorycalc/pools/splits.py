"""Test losses from your data alone: random splits to check a pool's prediction, and gcv() for one training set.

See docs/theory/own_features.md#from-one-training-set.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError, given, spelled, true_or_false
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats, NumbersLike, whole
from theorycalc.pools.feature_losses import FeatureLosses, read_ridges
from theorycalc.pools.sources import FeaturesLike, LabelledRows, LabelsLike, array_of, blocks
from theorycalc.results.base import Points, Result
from theorycalc.results.layout import with_error
from theorycalc.results.quantities import COLUMNS
from theorycalc.results.table import Column, Row, Table, column, columns_of, number
from theorycalc.running.terminal import progress
from theorycalc.simulation.ridge import intercept_path, ridge_path

COMPARED = ("test_loss", "train_loss", "train_error")
MOST_TESTED = 20_000  # held-out points of a split
_MOST_DRAWS = 100_000
_HEADINGS = {"gcv": "estimated test loss", "spread": "spread", "left_out": "leave-one-out"}
_NOTHING = 1e-20  # of the variance of the labels: the training error of an interpolation is rounding


@dataclass(frozen=True, repr=False, eq=False)
class FeatureComparison(Result):
    """Predictions of a pool and fits on random splits: one row for each n, λ and quantity.

    A row has ``predicted``, ``observed`` (the mean over the splits), ``standard_error``, ``z`` = (observed −
    predicted)/standard error, and ``deviation``, predicted/observed − 1.
    """

    kind: ClassVar[str] = "feature_comparison"

    rows: tuple[Row, ...]
    draws: int  # splits
    seed: int
    losses: FeatureLosses  # that were predicted
    notes: tuple[str, ...]

    @property
    def deviations(self) -> Floats:
        """The absolute relative deviations of test losses, in the order of the rows."""
        return np.array([abs(number(row, "deviation")) for row in self.rows if row["quantity"] == "test_loss"])

    @property
    def worst(self) -> Row:
        """The row whose prediction deviates most, in per cent."""
        return max(self.rows, key=lambda row: abs(number(row, "deviation")))

    def _table(self, full: bool) -> Table:
        median, largest = (100 * float(x) for x in (np.median(self.deviations), np.max(self.deviations)))
        title = (
            f"Predicted test losses are within {largest:.2g} % of {self.draws} random splits, {median:.2g} % in the "
            "median"
        )
        seen = (
            column("n"),
            column("ridge"),
            Column("quantity", lambda row, full: COLUMNS[str(row["quantity"])].heading),
            column("predicted", spec=".4g"),
            Column(
                "observed", lambda row, full: with_error(number(row, "observed"), number(row, "standard_error"), full)
            ),
            column("z", spec="+.1f"),
            Column("deviation", lambda row, full: f"{100 * number(row, 'deviation'):+.1f} %"),
        )
        return Table(title, columns_of(self.rows), seen, full, notes=self.notes)

    def _inputs(self) -> Row:
        return {"draws": self.draws, "seed": self.seed, "M": self.losses.M, "N": self.losses.N}


def compared(losses: FeatureLosses, F: object, y: LabelsLike, draws: object, seed: object) -> FeatureComparison:
    """Return the predicted losses with those of fits on random splits of F and y."""
    count = whole(draws, "draws", f"a whole number from 2 to {_MOST_DRAWS}", 2, _MOST_DRAWS)
    start = whole(seed, "seed", "a whole number from 0", low=0)
    features, labels = array_of(F, "F"), array_of(y, "y")
    if features.ndim != 2 or len(features) != len(labels):
        raise DomainError("F needs a row, and y a label, for each point", argument="F")
    if features.shape[1] != losses.N:
        raise DomainError(f"F has {features.shape[1]} features, and the pool {losses.N}", argument="F")
    columns = labels[:, None] if labels.ndim == 1 else labels
    if columns.ndim != 2 or columns.shape[1] != losses.outputs:
        raise DomainError(f"y has the shape {labels.shape}, and the pool {losses.outputs} outputs", argument="y")
    scale = float(np.sum(np.var(np.asarray(columns, dtype=float), axis=0)))
    if not np.isfinite(scale):
        raise DomainError("y has entries that are not finite", argument="y")
    sizes, ridges = np.atleast_1d(losses.n), np.atleast_1d(losses.ridge)
    if max(sizes) > len(features) - 2:
        raise DomainError(
            f"{given('n', int(max(sizes)))} leaves fewer than two of {len(features)} points to test on; give fewer",
            argument="n",
        )
    fits = _fits(features, columns, [int(n) for n in sizes], ridges, count, start, losses.intercept)
    total = len(sizes) * count
    found = np.array(list(progress(fits, total, "fitting", arrive_finished=True)))
    observed = found.reshape(len(sizes), count, len(COMPARED), len(ridges))
    predicted = {name: np.reshape(getattr(losses, name), (len(sizes), len(ridges))) for name in COMPARED}
    rows = tuple(
        _row(int(n), float(ridge), name, float(predicted[name][i, k]), observed[i, :, j, k], _NOTHING * scale)
        for i, n in enumerate(sizes)
        for k, ridge in enumerate(ridges)
        for j, name in enumerate(COMPARED)
    )
    note = "splits share points: standard errors are for these data, and say nothing about other data"
    unmet = tuple(str(one) for one in losses.conditions if one.holds is not True)
    return FeatureComparison(rows, count, start, losses, (note, *unmet))


def _row(n: int, ridge: float, name: str, predicted: float, observed: Floats, least: float) -> Row:
    mean, error = float(np.mean(observed)), float(np.std(observed, ddof=1) / np.sqrt(len(observed)))
    difference = mean - predicted
    nothing = max(mean, predicted) <= least
    return {
        "n": n,
        "ridge": ridge,
        "quantity": name,
        "predicted": predicted,
        "observed": 0.0 if nothing else mean,
        "standard_error": error,
        "z": 0.0 if nothing else difference / max(error, least),
        "deviation": 0.0 if nothing else -difference / mean,
    }


def _fits(
    features: Any, labels: Any, sizes: Sequence[int], ridges: Floats, draws: int, seed: int, intercept: bool
) -> Iterator[Floats]:
    """Yield the losses of one fit after another: a row for each quantity, a column for each λ."""
    path = intercept_path if intercept else ridge_path
    for n in sizes:
        for draw in range(draws):
            chosen = np.random.default_rng([seed, n, draw]).permutation(len(features))
            inside, outside = np.sort(chosen[:n]), np.sort(chosen[n : n + MOST_TESTED])
            rows, held_out = (np.asarray(features[part], dtype=float) for part in (inside, outside))
            if not (np.isfinite(rows).all() and np.isfinite(held_out).all()):
                raise DomainError("F has entries that are not finite", argument="F")
            found = np.zeros((len(COMPARED), len(ridges)))
            for output in range(labels.shape[1]):
                known, unknown = (np.asarray(labels[part, output], dtype=float) for part in (inside, outside))
                fit = path(rows, known, tuple(ridges))
                misfits = unknown[:, None] - fit.predictions(held_out)
                found += [np.mean(misfits**2, axis=0), fit.train_losses, fit.train_errors]
            yield found


@dataclass(frozen=True, repr=False, eq=False)
class CrossValidation(Points):
    """Generalised cross-validation of ridge fits on one training set."""

    kind: ClassVar[str] = "cross_validation"
    meanings: ClassVar[dict[str, str]] = {
        "n": "points of the fit",
        "gcv": "estimate of the test loss, n yᵀR²y/(tr R)²",
        "spread": "standard deviation of this estimate over training sets, estimated from this one",
        "left_out": "mean squared error at points that were left out one at a time",
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
    """Estimate the test loss of ridge fits from a single training set.

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
    """Return the estimate, its standard deviation and the leave-one-out error at each λ.

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
    """Return the estimate's spread, from the estimates that each leave out one point, which are known exactly.

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
