"""Means over networks of a step whose residual has a random mean (docs/theory/dressed.md#raw-activations).

The initial output of a network with a raw activation contains the constant g_a c_0 Z, Z = Σâ_i ~ N(0, 1), which changes
from network to network: losses are averaged over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.systems import Array
from theorycalc.theory.case import with_residual_mean
from theorycalc.theory.dressed.accuracy import dressed_losses
from theorycalc.theory.dressed.finite_size import LossPair, coarse_fit, standard_deviations
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.options import CLEAN
from theorycalc.theory.dressed.unlearned import learned_by

NODES = 7  # of a Gauss–Hermite rule: more change the gains by less than 1e-4 of them


class MeanLosses(NamedTuple):
    """Gains in both losses and in the training error in the mean over networks, and their accuracy.

    ``learned`` is what the step adds to the energy of the teacher that a fit to clean labels learns; None where the
    labels of the fit are clean.
    """

    gains: Array
    residual: Array
    error: float
    learned: Array | None


def mean_losses(step: DressedStep, eta: Array, ridge: Array, before: Array) -> MeanLosses:
    """Return the gains for pairs of η and λ, given both losses and the training error before the step."""
    corrupted = step.fit.channel != CLEAN
    gains, learned = np.zeros((3, len(eta))), np.zeros(len(eta))
    residual, error = np.zeros(len(eta)), 0.0
    for drawn, weight in draws_of(step):
        found = dressed_losses(drawn, eta, ridge, before)
        gains += weight * found.gains
        if corrupted:
            learned += weight * learned_by(drawn, eta, ridge, found.resolution)
        residual, error = np.maximum(residual, found.residual), max(error, found.error)
    return MeanLosses(gains, residual, error, learned if corrupted else None)


def deviations(
    step: DressedStep, eta: Array, ridge: Array, before: LossPair, gains: LossPair, test_samples: float
) -> dict[str, Array]:
    """Return standard deviations as :func:`standard_deviations` does, with those of the initial output's mean.

    The variance is the mean of that at each Z, and the variance over Z of the loss after the step, by coarse rules.
    """
    how = before, gains, test_samples
    if not step.output_mean:
        return standard_deviations(step, eta, ridge, *how)
    steps, weights = zip(*draws_of(step), strict=True)
    found = [standard_deviations(one, eta, ridge, *how) for one in steps]
    squares = {name: np.average([each[name] ** 2 for each in found], axis=0, weights=weights) for name in found[0]}
    fits = [coarse_fit(one, eta, ridge) for one in steps]
    for kind in LossPair._fields:
        losses = np.array([getattr(fit, kind) for fit in fits])
        between = np.average((losses - np.average(losses, axis=0, weights=weights)) ** 2, axis=0, weights=weights)
        for name in (f"{kind}_loss", f"{kind}_gain"):
            squares[name] = squares[name] + between
    return {name: np.sqrt(square) for name, square in squares.items()}


class Drawn(NamedTuple):
    """A step whose initial output has one of its means, and the weight of that mean."""

    step: DressedStep
    weight: float


def output_rule(output_mean: float) -> tuple[Array, Array]:
    """Return means of the initial output, g_a c_0 Z, and their weights.

    >>> means, weights = output_rule(2.0)
    >>> round(float(weights @ means**2), 12)
    4.0
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES if output_mean else 1)
    return output_mean * nodes, weights / weights.sum()


def draws_of(step: DressedStep) -> Iterator[Drawn]:
    """Yield the steps of networks with other means of their initial output; without one, the step itself."""
    if not step.output_mean:
        yield Drawn(step, 1.0)
        return
    for mean, weight in zip(*output_rule(step.output_mean), strict=True):
        case = with_residual_mean(step.case, float(step.case.residual_mean - mean))
        spread = step.spread / step.case.scatter * case.scatter
        kinds = tuple(kind._replace(spread=kind.spread / step.case.scatter * case.scatter) for kind in step.kinds)
        yield Drawn(replace(step, case=case, spread=spread, kinds=kinds, output_mean=0.0), float(weight))
