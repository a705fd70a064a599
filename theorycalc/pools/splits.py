"""Repeated random splits of your data: ridge fits on n points, tested on others, beside the prediction of a pool."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from theorycalc.errors import DomainError, given
from theorycalc.numbers.exact import Floats, whole
from theorycalc.pools.feature_losses import FeatureLosses
from theorycalc.pools.sources import LabelsLike, array_of
from theorycalc.results.base import Result
from theorycalc.results.displays import with_error
from theorycalc.results.quantities import COLUMNS
from theorycalc.results.table import Column, Row, Table, column, columns_of, number
from theorycalc.running.terminal import progress
from theorycalc.simulation.ridge import intercept_path, ridge_path

COMPARED = ("test_loss", "train_loss", "train_error")
MOST_TESTED = 20_000  # held-out points of a split
_MOST_DRAWS = 100_000
_NOTHING = 1e-20  # of the variance of the labels: the training error of an interpolation is rounding


@dataclass(frozen=True, repr=False, eq=False)
class FeatureComparison(Result):
    """Predictions of a pool beside fits on random splits: one row for each n, λ and quantity.

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
        """The sizes of the relative deviations of test losses, in the order of the rows."""
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
    """Return the losses beside those of fits on random splits of F and y."""
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
    note = "splits share points: standard errors are of these data, and do not know how they differ from other data"
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
    """Yield the losses of one fit after the other: a row for each quantity, a column for each λ."""
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
