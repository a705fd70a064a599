"""Points of unequal leverage: the losses where some points pull at the fit more than others.

See docs/theory/own_features.md#points-of-unequal-leverage.

The equations of :mod:`~theorycalc.pools.pool_equations` let every point pull alike.  Here the pool's fit that stands
for a fit on n points gives each point x a weight v_x, by its own leverage.  The weights are computed for some points of
the pool, drawn at random, in the eigenvectors of the features' covariance.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.numbers.exact import Floats
from theorycalc.pools.penalties import PoolMoments, penalties

_MOST_CYCLES = 1000
_TOLERANCE = 1e-7  # of the weights
_SHORTEST, _LONGEST = 0.3, 16.0  # of an extrapolation, in steps
_AT_ONCE = 32  # points (n, λ) of one computation
VANISHING = 1e-12  # of the pool's penalty, in the place of λ = 0 where the fit interpolates
_LARGEST = 0.95  # leverage of a point: its sum over directions may exceed the true one, which is below 1


class PoolSample(NamedTuple):
    """Some points of a pool in the eigenvectors of its covariance, and how the labels lie along these."""

    coordinates: Floats  # a row for each point, a column for each direction that varies
    labels: Floats  # centred as the fit centres them, a column for each output
    slopes: Floats  # of least squares on the whole pool: a row for each direction, a column for each output


class _Fit(NamedTuple):
    """The weighted fit to the pool: columns are the points (n, λ)."""

    weights: Floats  # v_x
    filters: Floats  # 1/(λ + a_j), a_j the weighted eigenvalues
    kept: Floats  # a_j/(λ + a_j)
    pull: Floats  # ĝ_x = Σ_j z_j²/(λ + a_j)
    share: Floats  # v_x ĝ_x/M, the leverage of a point in the pool


def point_losses(pool: PoolMoments, sample: PoolSample, n: Floats, ridge: Floats) -> dict[str, Floats]:
    """Return every quantity at n ≤ M and λ, flat arrays of one length; none may be n − 1 = N (n = N) with λ = 0."""
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
    change = _Change(squares, scale, fitted, apart, M, pool.intercept)
    fresh, trained = change.of((1 - fitted.share) ** -2), change.of(fitted.weights**2)
    none = np.zeros(len(n))
    return {
        "test_loss": _mean(fresh, residuals, misfit),
        "train_loss": np.where(interpolates, none, objective),
        "train_error": np.where(interpolates, none, _mean(trained, residuals, misfit)),
        "degrees_of_freedom": np.sum(fitted.kept, axis=0) + int(pool.intercept),
    }


def equal_weights(pool: PoolMoments, n: Floats, lam: Floats, nu: Floats) -> Floats:
    """Return the weight of every point if all had the same leverage, Mλ/ν."""
    free = pool.spare + len(pool.sigma)
    least_squares = (n - int(pool.intercept) - len(pool.sigma)) / (free - len(pool.sigma)) * pool.points / n
    return np.where(nu > 0, pool.points * lam / np.where(nu > 0, nu, 1.0), least_squares)


def _squared_residuals(sample: PoolSample, kept: Floats) -> Floats:
    """Return the squared residual of each point in the weighted fit, summed over the outputs."""
    found = np.zeros((len(sample.labels), kept.shape[1]))
    for labels, slopes in zip(sample.labels.T, sample.slopes.T, strict=True):
        found += (labels[:, None] - sample.coordinates @ (slopes[:, None] * kept)) ** 2
    return found


def _mean(weights: Floats, residuals: Floats, misfit: Floats) -> Floats:
    """Return the pool's mean of weighted squared residuals: the whole pool's misfit, and the sample's covariance."""
    usual = np.mean(weights, axis=0)
    return np.asarray(usual * misfit + np.mean((weights - usual) * residuals, axis=0))


class _Change(NamedTuple):
    """How the weights answer to a change of them: the derivative of the weighted fit."""

    squares: Floats
    scale: Floats
    fitted: _Fit
    apart: Floats
    points: int
    intercept: bool

    def of(self, source: Floats) -> Floats:
        """Return φ = source + (1/n − 1/M) v² (−g'), g' the change of LOO leverage by the change φ of the weights."""
        fit, factor = self.fitted, self.apart * self.fitted.weights**2 / (1 - self.fitted.share) ** 2
        own = 1 + factor * fit.pull**2 / self.points
        mean = np.mean(fit.weights, axis=0)

        def answered(log_change: Floats) -> Floats:
            change = np.exp(log_change)
            turned = self.scale * (self.squares.T @ change) / len(change)
            pulled = self.squares @ (fit.filters**2 * turned)
            if self.intercept:
                pulled += np.mean(change, axis=0) / mean**2
            return np.asarray(np.log((source + factor * pulled) / own))

        return np.exp(settled(answered, np.log(source)))


def settled(step: Callable[[Floats], Floats], start: Floats) -> Floats:
    """Return the fixed point of a contraction of columns, each extrapolated by its last two steps (SQUAREM).

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
        "weights of points do not settle: so few of them carry some directions of the features that fits depend on "
        "which are there. Take more points or a larger ridge, clip the features, or leave out those that hardly vary",
        argument="F",
    )
