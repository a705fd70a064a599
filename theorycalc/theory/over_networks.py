"""Means over networks whose initial output has a random mean: of gains after a step, and of eigenvalues.

See docs/theory/dressed.md#raw-activations and docs/theory/dressed.md#outliers-with-options.

The initial output of a network with a raw activation contains the constant g_a c_0 Z, Z = Σâ_i ~ N(0, 1), which changes
from network to network: losses are averaged over it.  With it change places, overlaps and the number of outliers.  The
i-th largest eigenvalue of a network is its i-th outlier, or, where it has fewer, the edge of its bulk: that has a mean
and a standard deviation over networks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.systems import Array
from theorycalc.theory.case import with_residual_mean
from theorycalc.theory.dressed.accuracy import dressed_losses
from theorycalc.theory.dressed.finite_size import LossPair, coarse_fit, standard_deviations
from theorycalc.theory.dressed.labels import learned_by
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.options import CLEAN

NODES = 7  # of a Gauss–Hermite rule: more change the gains by less than 1e-4 of them
_MOST = 0.5  # of networks have an outlier that is listed

BETWEEN = "the initial output has a random mean: places are means over networks, ± the deviation that it causes"


class MeanLosses(NamedTuple):
    """Gains in both losses and the training error, averaged over networks, and their accuracy.

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
    """Return standard deviations, as :func:`standard_deviations` does, with those due to the initial output's mean.

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
    """A step with one mean of the initial output, and the weight of that mean."""

    step: DressedStep
    weight: float


def output_rule(output_mean: float) -> tuple[Array, Array]:
    """Return the means of the initial output, g_a c_0 Z, and their weights.

    >>> means, weights = output_rule(2.0)
    >>> round(float(weights @ means**2), 12)
    4.0
    """
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES if output_mean else 1)
    return output_mean * nodes, weights / weights.sum()


def draws_of(step: DressedStep) -> Iterator[Drawn]:
    """Yield the steps of networks with different means of the initial output, or, without one, the step itself."""
    if not step.output_mean:
        yield Drawn(step, 1.0)
        return
    for mean, weight in zip(*output_rule(step.output_mean), strict=True):
        case = with_residual_mean(step.case, float(step.case.residual_mean - mean))
        spread = step.spread / step.case.scatter * case.scatter
        kinds = tuple(kind._replace(spread=kind.spread / step.case.scatter * case.scatter) for kind in step.kinds)
        yield Drawn(replace(step, case=case, spread=spread, kinds=kinds, output_mean=0.0), float(weight))


class NetworkOutliers(NamedTuple):
    """Outliers of networks with one mean of the initial output, in decreasing order, and these networks' weight."""

    weight: float
    places: Array
    overlaps: Array  # outlier × vectors
    edge: float


class MeanOutliers(NamedTuple):
    """Outliers of most networks: means and deviations of the places, and means of the overlaps and the edge."""

    places: Array
    overlaps: Array
    deviations: Array
    edge: float


def mean_outliers(networks: Sequence[NetworkOutliers]) -> MeanOutliers:
    """Return the outliers averaged over networks; a network without one contributes the edge of its bulk.

    >>> one = NetworkOutliers(0.75, np.array([3.0]), np.array([[0.8]]), 2.0)
    >>> other = NetworkOutliers(0.25, np.array([]), np.zeros((0, 1)), 2.2)
    >>> found = mean_outliers([one, other])
    >>> found.places, found.overlaps, found.deviations.round(6), found.edge
    (array([2.8]), array([[0.6]]), array([0.34641]), 2.05)
    """
    weights = np.array([one.weight for one in networks])
    weights = weights / weights.sum()
    counts = np.array([len(one.places) for one in networks])
    listed = int(np.sum([weights @ (counts > i) > _MOST for i in range(counts.max(initial=0))]))
    places = np.array([np.append(one.places, [one.edge] * listed)[:listed] for one in networks])
    vectors = max(one.overlaps.shape[1] for one in networks)
    overlaps = np.zeros((len(networks), listed, vectors))
    for i, one in enumerate(networks):
        known = one.overlaps[:listed]
        overlaps[i, : len(known), : known.shape[1]] = known
    mean = weights @ places
    edge = float(weights @ np.array([one.edge for one in networks]))
    return MeanOutliers(mean, np.tensordot(weights, overlaps, 1), np.sqrt(weights @ (places - mean) ** 2), edge)
