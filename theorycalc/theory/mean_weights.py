"""Bulk and outliers of the weights after a step, in the mean over networks where the initial output has a random mean.

See docs/theory/weights.md#labels-with-a-mean.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.model.problem import Problem
from theorycalc.numbers.systems import Array
from theorycalc.theory.case import float_case, with_residual_mean
from theorycalc.theory.dressed.accuracy import check_strength
from theorycalc.theory.dressed.neurons import DressedStep, step_of
from theorycalc.theory.dressed.options import output_mean
from theorycalc.theory.followed_weights import followed_law, is_followed, outliers_of
from theorycalc.theory.over_networks import NetworkOutliers, draws_of, mean_outliers, output_rule
from theorycalc.theory.pencil.outliers import StepSize
from theorycalc.theory.weight_density import WeightBulk, bulk_after, bulk_before, weight_density
from theorycalc.theory.weights import WeightOutlier, law_after, leading_outlier, outlier_of


@dataclass(frozen=True)
class MeanBulk:
    """Bulks of networks with other means of their initial output, each with its weight; the means of their edges."""

    parts: tuple[tuple[float, WeightBulk], ...]
    edges: tuple[float, float]
    mean: float


class WeightsAfter(NamedTuple):
    """Bulk and outliers of W after a step; ``deviations`` of the places over networks, empty where all are alike."""

    bulk: WeightBulk | MeanBulk
    outliers: tuple[WeightOutlier, ...]
    deviations: tuple[float, ...] = ()


def density_inside(bulk: WeightBulk | MeanBulk, sigma: Array) -> Array:
    """Return the density of the N singular values, 0 outside the edges.

    >>> density_inside(bulk_before(1.0), np.array([-1.0, 3.0]))
    array([0., 0.])
    """
    values = np.zeros(sigma.shape)
    for weight, part in bulk.parts if isinstance(bulk, MeanBulk) else ((1.0, bulk),):
        inside = (sigma > part.edges[0]) & (sigma < part.edges[1])
        values[inside] += weight * weight_density(part, sigma[inside])
    return values


def even_noise(problem: Problem, step: StepSize) -> WeightsAfter:
    """Return bulk and outliers with the rest of the gradient as even noise."""
    taken = step_of(problem, step.N, step.gradient)
    check_strength(taken, step.eta)
    found = [(one.weight, bulk_after(one.step, step.eta), _outliers(one.step, step.eta)) for one in draws_of(taken)]
    return _mean(found)


def leading_order(problem: Problem, step: StepSize) -> WeightsAfter:
    """Return the bulk of W₀ and the outlier of the rank-one part of the step."""
    case, eta = float_case(problem, step.gradient), step.eta * float(problem.step_scale)
    bulk, found = bulk_before(1 / float(problem.psi)), []
    for mean, weight in zip(*output_rule(output_mean(problem, step.gradient)), strict=True):
        one = with_residual_mean(case, float(case.residual_mean - mean)) if mean else case
        outlier = leading_outlier(one, eta)
        found.append((float(weight), bulk, () if outlier is None else (outlier,)))
    return _mean(found)


def _outliers(step: DressedStep, eta: float) -> tuple[WeightOutlier, ...]:
    if is_followed(step):
        return outliers_of(followed_law(step, eta))
    found = outlier_of(law_after(step, eta))
    return () if found is None else (found,)


def _mean(found: Sequence[tuple[float, WeightBulk, tuple[WeightOutlier, ...]]]) -> WeightsAfter:
    """Return the means over networks; of one, its own bulk and outliers."""
    if len(found) == 1:
        return WeightsAfter(*found[0][1:])
    networks = []
    for weight, bulk, outliers in found:
        numbers = np.array(outliers).reshape(len(outliers), len(WeightOutlier._fields))
        networks.append(NetworkOutliers(weight, numbers[:, 0], numbers[:, 1:], bulk.edges[1]))
    mean = mean_outliers(networks)
    weights, bulks = np.array([one.weight for one in networks]), [bulk for _, bulk, _ in found]
    low, high = (float(weights @ np.array([bulk.edges[i] for bulk in bulks])) for i in (0, 1))
    parts = tuple((weight, bulk) for weight, bulk, _ in found)
    whole = MeanBulk(parts, (low, high), float(weights @ np.array([bulk.mean for bulk in bulks])))
    places = zip(mean.places.tolist(), mean.overlaps.tolist(), strict=True)
    outliers = tuple(WeightOutlier(place, *overlaps) for place, overlaps in places)
    return WeightsAfter(whole, outliers, tuple(mean.deviations.tolist()))
