"""Points of like leverage in one class: the losses by whole matrices, where there are few enough features.

See docs/theory/own_features.md#classes-of-points.

The weights v_x of :mod:`~theorycalc.pools.leverages` depend on a point through its leverage.  Points of like leverage
have one weight here, and each class its own matrix of second moments, so that no matrix need be diagonal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError
from theorycalc.numbers.exact import Floats
from theorycalc.pools.leverages import (
    VANISHING,
    PoolSample,
    equal_weights,
    settled,
)
from theorycalc.pools.penalties import PoolMoments, penalties

MOST_DIRECTIONS = 512  # up to here a step costs less than a second
_CLASSES = 12  # of as many points each; the last is divided further
_TAIL = (0.97, 0.99)
_FEWEST = 25  # points of a class
_NO_MEAN = (
    "so few points carry some directions of the features that fits depend on which of them are there, and no mean "
    "describes them; take more points or a larger ridge, or leave out features that hardly ever vary"
)


class _Classes(NamedTuple):
    """The points of a sample by classes: their share, and second moments of features and of features with labels."""

    place: np.ndarray[tuple[int, ...], np.dtype[np.intp]]  # the class of every point
    share: Floats
    squares: Floats  # a matrix for each class
    products: Floats  # likewise, a column for each output


def sample_moments(sample: PoolSample, intercept: bool) -> PoolMoments:
    """Return the moments of a sample as a pool of its own."""
    Z, y = sample.coordinates, sample.labels
    if intercept:
        Z, y = Z - np.mean(Z, axis=0), y - np.mean(y, axis=0)
    sigma, vectors = linalg.eigh(Z.T @ Z)
    along = vectors.T @ (Z.T @ y)
    present = sigma > len(sigma) * np.finfo(float).eps * sigma[-1]
    explained = np.sum(along[present] ** 2, axis=1) / sigma[present]
    rest = max(float(np.sum(y**2) - np.sum(explained)), 0.0)
    return PoolMoments(sigma[present][::-1], explained[::-1], rest, len(Z), intercept)


def class_losses(pool: PoolMoments, sample: PoolSample, n: float, ridge: float) -> dict[str, float]:
    """Return every quantity at one n and λ, for a sample that is the whole pool; n is not beyond its size."""
    M, extra = pool.points, int(pool.intercept)
    size, strength = np.array([n]), np.array([ridge])
    nu = penalties(pool, size - extra, size * strength)
    interpolates = ridge == 0 and nu[0] > 0
    lam = float(VANISHING * nu[0] / M) if interpolates else ridge
    points = np.hstack([sample.coordinates, np.ones((M, extra))])
    penalty = np.append(np.full(sample.coordinates.shape[1], lam), np.zeros(extra))
    equal = float(equal_weights(pool, size, np.array([lam]), nu)[0])
    classes = _classes(points, sample.labels, penalty, equal)
    apart = 1 / n - 1 / M

    def inverse(weights: Floats) -> Floats:
        matrix = np.tensordot(classes.share * weights, classes.squares, 1)
        matrix.flat[:: len(penalty) + 1] += penalty
        try:
            return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
        except np.linalg.LinAlgError:
            raise DomainError(_NO_MEAN, argument="F") from None

    def weighted(log_weights: Floats) -> Floats:
        weights = np.exp(log_weights)
        pull = np.tensordot(classes.squares, inverse(weights[:, 0]), 2)[:, None]
        return np.asarray(-np.log1p(apart * pull / (1 - weights * pull / M)))

    weights = np.exp(settled(weighted, np.full((len(classes.share), 1), np.log(equal)))[:, 0])
    G = inverse(weights)
    slopes = G @ np.tensordot(classes.share * weights, classes.products, 1)
    residuals = np.sum((sample.labels - points @ slopes) ** 2, axis=1)
    own_weights, fresh, trained = _at_points(classes, points, G, weights, apart)
    objective = np.mean(own_weights * residuals) + np.sum(penalty[:, None] * slopes**2)
    return {
        "test_loss": float(np.mean(fresh * residuals)),
        "train_loss": 0.0 if interpolates else float(objective),
        "train_error": 0.0 if interpolates else float(np.mean(trained * residuals)),
        "degrees_of_freedom": float((classes.share * weights) @ np.tensordot(classes.squares, G, 2)),
    }


def _classes(points: Floats, labels: Floats, penalty: Floats, equal: float) -> _Classes:
    """Return classes by the leverages that points have if all have one weight, with the second moments of each."""
    usual = np.mean(points**2, axis=0)  # the eigenvalues: the sample's directions are the pool's
    leverage = points**2 @ (1 / (penalty + equal * usual))
    parts = max(1, min(_CLASSES, len(points) // _FEWEST))
    inner = [*np.arange(1, parts) / parts, *(edge for edge in _TAIL if (1 - edge) * len(points) > _FEWEST)]
    place = np.searchsorted(np.unique(np.quantile(leverage, sorted(inner))), leverage)
    _, place, counts = np.unique(place, return_inverse=True, return_counts=True)
    chosen = [place == one for one in range(len(counts))]
    squares = np.stack([points[rows].T @ points[rows] / count for rows, count in zip(chosen, counts, strict=True)])
    products = np.stack([points[rows].T @ labels[rows] / count for rows, count in zip(chosen, counts, strict=True)])
    return _Classes(place, counts / len(points), squares, products)


class _Answer(NamedTuple):
    """How weights answer to a change: φ = (φ⁰ + factor·(pull of the change))/own, of classes or of points."""

    left: Floats  # 1 − h
    factor: Floats
    own: Floats

    @classmethod
    def of(cls, pull: Floats, weights: Floats, apart: float, M: int) -> _Answer:
        """Return it from pulls and weights in a pool of M points."""
        left = 1 - weights * pull / M
        factor = apart * weights**2 / left**2
        return cls(left, factor, 1 + factor * pull**2 / M)


def _at_points(
    classes: _Classes, points: Floats, G: Floats, weights: Floats, apart: float
) -> tuple[Floats, Floats, Floats]:
    """Return v of every point, and its φ for the test loss and for the training error.

    Classes answer to one another by a linear equation.  Each point then answers to them with its own leverage, so that
    at n = M the test loss is leave-one-out cross-validation, exactly.
    """
    M = len(points)
    turned = classes.squares @ G
    flat, across = (one.reshape(len(one), -1) for one in (turned, turned.transpose(0, 2, 1)))
    together = _Answer.of(np.tensordot(classes.squares, G, 2), weights, apart, M)
    answers = together.factor[:, None] * (flat @ across.T) * classes.share  # of a class to the weight of another
    sources = np.stack([together.left**-2, weights**2], axis=1)
    if np.max(abs(np.linalg.eigvals(answers / together.own[:, None]))) >= 1:
        raise DomainError(_NO_MEAN, argument="F")
    changes = np.linalg.solve(np.diag(together.own) - answers, sources).T
    seen = points @ G
    pull = np.sum(seen * points, axis=1)
    own_weights = 1 / (1 + apart * pull / (1 - weights[classes.place] * pull / M))
    alone = _Answer.of(pull, own_weights, apart, M)
    moved = (np.tensordot(classes.share * change, classes.squares, 1) for change in changes)
    fresh, trained = (
        (source + alone.factor * np.sum((seen @ matrix) * seen, axis=1)) / alone.own
        for source, matrix in zip((alone.left**-2, own_weights**2), moved, strict=True)
    )
    return own_weights, fresh, trained
