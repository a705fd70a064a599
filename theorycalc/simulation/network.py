"""The two-layer network f(x) = aᵀσ(Wx): its features, and the gradient in W.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.requirements import FloatFunction, Functions
from theorycalc.numbers.exact import Floats

_CACHED = 1 << 15  # numbers that σ is applied to at a time: they stay in the cache


@dataclass(frozen=True)
class Gradient:
    """∂L/∂W, and β = Xᵀr/n₀ of the residual r that it follows, the direction of the spikes."""

    weights: Floats
    direction: Floats


def features(inputs: Floats, weights: Floats, activation: FloatFunction, precision: str = "float64") -> Floats:
    """Return σ(XWᵀ) in float64; ``precision`` is that of the product.

    >>> features(np.eye(2), np.array([[1.0, 2.0]]), np.square)
    array([[1.],
           [4.]])
    """
    product = inputs.astype(precision, copy=False) @ weights.T.astype(precision, copy=False)
    result: Floats = product.astype(np.float64, copy=False)
    apply(activation, result)
    return result


def apply(function: FloatFunction, values: Floats) -> None:
    """Replace values by function(values), a few rows at a time: temporaries then cost no trip to memory.

    >>> x = np.array([[1.0], [2.0]])
    >>> apply(np.square, x); x
    array([[1.],
           [4.]])
    """
    rows = max(1, _CACHED // values.shape[1])
    for start in range(0, len(values), rows):
        values[start : start + rows] = function(values[start : start + rows])


def loss_gradient(
    inputs: Floats,
    labels: Floats,
    weights: Floats,
    second_layer: Floats,
    functions: Functions,
    gradient: str = "residual",
    precision: str = "float64",
) -> Gradient:
    """Return ∂L/∂W of L = (1/2n₀)‖y − σ(XWᵀ)a‖².

    ∂L/∂W = −(1/n₀) [(r aᵀ) ∘ σ'(XWᵀ)]ᵀX with r = y − σ(XWᵀ)a, or r = y with ``gradient="labels"``.

    >>> identity = Functions(lambda z: z, np.ones_like, lambda z: z)
    >>> x, y, w, a = np.eye(2), np.array([2.0, 0.0]), np.zeros((1, 2)), np.ones(1)
    >>> loss_gradient(x, y, w, a, identity).weights
    array([[-1., -0.]])
    """
    slopes, residual = _slopes(inputs, labels, weights, second_layer, functions, gradient, precision)
    result = np.asarray(slopes.T @ inputs.astype(precision, copy=False), dtype=np.float64)
    result *= -second_layer[:, None] / len(inputs)
    return Gradient(result, np.asarray(residual @ inputs) / len(inputs))


def descended(weights: Floats, gradient: Floats, eta: float) -> Floats:
    """Return W − η ∂L/∂W.

    >>> descended(np.ones((1, 2)), np.array([[1.0, -1.0]]), 0.5)
    array([[0.5, 1.5]])
    """
    with np.errstate(over="ignore", invalid="ignore"):
        result: Floats = gradient * -eta
        result += weights
    if not np.all(np.isfinite(result)):
        raise DomainError(f"the weights overflow: eta={eta:g} is too large for this activation")
    return result


def _slopes(
    inputs: Floats,
    labels: Floats,
    weights: Floats,
    second_layer: Floats,
    functions: Functions,
    gradient: str,
    precision: str,
) -> tuple[Floats, Floats]:
    """Return diag(r) σ'(XWᵀ), the gradient but for a and X, and the residual r."""
    slopes = inputs.astype(precision, copy=False) @ weights.T.astype(precision, copy=False)
    residual = labels.copy()
    rows = max(1, _CACHED // slopes.shape[1])
    for start in range(0, len(slopes), rows):
        block = slopes[start : start + rows]
        if gradient == "residual":
            residual[start : start + rows] -= functions.activation(block) @ second_layer
        np.multiply(functions.slope(block), residual[start : start + rows, None], out=block, casting="same_kind")
    return slopes, residual
