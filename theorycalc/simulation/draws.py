"""What one replicate draws: teacher, layers and batches, each from a stream of its own (theory section 1)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, SeedSequence

from theorycalc.theory.functions import Array, Function

INPUTS = ("gaussian", "uniform", "rademacher")
BLOCK = 512  # points that are drawn or multiplied at a time, where a batch is not kept

_HALF_WIDTH = 3**0.5  # of the uniform law with variance 1


@dataclass(frozen=True)
class Streams:
    """Independent generators, one a purpose, so that no option changes what another draws."""

    teacher: Generator
    first_layer: Generator
    second_layer: Generator
    step_inputs: Generator
    step_labels: Generator
    ridge_inputs: Generator
    ridge_labels: Generator
    test_inputs: Generator
    bulk: Generator  # Z of the Gaussian equivalent


@dataclass(frozen=True)
class Labels:
    """How labels arise: σ⋆(β⋆ᵀx) + ε, a fraction of them corrupted."""

    teacher: Function
    direction: Array  # β⋆
    noise: float  # σ_ε
    corrupt: float


def streams(seed: int, cell: int, index: int) -> Streams:
    """Return the generators of a replicate; they depend on these three numbers and nothing else.

    >>> a, b = streams(0, 1, 2), streams(0, 1, 2)
    >>> a.teacher.random() == b.teacher.random(), a.bulk.random() == b.test_inputs.random()
    (True, False)
    """
    children = SeedSequence(seed, spawn_key=(cell, index)).spawn(len(Streams.__dataclass_fields__))
    return Streams(*map(np.random.default_rng, children))


def draw_inputs(rng: Generator, law: str, count: int, d: int) -> Array:
    """Return ``count`` points with independent entries of mean 0 and variance 1.

    >>> sorted(set(draw_inputs(np.random.default_rng(0), "rademacher", 3, 4).ravel().tolist()))
    [-1.0, 1.0]
    """
    if law == "gaussian":
        return rng.standard_normal((count, d))
    if law == "uniform":
        return rng.uniform(-_HALF_WIDTH, _HALF_WIDTH, (count, d))
    signs = rng.integers(0, 2, (count, d), dtype=np.int8)
    signs *= 2
    signs -= 1
    return signs.astype(np.float64)


def draw_direction(rng: Generator, d: int) -> Array:
    """Return β⋆, uniform on the unit sphere.

    >>> float(np.linalg.norm(draw_direction(np.random.default_rng(0), 50)).round(12))
    1.0
    """
    direction = rng.standard_normal(d)
    return np.asarray(direction / np.linalg.norm(direction))


def draw_first_layer(rng: Generator, law: str, N: int, d: int) -> Array:
    """Return W₀: rows uniform on the unit sphere, or N(0, I/d).

    >>> np.linalg.norm(draw_first_layer(np.random.default_rng(0), "sphere", 2, 5), axis=1).round(12)
    array([1., 1.])
    """
    weights = rng.standard_normal((N, d))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True) if law == "sphere" else d**0.5
    return weights


def draw_second_layer(rng: Generator, law: str, N: int) -> Array:
    """Return a: √N·a is N(0, 1), ±1 or 1 in every entry.

    >>> draw_second_layer(np.random.default_rng(0), "constant", 4)
    array([0.5, 0.5, 0.5, 0.5])
    """
    if law == "gaussian":
        return np.asarray(rng.standard_normal(N) / N**0.5)
    signs = 2.0 * rng.integers(0, 2, N) - 1.0 if law == "sign" else np.ones(N)
    return np.asarray(signs / N**0.5)


def draw_labels(rng: Generator, labels: Labels, law: str, inputs: Array) -> Array:
    """Return the labels of a training batch.

    Corruption replaces the labels of round(corrupt · count) points, chosen at random, by those of
    independent points: the law of a label stays, its relation to its own point goes.

    >>> labels = Labels(np.square, np.array([1.0, 0.0]), noise=0.0, corrupt=0.5)
    >>> x = np.ones((4, 2))
    >>> int(np.sum(draw_labels(np.random.default_rng(0), labels, "gaussian", x) != 1.0))
    2
    """
    count, d = inputs.shape
    values: Array = labels.teacher(inputs @ labels.direction)
    values = values + labels.noise * rng.standard_normal(count)
    replaced = round(labels.corrupt * count)
    chosen = rng.permutation(count)[:replaced]
    for start in range(0, replaced, BLOCK):
        rows = chosen[start : start + BLOCK]
        strangers = draw_inputs(rng, law, len(rows), d) @ labels.direction
        values[rows] = labels.teacher(strangers) + labels.noise * rng.standard_normal(len(rows))
    return values
