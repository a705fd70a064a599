"""Anderson's acceleration of a fixed-point iteration, and zeros between two places."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import brentq

from theorycalc.errors import PrecisionError
from theorycalc.numbers.systems import Array

_MEMORY = 8
_SMALLEST = 1e-12  # singular value of the differences that are combined
_RELATIVE = 4 * float(np.finfo(float).eps)  # accuracy of a zero, the finest


class Settled(NamedTuple):
    """The last point of an iteration, and how much the map still changes it relative to its largest entry."""

    point: Array
    change: float


def settle(image_of: Callable[[Array], Array], start: Array, tolerance: float, most: int = 300) -> Settled:
    """Return the fixed point of a map, or the last point reached after ``most`` steps.

    Each step combines the last few so that the map would change the result least if it were linear.  Where the map
    is not finite, the iteration goes on from its last image.

    >>> found = settle(np.cos, np.array([1.0]), 1e-13)
    >>> round(float(found.point[0]), 12), found.change < 1e-13
    (0.739085133215, True)
    """
    points: list[Array] = []
    moves: list[Array] = []
    point, last = start, start
    change = np.inf
    for _ in range(most):
        image = image_of(point)
        if not np.isfinite(image).all():
            if not points:
                break
            point, points, moves = last, [], []
            continue
        move = image - point
        change = float(np.abs(move).max() / max(float(np.abs(image).max()), np.finfo(float).tiny))
        if change < tolerance:
            return Settled(point, change)
        points, moves, last = [*points, point][-_MEMORY:], [*moves, move][-_MEMORY:], image
        point = image
        if len(points) > 1:
            steps, changes = np.diff(points, axis=0).T, np.diff(moves, axis=0).T
            point = image - (steps + changes) @ np.linalg.lstsq(changes, move, rcond=_SMALLEST)[0]
    return Settled(point, change)


def zero_between(
    function: Callable[[float], float], low: float, high: float, accuracy: float, relative: float = _RELATIVE
) -> float:
    """Return the zero of a function whose signs were found to differ at two places.

    It is evaluated there once more; if the signs are those of roundings, they may be others.

    >>> round(zero_between(lambda x: x**2 - 2, 1.0, 2.0, 1e-9), 8)
    1.41421356
    """
    try:
        return float(brentq(function, low, high, xtol=accuracy, rtol=relative))
    except ValueError:
        raise PrecisionError(
            "rounding leaves no digits: float64 does not tell an eigenvalue from 0; take a smaller step, or sizes that "
            "differ less",
            argument="eta",
        ) from None
