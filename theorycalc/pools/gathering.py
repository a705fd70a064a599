"""One pass over a pool: means and centred sums of squares without cancellation, checks, and the numbers to keep.

See docs/theory/own_features.md#one-pass and docs/own_features.md#what-is-checked.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from scipy import linalg
from scipy.linalg import blas
from scipy.special import chdtrc, ndtr

from theorycalc.errors import DomainError, spelled
from theorycalc.model.requirements import Condition
from theorycalc.numbers.exact import Floats
from theorycalc.pools.leverages import PoolSample
from theorycalc.pools.sources import LabelledRows

MOST_FEATURES = 20_000
SAMPLED_NUMBERS, FEWEST_SAMPLED, MOST_SAMPLED = 1 << 21, 500, 16_000  # of the points that are kept whole
DIRECTIONS = 3  # random ones, along which the order of the features is tested
_ROUNDING = 1e-12  # of a mean of millions of numbers
SEGMENTS = 20  # of the pool, whose means are compared
_ENOUGH = 5  # points for each feature: with fewer, losses of one pool scatter by 10 % and more
_CARRYING = 3  # points of a fit
_RARE = 0.1  # share of the directions
_LEVEL = 1e-3  # the probability that a pool in random order is called ordered
_ALIKE = 0.1  # share of the points that have the variance of all, if it were even among them
_FEWEST = 5 * SEGMENTS  # points of a test for order


class PoolRecord(NamedTuple):
    """All numbers that are kept from a pool."""

    mean: Floats  # of features and labels, side by side
    sums: Floats  # their sums of squares and products, centred with an intercept; the lower triangle
    points: int
    outputs: int
    traits: Floats  # of every point: projections of its features on random directions, then of its labels
    prints: np.ndarray[tuple[int, ...], np.dtype[np.int64]]  # a hash of its features
    sample: Floats  # features and labels of some points, drawn at random

    @property
    def features(self) -> int:
        """The number N of features."""
        return len(self.mean) - self.outputs

    @property
    def varying(self) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """True for each column that varies by more than the rounding error of its mean."""
        rounding = self.points * (_ROUNDING * self.mean) ** 2
        return np.asarray(np.diagonal(self.sums) > rounding)


class _Sample:
    """Rows drawn uniformly from a stream of unknown length: those with the smallest random keys."""

    def __init__(self, rng: np.random.Generator, columns: int) -> None:
        self.rng = rng
        self.most = min(MOST_SAMPLED, max(FEWEST_SAMPLED, SAMPLED_NUMBERS // columns))
        self.keys: Floats = np.empty(0)
        self.rows: Floats = np.empty((0, columns))

    def add(self, rows: Floats) -> None:
        keys = self.rng.random(len(rows))
        if len(self.keys) == self.most:
            chosen = keys < np.max(self.keys)
            keys, rows = keys[chosen], rows[chosen]
        self.keys, self.rows = np.concatenate([self.keys, keys]), np.concatenate([self.rows, rows])
        if len(self.keys) > self.most:
            kept = np.argpartition(self.keys, self.most)[: self.most]
            self.keys, self.rows = self.keys[kept], self.rows[kept]


def gather(blocks: Iterable[LabelledRows], intercept: bool, seed: int) -> PoolRecord:
    """Return the sums, traits and sampled points of a pool, from one pass over its blocks.

    Each block is centred by its own mean; the distance of this mean from that of all rows before is one more row in the
    sums (Chan, Golub and LeVeque), so that sums of squares are never differences of large numbers.

    >>> found = gather([LabelledRows(np.array([[1e9], [1e9 + 1]]), np.array([[1.0], [2.0]]))], intercept=True, seed=0)
    >>> found.sums.tolist()
    [[0.5, 0.0], [0.5, 0.5]]
    """
    rng = np.random.default_rng(seed)
    mean: Floats | None = None
    points, traits, prints = 0, [], []
    for features, labels in blocks:
        if mean is None:
            N, outputs = features.shape[1], labels.shape[1]
            if not 1 <= N <= MOST_FEATURES:
                raise DomainError(f"{spelled('F')} has {N} columns; give 1 to {MOST_FEATURES} features", argument="F")
            if not outputs:
                raise DomainError(f"{spelled('y')} has no column; give at least one output", argument="y")
            size, mean = N + outputs, np.zeros(N + outputs)
            sums: Floats = np.zeros((size, size), order="F")
            directions = rng.standard_normal((size, DIRECTIONS + 1))
            directions[N:, :DIRECTIONS], directions[:N, DIRECTIONS] = 0.0, 0.0
            sample = _Sample(rng, size)
        if (features.shape[1], labels.shape[1]) != (N, outputs):
            here = f"{features.shape[1]} features and {labels.shape[1]} outputs"
            raise DomainError(f"a batch has {here}, and the first {N} and {outputs}", argument="F")
        rows = np.concatenate([features, labels], axis=1)
        prints.append(np.array([hash(row.tobytes()) for row in features], dtype=np.int64))
        traits.append(rows @ directions)
        sample.add(rows)
        if intercept:
            here = np.mean(rows, axis=0)
            rows -= here
            apart = here - mean
            share = len(rows) / (points + len(rows))
            rows = np.vstack([rows, np.sqrt(points * share) * apart])
            mean = mean + share * apart
        points += len(features)
        with np.errstate(over="ignore", invalid="ignore"):
            sums = blas.dsyrk(1.0, rows.T, beta=1.0, c=sums, lower=1, overwrite_c=1)
    if mean is None:
        raise DomainError(f"{spelled('F')} has no points", argument="F")
    if not np.isfinite(sums).all():
        raise DomainError(
            f"the squares of {spelled('F')} or {spelled('y')} overflow: divide them by their size", argument="F"
        )
    return PoolRecord(mean, sums, points, outputs, np.concatenate(traits), np.concatenate(prints), sample.rows)


def refuse(found: PoolRecord, intercept: bool) -> None:
    """Refuse pools with too few points, and labels that do not vary."""
    N, M = found.features, found.points
    if N + int(intercept) >= M:
        free = f"{M} points{' less one for the intercept' if intercept else ''}"
        raise DomainError(
            f"the pool has {free} and {N} features: their covariance cannot be estimated from fewer points than "
            "features. Give more points (several times N is good), or fewer features",
            argument="F",
        )
    varying = found.varying
    if not np.all(varying[N:]):
        raise DomainError(
            f"{spelled('y')} is {'constant' if intercept else 'zero'}{'' if found.outputs == 1 else ' in a column'}: "
            "there is nothing to learn",
            argument="y",
        )
    if not np.any(varying[:N]):
        raise DomainError(f"{spelled('F')} is {'constant' if intercept else 'zero'}: there is no feature", argument="F")


def _condition(words: str, holds: bool | None, detail: str) -> Condition:
    """Return a condition; if it fails, its words end with the detail."""
    return Condition(f"{words} ({detail})" if holds is False else words, holds)


def conditions_of(found: PoolRecord) -> tuple[Condition, ...]:
    """Return the conditions on a pool, each with its state."""
    p, twice = order_probability(found.traits), found.points - len(np.unique(found.prints))
    random = "the points are in random order, so that others may follow the same law"
    enough = f"the pool has {_ENOUGH} points for each feature, so that it scatters little"
    ratio = f"{found.points / found.features:.1f}"
    return (
        _condition(random, None if np.isnan(p) else bool(p >= _LEVEL), f"p = {p:.2g}"),
        _condition("no point occurs twice", twice == 0, f"{twice} of {found.points} are"),
        _condition(enough, found.points >= _ENOUGH * found.features, ratio),
    )


def even_sizes(squares: Floats) -> Condition:
    """Return the condition that tails are not heavy, from squared coordinates of points.

    >>> print(even_sizes(np.ones((50, 3))))
    holds: the features are not dominated by a few points
    """
    sizes = np.sum(squares, axis=1)
    alike = float(np.mean(sizes) ** 2 / np.mean(sizes**2))
    detail = f"it is as if {100 * alike:.2g} % of them had all the variance: clip or rescale them"
    return _condition("the features are not dominated by a few points", alike >= _ALIKE, detail)


def carried(squares: Floats, n: Floats, ridge: Floats) -> Condition:
    """Return the condition that no direction is carried by rare points, for the smallest n and λ requested.

    A direction z counts as many points of a fit as n(E z²)²/E z⁴; features that hardly ever vary have almost none.

    >>> print(carried(np.ones((50, 3)), np.array(30.0), np.array(0.1)))
    holds: several points of each fit carry every direction of the features
    """
    means = np.mean(squares, axis=0)
    counted = means > float(np.min(ridge))
    points = float(np.min(n)) * means[counted] ** 2 / np.mean(squares[:, counted] ** 2, axis=0)
    rare = float(np.mean(points < _CARRYING)) if len(points) else 0.0
    detail = f"{100 * rare:.0f} % of them have fewer than {_CARRYING}, and losses may be far off"
    return _condition("several points of each fit carry every direction of the features", rare <= _RARE, detail)


def order_probability(traits: Floats) -> float:
    """Return the probability of so large a drift along the index in a pool of random order; NaN for too small a pool.

    Two tests of each trait: the means of twenty segments (χ²), and the correlation of neighbours (normal).  Traits that
    do not vary count for nothing.  The smallest probability is multiplied by the number of tests (Bonferroni).

    >>> rng = np.random.default_rng(0)
    >>> ordered = np.sort(rng.standard_normal((1000, 1)), axis=0)
    >>> order_probability(ordered) < 1e-10, order_probability(rng.permutation(ordered)) > 0.01
    (True, True)
    """
    M = len(traits)
    if M < _FEWEST:
        return float("nan")
    centred = traits - np.mean(traits, axis=0)
    variance = np.mean(centred**2, axis=0)
    size = np.max(abs(traits), axis=0)
    centred, variance = (part[..., variance > (1e-12 * size) ** 2] for part in (centred, variance))
    if not len(variance):
        return 1.0
    length = M // SEGMENTS
    means = np.mean(centred[: length * SEGMENTS].reshape(SEGMENTS, length, -1), axis=1)
    drift = chdtrc(SEGMENTS - 1, length * np.sum((means - np.mean(means, axis=0)) ** 2, axis=0) / variance)
    lag = np.sum(centred[1:] * centred[:-1], axis=0) / (variance * np.sqrt(M))
    found = np.concatenate([drift, 2 * ndtr(-abs(lag))])
    return float(min(1.0, len(found) * np.min(found)))


def reduced(found: PoolRecord, intercept: bool) -> dict[str, Any]:
    """Return the fields of a FeaturePool, from one eigendecomposition."""
    N, M = found.features, found.points
    varying = found.varying
    products: Floats = found.sums[N:, :N].copy()
    total = float(np.sum(np.diagonal(found.sums)[N:]))
    values, vectors = linalg.eigh(found.sums[:N, :N], lower=True, check_finite=False)
    sigma, along = values[::-1], (products @ vectors)[:, ::-1]
    present = sigma > N * np.finfo(float).eps * sigma[0]
    sigma = np.where(present, sigma, 0.0)
    explained = np.where(present, np.sum(along**2, axis=0) / np.where(present, sigma, 1.0), 0.0)
    free = M - int(intercept) - int(np.count_nonzero(present))
    rest = max(total - float(np.sum(explained)), 0.0)
    constant = N - int(np.count_nonzero(varying[:N]))
    dead = f"{constant} of {N} features {'are constant' if intercept else 'are zero'}, and add nothing"
    coordinates = (found.sample[:, :N] - found.mean[:N]) @ vectors[:, ::-1][:, present]
    return {
        "M": M,
        "N": N,
        "outputs": found.outputs,
        "intercept": intercept,
        "eigenvalues": sigma / M,
        "signal": explained / M,
        "noise": rest / free,
        "label_variance": total / M,
        "conditions": (*conditions_of(found), even_sizes(coordinates**2)),
        "notes": (dead,) if constant else (),
        "sample": PoolSample(
            coordinates,
            found.sample[:, N:] - found.mean[N:],
            along[:, present].T / sigma[present][:, None],
        ),
    }
