"""One pass over a pool: means and centred sums of squares without cancellation, and the points for the checks.

See docs/theory/own_features.md#one-pass.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from scipy.linalg import blas

from theorycalc.errors import DomainError, spelled
from theorycalc.numbers.exact import Floats
from theorycalc.pools.sources import LabelledRows

MOST_FEATURES = 20_000
SAMPLED_NUMBERS, FEWEST_SAMPLED, MOST_SAMPLED = 1 << 21, 500, 16_000  # of the points that are kept whole
DIRECTIONS = 3  # random ones, along which the order of the features is tested
_ROUNDING = 1e-12  # of a mean of millions of numbers


class PoolRecord(NamedTuple):
    """All that is kept of a pool."""

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
        """True for each column that varies by more than the rounding of its mean."""
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
            mean, outputs = _empty(features, labels), labels.shape[1]
            size = len(mean)
            sums: Floats = np.zeros((size, size), order="F")
            directions = rng.standard_normal((size, DIRECTIONS + 1))
            directions[size - outputs :, :DIRECTIONS], directions[: size - outputs, DIRECTIONS] = 0.0, 0.0
            sample = _Sample(rng, size)
        _check_columns(features, labels, len(mean), outputs)
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


def _empty(features: Floats, labels: Floats) -> Floats:
    N = features.shape[1]
    if not 1 <= N <= MOST_FEATURES:
        raise DomainError(f"{spelled('F')} has {N} columns; give 1 to {MOST_FEATURES} features", argument="F")
    if not labels.shape[1]:
        raise DomainError(f"{spelled('y')} has no column; give at least one output", argument="y")
    return np.zeros(N + labels.shape[1])


def _check_columns(features: Floats, labels: Floats, columns: int, outputs: int) -> None:
    if (features.shape[1], labels.shape[1]) != (columns - outputs, outputs):
        raise DomainError(
            f"a batch has {features.shape[1]} features and {labels.shape[1]} outputs, and the first "
            f"{columns - outputs} and {outputs}",
            argument="F",
        )
