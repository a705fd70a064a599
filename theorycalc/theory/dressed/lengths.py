"""The lengths of neurons with one u, which vary by 1/√d (docs/theory/turning.md#neurons-of-different-lengths).

After the step neuron i is k_u w_i + u(1/n₀)Σ_j r_j g(z_j) x_j beside the step direction, with z_j = w_i·x_j and
g = σ' − c_1.  Its squared length is a sum over pairs of points.  Points paired with themselves, pairs of different
points, and the direction in which the residual has a mean are independent parts of its variance; rows that differ in
length before the step are a fourth.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.dressed.neurons import Network
from theorycalc.theory.dressed.residual import Residual
from theorycalc.theory.dressed.responses import Function, responses

_LEVEL = 3  # of the rules in z: moments to rounding


class SlopeMoments(NamedTuple):
    """Moments of g = σ'(Z) − c_1."""

    variance: Number
    along: Number  # Var(Zg)
    mixed: Number  # Cov(Zg, g²)
    squares: Number  # Var g²
    linear: Number  # E[Z²g]
    linear_square: Number  # E[Zg²]
    quadratic_square: Number  # E[(Z² − 1)g²]
    cubic: Number = 0  # E[(Z³ − 3Z)g]


class ResidualMoments(NamedTuple):
    """Moments of the residual r: E r, E r², E r³, E r⁴, and E[r x] and E[r²x] along the directions it depends on."""

    second: Number
    third: Number
    fourth: Number
    direction: Sequence[Number]
    square_direction: Sequence[Number]
    first: Number = 0  # E r


class LengthParts(NamedTuple):
    """Contributions to d Var‖w_i‖²: points with themselves, pairs, off the step, and rows of different lengths.

    A fifth part is κ lean²: ‖w_i‖² grows by lean·(w_i·b), b the step direction.
    """

    points: Number
    pairs: Number
    beside: Number
    rows: Number
    lean: Number


def length_parts(u: Number, kept: Number, ratio: Number, slope: SlopeMoments, r: ResidualMoments) -> LengthParts:
    """Return the contributions to d Var‖w_i‖² for neurons with one u = ηa_i; ``ratio`` is φ₀ = d/n₀.

    ``rows`` is for a Gaussian first layer; on the sphere it is absent.

    >>> square = SlopeMoments(1, 2, 2, 2, 0, 0, 2)  # of σ = z²/2: g = Z
    >>> length_parts(1, 1, 1, square, ResidualMoments(1, 0, 3, [0], [0]))
    LengthParts(points=14, pairs=2, beside=0.0, rows=8.0, lean=0.0)
    """
    once, twice = 2 * kept * u, u**2 * ratio  # factors of r z g and of r²g²
    kappa = sum(x**2 for x in r.direction) + ratio * r.second
    mixed = sum(x * y for x, y in zip(r.direction, r.square_direction, strict=True)) + ratio * r.third
    square = sum(x**2 for x in r.square_direction) + ratio * r.fourth
    return LengthParts(
        points=ratio
        * (
            once**2 * r.second * (slope.along - slope.linear**2)
            + 2 * once * twice * r.third * (slope.mixed - slope.linear * slope.linear_square)
            + twice**2 * r.fourth * (slope.squares - slope.linear_square**2)
        ),
        pairs=2 * (twice * r.second * slope.variance) ** 2,
        beside=(twice * slope.linear_square) ** 2 * (square - mixed**2 / kappa),
        rows=2 * (kept**2 + kept * u * r.first * slope.cubic + twice * r.second * slope.quadratic_square / 2) ** 2,
        lean=once * slope.linear + twice * slope.linear_square * mixed / kappa,
    )


class LengthLaw(NamedTuple):
    """The variation of ‖w_i‖²/s_u² over neurons of each (η, u): d/2 times its variance, without its part along b̂."""

    variance: Array
    lean: Array  # half the coefficient of w_i·b̂ in it


def lengths_of(network: Network, law: Residual) -> LengthLaw:
    """Return how the lengths of neurons vary after a step."""
    case = network.step.case
    slope = slope_moments(network.step.slope_function, float(case.c1))
    if network.kinds is not None:
        moments = [slope_moments(kind.slope_function, kind.c1) for kind in network.step.kinds]
        slope = SlopeMoments(*np.array(moments).T[:, network.kinds.which])
    parts = length_parts(network.u, network.kept, law.ratio, slope, residual_moments(law))
    rows = parts.rows if case.gaussian_rows else 0.0
    variance = (parts.points + parts.pairs + parts.beside + rows) / (2 * network.scale**4)
    return LengthLaw(variance, parts.lean * math.sqrt(case.kappa) / (2 * network.scale**2))


@functools.lru_cache(maxsize=32)
def slope_moments(slope: Function, c1: float) -> SlopeMoments:
    """Return the moments of σ'(Z) − c_1.

    >>> [round(abs(x), 9) for x in slope_moments(Function(lambda z: z + 1, ()), 1.0)]  # g = Z
    [1.0, 2.0, 2.0, 2.0, 0.0, 0.0, 2.0, 0.0]
    """

    def g(z: Array) -> Array:
        return slope.values(z) - c1

    functions = g, lambda z: g(z) ** 2, lambda z: z * g(z), lambda z: z * g(z) + g(z) ** 2
    first, square, along, both = (
        responses(Function(f, slope.kinks), np.zeros(1), np.ones(1), _LEVEL) for f in functions
    )
    found = (
        first.variance,
        along.variance,
        (both.variance - along.variance - square.variance) / 2,
        square.variance,
        first.quadratic,
        square.linear,
        square.quadratic,
        along.quadratic - 2 * first.linear,
    )
    return SlopeMoments(*(float(x[0]) for x in found))


def residual_moments(law: Residual) -> ResidualMoments:
    """Return the moments of the residual and of its coordinates."""
    second, third, fourth = (float(law.mean(law.r**p)) for p in (2, 3, 4))
    direction, square = ((law.first @ law.r**p).tolist() for p in (1, 2))
    return ResidualMoments(second, third, fourth, direction, square, law.center)
