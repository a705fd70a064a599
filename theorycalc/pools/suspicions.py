"""Checks that make a pool honest: enough points, a random order, no duplicates, labels that vary.

See docs/own_features.md#what-is-checked.
"""

from __future__ import annotations

import numpy as np
from scipy.special import chdtrc, ndtr

from theorycalc.errors import DomainError, spelled
from theorycalc.model.requirements import Condition
from theorycalc.numbers.exact import Floats
from theorycalc.pools.gathering import PoolRecord

SEGMENTS = 20  # of the pool, whose means are compared
_ENOUGH = 5  # points for each feature: with fewer, losses of one pool scatter by 10 % and more
_CARRYING = 3  # points of a fit
_RARE = 0.1  # share of the directions
_LEVEL = 1e-3  # the probability that a pool in random order is called ordered
_ALIKE = 0.1  # share of the points that have the variance of all, if it were even among them
_FEWEST = 5 * SEGMENTS  # points of a test for order


def refuse(found: PoolRecord, intercept: bool) -> None:
    """Refuse pools without enough points, and labels that do not vary."""
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


def conditions_of(found: PoolRecord) -> tuple[Condition, ...]:
    """Return the conditions of a pool with their state."""
    p = order_probability(found.traits)
    twice = found.points - len(np.unique(found.prints))
    enough = found.points >= _ENOUGH * found.features
    order = "the points are in random order, so that others may follow the same law"
    return (
        Condition(f"{order} (p = {p:.2g})" if p < _LEVEL else order, None if np.isnan(p) else bool(p >= _LEVEL)),
        Condition("no point is there twice" + (f" ({twice} of {found.points} are)" if twice else ""), twice == 0),
        Condition(
            f"the pool has {_ENOUGH} points for each feature, so that it scatters little"
            + ("" if enough else f" ({found.points / found.features:.1f})"),
            enough,
        ),
    )


def even_sizes(squares: Floats) -> Condition:
    """Return the condition on heavy tails, from squared coordinates of points.

    >>> print(even_sizes(np.ones((50, 3))))
    holds: no few points dominate the features
    """
    sizes = np.sum(squares, axis=1)
    alike = float(np.mean(sizes) ** 2 / np.mean(sizes**2))
    words = "no few points dominate the features"
    if alike < _ALIKE:
        words += f" (it is as if {100 * alike:.2g} % of them had all the variance: clip or rescale them)"
    return Condition(words, alike >= _ALIKE)


def carried(squares: Floats, n: Floats, ridge: Floats) -> Condition:
    """Return the condition that directions are not carried by rare points, for the smallest n and λ asked for.

    A direction z counts as many points of a fit as n(E z²)²/E z⁴; features that hardly ever vary have almost none.

    >>> print(carried(np.ones((50, 3)), np.array(30.0), np.array(0.1)))
    holds: several points of each fit carry every direction of the features
    """
    means = np.mean(squares, axis=0)
    counted = means > float(np.min(ridge))
    points = float(np.min(n)) * means[counted] ** 2 / np.mean(squares[:, counted] ** 2, axis=0)
    rare = float(np.mean(points < _CARRYING)) if len(points) else 0.0
    words = "several points of each fit carry every direction of the features"
    if rare > _RARE:
        words += f" ({100 * rare:.0f} % of them have fewer than {_CARRYING}, and losses may be far off)"
    return Condition(words, rare <= _RARE)


def order_probability(traits: Floats) -> float:
    """Return the probability of so large a drift along the index in a pool of random order; NaN if it is too small.

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
