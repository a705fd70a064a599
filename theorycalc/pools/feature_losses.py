"""Losses of ridge fits on n points of a pool, for every n and λ, and the best ridge for each n."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from theorycalc.errors import DomainError, given, spelled
from theorycalc.model.points import float_points
from theorycalc.model.requirements import Condition
from theorycalc.numbers.exact import Floats, NumbersLike, as_numpy, whole
from theorycalc.pools.leverages import MOST_DIRECTIONS, PoolSample, class_losses, point_losses, sample_moments
from theorycalc.pools.pool_equations import PoolMoments, penalties, test_loss, train_error, train_loss
from theorycalc.results.base import Points
from theorycalc.results.quantities import QUANTITIES, Quantity
from theorycalc.results.table import Row, Table, column, lines_table
from theorycalc.running.terminal import progress

_SIZE = "a whole number from 2 to 1e12"
RIDGES_SEARCHED = 10.0 ** np.arange(-10, 6.25, 0.5)  # times the mean eigenvalue
_WIDTHS = (0.6, 0.3, 0.1)  # in log λ, of the parabolas that find the best

#: The quantities of a ridge fit.
LEARNED = {
    name: Quantity(name, symbol, latex, words, QUANTITIES[name].heading if name in QUANTITIES else "degrees of freedom")
    for name, symbol, latex, words in (
        ("test_loss", "L_te", r"L_{\mathrm{te}}", "mean squared error at fresh points"),
        ("train_loss", "L_tr", r"L_{\mathrm{tr}}", "ridge objective, penalty included"),
        ("train_error", "E_tr", r"E_{\mathrm{tr}}", "mean squared error at the points of the fit"),
        ("degrees_of_freedom", "d", "d", "trace of the hat matrix, the intercept included"),
    )
}


@dataclass(frozen=True, repr=False, eq=False)
class FeatureLosses(Points):
    """Losses of ridge fits on n random points, averaged over the choice of these points.

    For lists of n and λ, arrays have a row for each n and a column for each λ; for the best ridge of each n, both are
    one list.
    """

    kind: ClassVar[str] = "feature_losses"
    meanings: ClassVar[dict[str, str]] = {name: one.words for name, one in LEARNED.items()} | {"n": "points of the fit"}

    n: int | NDArray[np.int64]  # points of the fit
    ridge: float | Floats  # λ of (1/n)‖y − Fa‖² + λ‖a‖²
    train_error: float | Floats  # mean squared error at the points of the fit, without the penalty
    train_loss: float | Floats  # the minimum of the objective, penalty included
    test_loss: float | Floats  # mean squared error at other points
    degrees_of_freedom: float | Floats  # the trace of the hat matrix, the intercept included
    M: int  # points of the pool
    N: int  # features
    outputs: int  # columns of the labels
    intercept: bool
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]

    def _table(self, full: bool) -> Table:
        fit = "with an intercept" if self.intercept else "without intercept"
        title = f"Ridge fits on n points, {self.N} features, {fit}; predicted from a pool of {self.M} points"
        unmet = tuple(str(one) for one in self.conditions if one.holds is not True)
        if self.size == 1:
            (row,) = self.rows
            lines = [(one.heading, row[name], one.words) for name, one in LEARNED.items()]
            lines = [("n", row["n"], "points of the fit"), ("λ", row["ridge"], "ridge"), *lines]
            return lines_table(title, lines, full, conditions=unmet, notes=self.notes)
        seen = [column("n"), column("ridge"), *(column(name, one.heading) for name, one in LEARNED.items())]
        return Table(title, self._columns(), tuple(seen), full, conditions=unmet, notes=self.notes)

    def _arguments(self) -> Row:
        n = np.asarray(self.n)
        grid = np.ndim(self.test_loss) == 2
        return {"n": n[:, None] if grid else n[()], "ridge": self.ridge}

    def _quantities(self) -> Row:
        return {name: getattr(self, name) for name in LEARNED}

    def _inputs(self) -> Row:
        return {"M": self.M, "N": self.N, "intercept": self.intercept}


def read_sizes(n: NumbersLike) -> Floats:
    """Return whole numbers n ≥ 2, a single one or a list."""
    array = np.asarray(as_numpy(n, "n"), dtype=object)
    if array.ndim > 1 or not array.size:
        raise DomainError(f"{given('n', n)} must be {_SIZE}, or a list of them", argument="n")
    return np.array([whole(item, "n", _SIZE, 2, 10**12) for item in array.ravel()], dtype=float).reshape(array.shape)


def read_ridges(ridge: NumbersLike) -> Floats:
    """Return ridges λ ≥ 0, a single one or a list."""
    array = np.asarray(float_points({"ridge": ridge})[0], dtype=float)
    if array.ndim > 1 or not array.size:
        raise DomainError(f"{spelled('ridge')} must be a number or a list of numbers", argument="ridge")
    return array


def computed(pool: PoolMoments, sample: PoolSample, n: Floats, ridge: Floats) -> dict[str, Floats]:
    """Return every quantity at n and λ, arrays of one shape; the test loss is infinite where N = n − 1 and λ = 0."""
    flat_n, flat_ridge = np.ravel(n), np.ravel(ridge)
    threshold = (flat_ridge == 0) & (flat_n - int(pool.intercept) == len(pool.sigma))
    found = {name: np.zeros(len(flat_n)) for name in LEARNED}
    unequal = _by_classes if len(pool.sigma) <= MOST_DIRECTIONS else unequal_points
    for which, method in ((threshold, equal_points), (~threshold, partial(unequal, sample=sample))):
        if np.any(which):
            for name, values in method(pool=pool, n=flat_n[which], ridge=flat_ridge[which]).items():
                found[name][which] = values
    return {name: values.reshape(np.shape(n)) for name, values in found.items()}


def unequal_points(pool: PoolMoments, sample: PoolSample, n: Floats, ridge: Floats) -> dict[str, Floats]:
    """Return the losses for points of unequal leverage; beyond the pool's size, its own ratio to equal leverages."""
    found = point_losses(pool, sample, np.minimum(n, float(pool.points)), ridge)
    beyond = n > pool.points
    if np.any(beyond):
        here = equal_points(pool, np.full(np.count_nonzero(beyond), float(pool.points)), ridge[beyond])
        for name, values in equal_points(pool, n[beyond], ridge[beyond]).items():
            found[name][beyond] *= values / here[name]
    return found


