"""Points of unequal leverage: losses when some points pull on the fit more than others.

See docs/theory/own_features.md#points-of-unequal-leverage.

The equations of :mod:`~theorycalc.pools.pool_equations` let every point pull alike.  Here the pool's fit that stands
for a fit on n points gives each point x a weight v_x, by its own leverage.  The weights are computed for some points of
the pool, drawn at random, in the eigenvectors of the features' covariance.  Where there are few enough features, points
of like leverage have one weight (docs/theory/own_features.md#classes-of-points), and each such class its own matrix of
second moments, so that no matrix need be diagonal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy import linalg

from theorycalc.errors import DomainError
from theorycalc.numbers.exact import Floats
from theorycalc.pools.pool_equations import PoolMoments, penalties

_MOST_CYCLES = 1000
_TOLERANCE = 1e-7  # of the weights
_SHORTEST, _LONGEST = 0.3, 16.0  # of an extrapolation, in steps
_AT_ONCE = 32  # points (n, λ) of one computation
VANISHING = 1e-12  # of the pool's penalty, in place of λ = 0 where the fit interpolates
_LARGEST = 0.95  # leverage of a point: its sum over directions may exceed the true one, which is below 1
MOST_DIRECTIONS = 512  # up to here a step costs less than a second
_CLASSES = 12  # of as many points each; the last is divided further
_TAIL = (0.97, 0.99)
_FEWEST = 25  # points of a class
_NO_MEAN = (
    "so few points carry some directions of the features that fits depend on which of them are there, and no mean "
    "describes them; take more points or a larger ridge, or leave out features that hardly ever vary"
)


class PoolSample(NamedTuple):
    """Some points of a pool in the eigenbasis of its covariance, and the labels' components in that basis."""

    coordinates: Floats  # a row for each point, a column for each direction that varies
    labels: Floats  # centred as the fit centres them, a column for each output
    slopes: Floats  # of least squares on the whole pool: a row for each direction, a column for each output


class _Fit(NamedTuple):
    """The weighted fit to the pool; columns are pairs (n, λ)."""

    weights: Floats  # v_x
    filters: Floats  # 1/(λ + a_j), a_j the weighted eigenvalues
    kept: Floats  # a_j/(λ + a_j)
    pull: Floats  # ĝ_x = Σ_j z_j²/(λ + a_j)
    share: Floats  # v_x ĝ_x/M, the leverage of a point in the pool


def point_losses(pool: PoolMoments, sample: PoolSample, n: Floats, ridge: Floats) -> dict[str, Floats]:
    """Return every quantity at n ≤ M and λ, flat arrays of equal length; n − 1 = N (n = N) with λ = 0 is excluded."""
    parts = [_losses(pool, sample, n[i : i + _AT_ONCE], ridge[i : i + _AT_ONCE]) for i in range(0, len(n), _AT_ONCE)]
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


def _losses(pool: PoolMoments, sample: PoolSample, n: Floats, ridge: Floats) -> dict[str, Floats]:
    M, omega = pool.points, pool.sigma[:, None] / pool.points
    squares = sample.coordinates**2
    scale = omega / np.mean(squares, axis=0)[:, None]
    nu = penalties(pool, n - int(pool.intercept), n * ridge)
    interpolates = (ridge == 0) & (nu > 0)
    lam = np.where(interpolates, VANISHING * nu / M, ridge)
    apart = 1 / n - 1 / M

    def fit(weights: Floats) -> _Fit:
        a = scale * (squares.T @ weights) / len(squares)
        filters = 1 / (lam + a)
        pull = squares @ filters + (1 / np.mean(weights, axis=0) if pool.intercept else 0.0)
        return _Fit(weights, filters, a * filters, pull, np.minimum(weights * pull / M, _LARGEST))

    def weighted(log_weights: Floats) -> Floats:
        now = fit(np.exp(log_weights))
        return np.asarray(-np.log1p(apart * now.pull / (1 - now.share)))

    equal = equal_weights(pool, n, lam, nu)
    fitted = fit(np.exp(settled(weighted, np.log(np.broadcast_to(equal, (len(squares), len(n)))))))
    residuals = _squared_residuals(sample, fitted.kept)
    left = 1 - fitted.kept
    misfit = (pool.rest + np.sum(pool.explained[:, None] * left**2, axis=0)) / M
    objective = _mean(fitted.weights, residuals, misfit) + lam * np.sum(
        (pool.explained[:, None] / pool.sigma[:, None]) * fitted.kept**2, axis=0
    )
    factor = apart * fitted.weights**2 / (1 - fitted.share) ** 2
    own, mean = 1 + factor * fitted.pull**2 / M, np.mean(fitted.weights, axis=0)

    def answer(source: Floats) -> Floats:
        """Return φ = source + (1/n − 1/M) v² (−g'), g' the change of LOO leverage by the change φ of the weights."""

        def answered(log_change: Floats) -> Floats:
            change = np.exp(log_change)
            turned = scale * (squares.T @ change) / len(change)
            pulled = squares @ (fitted.filters**2 * turned)
            if pool.intercept:
                pulled += np.mean(change, axis=0) / mean**2
            return np.asarray(np.log((source + factor * pulled) / own))

        return np.exp(settled(answered, np.log(source)))

    fresh, trained = answer((1 - fitted.share) ** -2), answer(fitted.weights**2)
    none = np.zeros(len(n))
    return {
        "test_loss": _mean(fresh, residuals, misfit),
        "train_loss": np.where(interpolates, none, objective),
        "train_error": np.where(interpolates, none, _mean(trained, residuals, misfit)),
        "degrees_of_freedom": np.sum(fitted.kept, axis=0) + int(pool.intercept),
    }


