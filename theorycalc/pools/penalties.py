"""The penalty ν in the pool that filters as λ does among n points: one root for each n and λ, all at once.

See docs/theory/own_features.md#the-root.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError
from theorycalc.numbers.exact import Floats
from theorycalc.pools.pool_equations import PoolSums, balance, balance_slope, pool_sums

_MOST_STEPS = 200  # Newton needs about ten; bisection alone, in log ν, fewer than these
_CLOSE = 4 * np.finfo(float).eps
_NUMBERS_AT_ONCE = 1 << 21  # of the table of points and eigenvalues


class PoolMoments(NamedTuple):
    """The numbers of a pool in the equations: σ_j > 0, label sums along each, the rest, and the number of points."""

    sigma: Floats  # falling
    explained: Floats
    rest: float
    points: int  # M
    intercept: bool

    @property
    def spare(self) -> float:
        """The number of free points less that of directions."""
        return float(self.points - int(self.intercept) - len(self.sigma))

    def sums(self, nu: Floats) -> PoolSums:
        """Return the sums of the pool at ν, some points at a time."""
        flat = np.ravel(nu)
        step = max(1, _NUMBERS_AT_ONCE // max(1, len(self.sigma)))
        parts = [
            pool_sums(flat[i : i + step], self.sigma, self.explained, self.rest, self.spare)
            for i in range(0, len(flat), step)
        ]
        return PoolSums(*(np.concatenate(part).reshape(np.shape(nu)) for part in zip(*parts, strict=True)))


def penalties(pool: PoolMoments, m: Floats, weight: Floats) -> Floats:
    """Return ν for m free points and the weight nλ ≥ 0 of the penalty, arrays of one shape.

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
        "the ridge fit on n points has no penalty in the pool that bisection finds"
    )  # pragma: no cover - see _MOST_STEPS


def _bracket(pool: PoolMoments, m: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Return bounds of ν; both are 0 where there is no penalty and at least as many free points as directions."""
    rank, free = len(pool.sigma), pool.spare + len(pool.sigma)
    total, least = (float(np.sum(pool.sigma)), float(pool.sigma[-1])) if rank else (0.0, 0.0)
    high = 2 * np.maximum(total, weight * free) / m
    low = np.maximum(weight * pool.spare / m, least * np.maximum(rank / m - 1, 0.0))
    nothing = (weight == 0) & (m >= rank)
    return np.where(nothing, 0.0, low), np.where(nothing, 0.0, high)
