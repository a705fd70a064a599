"""The features of a replicate, and their equivalents on the same draws (docs/theory/windows.md#what-the-step-adds)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator

from theorycalc.model.requirements import FloatFunction
from theorycalc.numbers.exact import Floats
from theorycalc.simulation.draws import BLOCK
from theorycalc.simulation.network import features

MODELS = ("network", "spiked", "gaussian")


@dataclass(frozen=True)
class SpikeTerms:
    """Σ_{1≤k≤ℓ} c_1^k c_k η^k (X̃β)^{∘k} (a^{∘k})ᵀ, the part that the step adds to the features."""

    strengths: Floats  # c_1^k c_k η^k, k = 1, …, ℓ
    direction: Floats  # β
    second_layer: Floats  # a

    def add_to(self, bulk: Floats, inputs: Floats) -> None:
        """Add the spikes of a batch to its features, in place.

        >>> bulk = np.zeros((1, 2))
        >>> SpikeTerms(np.array([1.0, 10.0]), np.ones(1), np.array([1.0, 2.0])).add_to(bulk, np.array([[3.0]])); bulk
        array([[ 93., 366.]])
        """
        powers = np.arange(1, len(self.strengths) + 1)
        left = (inputs @ self.direction)[:, None] ** powers * self.strengths
        bulk += left @ self.second_layer ** powers[:, None]


@dataclass(frozen=True)
class Ladder:
    """The weights and numbers from which features of every kind are made; W and the spikes are those of a step."""

    initial: Floats  # W₀
    activation: FloatFunction
    precision: str
    c1: float
    c_rest: float
    stepped: Floats | None = None  # W, for "network"
    spikes: SpikeTerms | None = None  # for "spiked" and "gaussian"

    def features(self, kind: str, inputs: Floats, rng: Generator) -> Floats:
        """Return the features of a batch.

        "initial" is F₀ = σ(X̃W₀ᵀ) and "network" F = σ(X̃Wᵀ); "spiked" is F₀ and "gaussian" is
        "gaussian_initial" = c_1X̃W₀ᵀ + c_{>1}Z, each plus the spikes; Z ~ N(0, 1) is drawn from ``rng``.

        >>> ladder = Ladder(np.ones((1, 2)), np.square, "float64", c1=0.5, c_rest=0.0)
        >>> rng = np.random.default_rng(0)
        >>> [ladder.features(kind, np.ones((1, 2)), rng).item() for kind in ("initial", "gaussian_initial")]
        [4.0, 1.0]
        """
        if kind == "network":
            assert self.stepped is not None
            return features(inputs, self.stepped, self.activation, self.precision)
        if kind in ("initial", "spiked"):
            result = features(inputs, self.initial, self.activation, self.precision)
        else:
            result = gaussian_bulk(inputs, self.initial, self.c1, self.c_rest, rng)
        if kind in ("spiked", "gaussian"):
            assert self.spikes is not None
            self.spikes.add_to(result, inputs)
        return result


def initial_name(model: str) -> str:
    """Return the name of the features before the step that a model's gain is measured from.

    >>> initial_name("spiked")
    'initial'
    """
    return "gaussian_initial" if model == "gaussian" else "initial"


def gaussian_bulk(inputs: Floats, weights: Floats, c1: float, c_rest: float, rng: Generator) -> Floats:
    """Return c_1 X̃W₀ᵀ + c_{>1} Z.

    >>> gaussian_bulk(np.ones((1, 2)), np.ones((1, 2)), 0.5, 0.0, np.random.default_rng(0))
    array([[1.]])
    """
    bulk = inputs @ weights.T
    bulk *= c1
    for start in range(0, len(bulk), BLOCK):
        rows = bulk[start : start + BLOCK]
        rows += c_rest * rng.standard_normal(rows.shape)
    return np.asarray(bulk)
