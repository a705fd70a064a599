"""Hermite coefficients of a function known only by its values: estimated from two resolutions.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import factorial, sqrt
from typing import Any, NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.callables import Array, precision_of, values_of

_END = 13.0  # beyond it the Gaussian weight is below 1e-37
_PANEL = 0.5
_NODES = (12, 20)  # of the two Gauss–Legendre rules on each panel
_HIGHEST_INDEX = 60
_UNSETTLED = 1e-3  # of E f², which two resolutions may differ by and the outermost panels may hold
_MARGIN = 100  # errors by which an estimate must differ from zero to count as not zero


@dataclass(frozen=True)
class Estimate:
    """c_0, …, c_K and E f², with the differences between the two resolutions as errors."""

    coefficients: Array
    errors: Array
    second_moment: float
    rest_squared: float
    rest_error: float

    def told_from_zero(self) -> list[float]:
        """Return the coefficients, 0 for one that its error does not tell from 0."""
        told = np.abs(self.coefficients) > _MARGIN * self.errors
        return [float(c) if clear else 0.0 for c, clear in zip(self.coefficients, told, strict=True)]


class _Resolved(NamedTuple):
    """What one rule gives: √k! c_k, E f², c_{>1}², what of E f² is far out, and the rounding of the values."""

    coefficients: Array
    second_moment: float
    rest_squared: float
    edge: float
    precision: float


def estimate(function: Callable[[Array], Any], kinks: Sequence[float], K: int) -> Estimate:
    """Estimate the coefficients of a function of arrays, smooth between the kinks.

    >>> found = estimate(np.tanh, [], 3)
    >>> round(found.coefficients[1], 12), found.errors[1] < 1e-14
    (np.float64(0.605705509602), np.True_)
    """
    if K > _HIGHEST_INDEX:
        raise DomainError(f"c_k of a sampled function is estimated up to k = {_HIGHEST_INDEX}, not {K}")
    results = [_resolved(function, kinks, K, nodes) for nodes in _NODES]
    (coarse, second_coarse, rest_coarse, _, _), (fine, second, rest, edge, precision) = results
    if edge > _UNSETTLED * second or abs(second - second_coarse) > _UNSETTLED * second:
        raise DomainError(
            f"E f(Z)² does not settle ({second_coarse:.3g}, then {second:.3g}): the function has a pole, grows like "
            "exp(x²/4) or faster, or has a kink or jump that kinks= does not name"
        )
    scales = np.array([sqrt(factorial(k)) for k in range(K + 1)])
    rounding = 4 * precision * sqrt(second)
    errors = (np.abs(fine - coarse) + rounding) / scales
    return Estimate(fine / scales, errors, second, rest, abs(rest - rest_coarse) + rounding**2)


def variance_of(function: Callable[[Array], Any], kinks: Sequence[float]) -> float | None:
    """Return the estimated variance of f(Z), or None where it does not settle.

    >>> round(variance_of(np.square, []), 12)
    2.0
    """
    try:
        found = estimate(function, kinks, 1)
    except DomainError:
        return None
    return float(found.coefficients[1] ** 2 + found.rest_squared)


def estimated_spikes(found: Estimate, ell: int, name: str) -> tuple[int, ...]:
    """Return 1, …, ℓ where every estimate is far from zero; an estimate shows no zero, so else refuse.

    >>> estimated_spikes(estimate(np.exp, [], 3), 3, "exp")
    (1, 2, 3)
    """
    for k in range(1, ell + 1):
        value, error = found.coefficients[k], found.errors[k]
        if abs(value) <= _MARGIN * error:
            raise DomainError(
                f"c_{k} of {name} is undecided: it is estimated as {value:.3g} ± {error:.1g}; "
                "say which are not zero by from_callable(…, present=…)"
            )
    return tuple(range(1, ell + 1))


def _resolved(function: Callable[[Array], Any], kinks: Sequence[float], K: int, nodes: int) -> _Resolved:
    """Return the sums of one rule on every panel between the kinks."""
    cuts = np.unique([*np.arange(-_END, _END + _PANEL / 2, _PANEL), *(k for k in kinks if abs(k) < _END)])
    x, w = np.polynomial.legendre.leggauss(nodes)
    half = np.diff(cuts)[:, None] / 2
    points = (cuts[:-1, None] + half * (1 + x)).ravel()
    weights = (half * w).ravel() * np.exp(-(points**2) / 2) / sqrt(2 * np.pi)
    with np.errstate(all="ignore"):  # what is not finite is refused below
        given = values_of(function, points)
    values = np.asarray(given, dtype=float)
    if not np.all(np.isfinite(values)):
        raise DomainError("the function must return one finite number for every number of an array")
    normalised = [np.ones_like(points), points]
    for k in range(1, K):
        normalised.append((points * normalised[k] - sqrt(k) * normalised[k - 1]) / sqrt(k + 1))
    coefficients = np.array([np.sum(weights * values * h) for h in normalised[: K + 1]])
    mean, slope = (np.sum(weights * values * h) for h in normalised[:2])
    # The rest as the square of what is left, not as a difference of squares: nothing cancels.
    rest = float(np.sum(weights * (values - mean - slope * points) ** 2))
    squares = weights * values**2
    edge = float(np.sum(squares[np.abs(points) > _END - 2 * _PANEL]))
    return _Resolved(coefficients, float(np.sum(squares)), rest, edge, precision_of(given))
