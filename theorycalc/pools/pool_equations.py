"""The losses of a ridge fit on n points from the sums over a pool of M points, as plain functions of numbers.

See docs/theory/own_features.md#the-losses.

A fit on the whole pool with a penalty ν in its sum of squares leaves what :class:`PoolSums` has.  A fit on n points
with ridge λ filters the features exactly as this one does if ν is the root of :func:`balance`; everything else follows
from the sums.  Every formula here is a sum of positive terms.  See docs/theory/own_features.md#the-root for the root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.numbers.exact import Floats
from theorycalc.numbers.systems import Number

_MOST_STEPS = 200  # Newton needs about ten; bisection alone, in log ν, fewer than these
_CLOSE = 4 * np.finfo(float).eps
_NUMBERS_AT_ONCE = 1 << 21  # of the table of points and eigenvalues


class PoolSums(NamedTuple):
    """Residual sums of a fit with penalty ν to the whole pool of m_P free points; σ_j are the eigenvalues of FᵀF."""

    fitted: Number  # d = Σ σ/(σ + ν), its degrees of freedom
    free: Number  # m_P − d
    bent: Number  # Σ σν/(σ + ν)² = −ν ∂d/∂ν
    squares: Number  # tr (1 − H)² = m_P − 2d + Σ σ²/(σ + ν)², H its hat matrix
    misfit: Number  # its sum of squared residuals
    objective: Number  # the same with the penalty ν‖a‖²


def pool_sums(nu: Number, sigma: Number, explained: Number, rest: Number, spare: Number) -> PoolSums:
    """Return the sums of the pool at ν, over the last axis of σ.

    Parameters
    ----------
    nu
        The penalty ν, an array over the points asked for.
    sigma
        Eigenvalues σ_j > 0 of the features' sums of squares.
    explained
        (u_jᵀFᵀy)²/σ_j: the sum of squares of the labels along each.
    rest
        The sum of squares of the labels that no linear function of the features explains.
    spare
        The number of the pool's free points less that of the σ_j.

    >>> found = pool_sums(1.0, np.array([1.0, 3.0]), np.array([2.0, 0.0]), 1.0, 8)
    >>> float(found.fitted), float(found.free), float(found.misfit)
    (1.25, 8.75, 1.5)
    """
    nu = np.asarray(nu, dtype=float)[..., None]
    left = nu / (sigma + nu)
    kept = sigma / (sigma + nu)
    return PoolSums(
        fitted=np.sum(kept, axis=-1),
        free=spare + np.sum(left, axis=-1),
        bent=np.sum(kept * left, axis=-1),
        squares=spare + np.sum(left**2, axis=-1),
        misfit=rest + np.sum(explained * left**2, axis=-1),
        objective=rest + np.sum(explained * left, axis=-1),
    )


def balance(nu: Number, m: Number, weight: Number, sums: PoolSums) -> Number:
    """Return ν(m − d) − nλ(m_P − d), which is zero at the ν for a fit on m free points with penalty weight nλ.

    >>> balance(1.0, 3, 2.0, PoolSums(1.0, 2.0, 0, 0, 0, 0))
    -2.0
    """
    return nu * (m - sums.fitted) - weight * sums.free


def balance_slope(nu: Number, m: Number, weight: Number, sums: PoolSums) -> Number:
    """Return the derivative of :func:`balance` in log ν.

    >>> balance_slope(1.0, 3, 2.0, PoolSums(1.0, 2.0, 0.25, 0, 0, 0))
    1.75
    """
    return nu * (m - sums.fitted) + (nu - weight) * sums.bent


def test_loss(n: Number, m: Number, ratio: Number, sums: PoolSums) -> Number:
    """Return the mean squared error at a fresh point; ``ratio`` is nλ/ν = (m − d)/(m_P − d), and n − m is 1 or 0.

    The intercept, a mean of n points, adds the share (n − m)/n.

    >>> test_loss(4, 4, 1.0, PoolSums(1.0, 3.0, 0.5, 2.5, 6.0, 7.0))  # the pool itself: GCV
    2.6666666666666665
    """
    return (1 + (n - m) / n) * m * sums.misfit / (sums.free * (ratio * sums.squares + sums.bent))


def train_error(n: Number, ratio: Number, sums: PoolSums) -> Number:
    """Return the mean squared error at the n points fitted, without the penalty.

    >>> train_error(4, 1.0, PoolSums(1.0, 3.0, 0.5, 2.5, 6.0, 7.0))  # the pool itself: its misfit
    1.5
    """
    return ratio**2 * sums.free * sums.misfit / (n * (ratio * sums.squares + sums.bent))


def train_loss(n: Number, ratio: Number, sums: PoolSums) -> Number:
    """Return the minimum of the objective, (1/n)‖y − Fa‖² + λ‖a‖².

    >>> train_loss(4, 1.0, PoolSums(1.0, 3.0, 0.5, 2.5, 6.0, 7.0))
    1.75
    """
    return ratio * sums.objective / n


class PoolMoments(NamedTuple):
    """The numbers of a pool in the equations: σ_j > 0, label sums along each, the rest, and the number of points."""

    sigma: Floats  # falling
    explained: Floats
    rest: float
    points: int  # M
    intercept: bool

    @property
    def spare(self) -> float:
        """The number of free points minus the number of directions."""
        return float(self.points - int(self.intercept) - len(self.sigma))

    def sums(self, nu: Floats) -> PoolSums:
        """Return the sums over the pool at ν, processing some ν at a time."""
        flat = np.ravel(nu)
        step = max(1, _NUMBERS_AT_ONCE // max(1, len(self.sigma)))
        parts = [
            pool_sums(flat[i : i + step], self.sigma, self.explained, self.rest, self.spare)
            for i in range(0, len(flat), step)
        ]
        return PoolSums(*(np.concatenate(part).reshape(np.shape(nu)) for part in zip(*parts, strict=True)))


def penalties(pool: PoolMoments, m: Floats, weight: Floats) -> Floats:
    """Return ν for m free points and penalty weight nλ ≥ 0, in arrays of one shape.

    >>> pool = PoolMoments(np.array([4.0, 1.0]), np.zeros(2), 1.0, 10, False)
    >>> penalties(pool, np.array([10.0, 5.0]), np.array([3.0, 0.0]))  # the pool itself; least squares
    array([3., 0.])
    """
    low, high = _bracket(pool, m, weight)
    nu = np.where(high > 0, np.sqrt(low) * np.sqrt(high), 0.0)
    open_ = np.flatnonzero(high > low)
    for _ in range(_MOST_STEPS):
        if not len(open_):
            return nu
        here, sums = nu.flat[open_], pool.sums(nu.flat[open_])
        value = balance(here, m.flat[open_], weight.flat[open_], sums)
        low.flat[open_] = np.where(value <= 0, here, low.flat[open_])
        high.flat[open_] = np.where(value >= 0, here, high.flat[open_])
        bottom, top = low.flat[open_], high.flat[open_]
        with np.errstate(all="ignore"):
            newton = here * np.exp(-value / balance_slope(here, m.flat[open_], weight.flat[open_], sums))
        following = np.where((newton > bottom) & (newton < top), newton, np.sqrt(bottom) * np.sqrt(top))
        nu.flat[open_] = following
        open_ = open_[(abs(following - here) > _CLOSE * here) & (top > bottom * (1 + _CLOSE))]
    raise PrecisionError(
        "bisection finds no penalty in the pool for the ridge fit on n points"
    )  # pragma: no cover - see _MOST_STEPS


def _bracket(pool: PoolMoments, m: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return bounds of ν; both are 0 if there is no penalty and at least as many free points as directions."""
    rank, free = len(pool.sigma), pool.spare + len(pool.sigma)
    total, least = (float(np.sum(pool.sigma)), float(pool.sigma[-1])) if rank else (0.0, 0.0)
    high = 2 * np.maximum(total, weight * free) / m
    low = np.maximum(weight * pool.spare / m, least * np.maximum(rank / m - 1, 0.0))
    nothing = (weight == 0) & (m >= rank)
    return np.where(nothing, 0.0, low), np.where(nothing, 0.0, high)
