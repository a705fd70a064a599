"""The random draws of a replicate: teacher, layers and batches, each from a separate stream.

See docs/theory/setting.md#the-data-the-network-and-the-step and docs/theory/kinds.md#the-network.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, SeedSequence

from theorycalc.model.enums import FirstLayer, InputLaw, SecondLayer
from theorycalc.model.inputs import Inputs
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import FloatFunction, Functions, literal_functions
from theorycalc.numbers.exact import Floats

PURPOSES = (
    *("teacher", "first_layer", "second_layer", "step_inputs", "step_labels", "ridge_inputs", "ridge_labels"),
    *("test_inputs", "bulk", "test_bulk", "biases"),  # bulks are Z of the Gaussian equivalent
)
BLOCK = 512  # points that are drawn or multiplied at a time, where a batch is not kept

_HALF_WIDTH = 3**0.5  # of the uniform law with variance 1
_END = 13.0  # standard deviations beyond which the Gaussian weight is below 1e-37
_PANEL = 0.5
_NODES = 20  # of the Gauss–Legendre rule on each panel


@dataclass(frozen=True)
class Source:
    """The random numbers of one replicate: an independent stream for each purpose in PURPOSES.

    They depend on the seed and the number of the replicate alone, so that all steps of a replicate share its draw,
    and no option changes the draws for another purpose.  Several batches for one purpose are numbered.

    >>> source = Source(seed=0, replicate=2)
    >>> source.stream("teacher").random() == source.stream("teacher").random()
    True
    >>> source.stream("teacher").random() == source.stream("bulk").random()
    False
    """

    seed: int
    replicate: int

    def stream(self, purpose: str, batch: int = 0) -> Generator:
        """Return a new generator for a purpose, which produces the same numbers every time."""
        key = (self.replicate, PURPOSES.index(purpose), *([batch] if batch else []))
        return np.random.default_rng(SeedSequence(self.seed, spawn_key=key))


@dataclass(frozen=True)
class Labels:
    """The law of clean labels: σ⋆(β⋆ᵀx) + ε, or g(β_1ᵀx, …, β_rᵀx) + ε."""

    teacher: FloatFunction
    direction: Floats  # β⋆, or β_1, …, β_r in columns
    noise: float  # σ_ε
    offset: float = 0.0  # the mean that σ⋆ is without, since that of labels is subtracted

    def signal(self, inputs: Floats) -> Floats:
        """Return the noiseless label of every point.

        >>> Labels(np.square, np.array([1.0, 2.0]), noise=0.0).signal(np.ones((1, 2)))
        array([9.])
        """
        return self.teacher(inputs @ self.direction)


class Channel(NamedTuple):
    """The corruption of the labels of a batch (docs/theory/channels.md)."""

    corrupt: float = 0.0  # share that belong to other points
    flip: float = 0.0  # share with the wrong sign

    @property
    def is_clean(self) -> bool:
        """True where no label is corrupted."""
        return self == (0.0, 0.0)


def draw_inputs(rng: Generator, law: InputLaw, count: int, d: int, scales: Floats | None = None) -> Floats:
    """Return ``count`` points with independent entries of mean 0 and variance 1, each entry times its scale.

    >>> sorted(set(draw_inputs(np.random.default_rng(0), "rademacher", 3, 4).ravel().tolist()))
    [-1.0, 1.0]
    """
    points: Floats
    if law == InputLaw.GAUSSIAN:
        points = rng.standard_normal((count, d))
    elif law == InputLaw.UNIFORM:
        points = rng.uniform(-_HALF_WIDTH, _HALF_WIDTH, (count, d))
    else:
        signs = rng.integers(0, 2, (count, d), dtype=np.int8)
        signs *= 2
        signs -= 1
        points = signs.astype(np.float64)
    if scales is not None:
        points *= scales
    return points


def input_scales(inputs: Inputs, d: int) -> Floats:
    """Return √τ for each of d inputs, largest first: x = Σ^½z in the eigenbasis of Σ, to which no layer is tied.

    >>> input_scales(Inputs.two_level(4, "1/4"), 4) ** 2 * 7 / 4
    array([4., 1., 1., 1.])
    """
    eigenvalues = [float(level.eigenvalue) for level in inputs.levels]
    return np.asarray(np.sqrt(np.repeat(eigenvalues, inputs.multiplicities(d))))


def draw_preferring(rng: Generator, inputs: Inputs, d: int) -> Floats:
    """Return β⋆ = Σ^−½v with β⋆ᵀΣβ⋆ = 1, where v has the share of every level and is uniform on the sphere within it.

    >>> inputs = Inputs.two_level(4, "1/4", "9/10")
    >>> found = draw_preferring(np.random.default_rng(0), inputs, 40) * input_scales(inputs, 40)
    >>> [float(np.sum(part**2).round(12)) for part in (found[:10], found[10:])]
    [0.9, 0.1]
    """
    counts, scales = inputs.multiplicities(d), input_scales(inputs, d)
    found = rng.standard_normal(d)
    lengths = np.sqrt(np.add.reduceat(found**2, np.cumsum([0, *counts[:-1]])))
    found *= np.repeat(np.sqrt([float(level.share) for level in inputs.levels]) / lengths, counts)
    return np.divide(found, scales, out=np.zeros(d), where=scales > 0)  # no share has a level that does not vary


def draw_direction(rng: Generator, d: int) -> Floats:
    """Return β⋆, uniform on the unit sphere.

    >>> float(np.linalg.norm(draw_direction(np.random.default_rng(0), 50)).round(12))
    1.0
    """
    direction = rng.standard_normal(d)
    return np.asarray(direction / np.linalg.norm(direction))


def draw_directions(rng: Generator, d: int, r: int) -> Floats:
    """Return β_1, …, β_r in columns, orthonormal and each uniform on the sphere, or β⋆ itself if r = 1.

    >>> found = draw_directions(np.random.default_rng(0), 50, 2)
    >>> np.allclose(found.T @ found, np.eye(2), atol=1e-12)
    True
    """
    if r == 1:
        return draw_direction(rng, d)
    basis, triangle = np.linalg.qr(rng.standard_normal((d, r)))
    return np.asarray(basis * np.sign(np.diag(triangle)))  # as Gram and Schmidt, without a convention on signs


def draw_first_layer(rng: Generator, law: FirstLayer, N: int, d: int, scale: float = 1.0) -> Floats:
    """Return W₀: rows uniform on the sphere of radius ``scale``, or N(0, scale² I/d).

    >>> np.linalg.norm(draw_first_layer(np.random.default_rng(0), "sphere", 2, 5), axis=1).round(12)
    array([1., 1.])
    """
    weights = rng.standard_normal((N, d))
    weights /= np.linalg.norm(weights, axis=1, keepdims=True) if law == FirstLayer.SPHERE else d**0.5
    weights *= scale
    return weights


def draw_second_layer(rng: Generator, law: SecondLayer, N: int, scale: float = 1.0) -> Floats:
    """Return a, where every entry of √N·a/scale is N(0, 1), uniform of variance 1, ±1 or 1.

    >>> draw_second_layer(np.random.default_rng(0), "constant", 4, scale=3.0)
    array([1.5, 1.5, 1.5, 1.5])
    """
    values: Floats = np.ones(N)
    if law == SecondLayer.GAUSSIAN:
        values = rng.standard_normal(N)
    elif law == SecondLayer.UNIFORM:
        values = rng.uniform(-_HALF_WIDTH, _HALF_WIDTH, N)
    elif law == SecondLayer.SIGN:
        values = np.asarray(2.0 * rng.integers(0, 2, N) - 1.0)
    return np.asarray(values / N**0.5 * scale)


def draw_labels(
    rng: Generator, labels: Labels, channel: Channel, law: InputLaw, inputs: Floats, scales: Floats | None = None
) -> Floats:
    """Return the labels of a training batch.

    Corruption replaces the labels of round(corrupt · count) points, chosen at random, by those of
    independent points, with the same scales: a label keeps its law and loses its relation to its own point.  Then
    round(flip · count) points, chosen at random, change the sign of their labels; the mean that labels lack is then
    that of labels with these signs.

    >>> labels = Labels(np.square, np.array([1.0, 0.0]), noise=0.0)
    >>> x = np.ones((4, 2))
    >>> int(np.sum(draw_labels(np.random.default_rng(0), labels, Channel(corrupt=0.5), "gaussian", x) != 1.0))
    2
    >>> draw_labels(np.random.default_rng(0), labels, Channel(flip=1.0), "gaussian", x)
    array([-1., -1., -1., -1.])
    """
    count, d = inputs.shape
    values: Floats = labels.signal(inputs)
    values = values + labels.noise * rng.standard_normal(count)
    replaced = round(channel.corrupt * count)
    chosen = rng.permutation(count)[:replaced]
    for start in range(0, replaced, BLOCK):
        rows = chosen[start : start + BLOCK]
        strangers = draw_inputs(rng, law, len(rows), d, scales)
        values[rows] = labels.signal(strangers) + labels.noise * rng.standard_normal(len(rows))
    flipped = rng.permutation(count)[: round(channel.flip * count)]
    values[flipped] *= -1.0
    values += 2 * channel.flip * labels.offset  # signs change before the mean is subtracted
    values[flipped] -= 2 * labels.offset
    return values


@dataclass(frozen=True)
class Neurons:
    """The functions of a network and the numbers of its neurons, which are arrays if biases make neurons differ."""

    functions: Functions
    c0: Floats | float
    c1: Floats | float
    c_rest: Floats | float
    spikes: Floats | None  # c_1, …, c_ℓ, where they are asked for


def draw_neurons(rng: Generator, problem: Problem, N: int, ell: int | None = None) -> Neurons:
    """Return a network's neurons, with c_1, …, c_ℓ if ℓ is given and biases drawn as the problem says.

    >>> made = draw_neurons(np.random.default_rng(0), Problem("relu", "H1", 1, 1, 1), 3)
    >>> round(made.c0, 6), made.c1
    (0.398942, 0.5)
    """
    functions, activation = literal_functions(problem), problem.unit_activation
    if problem.biases is None:
        spikes = None if ell is None else np.asarray(activation.coefficients(ell), dtype=float)[1:]
        return Neurons(functions, float(activation.mean), float(activation.c1), float(activation.c_rest), spikes)
    biases = problem.biases.drawn(rng, N)
    coefficients, c_rest = neuron_coefficients(problem, biases, ell or 1)
    means = coefficients[0] if problem.centred else 0.0
    shifted = Functions(
        activation=lambda z: functions.activation(z + biases) - means,
        slope=lambda z: functions.slope(z + biases),
        teacher=functions.teacher,
    )
    return Neurons(shifted, coefficients[0], coefficients[1], c_rest, coefficients[1:])


def neuron_coefficients(problem: Problem, biases: Floats, ell: int) -> tuple[Floats, Floats]:
    """Return c_0, …, c_ℓ and c_{>1} of σ(g_w z + b), with one column for each bias.

    >>> biased = Problem("x**2", "H1", 1, 1, 1, intercept=True, biases={1: 1})
    >>> coefficients, c_rest = neuron_coefficients(biased, np.array([0.0, 3.0]), 2)
    >>> (coefficients + 0.0).round(9).tolist(), (c_rest**2).round(9).tolist()
    ([[1.0, 10.0], [0.0, 6.0], [1.0, 1.0]], [2.0, 2.0])
    """
    scale, activation = float(problem.first_scale), problem.activation
    different, places = np.unique(biases, return_inverse=True)
    low, high = different[0] - _END * scale, different[-1] + _END * scale
    kinks = [kink for kink in activation.kink_floats if low < kink < high]
    cuts = np.unique([*np.arange(low, high, _PANEL * scale), high, *kinks])
    x, w = np.polynomial.legendre.leggauss(_NODES)
    half = np.diff(cuts)[:, None] / 2
    points = (cuts[:-1, None] + half * (1 + x)).ravel()
    z = (points - different[:, None]) / scale
    weights = (half * w).ravel() * np.exp(-(z**2) / 2) / (scale * np.sqrt(2 * np.pi))
    values = replace(activation, is_centered=False)(points)
    found, factorial = [], 1.0
    before, hermite = np.zeros_like(z), np.ones_like(z)
    for k in range(ell + 1):
        factorial *= max(k, 1)
        found.append(np.sum(weights * hermite * values, axis=1) / factorial)
        before, hermite = hermite, z * hermite - k * before
    rest = values - found[0][:, None] - found[1][:, None] * z
    c_rest = np.sqrt(np.sum(weights * rest**2, axis=1))
    return np.array(found)[:, places], c_rest[places]
