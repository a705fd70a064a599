"""The weights W after several steps followed individually: the rows, and every outlier.

See docs/theory/weights.md#several-steps.

Neurons of one u move together by D(u) = m(u)β⋆ + ξ(u), which is no longer u times one vector: W is the matrix M of the
neurons' own parts, rows of squared length s²(u), and N displacements of low rank.  They are kept by their Gram matrix
over u, G(u, u') = D(u)·D(u'), and each eigenvalue of E[N G/(x − s²)] that is above 1 at the edge is an outlier.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np

from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.dressed.later_steps import along_h, followed, labels_of_step
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.responses import Function
from theorycalc.theory.overlaps import of_pairs
from theorycalc.theory.weights import (
    OwnRows,
    WeightOutlier,
    crossing,
    edge_gap,
    layer_of,
    left_share,
    right_share,
    square_at,
    square_slope,
)

_RULE_STEP = 0.05
_NEGLIGIBLE = 1e-12  # eigenvalue of the Gram matrix beside the largest


@dataclass(frozen=True)
class FollowedLaw(OwnRows):
    """W after several steps: arrays over the neurons' nodes; those of displacements are multiplied by √(N·weight)."""

    ratio: float  # c = N/d
    layer: Array  # √N a
    nodes: Array  # weights of the law
    lengths: Array  # s²
    loads: Array  # D in coordinates of its own, in columns
    second: Array  # a
    along: Array  # D along the sum of the batches' directions
    teacher: Array  # D along β⋆


def is_followed(step: DressedStep) -> bool:
    """Return whether steps are followed individually; along û alone later steps would be no better than their sum."""
    return step.count > 1 and isinstance(step.teacher, Function)


def followed_law(step: DressedStep, eta: float, whole: bool = False) -> FollowedLaw:
    """Return the law of W after several steps of size η; a Gaussian second layer is cut off as for one step."""
    assert isinstance(step.teacher, Function)
    case, slopes = step.case, [kind.slope_function for kind in step.kinds] or [step.slope_function]
    nodes, weights, second = layer_of(step, whole, _RULE_STEP)
    shares = [kind.share for kind in step.kinds] or [1.0]
    layer = np.tile(nodes / math.sqrt(second), len(shares))
    weights = np.concatenate([share * weights for share in shares])
    u = step.unit(eta) / step.count * layer / math.sqrt(step.N)
    labels = labels_of_step(case, step.teacher, step.channel, 0)
    now = followed(case, slopes, labels, step.count, u, 0)
    gram, root = np.outer(now.teacher, now.teacher) + now.shared, np.sqrt(step.N * weights)
    along = along_h(now.teacher, now.teacher[-1], now.shared[-1], math.sqrt(gram[-1, -1]))
    values, vectors = np.linalg.eigh(gram[:-1, :-1] * np.outer(root * u, root * u))
    kept = values > _NEGLIGIBLE * values[-1]
    return FollowedLaw(
        ratio=1 / case.psi,
        layer=layer,
        nodes=weights,
        lengths=now.kept[:-1] ** 2 + u**2 * now.spread[:-1],
        loads=vectors[:, kept] * np.sqrt(values[kept]),
        second=root * layer / math.sqrt(step.N),
        along=root * u * along[:-1],
        teacher=root * u * now.teacher[:-1],
    )


def strengths(x: Number, law: FollowedLaw) -> Array:
    """Return N E[D Dᵀ/(x − s²)], whose eigenvalue is 1 at an outlier (docs/theory/weights.md#several-steps)."""
    return (law.loads.T / (x - law.lengths)) @ law.loads


def outliers_of(law: FollowedLaw) -> tuple[WeightOutlier, ...]:
    """Return every outlier above the bulk, in decreasing order."""
    high = float(law.lengths.max())
    if not law.loads.size or high == 0:
        return ()
    gap = edge_gap(law)

    def missing(more: float, index: int) -> float:
        return float(1 - np.linalg.eigvalsh(strengths(high + more, law))[index])

    beyond = np.linalg.eigvalsh(strengths(high + gap, law)) > 1
    indices = np.flatnonzero(beyond)[::-1]
    return tuple(
        outlier_at(high + crossing(functools.partial(missing, index=int(i)), gap), int(i), law) for i in indices
    )


def outlier_at(x: Number, index: int, law: FollowedLaw) -> WeightOutlier:
    """Return the outlier at x, where the eigenvalue with this index is 1, with its overlaps.

    See docs/theory/weights.md#several-steps.
    """
    _, vectors = np.linalg.eigh(strengths(x, law))
    shared = (law.loads @ vectors[:, index]) / (x - law.lengths)  # f/(x − s²)
    square, slope, norm = square_at(x, law), square_slope(x, law), shared @ shared
    with_a = left_share(x, (law.second @ shared) ** 2, square, slope, norm)
    right = (right_share(x, (part @ shared) ** 2, slope, norm) for part in (law.along, law.teacher))
    return WeightOutlier(math.sqrt(square), *of_pairs(with_a, *right))
