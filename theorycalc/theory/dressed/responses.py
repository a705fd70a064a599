"""A neuron's average output: moments of f(scale·Z + center) over Z, and the rules that compute them.

See docs/theory/dressed.md#the-network-after-the-step.

Smooth functions are integrated in equal steps, others by panels between their kinks.  Every function integrated over u,
h or z is analytic near the real line once it is smoothed by a Gaussian; for such functions equal steps converge
geometrically in 1/step, where Gauss–Hermite rules see a branch point and stall.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from theorycalc.errors import DomainError
from theorycalc.numbers.systems import Array
from theorycalc.running.budget import check

_LONGEST = 3000.0
_MOST = 200_000_000  # values of f: seconds
_AT_ONCE = 400_000  # values of f at a time: a few megabytes
_SMOOTH_STEP = 0.35  # of scale·z; a tanh has its poles at 1.57
_PANEL_NODES = 40
_FEWEST_NODES = 8
_END = 8.5
_HALF = 0.5  # a value on either side: what a draw has beyond its largest
_PANEL_END = 8.0  # standard deviations: the weight beyond is 1e-15


class Function(NamedTuple):
    """A function of arrays with the points where it is not smooth."""

    values: Callable[[Array], Array]
    kinks: tuple[float, ...]


class Responses(NamedTuple):
    """E f, E[Z f], E[(Z² − 1) f] and Var f, with f taken at scale·Z + center."""

    mean: Array
    linear: Array
    quadratic: Array
    variance: Array


def responses(function: Function, center: Array, scale: Array, level: int) -> Responses:
    """Return the moments for every pair of ``center`` and ``scale``, of one shape; each ``level`` doubles the nodes.

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
        check()
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
    """Refuse work that would take minutes: a smooth function needs nodes in proportion to the scale."""
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


def normal_rule(step: float, end: float) -> tuple[Array, Array]:
    """Return nodes, about ``step`` apart, and weights for E f(Z).

    >>> nodes, weights = normal_rule(0.5, 7.5)
    >>> bool(abs(weights @ nodes**4 - 3) < 1e-9)
    True
    """
    half = math.ceil(end / step)
    nodes = np.arange(-half, half + 1) * (end / half)
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def focused_rule(step: float, end: float, focus: float) -> tuple[Array, Array]:
    """Return nodes and weights for E f(Z) of a function that varies on the scale ``focus`` around 0.

    x = focus·sinh(t/2) in equal steps of t has nodes at distances of about (|x| + focus)·step/2: their number grows
    only with the logarithm of 1/focus.

    >>> nodes, weights = focused_rule(0.35, 7.5, 0.1)
    >>> len(nodes), bool(abs(weights @ np.exp(-50 * nodes**2) - 101**-0.5) < 1e-9)
    (59, True)
    """
    end_of_t = 2 * math.asinh(end / focus)
    half = math.ceil(end_of_t / step)
    t = np.arange(-half, half + 1) * (end_of_t / half)
    nodes = focus * np.sinh(t / 2)
    weights = np.cosh(t / 2) * np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def layer_rule(law: str, step: float, end: float, focus: float) -> tuple[Array, Array]:
    """Return nodes and weights for the law of √N a_i: Gaussian, uniform on ±√3, ±1, or 1.

    >>> layer_rule("sign", 0.5, 7.5, 1.0)[0]
    array([-1.,  1.])
    """
    if law == "gaussian":
        return focused_rule(step, end, focus)
    if law == "uniform":
        return uniform_rule(step, focus)
    nodes = np.array([-1.0, 1.0] if law == "sign" else [1.0])
    return nodes, np.full(len(nodes), 1 / len(nodes))


def uniform_rule(step: float, focus: float) -> tuple[Array, Array]:
    """Return nodes and weights for E f(u), u uniform on ±√3, of a function that varies on the scale ``focus`` around 0.

    As in :func:`focused_rule` x = focus·sinh(t), and a Gauss–Legendre rule in t is as dense in the middle.

    >>> nodes, weights = uniform_rule(0.385, 0.1)
    >>> bool(abs(weights @ np.exp(-50 * nodes**2) - math.sqrt(math.pi / 600) * math.erf(math.sqrt(150))) < 1e-9)
    True
    """
    end = math.asinh(math.sqrt(3) / focus)
    x, weights = _legendre_rule(max(_FEWEST_NODES, math.ceil(2 * math.pi * end / step)))
    weights = weights * np.cosh(end * x)
    return focus * np.sinh(end * x), weights / weights.sum()


def as_drawn(nodes: Array, weights: Array, count: float) -> tuple[Array, Array]:
    """Return a rule for N(0, 1) as sampled by ``count`` draws: on each side, values beyond their largest are merged.

    That value has the second moment of the values it stands for, so that means of polynomials hardly change.

    >>> nodes, weights = as_drawn(*normal_rule(0.5, 7.5), 1000)
    >>> round(float(nodes.max()), 2), round(float(weights @ nodes**2), 9)
    (3.59, 1.0)
    """
    farthest = -float(ndtri(_HALF / count)) if count > 1 else 0.0
    near = np.abs(nodes) <= farthest
    parts = [(nodes[near], weights[near])]
    for side in (-1, 1):
        far = side * nodes > farthest
        if far.any():
            mass = weights[far].sum()
            parts.append((np.array([side * math.sqrt(weights[far] @ nodes[far] ** 2 / mass)]), np.array([mass])))
    places, masses = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = np.argsort(places)
    return places[order], masses[order]


def panel_rule(center: Array, scale: Array, kinks: tuple[float, ...], nodes: int) -> tuple[Array, Array]:
    """Return nodes z and weights for E f(scale·Z + center), f smooth between its kinks: one more axis, at the end."""
    x, weight = _legendre_rule(nodes)
    edges = [np.full(np.broadcast(center, scale).shape, -_PANEL_END)]
    edges += [np.clip((kink - center) / scale, -_PANEL_END, _PANEL_END) for kink in sorted(kinks)]
    edges.append(np.full_like(edges[0], _PANEL_END))
    lows, highs = np.stack(edges[:-1], axis=-1)[..., None], np.stack(edges[1:], axis=-1)[..., None]
    half = (highs - lows) / 2
    z = (lows + highs) / 2 + half * x
    weights = half * weight * np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)
    shape = (*z.shape[:-2], -1)
    return z.reshape(shape), weights.reshape(shape)


@functools.cache
def _legendre_rule(nodes: int) -> tuple[Array, Array]:
    """Return a Gauss–Legendre rule, cached because making one takes longer than using it."""
    return np.polynomial.legendre.leggauss(nodes)