def _by_classes(pool: PoolMoments, sample: PoolSample, n: Floats, ridge: Floats) -> dict[str, Floats]:
    """Return the losses of classes of points in the sample, times the ratio of pool to sample for equal leverages.

    The ratio takes most of the sample's scatter away; where the sample is the pool, it is 1 up to that size.
    """
    varies = np.any(sample.coordinates != 0, axis=0)  # a feature of few points may be constant in the sample
    scale = float(np.sqrt(np.mean(pool.sigma) / pool.points))  # features of unit size: their unit is no matter
    sample = PoolSample(sample.coordinates[:, varies] / scale, sample.labels, sample.slopes[varies] * scale)
    pool, ridge = pool._replace(sigma=pool.sigma / scale**2), ridge / scale**2
    own = sample_moments(sample, pool.intercept)
    within = np.minimum(n, float(own.points))
    places = list(zip(within.tolist(), ridge.tolist(), strict=True))
    here = []
    for size, strength in progress(places, len(places), "weighing points"):
        try:
            here.append(class_losses(own, sample, size, strength))
        except DomainError as error:
            where = f"{spelled('n', int(size))}, {spelled('ridge', strength)}"
            raise DomainError(f"{where}: {error}", argument="F") from None
    found = {name: np.array([one[name] for one in here]) for name in here[0]}
    pooled, sampled = equal_points(pool, n, ridge), equal_points(own, within, ridge)
    return {
        name: np.where(sampled[name] > 0, values * pooled[name] / np.where(sampled[name] > 0, sampled[name], 1), 0.0)
        for name, values in found.items()
    }


def equal_points(pool: PoolMoments, n: Floats, ridge: Floats) -> dict[str, Floats]:
    """Return every quantity at n and λ, arrays of one shape, as if all points had the same leverage.

    >>> pool = PoolMoments(np.array([4.0, 1.0]), np.array([3.0, 1.0]), 2.0, 10, False)
    >>> found = equal_points(pool, np.array([10.0]), np.array([0.0]))  # least squares on the whole pool
    >>> found["train_error"], found["degrees_of_freedom"]
    (array([0.2]), array([2.]))
    """
    m, weight = n - int(pool.intercept), n * ridge
    nu = penalties(pool, m, weight)
    sums = pool.sums(nu)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(weight > 0, weight / nu, np.maximum(m - sums.fitted, 0.0) / sums.free)
        ratio = np.where((weight == 0) & (m < len(pool.sigma)), 0.0, ratio)  # the fit interpolates
        found = {
            "test_loss": test_loss(n, m, ratio, sums),
            "train_loss": train_loss(n, ratio, sums),
            "train_error": train_error(n, ratio, sums),
            "degrees_of_freedom": sums.fitted + int(pool.intercept),
        }
    threshold = (weight == 0) & (m == len(pool.sigma))
    found["train_error"] = np.where(threshold, 0.0, found["train_error"])  # and the test loss is infinite
    return found


def least_ridge(pool: PoolMoments, sample: PoolSample, n: Floats, tried: Floats) -> Floats:
    """Return the λ of smallest test loss for each n.

    It is first sought among those tried as if all points had the same leverage, and then made better by three points
    around it, the last time with whole matrices, which cost most.
    """
    grid = np.broadcast_to(tried, (len(n), len(tried)))
    first = np.argmin(equal_points(pool, np.broadcast_to(n[:, None], grid.shape), grid)["test_loss"], axis=1)
    inside = np.flatnonzero((first > 0) & (first < len(tried) - 1))
    place = np.log(tried[first[inside]])
    for width in _WIDTHS if len(inside) else ():
        around = place[:, None] + width * np.arange(-1, 2)
        at = np.repeat(n[inside], 3), np.exp(np.ravel(around))
        found = computed(pool, sample, *at) if width == _WIDTHS[-1] else unequal_points(pool, sample, *at)
        low, middle, high = found["test_loss"].reshape(around.shape).T
        bend = np.maximum(low - 2 * middle + high, 1e-300)
        place = place + width * np.clip((low - high) / (2 * bend), -2.0, 2.0)
    best: Floats = tried[first]
    best[inside] = np.exp(place)
    return best
