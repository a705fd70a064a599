"""The singular values of the weights W after the step: their bulk, the outlier, and its vectors.

See docs/theory/weights.md.

Neuron i becomes k w_i + u(c_1b + even noise), u = ηa_i, of squared length s_u² = k_u² + u²v around uc_1b.  With the
residual the direction b of the step contains −c_1W₀ᵀa.  All equations are written in x = 1/g, g the mean of the
resolvent (σ² − WᵀW)⁻¹: above the bulk, x lies above all s_u².

Neurons with biases move by u c_1(b)b: with a∘c_1(b), divided by the root mean square of c_1, in place of a all is
as before, but for the overlap with a itself (docs/theory/kinds.md#the-weights).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.case import Case
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.nodes_of_kinds import KindStep, kept_share, row_square
from theorycalc.theory.dressed.responses import layer_rule
from theorycalc.theory.kinds import mean_over
from theorycalc.theory.overlaps import of_pairs

_RULE_STEP = 0.05
_HALVINGS = 110
_WIDENINGS = 60
_END = 8.0  # standard deviations of a whole Gaussian second layer


def outlier_square(strength: Number, ratio: Number) -> Number:
    """Return σ² of the outlier to leading order, for strength ϑ² and ratio c = N/d.

    See docs/theory/weights.md#leading-order.

    >>> outlier_square(2, 1)
    4.5
    """
    return (1 + strength) * (ratio + strength) / strength


def left_overlap(strength: Number, ratio: Number) -> Number:
    """Return the squared overlap of the left vector with a to leading order (docs/theory/weights.md#leading-order).

    >>> left_overlap(2, 1)
    0.5
    """
    return (strength**2 - ratio) / (strength * (strength + ratio))


def right_overlap(strength: Number, ratio: Number) -> Number:
    """Return the squared overlap of the right vector with the direction of the step, to leading order.

    See docs/theory/weights.md#leading-order.

    >>> right_overlap(4, 1)
    0.75
    """
    return (strength**2 - ratio) / (strength * (strength + 1))


def step_strength(c1: Number, eta: Number, kappa: Number) -> Number:
    """Return ϑ² = c_1²η²κ, the squared size of the rank-one part of the step.

    >>> step_strength(1, 2, 3)
    12
    """
    return c1**2 * eta**2 * kappa


class OwnRows:
    """The rows of W without their shared displacements: arrays over the nodes of the law of √N a."""

    ratio: float  # c = N/d
    nodes: Array  # weights of the law
    lengths: Array  # s²

    def mean(self, values: Array) -> Number:
        """Return the mean over the neurons."""
        return values @ self.nodes


@dataclass(frozen=True)
class WeightLaw(OwnRows):
    """W in the limit: arrays over the nodes of the law of √N a, and the rank-one part of the step."""

    ratio: float  # c = N/d
    theta: float  # c_1η
    own: float  # c_1 where the direction contains −c_1W₀ᵀa, else 0
    kappa: float  # squared length of the direction
    teacher: float  # its part along β⋆, c_⋆1
    nodes: Array  # weights of the law
    squares: Array  # (√N â)², â the vector of the step: a, or a∘c_1(b) by the root mean square of c_1
    kept: Array  # k_u
    lengths: Array  # s_u²
    mixed: Array | None = None  # N aâ of neurons with biases


class WeightOutlier(NamedTuple):
    """The singular value outside the bulk, and squared overlaps of its vectors with a, the direction, and β⋆."""

    place: float
    overlap_a: float
    overlap_direction: float
    overlap_teacher: float


def square_at(x: Number, law: OwnRows) -> Number:
    """Return σ² = x(1 + cE[s²/(x − s²)]), equal to x(1 − c + cE[x/(x − s²)]) (docs/theory/weights.md#the-bulk)."""
    return x * (1 + law.ratio * law.mean(law.lengths / (x - law.lengths)))


def square_slope(x: Number, law: OwnRows) -> Number:
    """Return dσ²/dx = 1 − cE[(s²/(x − s²))²], which vanishes at the edges (docs/theory/weights.md#the-bulk)."""
    return 1 - law.ratio * law.mean((law.lengths / (x - law.lengths)) ** 2)


def split(x: Number, law: WeightLaw) -> tuple[Number, Number, Number]:
    """Return e_j = E[(√N a)²k^j/(x − s²)], j = 0, 1, 2 (docs/theory/weights.md#the-outlier)."""
    zero, one, two = (law.mean(law.squares * law.kept**j / (x - law.lengths)) for j in range(3))
    return zero, one, two


def excess(x: Number, law: WeightLaw) -> Number:
    """Return p² − θ²e_0(κ + c_1²e_2), p = 1 + c_1θe_1, which is 0 at the outlier (docs/theory/weights.md#the-outlier).

    Without −c_1W₀ᵀa in the direction, c_1 is 0 here.
    """
    e0, e1, e2 = split(x, law)
    return lifted(law, e1) ** 2 - law.theta**2 * e0 * (law.kappa + law.own**2 * e2)


def lifted(law: WeightLaw, e1: Number) -> Number:
    """Return p = 1 + c_1θe_1, which is 1 without −c_1W₀ᵀa in the direction (docs/theory/weights.md#overlaps)."""
    return 1 + law.theta * law.own * e1


def left_form(x: Number, law: WeightLaw, e0: Number, p: Number) -> Number:
    """Return E[N aâ (p − c_1θe_0k)/(x − s²)], which is e_0 where â is a (docs/theory/kinds.md#the-weights)."""
    if law.mixed is None:
        return e0
    return law.mean(law.mixed * (p - law.theta * law.own * e0 * law.kept) / (x - law.lengths))


def norm_at(x: Number, law: WeightLaw, e0: Number, p: Number) -> Number:
    """Return F = E[(√N a)²((p − c_1θe_0k)/(x − s²))²] (docs/theory/weights.md#overlaps)."""
    return law.mean(law.squares * ((p - law.theta * law.own * e0 * law.kept) / (x - law.lengths)) ** 2)


def overlaps_at(
    x: Number, law: WeightLaw, square: Number, slope: Number, e0: Number, p: Number, norm: Number
) -> tuple[Number, Number, Number]:
    """Return the squared overlaps with a, the direction and β⋆, given σ², its slope, e_0, p and F.

    See docs/theory/weights.md#overlaps.
    """
    with_a = left_share(x, left_form(x, law, e0, p) ** 2, square, slope, norm)
    with_direction = right_share(x, p**2 / (law.theta**2 * law.kappa), slope, norm)
    return with_a, with_direction, right_share(x, (law.theta * law.teacher * e0) ** 2, slope, norm)


def left_share(x: Number, squared: Number, square: Number, slope: Number, norm: Number) -> Number:
    """Return the squared overlap of a left vector, given the square of its form, σ², dσ²/dx and F.

    See docs/theory/weights.md#overlaps.

    >>> left_share(2, 3, 4, 5, 6)
    1.25
    """
    return x * squared * slope / (square * norm)


def right_share(x: Number, squared: Number, slope: Number, norm: Number) -> Number:
    """Return the squared overlap of a right vector, given its squared form (docs/theory/weights.md#overlaps).

    >>> right_share(2, 3, 4, 6)
    1.0
    """
    return squared * slope / (x * norm)


def overlaps_of(x: Number, law: WeightLaw) -> tuple[Number, Number, Number]:
    """Return the squared overlaps at the outlier's x with a, the direction and β⋆."""
    e0, e1, _ = split(x, law)
    p = lifted(law, e1)
    return overlaps_at(x, law, square_at(x, law), square_slope(x, law), e0, p, norm_at(x, law, e0, p))


def law_before(ratio: float) -> WeightLaw:
    """Return the law of W₀.

    >>> [round(edge, 12) for edge in edges_of(law_before(2.25))]
    [0.5, 2.5]
    """
    one = np.ones(1)
    return WeightLaw(ratio, 0.0, 0.0, 0.0, 0.0, one, one, one, one)


def law_after(step: DressedStep, eta: float, whole: bool = False) -> WeightLaw:
    """Return the law of W after a step of size η.

    A Gaussian second layer ends where one of N neurons is expected, and keeps its variance; ``whole``, it does not end.
    """
    case, eta = step.case, step.unit(eta)
    nodes, weights, second = layer_of(step, whole, _RULE_STEP)
    kinds = [(kind.share, kind.c1 / case.c1, kind.own_output, kind.spread, turn_of(step, kind)) for kind in step.kinds]
    share, part, own_output, spread, turn = (
        np.repeat(column, len(nodes))
        for column in zip(*(kinds or [(1.0, 1.0, step.own_output, step.spread, step.turn)]), strict=True)
    )
    nodes, weights = np.tile(nodes, len(kinds) or 1), share * np.tile(weights, len(kinds) or 1)
    squares = nodes**2 / second
    kept = kept_share(own_output, eta, squares / step.N) + turn * (eta * nodes / math.sqrt(second * step.N))
    return WeightLaw(
        ratio=1 / case.psi,
        theta=case.c1 * eta,
        own=case.own_linear if case.included else 0.0,
        kappa=case.kappa,
        teacher=case.step_linear,
        nodes=weights,
        squares=part**2 * squares,
        kept=kept,
        lengths=row_square(kept, spread, eta, squares / step.N),
        mixed=part * squares if kinds else None,
    )


def layer_of(step: DressedStep, whole: bool, spacing: float) -> tuple[Array, Array, float]:
    """Return nodes and weights for √N a, and its second moment; a Gaussian layer is cut off as in :func:`law_after`."""
    end = _END if whole else max(1.0, -NormalDist().inv_cdf(1 / (2 * step.N)))
    nodes, weights = layer_rule(step.case.second_layer, spacing, end, focus=1.0)
    return nodes, weights, float(weights @ nodes**2)


def turn_of(step: DressedStep, kind: DressedStep | KindStep) -> float:
    """Return 2c_2E r, by which labels with a mean change the rows of one kind, per u."""
    return float(2 * kind.c2 * step.case.residual_mean)


def edges_of(law: OwnRows, whole: OwnRows | None = None) -> tuple[float, float]:
    """Return the smallest nonzero and the largest singular value of the bulk, the smallest from the whole law."""
    high = float(law.lengths.max())
    upper = math.sqrt(square_at(high + edge_gap(law), law)) if high > 0 else 0.0
    return _lower_edge(law if whole is None else whole), upper


def edge_gap(law: OwnRows) -> float:
    """Return the distance of x from the largest s² at the upper edge."""
    high = float(law.lengths.max())
    return crossing(lambda gap: square_slope(high + gap, law), high)


def _lower_edge(law: OwnRows) -> float:
    low, high = float(law.lengths.min()), float(law.lengths.max())
    if law.ratio > 1 and high > 0:  # where x < 0
        x = -crossing(lambda gap: square_slope(-gap, law), high)
    elif law.ratio < 1 and low > 0:  # where x is below all s²
        x = low - crossing(lambda gap: square_slope(low - gap, law), low)
    else:
        return 0.0
    return math.sqrt(max(0.0, square_at(x, law)))


def crossing(function: Callable[[float], float], start: float) -> float:
    """Return the positive point where a function rises through 0, found by bisecting its logarithm.

    >>> round(crossing(lambda gap: gap - 3, 1.0), 12)
    3.0
    """
    low = high = start
    for _ in range(_WIDENINGS):
        low, high = low if function(low) <= 0 else low / 4, high if function(high) >= 0 else high * 4
    for _ in range(_HALVINGS):
        middle = math.sqrt(low) * math.sqrt(high)
        low, high = (low, middle) if function(middle) > 0 else (middle, high)
    return high


def outlier_of(law: WeightLaw) -> WeightOutlier | None:
    """Return the outlier above the bulk, or None if the step produces none.

    >>> outlier_of(law_before(1.5)) is None
    True
    """
    high = float(law.lengths.max())
    if law.theta == 0 or high == 0:
        return None
    gap = edge_gap(law)
    if excess(high + gap, law) >= 0:
        return None
    x = high + crossing(lambda more: excess(high + more, law), gap)
    return WeightOutlier(math.sqrt(square_at(x, law)), *of_pairs(*overlaps_of(x, law)))


def leading_outlier(case: Case, eta: float) -> WeightOutlier | None:
    """Return the outlier to leading order, or None if the step produces none."""
    strength, ratio = step_strength(case.c1, eta, case.kappa), 1 / case.psi
    if strength**2 <= ratio:
        return None
    right = right_overlap(strength, ratio)
    place = math.sqrt(outlier_square(strength, ratio))
    return WeightOutlier(place, shared_part(case) * left_overlap(strength, ratio), right, case.t * right)


def shared_part(case: Case) -> Number:
    """Return (E_b c_1)²/E_b c_1², the squared cosine of a and a∘c_1(b): 1 for one kind.

    See docs/theory/kinds.md#the-weights.
    """
    return mean_over(case.kinds, lambda kind: kind.c1) ** 2 / case.c1**2 if case.kinds else 1