def equal_weights(pool: PoolMoments, n: Floats, lam: Floats, nu: Floats) -> Floats:
    """Return the common weight of all points if they had equal leverage, Mλ/ν."""
    free = pool.spare + len(pool.sigma)
    least_squares = (n - int(pool.intercept) - len(pool.sigma)) / (free - len(pool.sigma)) * pool.points / n
    return np.where(nu > 0, pool.points * lam / np.where(nu > 0, nu, 1.0), least_squares)


def _squared_residuals(sample: PoolSample, kept: Floats) -> Floats:
    """Return the squared residual of each point in the weighted fit, summed over outputs."""
    found = np.zeros((len(sample.labels), kept.shape[1]))
    for labels, slopes in zip(sample.labels.T, sample.slopes.T, strict=True):
        found += (labels[:, None] - sample.coordinates @ (slopes[:, None] * kept)) ** 2
    return found


def _mean(weights: Floats, residuals: Floats, misfit: Floats) -> Floats:
    """Return the pool's mean weighted squared residual, from the whole pool's misfit and the sample's covariance."""
    usual = np.mean(weights, axis=0)
    return np.asarray(usual * misfit + np.mean((weights - usual) * residuals, axis=0))


def settled(step: Callable[[Floats], Floats], start: Floats) -> Floats:
    """Return the fixed point of a contraction on columns, each extrapolated from its last two steps (SQUAREM).

    >>> settled(lambda x: 0.9 * x + 0.1, np.zeros((2, 1)))[:, 0].round(7).tolist()
    [1.0, 1.0]
    """
    here, before = start, np.full(start.shape[1], np.inf)
    for _ in range(_MOST_CYCLES):
        with np.errstate(all="ignore"):
            first = step(here)
            second = step(first)
        move = first - here
        if float(np.max(abs(move))) < _TOLERANCE:
            return second
        if not np.isfinite(second).all():
            break
        bend = second - first - move
        size = np.linalg.norm(move, axis=0)
        length = size / np.maximum(np.linalg.norm(bend, axis=0), 1e-300)
        length = np.where(size < before, np.clip(length, _SHORTEST, _LONGEST), _SHORTEST)
        here, before = here + 2 * length * move + length**2 * bend, size
    raise DomainError(
        "weights of points do not converge: so few points carry some directions of the features that fits depend on "
        "which are drawn. Take more points or a larger ridge, clip the features, or leave out those that hardly vary",
        argument="F",
    )


class _Classes(NamedTuple):
    """The points of a sample by class: each class's share, its second moments of features, and those with labels."""

    place: np.ndarray[tuple[int, ...], np.dtype[np.intp]]  # the class of every point
    share: Floats
    squares: Floats  # a matrix for each class
    products: Floats  # likewise, a column for each output


def sample_moments(sample: PoolSample, intercept: bool) -> PoolMoments:
    """Return the moments of a sample treated as a pool."""
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
    """Return every quantity at one n and λ for a sample that is the whole pool, where n is at most its size."""
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
    """Return classes by leverage at equal weights, with the second moments of each."""
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


def _answer(pull: Floats, weights: Floats, apart: float, M: int) -> tuple[Floats, Floats, Floats]:
    """Return 1 − h, factor and own in φ = (φ⁰ + factor·(pull of the change))/own, by which weights follow a change.

    It is of classes or of points, in a pool of M points.
    """
    left = 1 - weights * pull / M
    factor = apart * weights**2 / left**2
    return left, factor, 1 + factor * pull**2 / M


def _at_points(
    classes: _Classes, points: Floats, G: Floats, weights: Floats, apart: float
) -> tuple[Floats, Floats, Floats]:
    """Return v for every point, and its φ for the test loss and for the training error.

    Classes answer to one another by a linear equation.  Each point then answers to them with its own leverage, so that
    at n = M the test loss is leave-one-out cross-validation, exactly.
    """
    M = len(points)
    turned = classes.squares @ G
    flat, across = (one.reshape(len(one), -1) for one in (turned, turned.transpose(0, 2, 1)))
    left, factor, own = _answer(np.tensordot(classes.squares, G, 2), weights, apart, M)
    answers = factor[:, None] * (flat @ across.T) * classes.share  # of a class to the weight of another
    sources = np.stack([left**-2, weights**2], axis=1)
    if np.max(abs(np.linalg.eigvals(answers / own[:, None]))) >= 1:
        raise DomainError(_NO_MEAN, argument="F")
    changes = np.linalg.solve(np.diag(own) - answers, sources).T
    seen = points @ G
    pull = np.sum(seen * points, axis=1)
    own_weights = 1 / (1 + apart * pull / (1 - weights[classes.place] * pull / M))
    left, factor, own = _answer(pull, own_weights, apart, M)
    moved = (np.tensordot(classes.share * change, classes.squares, 1) for change in changes)
    fresh, trained = (
        (source + factor * np.sum((seen @ matrix) * seen, axis=1)) / own
        for source, matrix in zip((left**-2, own_weights**2), moved, strict=True)
    )
    return own_weights, fresh, trained
