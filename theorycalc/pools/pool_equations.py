"""The losses of a ridge fit on n points, from the sums of a pool of M points: plain functions of numbers.

See docs/theory/own_features.md#the-losses.

A fit on the whole pool with a penalty ν in its sum of squares leaves what :class:`PoolSums` has.  A fit on n points
with ridge λ filters the features exactly as this one does if ν is the root of :func:`balance`; everything else follows
from the sums.  Every formula here is a sum of positive terms.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from theorycalc.numbers.systems import Number


class PoolSums(NamedTuple):
    """Residual sums of a fit with penalty ν on the whole pool of m_P free points; σ_j are the eigenvalues of FᵀF."""

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
    """Return ν(m − d) − nλ(m_P − d), zero at the ν of a fit on m free points with the weight nλ.

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
    """Return the mean squared error at the n points of the fit, without the penalty.

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
