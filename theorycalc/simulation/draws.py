"""The draw of a replicate: teacher, layers and batches, each from a stream of its own.

See docs/theory/setting.md#the-data-the-network-and-the-step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, SeedSequence

from theorycalc.model.enums import FirstLayer, InputLaw, SecondLayer
from theorycalc.model.requirements import FloatFunction
from theorycalc.numbers.exact import Floats

PURPOSES = (
    *("teacher", "first_layer", "second_layer", "step_inputs", "step_labels", "ridge_inputs", "ridge_labels"),
    *("test_inputs", "bulk", "test_bulk"),  # the last two are Z of the Gaussian equivalent
)
BLOCK = 512  # points that are drawn or multiplied at a time, where a batch is not kept

_HALF_WIDTH = 3**0.5  # of the uniform law with variance 1


@dataclass(frozen=True)
class Source:
    """The random numbers of one replicate: independent streams, one for each purpose in PURPOSES.

    They depend on the seed and the number of the replicate alone, so that all steps of a replicate share its draw,
    and no option changes the draws for another purpose.

    >>> source = Source(seed=0, replicate=2)
    >>> source.stream("teacher").random() == source.stream("teacher").random()
    True
    >>> source.stream("teacher").random() == source.stream("bulk").random()
    False
    """

    seed: int
    replicate: int

    def stream(self, purpose: str) -> Generator:
        """Return a new generator for a purpose, which gives the same numbers every time."""
        key = (self.replicate, PURPOSES.index(purpose))
        return np.random.default_rng(SeedSequence(self.seed, spawn_key=key))


@dataclass(frozen=True)
class Labels:
    """How labels arise: σ⋆(β⋆ᵀx) + ε, a fraction of them corrupted."""

    teacher: FloatFunction
    direction: Floats  # β⋆
    noise: float  # σ_ε
    corrupt: float


def draw_inputs(rng: Generator, law: InputLaw, count: int, d: int) -> Floats:
    """Return ``count`` points with independent entries of mean 0 and variance 1.

    >>> sorted(set(draw_inputs(np.random.default_rng(0), "rademacher", 3, 4).ravel().tolist()))
    [-1.0, 1.0]
    """
    if law == InputLaw.GAUSSIAN:
        return rng.standard_normal((count, d))
    if law == InputLaw.UNIFORM:
        return rng.uniform(-_HALF_WIDTH, _HALF_WIDTH, (count, d))
    signs = rng.integers(0, 2, (count, d), dtype=np.int8)
    signs *= 2
    signs -= 1
    return signs.astype(np.float64)


def draw_direction(rng: Generator, d: int) -> Floats:
    """Return β⋆, uniform on the unit sphere.

    >>> float(np.linalg.norm(draw_direction(np.random.default_rng(0), 50)).round(12))
    1.0
    """
    direction = rng.standard_normal(d)
    return np.asarray(direction / np.linalg.norm(direction))


def draw_first_layer(rng: Generator, law: FirstLayer, N: int, d: int) -> Floats:
    """Return W₀: rows uniform on the unit sphere, or N(0, I/d).

    >>> np.linalg.norm(draw_first_layer(np.random.default_rng(0), "sphere", 2, 5), axis=1).round(12)
    array([1., 1.])
    """
    weights = rng.standard_normal((N, d))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True) if law == FirstLayer.SPHERE else d**0.5
    return weights


def draw_second_layer(rng: Generator, law: SecondLayer, N: int) -> Floats:
    """Return a: √N·a is N(0, 1), ±1 or 1 in every entry.

    >>> draw_second_layer(np.random.default_rng(0), "constant", 4)
    array([0.5, 0.5, 0.5, 0.5])
    """
    if law == SecondLayer.GAUSSIAN:
        return np.asarray(rng.standard_normal(N) / N**0.5)
    signs = 2.0 * rng.integers(0, 2, N) - 1.0 if law == SecondLayer.SIGN else np.ones(N)
    return np.asarray(signs / N**0.5)


def draw_labels(rng: Generator, labels: Labels, law: InputLaw, inputs: Floats) -> Floats:
    """Return the labels of a training batch.

    Corruption replaces the labels of round(corrupt · count) points, chosen at random, by those of
    independent points: a label keeps its law and loses its relation to its own point.

    >>> labels = Labels(np.square, np.array([1.0, 0.0]), noise=0.0, corrupt=0.5)
    >>> x = np.ones((4, 2))
    >>> int(np.sum(draw_labels(np.random.default_rng(0), labels, "gaussian", x) != 1.0))
    2
    """
    count, d = inputs.shape
    values: Floats = labels.teacher(inputs @ labels.direction)
    values = values + labels.noise * rng.standard_normal(count)
    replaced = round(labels.corrupt * count)
    chosen = rng.permutation(count)[:replaced]
    for start in range(0, replaced, BLOCK):
        rows = chosen[start : start + BLOCK]
        strangers = draw_inputs(rng, law, len(rows), d) @ labels.direction
        values[rows] = labels.teacher(strangers) + labels.noise * rng.standard_normal(len(rows))
    return values
