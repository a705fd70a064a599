"""Outliers of a problem by dressed features, in the mean over networks where the initial output has a random mean.

See docs/theory/dressed.md#outliers-with-options.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, PrecisionError, spelled
from theorycalc.model.biases import with_few_kinds
from theorycalc.model.problem import Problem
from theorycalc.running.terminal import waiting
from theorycalc.theory.bulk import Bulk
from theorycalc.theory.dressed.neurons import DressedStep, step_of
from theorycalc.theory.dressed.options import PLAIN, RidgeFit
from theorycalc.theory.dressed.outliers import FoundOutlier, dressed_outliers
from theorycalc.theory.kind_bulk import KindBulk
from theorycalc.theory.over_networks import NetworkOutliers, draws_of, mean_outliers
from theorycalc.theory.pencil.outliers import Outliers, StepSize

_ROUNDED = 1e-6  # of overlaps
_MANY_RARE, _MOST_RARE = 0.03, 0.1  # measured: docs/theory/dressed.md#one-draw
_HEAVY = (
    "heavy tails: {:.0%} more of the mean response than of a linear one comes from neurons and points that a draw has "
    "once or not at all; outliers of draws, and their mean, may be off by a third"
)


def dressed(problem: Problem, bulk: Bulk | KindBulk, step: StepSize, powers: int | None = None) -> Outliers:
    """Return the outliers of a problem above the bulk after a step, and the edge of that bulk."""
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
        found = [_outliers_after(one.step, step.eta) for one in drawn]
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


def _outliers_after(step: DressedStep, eta: float) -> FoundOutlier:
    """Return the outliers, or refuse those that are lost to rounding."""
    try:
        found = dressed_outliers(step, eta)
    except np.linalg.LinAlgError:
        raise PrecisionError(  # pragma: no cover - no known problem reaches it
            "a matrix of the fixed point is singular in float64; take another step", argument="eta"
        ) from None
    if (found.overlaps < -_ROUNDED).any() or (found.overlaps.sum(axis=1) > 1 + _ROUNDED).any():
        raise PrecisionError(  # pragma: no cover - no known problem reaches it
            "rounding hides the outliers: their overlaps are not those of unit vectors; take another step",
            argument="eta",
        )
    return found


def with_features(step: DressedStep, problem: Problem) -> DressedStep:
    """Return a step for FFᵀ itself, which has no intercept, and in which raw neurons keep their means."""
    if problem.centred:
        return replace(step, fit=PLAIN)
    means = [float(kind.mean) for kind in with_few_kinds(problem).unit_kinds]
    kinds = tuple(kind._replace(constant=mean) for kind, mean in zip(step.kinds, means, strict=False))
    return replace(step, fit=RidgeFit(constant=math.hypot(*means) if kinds else means[0]), kinds=kinds)
