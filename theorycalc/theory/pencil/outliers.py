"""Eigenvalues of FFᵀ/n that a step drives out of the bulk, and the alignment of their vectors.

See docs/theory/outliers.md#outliers-after-a-step.

An outlier z makes Mid(−z) of ``pencil`` singular, and the number of its negative eigenvalues falls by one at each
outlier and nowhere else: halving finds them all.  F₀ contains the spike c_2(‖x‖²/d − 1)1ᵀ, by which the first 1 of the
pencil's last block becomes 1 + ζ, ζ = 2c_2² sθ/ψ; where ζ = −1 lies outside the bulk, it is an outlier of F₀ itself.
With Mid x = 0, x = (x₁, x₂), the unit left singular vector has (uᵀH_k(h))²/(n k!) = −x₂ₖ²/(k! xᵀ(∂_λ Mid)x).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import factorial
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.problem import Problem
from theorycalc.numbers.dual import root
from theorycalc.numbers.systems import FLOATS, Array, Number
from theorycalc.theory.bulk import Bulk, Curve, eigenvalue_at, traces_on
from theorycalc.theory.case import Case
from theorycalc.theory.kind_bulk import KindBulk
from theorycalc.theory.over_networks import NetworkOutliers, mean_outliers
from theorycalc.theory.pencil.equations import Blocks, Slice, blocks_of, matrix_of, slice_of
from theorycalc.theory.pencil.kind_outliers import kind_outliers, scaled
from theorycalc.theory.pencil.numerics import POWERS, Pencil, pencil_of, pencils_of_networks
from theorycalc.theory.traces import constant_spread
from theorycalc.theory.windows import ULPS_ON_BOUNDARY, spikes_outside

_INSET = 1e-12  # of an interval of y; z changes by its square
_SAME = 1e-9  # relative distance of y below which two outliers are one, with two vectors, or one of F₀'s
_HALVINGS = 200  # more than float64 can tell apart, so that halving ends by itself


class Outliers(NamedTuple):
    """Eigenvalues outside the bulk, and the squared overlaps of each with H_k(h), k = 0, 1, … (see above)."""

    places: Array  # in falling order above the bulk; those in its gap follow
    alignments: Array  # outlier × k
    spikes: tuple[int, ...] | None = None  # of the pencil; dressed features are no series
    strengths: Array | None = None  # one for each spike
    edge: float | None = None  # of the bulk after the step, which the pencil leaves as it was
    notes: tuple[str, ...] = ()
    deviations: Array | None = None  # of places over networks whose initial output has a random mean


class StepSize(NamedTuple):
    """One step η = n^α of a network of N neurons; α is −∞ where η is 0."""

    n: int
    N: int
    alpha: float
    eta: float
    gradient: str


class PencilStep(NamedTuple):
    """A pencil after one step, on the curve of the bulk: the parts of Mid that do not depend on λ."""

    case: Case
    curve: Curve
    Y: Sequence[Sequence[float]]
    c2: float  # of the activation, on any first layer; 0 where it is not known


def powers_kept(alpha: float, scale: float = 0.0) -> int:
    """Return the largest k with α > (k−1)/(2k); more powers would make spurious roots.

    α is the exponent of the step with both scales of the network 1, which is n^``scale`` times as large as η.
    k = 1 is always kept: a single spike of any size makes none.

    >>> powers_kept(0.3), powers_kept(0.25), powers_kept(-1.0), powers_kept(0.2, 0.1)
    (2, 1, 1, 2)
    """
    unit = alpha + scale
    if unit <= 0:
        return 1
    # As in ``windows``, a float within a few ulp of a boundary is on it, and k does not leave the bulk there.
    lowest = Fraction(unit) - ULPS_ON_BOUNDARY * Fraction(math.ulp(unit))
    if (1 - 2 * lowest) * POWERS[-1] < 1:
        raise DomainError(
            f"alpha={alpha}: the pencil would need more than {POWERS[-1]} powers of the step (all of them from "
            f"α = 1/2 on); take a smaller step, α ≤ {0.5 - 0.5 / POWERS[-1] - scale:.3f}",
            argument="alpha",
        )
    return max(1, spikes_outside(lowest))


def pencil_outliers(problem: Problem, bulk: Bulk | KindBulk, step: StepSize, powers: int | None = None) -> Outliers:
    """Return all outliers above the bulk and in its gap after a step, with the spikes k ≤ ``powers``.

    Below the bulk there are none as long as E = 0: there su > 0, so that Mid stays regular.  Where the initial output
    has a random mean, those above the bulk, in the mean over networks.
    """
    if powers is None:
        scale = math.log(float(problem.step_scale)) / math.log(step.n) if step.n > 1 else 0.0  # every power of 1 is 1
        powers = powers_kept(step.alpha, scale)
    raw = not problem.centred and any(kind.has_mean for kind in problem.unit_kinds)
    pencil = pencil_of(problem, step.N, step.gradient, powers, raw)
    weights, pencils = pencils_of_networks(pencil)
    found = [_outliers_after(one, bulk, step.eta) for one in pencils]
    if len(found) == 1:
        return found[0]
    edge, networks = bulk.intervals[-1].high, []
    for weight, one in zip(weights, found, strict=True):
        above = one.places > edge
        networks.append(NetworkOutliers(float(weight), one.places[above], one.alignments[above], edge))
    mean = mean_outliers(networks)
    strengths = weights @ np.array([one.strengths for one in found])
    return Outliers(mean.places, mean.overlaps, pencil.spikes, strengths, deviations=mean.deviations)


def _outliers_after(pencil: Pencil, bulk: Bulk | KindBulk, eta: float) -> Outliers:
    """Return the outliers of networks with one mean of their initial output."""
    strengths = np.array(pencil.strengths(FLOATS, eta))
    if isinstance(bulk, KindBulk):
        return Outliers(*kind_outliers(pencil, eta), pencil.spikes, strengths)
    c2 = pencil.problem.unit_activation.c2
    after = PencilStep(pencil.case, bulk.curve, pencil.factors(FLOATS, eta)[0], 0.0 if c2 is None else float(c2))
    ys = singular_points(after, bulk)
    places = np.array([eigenvalue_at(y, bulk.curve) for y in ys])
    rows = [row for y in dict.fromkeys(ys) for row in overlaps_at(y, ys.count(y), after)]
    alignments = np.array(rows).reshape(len(ys), max(pencil.spikes) + 1)
    return Outliers(places, alignments, pencil.spikes, strengths)


def singular_points(after: PencilStep, bulk: Bulk) -> list[float]:
    """Return the y of all outliers, the largest z first: above the bulk, then in its gap."""
    top = bulk.intervals[-1].high_y
    far = 2 * top
    while count_above(far, after) > 0:
        far *= 16
    found = _drops(far, top, after)
    for below, above in pairwise(bulk.intervals):
        found += _drops(above.low_y, below.high_y, after)
    return found


def _drops(far: float, near: float, after: PencilStep) -> list[float]:
    """Return every y < 0 between ``far`` (large z) and ``near`` where the count changes."""
    inset = _INSET * (near - far)  # at an edge itself the slopes are infinite
    far, near = far + inset, near - inset
    least, most = count_above(far, after), count_above(near, after)
    found: list[float] = []
    for target in range(least + 1, most + 1):
        low, high = far, near
        for _ in range(_HALVINGS):  # pragma: no branch - the loop ends by a break
            middle = -math.sqrt(low * high)
            if not low < middle < high:
                break
            if count_above(middle, after) < target:
                low = middle
            else:
                high = middle
        same = found and abs(high - found[-1]) <= _SAME * abs(high)
        found.append(found[-1] if same else high)
    return found


class BlocksAt(NamedTuple):
    """The blocks at λ = −z (of which q is not used), √|θ|, the sign of θ, and 1 + ζ."""

    blocks: Blocks
    root_theta: Number
    sign: float
    last: Number


def _blocks(at: Slice, sign: float, after: PencilStep) -> BlocksAt:
    last = 1 + constant_spread(after.c2, at.spread)
    return BlocksAt(blocks_of(FLOATS, len(after.Y) - 1, [at], after.case), root(FLOATS, sign * at.theta), sign, last)


def _slice(y: float, after: PencilStep) -> Slice:
    """Return the slice at y, or just before it where w_0 is infinite."""
    traces, lam = traces_on(y, after.curve)
    at = slice_of(traces, after.case, lam)
    if constant_spread(after.case.c2_gaussian, at.spread.value) == -1:
        return _slice(math.nextafter(y, -math.inf), after)
    return at


def values_at(at: Slice, after: PencilStep) -> BlocksAt:
    """Return the blocks without their λ-derivatives."""
    return _blocks(Slice(*(part.value for part in at)), math.copysign(1, at.theta.value), after)


def _matrix(value: BlocksAt, after: PencilStep) -> tuple[Array, Array]:
    """Return Mid, scaled as :func:`scaled` says, and the scales.

    Where θ < 0 the last block changes its sign, so that eliminating it leaves −θ Y Yᵀ as ever.
    """
    size = len(after.Y)
    matrix = np.array(matrix_of(value.blocks, [value.root_theta], [after.Y], after.case.own), dtype=float)
    matrix[2 * size, 2 * size] = value.last
    matrix[2 * size :, 2 * size :] *= value.sign
    return scaled(matrix, value.root_theta * np.linalg.norm(after.Y, axis=1))


def count_above(y: float, after: PencilStep) -> int:
    """Return the number of outliers above z(y), up to a constant of the interval (0 above the bulk).

    Outliers of F₀ itself, where 1 + ζ = 0 or w_0 is infinite, are poles of Mid: there they are counted, too.
    """
    value = values_at(_slice(y, after), after)
    matrix, _ = _matrix(value, after)
    size = len(after.Y)
    last = value.sign * np.array([value.last] + [1] * (size - 1))
    negative = int(np.count_nonzero(np.linalg.eigvalsh(matrix) < 0)) - int(np.count_nonzero(last < 0))
    return negative - size + sum(int(pole < y) for pole in poles_of(after))


def poles_of(after: PencilStep) -> list[float]:
    """Return the y at which 1 + ζ = 0 or w_0 is infinite."""
    return [-constant_spread(c2, 1 / after.case.phi) for c2 in (after.c2, after.case.c2_gaussian) if c2]


def overlaps_at(y: float, multiplicity: int, after: PencilStep) -> Array:
    """Return the squared overlaps with H_k(h)/√(n k!), from the residue of VᵀRV, for all vectors of one outlier."""
    if any(abs(y - pole) <= _SAME * abs(y) for pole in poles_of(after)):
        y *= 1 + _SAME  # w_0 must be finite, and the residue changes as little as y
    at = _slice(y, after)
    rate = _blocks(at, math.copysign(1, at.theta.value), after)
    matrix, scale = _matrix(values_at(at, after), after)
    size = len(after.Y)
    eigenvalues, vectors = np.linalg.eigh(matrix)
    chosen = np.argsort(np.abs(eigenvalues))[:multiplicity]
    x1, x2, x3 = (vectors[:, chosen] * scale[:, None]).reshape(3, size, multiplicity)
    through = np.array(after.Y).T @ x2
    half = (  # of xᵀ(∂_λ Mid)x
        x1.T @ (np.array([weight.slope for weight in rate.blocks.weights])[:, None] * x1) / 2
        + rate.blocks.couplings[0].slope * np.outer(x1[1], through[after.case.own])
        - rate.root_theta.slope * (through.T @ x3)
        + rate.sign * rate.last.slope * np.outer(x3[0], x3[0]) / 2
    )
    growth, mixed = np.linalg.eigh(half + half.T)
    norms = np.array([factorial(k) for k in range(size)])
    return np.asarray(-((x2 @ mixed).T ** 2) / (growth[:, None] * norms))
