"""What a neuron answers on average: moments of f(scale·Z + center) over Z.

See docs/theory/dressed.md#the-network-after-the-step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.rules import normal_rule, panel_rule

_LONGEST = 3000.0
_MOST = 200_000_000  # values of f: seconds
_AT_ONCE = 400_000  # values of f at a time: a few megabytes
_SMOOTH_STEP = 0.35  # of scale·z; a tanh has its poles at 1.57
_PANEL_NODES = 40
_END = 8.5


class Function(NamedTuple):
    """A function of arrays with the points where it is not smooth."""

    values: Callable[[Array], Array]
    kinks: tuple[float, ...]


class Responses(NamedTuple):
    """E f, E[Z f], E[(Z² − 1) f] and Var f, f taken at scale·Z + center."""

    mean: Array
    linear: Array
    quadratic: Array
    variance: Array


def responses(function: Function, center: Array, scale: Array, level: int) -> Responses:
    """Return the moments at every pair of ``center`` and ``scale``, of one shape; each ``level`` doubles the nodes.

    >>> square = Function(lambda t: t**2, ())
    >>> found = responses(square, np.array([1.0]), np.array([2.0]), level=0)
    >>> [round(float(x[0]), 6) for x in found]  # 1 + 4, 2·1·2, 2·4, 2·16 + 4·4
    [5.0, 4.0, 8.0, 48.0]
    """
    centers, scales = center.ravel(), scale.ravel()
    _check_work(function, scales, level)
    out = np.empty((4, len(centers)))
    order = np.argsort(scales, kind="stable")  # of similar scale together: they share a rule
    start = 0
    while start < len(order):
        widest = 1.0
        count = _nodes_for(function, scales[order[start]], level)
        chosen = order[start : start + max(1, _AT_ONCE // count)]
        if not function.kinks:
            widest = 1.3 * scales[chosen[0]]
            chosen = chosen[scales[chosen] <= widest]
        with np.errstate(all="ignore"):  # a function that overflows is refused by whoever takes its moments
            out[:, chosen] = _moments(function, centers[chosen], scales[chosen], level)
        start += len(chosen)
    mean, linear, quadratic, variance = out.reshape(4, *center.shape)
    return Responses(mean, linear, quadratic, variance)


def _check_work(function: Function, scales: Array, level: int) -> None:
    """Refuse what would take minutes: a smooth function needs nodes in proportion to the scale."""
    work = 2 * _END / _SMOOTH_STEP * 2.0**level * float(scales.sum())
    if not function.kinks and (scales.max() > _LONGEST or work > _MOST):
        raise DomainError(
            f"after this step weights are up to {scales.max():.1g} long, and the activation changes too fast for "
            "quadrature to follow; take a smaller step",
            argument="eta",
        )


def _nodes_for(function: Function, scale: float, level: int) -> int:
    if function.kinks:
        return (len(function.kinks) + 1) * (_PANEL_NODES << level)
    return 2 * int(_END / _step(1.3 * scale, level)) + 1


def _step(scale: float, level: int) -> float:
    return float(min(0.5, _SMOOTH_STEP / scale) / 2.0**level)


def _moments(function: Function, centers: Array, scales: Array, level: int) -> Array:
    if function.kinks:
        z, weights = panel_rule(centers, scales, function.kinks, _PANEL_NODES << level)
        places = scales[:, None] * z + centers[:, None]
        values = np.broadcast_to(function.values(places), places.shape)  # a constant may come as one number
        weighted = values * weights
        mean, square = weighted.sum(axis=-1), np.einsum("ij,ij->i", weighted, values)
        weighted *= z
        linear = weighted.sum(axis=-1)
        return np.stack([mean, linear, np.einsum("ij,ij->i", weighted, z) - mean, square - mean**2])
    z, weights = normal_rule(_step(float(scales.max()), level), _END)
    places = scales[:, None] * z + centers[:, None]
    values = np.broadcast_to(function.values(places), places.shape)
    mean, linear, quadratic = (values @ np.stack([weights, weights * z, weights * (z**2 - 1)], axis=-1)).T
    return np.stack([mean, linear, quadratic, values**2 @ weights - mean**2])
