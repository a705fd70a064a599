"""Outliers of features and spectra of weights after a step, averaged over networks.

See docs/theory/dressed.md#outliers-with-options and docs/theory/weights.md#labels-with-a-mean.

Networks differ where the initial output has a random mean; else the mean is that of one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, spelled
from theorycalc.model.biases import with_few_kinds
from theorycalc.model.problem import Problem
from theorycalc.numbers.systems import Array
from theorycalc.running.terminal import waiting
from theorycalc.theory.bulk import Bulk
from theorycalc.theory.case import float_case, with_residual_mean
from theorycalc.theory.dressed.accuracy import check_strength
from theorycalc.theory.dressed.neurons import DressedStep, step_of
from theorycalc.theory.dressed.options import PLAIN, RidgeFit, output_mean
from theorycalc.theory.dressed.outliers import dressed_outliers
from theorycalc.theory.followed_weights import followed_law, is_followed, outliers_of
from theorycalc.theory.kind_bulk import KindBulk
from theorycalc.theory.over_networks import NetworkOutliers, draws_of, mean_outliers, output_rule
from theorycalc.theory.pencil.outliers import Outliers, StepSize
from theorycalc.theory.weight_density import WeightBulk, bulk_after, bulk_before, weight_density
from theorycalc.theory.weights import WeightOutlier, law_after, leading_outlier, outlier_of

_NEAR_ZERO = 1e-100  # in the place of σ = 0, where the density is continuous and its formula is 0/0
_MANY_RARE, _MOST_RARE = 0.03, 0.1  # measured: docs/theory/dressed.md#one-draw
_HEAVY = (
    "heavy tails: {:.0%} more of the mean response than of a linear one comes from neurons and points that a draw has "
    "once or not at all; outliers of draws, and their mean, may be off by a third"
)


def dressed(problem: Problem, bulk: Bulk | KindBulk, step: StepSize, powers: int | None = None) -> Outliers:
    """Return a problem's outliers above the bulk after a step, and the edge of that bulk."""
    if powers is not None:
        raise ArgumentError(
            f"{spelled('powers')} is for {spelled('method', 'pencil')}; dressed features keep all of them",
            argument="powers",
        )
    if not problem.unit_activation.has_values:
        raise DomainError(
            f"dressed features need the activation itself, and {problem.activation.name} is known by its numbers only; "
            f"give it as text or as a function, or use {spelled('method', 'pencil')}, which is right for small steps",
            argument="activation",
        )
    drawn = list(draws_of(with_features(step_of(problem, step.N, step.gradient), problem)))
    with waiting("looking for outliers"):
        found = [dressed_outliers(one.step, step.eta) for one in drawn]
    weights = [one.weight for one in drawn]
    rare = float(np.average([one.rare for one in found], weights=weights))
    if rare > _MOST_RARE:
        raise DomainError(
            f"{rare:.0%} more of the mean response than of a linear one comes from neurons and points that a "
            "draw of this size has once or not at all, so that its outliers have no typical place; take a smaller "
            "step, more samples, or an activation that grows less",
            argument="eta",
        )
    notes = (_HEAVY.format(rare),) if rare > _MANY_RARE else ()
    if len(found) == 1:
        return Outliers(found[0].places, found[0].overlaps, edge=found[0].edge, notes=notes)
    networks = (NetworkOutliers(w, x.places, x.overlaps, x.edge) for w, x in zip(weights, found, strict=True))
    mean = mean_outliers(list(networks))
    return Outliers(mean.places, mean.overlaps, edge=mean.edge, notes=notes, deviations=mean.deviations)


def with_features(step: DressedStep, problem: Problem) -> DressedStep:
    """Return a step for FFᵀ itself, which has no intercept, and in which raw neurons keep their means."""
    if problem.centred:
        return replace(step, fit=PLAIN)
    means = [float(kind.mean) for kind in with_few_kinds(problem).unit_kinds]
    kinds = tuple(kind._replace(constant=mean) for kind, mean in zip(step.kinds, means, strict=False))
    return replace(step, fit=RidgeFit(constant=math.hypot(*means) if kinds else means[0]), kinds=kinds)


@dataclass(frozen=True)
class MeanBulk:
    """Bulks of networks with different means of the initial output, with weights, and the means of their edges."""

    parts: tuple[tuple[float, WeightBulk], ...]
    edges: tuple[float, float]
    mean: float


class WeightsAfter(NamedTuple):
    """Bulk and outliers of W after a step; ``deviations`` of the places over networks are empty if all agree."""

    bulk: WeightBulk | MeanBulk
    outliers: tuple[WeightOutlier, ...]
    deviations: tuple[float, ...] = ()


def density_inside(bulk: WeightBulk | MeanBulk, sigma: Array) -> Array:
    """Return the density of the N singular values, which is 0 outside the edges.

    >>> density_inside(bulk_before(1.0), np.array([-1.0, 3.0]))
    array([0., 0.])
    """
    values = np.zeros(sigma.shape)
    for weight, part in bulk.parts if isinstance(bulk, MeanBulk) else ((1.0, bulk),):
        low, high = part.edges
        inside = ((sigma > low) | (sigma == 0) & (low == 0)) & (sigma < high)
        values[inside] += weight * weight_density(part, np.maximum(sigma[inside], _NEAR_ZERO))
    return values


def even_noise(problem: Problem, step: StepSize) -> WeightsAfter:
    """Return bulk and outliers with the rest of the gradient treated as even noise."""
    taken = step_of(problem, step.N, step.gradient)
    check_strength(taken, step.eta)
    found = [(one.weight, bulk_after(one.step, step.eta), _of_weights(one.step, step.eta)) for one in draws_of(taken)]
    return _mean_weights(found)


def leading_order(problem: Problem, step: StepSize) -> WeightsAfter:
    """Return the bulk of W₀ and the outlier due to the rank-one part of the step."""
    case, eta = float_case(problem, step.gradient), step.eta * float(problem.step_scale)
    bulk, found = bulk_before(1 / float(problem.psi)), []
    for mean, weight in zip(*output_rule(output_mean(problem, step.gradient)), strict=True):
        one = with_residual_mean(case, float(case.residual_mean - mean)) if mean else case
        outlier = leading_outlier(one, eta)
        found.append((float(weight), bulk, () if outlier is None else (outlier,)))
    return _mean_weights(found)


def _of_weights(step: DressedStep, eta: float) -> tuple[WeightOutlier, ...]:
    if is_followed(step):
        return outliers_of(followed_law(step, eta))
    found = outlier_of(law_after(step, eta))
    return () if found is None else (found,)


def _mean_weights(found: Sequence[tuple[float, WeightBulk, tuple[WeightOutlier, ...]]]) -> WeightsAfter:
    """Return the means over networks; a single network has its own bulk and outliers."""
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
