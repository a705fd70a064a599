"""Neurons with biases: one bias for each neuron, and the numbers of its shifted activation.

See docs/theory/kinds.md#the-network.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from theorycalc.model.problem import Problem
from theorycalc.model.requirements import Functions, literal_functions
from theorycalc.numbers.exact import Floats

_END = 13.0  # standard deviations beyond which the Gaussian weight is below 1e-37
_PANEL = 0.5
_NODES = 20  # of the Gauss–Legendre rule on each panel


@dataclass(frozen=True)
class Neurons:
    """The functions of a network and the numbers of its neurons: arrays where neurons differ by their biases."""

    functions: Functions
    c0: Floats | float
    c1: Floats | float
    c_rest: Floats | float
    spikes: Floats | None  # c_1, …, c_ℓ, where they are asked for


def draw_neurons(rng: Generator, problem: Problem, N: int, ell: int | None = None) -> Neurons:
    """Return the neurons of a network, with c_1, …, c_ℓ if ℓ is given; biases are drawn as the problem says.

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
    """Return c_0, …, c_ℓ and c_{>1} of σ(g_w z + b), with a column for each bias.

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
