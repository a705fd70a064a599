"""The two-layer network f(x) = aᵀσ(Wx): its gradient in W, its features, and their equivalents on the same draws.

See docs/theory/setting.md#the-data-the-network-and-the-step and docs/theory/windows.md#what-the-step-adds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from theorycalc.errors import DomainError
from theorycalc.model.enums import GradientTarget, Precision, Simulated
from theorycalc.model.requirements import FloatFunction, Functions
from theorycalc.numbers.exact import Floats
from theorycalc.simulation.draws import BLOCK

_CACHED = 1 << 15  # numbers that σ is applied to at a time: they stay in the cache


@dataclass(frozen=True)
class Gradient:
    """∂L/∂W, and β = Xᵀr/n₀ of its residual r, the direction of the spikes; or W after steps, and the sum of β."""

    weights: Floats
    direction: Floats


def features(inputs: Floats, weights: Floats, activation: FloatFunction, precision: str = Precision.DOUBLE) -> Floats:
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
    """Apply function to values in place, a few rows at a time so that temporaries stay in the cache.

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
    gradient: str = GradientTarget.RESIDUAL,
    precision: str = Precision.DOUBLE,
) -> Gradient:
    """Return ∂L/∂W of L = (1/2n₀)‖y − σ(XWᵀ)a‖².

    ∂L/∂W = −(1/n₀) [(r aᵀ) ∘ σ'(XWᵀ)]ᵀX with r = y − σ(XWᵀ)a, or r = y with ``gradient="labels"``.

    >>> identity = Functions(lambda z: z, np.ones_like, lambda z: z)
    >>> x, y, w, a = np.eye(2), np.array([2.0, 0.0]), np.zeros((1, 2)), np.ones(1)
    >>> loss_gradient(x, y, w, a, identity).weights
    array([[-1., -0.]])
    """
    slopes = inputs.astype(precision, copy=False) @ weights.T.astype(precision, copy=False)
    residual = labels.copy()
    rows = max(1, _CACHED // slopes.shape[1])
    for start in range(0, len(slopes), rows):  # slopes become diag(r) σ'(XWᵀ)
        block = slopes[start : start + rows]
        if gradient == GradientTarget.RESIDUAL:
            residual[start : start + rows] -= functions.activation(block) @ second_layer
        np.multiply(functions.slope(block), residual[start : start + rows, None], out=block, casting="same_kind")
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


@dataclass(frozen=True)
class SpikeTerms:
    """Σ_{1≤k≤ℓ} c_1^k c_k η^k (X̃β)^{∘k} (a^{∘k})ᵀ, the part that the step adds to the features."""

    strengths: Floats  # c_1^k c_k η^k, k = 1, …, ℓ; with biases, of every neuron in a column
    direction: Floats  # β
    second_layer: Floats  # a

    def add_to(self, bulk: Floats, inputs: Floats) -> None:
        """Add the spikes of a batch to its features, in place.

        >>> bulk = np.zeros((1, 2))
        >>> SpikeTerms(np.array([1.0, 10.0]), np.ones(1), np.array([1.0, 2.0])).add_to(bulk, np.array([[3.0]])); bulk
        array([[ 93., 366.]])
        """
        powers = np.arange(1, len(self.strengths) + 1)
        left, right = (inputs @ self.direction)[:, None] ** powers, self.second_layer ** powers[:, None]
        bulk += left @ (self.strengths * right) if self.strengths.ndim > 1 else (left * self.strengths) @ right


@dataclass(frozen=True)
class Ladder:
    """The weights and moments that give features of every kind; W and the spikes belong to one step."""

    initial: Floats  # W₀
    activation: FloatFunction
    precision: str
    c1: Floats | float  # of σ over the length of the rows, since W₀ has that length, too; with biases, of each neuron
    c_rest: Floats | float
    stepped: Floats | None = None  # W, for "network"
    spikes: SpikeTerms | None = None  # for "spiked" and "gaussian"
    c0: Floats | float = 0.0  # the mean of σ, unless it is centred

    def features(self, kind: str, inputs: Floats, rng: Generator) -> Floats:
        """Return the features of a batch.

        "initial" is F₀ = σ(X̃W₀ᵀ) and "network" F = σ(X̃Wᵀ); "spiked" is F₀ and "gaussian" is
        "gaussian_initial" = c_0 + c_1X̃W₀ᵀ + c_{>1}Z, each plus the spikes; Z ~ N(0, 1) is drawn from ``rng``.

        >>> ladder = Ladder(np.ones((1, 2)), np.square, "float64", c1=0.5, c_rest=0.0)
        >>> rng = np.random.default_rng(0)
        >>> [ladder.features(kind, np.ones((1, 2)), rng).item() for kind in ("initial", "gaussian_initial")]
        [4.0, 1.0]
        """
        if kind == Simulated.NETWORK:
            assert self.stepped is not None
            return features(inputs, self.stepped, self.activation, self.precision)
        if kind in ("initial", Simulated.SPIKED):
            result = features(inputs, self.initial, self.activation, self.precision)
        else:
            result = inputs @ self.initial.T
            result *= self.c1
            for start in range(0, len(result), BLOCK):
                rows = result[start : start + BLOCK]
                rows += self.c_rest * rng.standard_normal(rows.shape)
            result += self.c0
        if kind in (Simulated.SPIKED, Simulated.GAUSSIAN):
            assert self.spikes is not None
            self.spikes.add_to(result, inputs)
        return result


def initial_name(model: str) -> str:
    """Return the name of the features before the step, from which a model's gain is measured.

    >>> initial_name("spiked")
    'initial'
    """
    return "gaussian_initial" if model == Simulated.GAUSSIAN else "initial"
