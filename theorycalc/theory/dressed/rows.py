"""The length of a neuron after the step, apart from its part along the step.

See docs/theory/dressed.md#a-neurons-own-output.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.case import Case
from theorycalc.theory.dressed.responses import Function, responses

_FINEST = 6  # rule for Var σ'(Z) and m
_TOLERANCE = 1e-12


def own_output(activation: Function, c1: float) -> float:
    """Return m = E[Zσ(σ' − c_1)] = E[(Z² − 1)σ(Z)²]/2 − c_1²: a neuron's own output shortens it by ηa_i²m.

    The part c_1² is in the step direction.  See docs/theory/dressed.md#a-neurons-own-output.

    >>> abs(own_output(Function(lambda z: z, ()), 1.0)) < 1e-12
    True
    >>> round(own_output(Function(lambda z: z**2 - 1, ()), 0.0), 9)
    4.0
    """
    squared = Function(lambda z: activation.values(z) ** 2, activation.kinks)
    return _refined(lambda level: responses(squared, np.zeros(1), np.ones(1), level).quadratic[0]) / 2 - c1**2


def kept_share(own_output: Number, eta: Number, a_squared: Number) -> Number:
    """Return k_u = 1 − mηa², the part of a neuron that its own output leaves beside the step.

    See docs/theory/dressed.md#a-neurons-own-output.

    >>> kept_share(2, 3, 4)
    -23
    """
    return 1 - own_output * eta * a_squared


def shortened_square(kept: Number, square: Number, cube: Number) -> Number:
    """Return ⟨τ(1 − (1 − k)τ)²⟩, the square that its own output leaves of a neuron for inputs with a covariance.

    ``square`` and ``cube`` are ⟨τ²⟩ and ⟨τ³⟩; both are 1 without a covariance, and it is k².  See
    docs/theory/inputs.md#finite-steps.

    >>> shortened_square(0.5, 1, 1), shortened_square(0.5, 2, 5)
    (0.25, 0.25)
    """
    lost = 1 - kept
    return 1 - 2 * lost * square + lost**2 * cube


def kept_length(case: Case, kept: Array) -> Array:
    """Return the length that its own output leaves of a neuron: k_u, or the root of that square with a covariance."""
    moments = case.moments
    return np.sqrt(shortened_square(kept, moments.square, moments.cube)) if case.levels else kept


def row_square(kept: Number, spread: Number, eta: Number, a_squared: Number) -> Number:
    """Return s_u² = k_u² + u²v, u = ηa, of a neuron without its part along the step.

    See docs/theory/dressed.md#a-neurons-own-output.

    >>> row_square(1, 2, 3, 4)
    73
    """
    return kept**2 + spread * eta**2 * a_squared


def slope_variance(slope: Function) -> float:
    """Return Var σ'(Z), the mean of a square: it is not negative, also where σ' is constant up to rounding.

    >>> round(slope_variance(Function(lambda z: (z > 0) * 1.0, (0.0,))), 12)
    0.25
    """

    def variance(level: int) -> float:
        mean = _mean(slope, level)
        return _mean(Function(lambda z: (slope.values(z) - mean) ** 2, slope.kinks), level)

    return _refined(variance)


def _mean(function: Function, level: int) -> float:
    return float(responses(function, np.zeros(1), np.ones(1), level).mean[0])


def _refined(value_at: Callable[[int], float]) -> float:
    """Return a value by a rule refined until it settles."""
    before = math.inf
    for level in range(_FINEST):
        value = float(value_at(level))
        if abs(value - before) <= _TOLERANCE * abs(value):
            break
        before = value
    return value
