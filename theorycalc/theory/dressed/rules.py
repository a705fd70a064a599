"""Quadrature under the Gaussian: equal steps for smooth functions, panels between the kinks of others.

Every function integrated over u, h or z is analytic near the real line once it is smoothed by a Gaussian; for such
functions equal steps converge geometrically in 1/step, where Gauss–Hermite rules see a branch point and stall.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from theorycalc.numbers.systems import Array

_PANEL_END = 8.0  # standard deviations: the weight beyond is 1e-15


def normal_rule(step: float, end: float) -> tuple[Array, Array]:
    """Return nodes and weights of about ``step`` between them for E f(Z).

    >>> nodes, weights = normal_rule(0.5, 7.5)
    >>> bool(abs(weights @ nodes**4 - 3) < 1e-9)
    True
    """
    half = math.ceil(end / step)
    nodes = np.arange(-half, half + 1) * (end / half)
    weights = np.exp(-(nodes**2) / 2)
    return nodes, weights / weights.sum()


def focused_rule(step: float, end: float, focus: float) -> tuple[Array, Array]:
    """Return nodes and weights for E f(Z) of a function that changes where Z is small, of the size ``focus``.

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
    """Return nodes and weights for the law of √N a_i: Gaussian, ±1, or 1.

    >>> layer_rule("sign", 0.5, 7.5, 1.0)[0]
    array([-1.,  1.])
    """
    if law == "gaussian":
        return focused_rule(step, end, focus)
    nodes = np.array([-1.0, 1.0] if law == "sign" else [1.0])
    return nodes, np.full(len(nodes), 1 / len(nodes))


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
    """Return Gauss's rule: its nodes take longer than what they are used for."""
    return np.polynomial.legendre.leggauss(nodes)
