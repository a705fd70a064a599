"""feature_gain(): the gain of a step or of training, from the pools of features before and after it.

See docs/own_features.md#from-a-network.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import ArgumentError, DomainError, called
from theorycalc.model.requirements import Condition
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats, NumbersLike
from theorycalc.pools.feature_pool import FeaturePool
from theorycalc.results.base import Points
from theorycalc.results.quantities import TRAINING, shown
from theorycalc.results.table import Row, Table, column

_SAME = 1e-9  # relative, of the variance of labels that both pools have

#: The columns of a gain.
_SEEN = ("test_loss_initial", "test_loss", "test_gain", "train_loss_initial", "train_loss", "train_gain")


@dataclass(frozen=True, repr=False, eq=False)
class FeatureGain(Points):
    """Losses of ridge fits before and after training, and the gain: at equal λ, or each at its best λ.

    For lists of n and λ, arrays have a row for each n and a column for each λ.  ``best`` has the gains at the best λ of
    either network for each n; it is None where these are the best already.
    """

    kind: ClassVar[str] = "feature_gain"
    meanings: ClassVar[dict[str, str]] = {
        "n": "points of the fit",
        "ridge_initial": "λ of the fit to the features before; another than that after only if both are the best",
        "best": "the same at the best λ of either network, or None",
        "test_loss_initial": "test loss with the features before",
        "test_loss": "test loss with the features after",
        "train_loss_initial": "training loss before, the ridge objective",
        "train_loss": "training loss after, the ridge objective",
    }

    n: int | NDArray[np.int64]
    ridge_initial: float | Floats
    ridge: float | Floats
    test_loss_initial: float | Floats
    test_loss: float | Floats
    test_gain: float | Floats
    train_loss_initial: float | Floats
    train_loss: float | Floats
    train_gain: float | Floats
    M: int  # points of the pools
    N: int  # features after
    intercept: bool
    best: FeatureGain | None
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]

    def _table(self, full: bool) -> Table:
        ridges = "at the best λ of each" if self.best is None else "at the same λ"
        title = f"What features gained in ridge fits on n points, {ridges}; predicted from pools of {self.M} points"
        seen = [column("ridge")] if self.best else [column("ridge_initial", "λ before"), column("ridge", "λ after")]
        seen = [column("n"), *seen, *(column(name, spec=".4g") for name in _SEEN)]
        unmet = tuple(str(one) for one in self.conditions if one.holds is not True)
        remarks = (*self._summary(full), TRAINING)
        return Table(title, self._columns(), tuple(seen), full, remarks, conditions=unmet, notes=self.notes)

    def _summary(self, full: bool) -> tuple[str, ...]:
        """Return the losses, each at its best λ, for the first and the last n."""
        if self.best is None:
            return ()
        rows = self.best.rows[:: max(len(self.best.rows) - 1, 1)]
        return tuple(
            f"at the best λ of each, n = {row['n']}: test loss {shown(row['test_loss_initial'], full, '.4g')} before, "
            f"{shown(row['test_loss'], full, '.4g')} after"
            for row in rows
        )

    def _arguments(self) -> Row:
        n = np.asarray(self.n)
        if self.best is None:
            return {"n": n[()], "ridge_initial": self.ridge_initial, "ridge": self.ridge}
        return {"n": n[:, None] if np.ndim(self.test_loss) == 2 else n[()], "ridge": self.ridge}

    def _quantities(self) -> Row:
        return {name: getattr(self, name) for name in _SEEN}

    def _inputs(self) -> Row:
        return {"M": self.M, "N": self.N, "intercept": self.intercept}


@checked_call
def feature_gain(
    before: FeaturePool, after: FeaturePool, n: NumbersLike, ridge: NumbersLike | None = None
) -> FeatureGain:
    """Predict the gain of a step or of training: losses of ridge fits to the features before it minus those after it.

    Parameters
    ----------
    before, after : FeaturePool
        Features of the same inputs by the network before and after, made by :func:`theorycalc.features`.
    n : int or sequence of int
        Points of the fit.
    ridge : number or sequence of numbers, λ ≥ 0, optional
        Ridges, the same before and after.  Default: for each n the best one of either network.

    Returns
    -------
    FeatureGain
        Losses and gains at every n and λ; ``plot()`` draws them.

    Raises
    ------
    TheoryError
        The pools are of different inputs or fits, an n is not a whole number from 2, or a λ is negative.

    >>> from theorycalc.pools.feature_pool import features
    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((400, 30))
    >>> y = np.tanh(2 * x[:, 0])
    >>> taught = np.column_stack([y + 0.3 * rng.standard_normal(400), x])
    >>> gain = feature_gain(features(x, y), features(taught, y), n=[40, 400])
    >>> bool(np.all(gain.test_gain > 0))
    True
    """
    _check_pools(before, after)
    first, last = (pool.best_ridge(n) if ridge is None else pool.losses(n, ridge) for pool in (before, after))
    if not (np.all(np.isfinite(first.test_loss)) and np.all(np.isfinite(last.test_loss))):
        raise DomainError(
            "without a ridge the test loss is infinite where there are as many points as features; leave that n out",
            argument="n",
        )
    return FeatureGain(
        n=last.n,
        ridge_initial=first.ridge,
        ridge=last.ridge,
        test_loss_initial=first.test_loss,
        test_loss=last.test_loss,
        test_gain=first.test_loss - last.test_loss,
        train_loss_initial=first.train_loss,
        train_loss=last.train_loss,
        train_gain=first.train_loss - last.train_loss,
        M=after.M,
        N=after.N,
        intercept=after.intercept,
        best=None if ridge is None else feature_gain(before, after, n),
        conditions=tuple(dict.fromkeys((*before.conditions, *after.conditions))),
        notes=tuple(dict.fromkeys((*first.notes, *last.notes))),
    )


def _check_pools(before: FeaturePool, after: FeaturePool) -> None:
    """Refuse objects other than pools, and pools that differ in more than their features."""
    for name, pool in (("before", before), ("after", after)):
        if not isinstance(pool, FeaturePool):
            kind = type(pool).__name__
            raise ArgumentError(f"{name} must be a pool made by {called('features')}, not a {kind}", argument=name)
    if before.intercept != after.intercept:
        raise DomainError("after: only one of the pools has an intercept; make both in the same way", argument="after")
    same = before.M == after.M and before.outputs == after.outputs
    if not same or not math.isclose(before.label_variance, after.label_variance, rel_tol=_SAME):
        raise DomainError(
            f"after: the pools have other labels, {before.M} and {after.M} of variance {before.label_variance:.6g} and "
            f"{after.label_variance:.6g}; compute both features of the same inputs",
            argument="after",
        )
