"""features(): a pool of your own features and labels, and the losses of ridge fits on n points drawn from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from theorycalc.errors import DomainError, spelled, true_or_false
from theorycalc.model.requirements import Condition
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import Floats, NumbersLike, whole
from theorycalc.pools.feature_losses import (
    RIDGES_SEARCHED,
    FeatureLosses,
    computed,
    least_ridge,
    read_ridges,
    read_sizes,
)
from theorycalc.pools.gathering import carried, gather, reduced, refuse
from theorycalc.pools.leverages import PoolSample
from theorycalc.pools.pool_equations import PoolMoments
from theorycalc.pools.sources import FeaturesLike, LabelsLike, blocks
from theorycalc.pools.splits import CrossValidation, FeatureComparison, compared, gcv
from theorycalc.results.base import Result
from theorycalc.results.table import Row, Table, lines_table
from theorycalc.running.terminal import waiting


@dataclass(frozen=True, repr=False, eq=False)
class FeaturePool(Result):
    """A pool of M points with N features, reduced to the numbers that determine ridge fits to n such points.

    The features' covariance has the eigenvalues ω_j and eigenvectors u_j; ``signal`` is the variance of the labels
    along each u_jᵀx, and ``noise`` that of what no linear function of the features explains.
    """

    kind: ClassVar[str] = "feature_pool"
    dimension: ClassVar[str | None] = "direction"

    M: int  # points
    N: int  # features
    outputs: int  # columns of the labels; losses are sums over them
    intercept: bool  # whether fits have a constant without a penalty
    eigenvalues: Floats  # ω_j of the covariance of the features, in decreasing order
    signal: Floats  # variance of the labels along each, as the pool shows it
    noise: float  # variance of the labels that is not linear in the features, without bias
    label_variance: float  # of the labels, about their mean if there is an intercept
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]
    sample: PoolSample  # of points, by which the leverages of all are known

    @property
    def rank(self) -> int:
        """The number of directions in which the features vary."""
        return int(np.count_nonzero(self.eigenvalues))

    @property
    def rows(self) -> tuple[Row, ...]:
        """One dictionary for each eigenvector: its eigenvalue, and the variance of labels along it."""
        pairs = zip(self.eigenvalues.tolist(), self.signal.tolist(), strict=True)
        return tuple({"eigenvalue": value, "signal": signal} for value, signal in pairs)

    @property
    def moments(self) -> PoolMoments:
        """The numbers that enter the equations."""
        free, rank = self.M - int(self.intercept), self.rank
        return PoolMoments(
            self.M * self.eigenvalues[:rank],
            self.M * self.signal[:rank],
            self.noise * (free - rank),
            self.M,
            self.intercept,
        )

    @checked_call
    def losses(self, n: NumbersLike, ridge: NumbersLike) -> FeatureLosses:
        """Predict losses of ridge fits on n random points from the pool's distribution.

        Parameters
        ----------
        n : int or sequence of int
            Points of the fit; they may be more than the pool has.
        ridge : number or sequence of numbers, λ ≥ 0
            Ridge of (1/n)‖y − Fa‖² + λ‖a‖²; 0 is least squares, or the interpolation of least norm.

        Returns
        -------
        FeatureLosses
            Numbers for numbers, and for lists a row for each n and a column for each λ.

        Raises
        ------
        TheoryError
            An n is not a whole number from 2, or a λ is negative.

        >>> rng = np.random.default_rng(0)
        >>> F = rng.standard_normal((2000, 20))
        >>> pool = features(F, F[:, 0] + rng.standard_normal(2000))
        >>> pool.losses([30, 100, 1000], [0.01, 0.1]).test_loss.shape
        (3, 2)
        """
        sizes, ridges = read_sizes(n), read_ridges(ridge)
        shape = sizes.shape + ridges.shape
        n_grid = np.broadcast_to(sizes.reshape(sizes.shape + (1,) * ridges.ndim), shape)
        found = computed(self.moments, self.sample, np.array(n_grid), np.array(np.broadcast_to(ridges, shape)))
        return self._losses(sizes, ridges, found)

    @checked_call
    def best_ridge(self, n: NumbersLike) -> FeatureLosses:
        """Return the ridge with the smallest test loss for each n, with the losses there.

        Parameters
        ----------
        n : int or sequence of int
            Points of the fit.

        Returns
        -------
        FeatureLosses
            ``ridge`` has the best λ of each n; it is 0 where any penalty makes the test loss worse, and a note says so
            where the best λ is beyond all that were tried.

        Raises
        ------
        TheoryError
            An n is not a whole number from 2.

        >>> rng = np.random.default_rng(0)
        >>> F = rng.standard_normal((2000, 20))
        >>> pool = features(F, F[:, 0] + rng.standard_normal(2000))
        >>> best = pool.best_ridge([30, 1000])
        >>> bool(best.ridge[0] > best.ridge[1])  # more points need less penalty
        True
        """
        sizes = read_sizes(n)
        tried = np.concatenate([[0.0], np.mean(self.eigenvalues) * RIDGES_SEARCHED])
        with waiting("finding the best ridges"):
            ridges = least_ridge(self.moments, self.sample, sizes.ravel(), tried).reshape(sizes.shape)
            found = computed(self.moments, self.sample, sizes, ridges)
        edge = np.any(ridges >= tried[-1])
        notes = ("the labels depend so little on the features that the largest λ tried is the best",) if edge else ()
        return self._losses(sizes, ridges, found, notes)

    @checked_call
    def learning_curve(self, n: NumbersLike | None = None, ridge: NumbersLike | None = None) -> FeatureLosses:
        """Predict losses against n, at given ridges or at the best ridge for each n.

        Parameters
        ----------
        n : int or sequence of int, optional
            Points of the fit.  Default: from 10 to ten times N, 24 values.
        ridge : number or sequence of numbers, λ ≥ 0, optional
            Ridges.  Default: the best one for each n.

        Returns
        -------
        FeatureLosses
            The curve, or for a list of ridges a column for each.

        Raises
        ------
        TheoryError
            An n is not a whole number from 2, or a λ is negative.

        >>> rng = np.random.default_rng(0)
        >>> F = rng.standard_normal((2000, 20))
        >>> pool = features(F, F[:, 0] + rng.standard_normal(2000))
        >>> curve = pool.learning_curve()
        >>> bool(np.all(np.diff(curve.test_loss) < 0))
        True
        """
        usual = np.unique(np.geomspace(10, 10 * max(self.N, 10), 24).astype(int)).tolist()
        sizes: NumbersLike = usual if n is None else n
        return self.best_ridge(sizes) if ridge is None else self.losses(sizes, ridge)

    @checked_call
    def gcv(self, F: FeaturesLike, y: LabelsLike | None = None, ridge: NumbersLike = ()) -> CrossValidation:
        """Estimate the test loss from one training set, as :func:`theorycalc.gcv` does.

        Parameters
        ----------
        F, y : array, path or iterable of batches
            The training points, with the features of the pool.
        ridge : number or sequence of numbers, λ ≥ 0
            Ridges.

        Returns
        -------
        CrossValidation
            The estimate at each λ with its spread; the pool's own prediction for this n is a mean over training sets.

        Raises
        ------
        TheoryError
            The features differ from the pool's, or there are too few points.

        >>> rng = np.random.default_rng(0)
        >>> F = rng.standard_normal((2000, 20))
        >>> y = F[:, 0] + rng.standard_normal(2000)
        >>> pool = features(F, y)
        >>> found = pool.gcv(F[:100], y[:100], 0.1)
        >>> bool(abs(found.gcv - pool.losses(100, 0.1).test_loss) < 3 * found.spread)
        True
        """
        found = gcv(F, y, ridge, intercept=self.intercept)
        if found.N != self.N:
            raise DomainError(f"{spelled('F')} has {found.N} features, and the pool {self.N}", argument="F")
        return found

    @checked_call
    def compare(
        self, F: FeaturesLike, y: LabelsLike, n: NumbersLike, ridge: NumbersLike, draws: int = 20, seed: int = 0
    ) -> FeatureComparison:
        """Compare the predictions with fits on random splits of data: n points to fit, the rest to test.

        Parameters
        ----------
        F, y : array or path of a .npy file
            The data, which may be those of the pool.
        n : int or sequence of int
            Points of the fit.
        ridge : number or sequence of numbers, λ ≥ 0
            Ridges.
        draws : int, default 20
            Random splits for each n; all λ share them.
        seed : int, default 0
            Seed of the splits.

        Returns
        -------
        FeatureComparison
            Predictions and means over splits with their standard errors, z, and the deviation in per cent.

        Raises
        ------
        TheoryError
            No points are left to test on, or an argument is out of its range.

        >>> rng = np.random.default_rng(0)
        >>> F = rng.standard_normal((2000, 20))
        >>> y = F[:, 0] + rng.standard_normal(2000)
        >>> bool(np.max(features(F, y).compare(F, y, [30, 100], 0.1).deviations) < 0.1)
        True
        """
        return compared(self.losses(n, ridge), F, y, draws, seed)

    def _losses(self, n: Floats, ridge: Floats, found: dict[str, Floats], notes: tuple[str, ...] = ()) -> FeatureLosses:
        whole_n = n.astype(np.int64)
        return FeatureLosses(
            n=int(whole_n) if n.ndim == 0 else whole_n,
            ridge=ridge[()],
            **{name: value[()] for name, value in found.items()},
            M=self.M,
            N=self.N,
            outputs=self.outputs,
            intercept=self.intercept,
            conditions=(*self.conditions, carried(self.sample.coordinates**2, n, ridge)),
            notes=(*self.notes, *notes),
        )

    def _table(self, full: bool) -> Table:
        effective = float(np.sum(self.eigenvalues)) ** 2 / float(np.sum(self.eigenvalues**2))
        largest = float(self.eigenvalues[0] / np.sum(self.eigenvalues))
        lines: list[tuple[str, object, str]] = [
            ("M", self.M, "points"),
            ("N", self.N, "features"),
            ("rank", self.rank, "directions in which they vary"),
            ("effective rank", effective, "(Σ ω)²/Σ ω²"),
            ("largest share", largest, "of the largest eigenvalue in the trace"),
            ("label variance", self.label_variance, "of all outputs together"),
            ("noise", self.noise, "variance of the labels that is not linear in the features"),
        ]
        title = f"A pool of features, for ridge fits {'with an' if self.intercept else 'without'} intercept"
        unmet = tuple(str(one) for one in self.conditions if one.holds is not True)
        return lines_table(title, lines, full, conditions=unmet, notes=self.notes)

    def _inputs(self) -> Row:
        return {"M": self.M, "N": self.N, "outputs": self.outputs, "intercept": self.intercept}


@checked_call
def features(F: FeaturesLike, y: LabelsLike | None = None, *, intercept: bool = True, seed: int = 0) -> FeaturePool:
    """Return a pool of your own features and labels, from which losses of ridge fits follow for every n and λ.

    Features of any kind will do: of a network, random, after a step or trained, or measured.  The pool should be a
    random part of all data, and must not be the data on which the features were trained.

    Parameters
    ----------
    F : array, path or iterable of batches
        M × N features, also a mapped file or the path of a .npy file; or, without ``y``, the path of a .npz file with
        arrays "features" and "labels", or batches (F, y).  Blocks of rows are read one after the other, once.
    y : array or path, optional
        M labels, or M × C of them for C outputs, whose losses are added.
    intercept : bool, default True
        Whether the fit has a constant that costs no penalty.
    seed : int, default 0
        Seed of the random directions along which the order of the points is tested.

    Returns
    -------
    FeaturePool
        The eigenvalues of the features and the labels along each; ``losses``, ``best_ridge`` and ``learning_curve``
        predict.

    Raises
    ------
    TheoryError
        There are not more points than features, labels do not vary, or entries are not real numbers.

    >>> rng = np.random.default_rng(0)
    >>> F = rng.standard_normal((5000, 50))
    >>> pool = features(F, F @ rng.standard_normal(50) / 7 + rng.standard_normal(5000))
    >>> losses = pool.losses(n=100, ridge=0.1)
    >>> round(float(losses.train_error), 2), round(float(losses.test_loss), 2)
    (0.52, 1.62)
    """
    with_intercept = true_or_false(intercept, "intercept")
    start = whole(seed, "seed", "a whole number from 0", low=0)
    with waiting("reading features"):
        found = gather(blocks(F, y), with_intercept, start)
    refuse(found, with_intercept)
    with waiting("finding eigenvalues"):
        return FeaturePool(**reduced(found, with_intercept))
