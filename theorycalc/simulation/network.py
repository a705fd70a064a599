"""The two-layer network f(x) = aᵀσ(Wx): its features, and the gradient step on W (theory section 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.theory.functions import Array, Function, Functions

_CACHED = 1 << 15  # numbers that σ is applied to at a time: they stay in the cache


@dataclass(frozen=True)
class Stepped:
    """W after the step, and the direction β = Xᵀr/n₀ of its first step, r the residual it followed."""

    weights: Array
    direction: Array


def features(inputs: Array, weights: Array, activation: Function, precision: str = "float64") -> Array:
    """Return σ(XWᵀ) in float64; ``precision`` is that of the product.

    >>> features(np.eye(2), np.array([[1.0, 2.0]]), np.square)
    array([[1.],
           [4.]])
    """
    product = inputs.astype(precision, copy=False) @ weights.T.astype(precision, copy=False)
    result: Array = product.astype(np.float64, copy=False)
    apply(activation, result)
    return result


def apply(function: Function, values: Array) -> None:
    """Replace values by function(values), a few rows at a time: temporaries then cost no trip to memory.

    >>> x = np.array([[1.0], [2.0]])
    >>> apply(np.square, x); x
    array([[1.],
           [4.]])
    """
    rows = max(1, _CACHED // values.shape[1])
    for start in range(0, len(values), rows):
        values[start : start + rows] = function(values[start : start + rows])


def gradient_steps(
    inputs: Array,
    labels: Array,
    weights: Array,
    second_layer: Array,
    functions: Functions,
    eta: float,
    steps: int = 1,
    initial_output: str = "included",
    precision: str = "float64",
) -> Stepped:
    """Return W − η ∂L/∂W of L = (1/2n₀)‖y − σ(XWᵀ)a‖², the step repeated ``steps`` times on the same batch.

    ∂L/∂W = −(1/n₀) [(r aᵀ) ∘ σ'(XWᵀ)]ᵀX with r = y − σ(XWᵀ)a of the current W; with
    ``initial_output="neglected"``, r = y in every step.

    >>> identity = Functions(lambda z: z, np.ones_like, lambda z: z)
    >>> x, y, w, a = np.eye(2), np.array([2.0, 0.0]), np.zeros((1, 2)), np.ones(1)
    >>> gradient_steps(x, y, w, a, identity, eta=1.0).weights
    array([[1., 0.]])
    """
    current, first = weights, labels
    for step in range(steps):
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused below
            slopes, residual = _slopes(inputs, labels, current, second_layer, functions, initial_output, precision)
            change = np.asarray(slopes.T @ inputs.astype(precision, copy=False), dtype=np.float64)
            del slopes  # before the next step makes its own
            change *= (eta / len(inputs)) * second_layer[:, None]
            change += current
        if not np.all(np.isfinite(change)):
            raise DomainError(f"the weights overflow in step {step + 1}: eta={eta:g} is too large for this activation")
        current, first = change, residual if step == 0 else first
    return Stepped(current, np.asarray(first @ inputs) / len(inputs))


def _slopes(
    inputs: Array,
    labels: Array,
    weights: Array,
    second_layer: Array,
    functions: Functions,
    initial_output: str,
    precision: str,
) -> tuple[Array, Array]:
    """Return diag(r) σ'(XWᵀ), the gradient but for a and X, and the residual r."""
    slopes = inputs.astype(precision, copy=False) @ weights.T.astype(precision, copy=False)
    residual = labels.copy()
    rows = max(1, _CACHED // slopes.shape[1])
    for start in range(0, len(slopes), rows):
        block = slopes[start : start + rows]
        if initial_output == "included":
            residual[start : start + rows] -= functions.activation(block) @ second_layer
        np.multiply(functions.slope(block), residual[start : start + rows, None], out=block, casting="same_kind")
    return slopes, residual
