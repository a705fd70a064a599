"""Eigenvalues of FFᵀ/n that a step moves out of the bulk, and the alignment of their eigenvectors.

See docs/theory/outliers.md#outliers-after-a-step.

An outlier z makes Mid(−z) of ``pencil`` singular, and the number of its negative eigenvalues falls by one at each
outlier and nowhere else: halving finds them all.  F₀ contains the spike c_2(‖x‖²/d − 1)1ᵀ, by which the first 1 of the
pencil's last block becomes 1 + ζ, ζ = 2c_2² sθ/ψ; where ζ = −1 lies outside the bulk, it is an outlier of F₀ itself.
With Mid x = 0, x = (x₁, x₂), the unit left singular vector has (uᵀH_k(h))²/(n k!) = −x₂ₖ²/(k! xᵀ(∂_λ Mid)x).

Neurons with biases have that spike along c_2(b_i): v_b = √(2sθ_b/ψ) c_2(b) in the orthonormal functions of the kinds
makes 1 + vvᵀ of the last block, of determinant 1 + ζ, ζ = (2s/ψ)E_b[c_2²θ].  Above their bulk z falls as k = t/s grows
from 1, and all θ_b are positive there (docs/theory/kinds.md#the-spectrum).
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from math import factorial
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.problem import Problem
from theorycalc.numbers.dual import Dual, root
from theorycalc.numbers.systems import FLOATS, Array
from theorycalc.theory.bulk import Bulk, Curve, traces_on
from theorycalc.theory.case import Case
from theorycalc.theory.kind_bulk import ABOVE_ONE, KindBulk, RealCurves
from theorycalc.theory.kinds import kind_traces_at
from theorycalc.theory.over_networks import NetworkOutliers, mean_outliers
from theorycalc.theory.overlaps import of_unit_vectors
from theorycalc.theory.pencil.equations import Factors, blocks_of, matrix_of
from theorycalc.theory.pencil.numerics import POWERS, Pencil, pencil_of, pencils_of_networks, slices_of
from theorycalc.theory.traces import Traces, constant_spread, in_resolvent
from theorycalc.theory.windows import ULPS_ON_BOUNDARY, spikes_outside

_INSET = 1e-12  # of an interval of y; z changes by its square
_KIND_INSET = 1e-7  # of ln(k − 1), before the edge
_SAME = 1e-9  # relative distance of points below which two outliers are one, with two vectors, or one of F₀'s
_HALVINGS = 200  # more than float64 can tell apart, so that halving ends by itself


class Outliers(NamedTuple):
    """Eigenvalues outside the bulk, and the squared overlaps of each with H_k(h), k = 0, 1, … (see above)."""

    places: Array  # in decreasing order above the bulk; those in its gap follow
    alignments: Array  # outlier × k
    spikes: tuple[int, ...] | None = None  # of the pencil; dressed features are no series
    strengths: Array | None = None  # one for each spike
    edge: float | None = None  # of the bulk after the step, which the pencil leaves as it was
    notes: tuple[str, ...] = ()
    deviations: Array | None = None  # of places over networks whose initial output has a random mean


class StepSize(NamedTuple):
    """One step η = n^α of a network with N neurons; α is −∞ for η = 0."""

    n: int
    N: int
    alpha: float
    eta: float
    gradient: str


class PencilStep(NamedTuple):
    """A pencil after one step, on the curve of points outside the bulk: the parts of Mid that do not depend on λ."""

    case: Case
    curve: Curve | RealCurves
    factors: Factors
    c2: tuple[float, ...]  # of each kind, on any first layer; 0 where it is not known


def powers_kept(alpha: float, scale: float = 0.0) -> int:
    """Return the largest k with α > (k−1)/(2k); more powers would create spurious roots.

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
    """Return all outliers after a step, above the bulk and in its gap, with the spikes k ≤ ``powers``.

    Below the bulk there are none as long as E = 0: there su > 0, so that Mid stays regular.  Where the initial output
    has a random mean, those above the bulk, averaged over networks.
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
    """Return the outliers of networks with one mean of the initial output."""
    case = pencil.case
    curve = bulk.curve if isinstance(bulk, Bulk) else RealCurves(case.kinds, float(case.phi), float(case.psi))
    c2 = tuple(0.0 if kind.c2 is None else float(kind.c2) for kind in pencil.problem.unit_kinds)
    after = PencilStep(case, curve, pencil.factors(FLOATS, eta), c2)
    points = singular_points(after, bulk)
    places = np.array([-_solved(x, after)[1] for x in points])
    rows = [row for x in dict.fromkeys(points) for row in overlaps_at(x, points.count(x), after)]
    alignments = of_unit_vectors(np.array(rows).reshape(len(points), max(pencil.spikes) + 1))
    return Outliers(places, alignments, pencil.spikes, np.array(pencil.strengths(FLOATS, eta)))


def singular_points(after: PencilStep, bulk: Bulk | KindBulk) -> list[float]:
    """Return all outliers by their points on the curve, by decreasing z: above the bulk, then in its gap."""
    if isinstance(after.curve, RealCurves):
        edge = after.curve.upper_end() - _KIND_INSET
        far = edge - 1
        while count_above(far, after) > 0:
            far -= 3
        return _drops(far, edge, after)
    assert isinstance(bulk, Bulk)
    top = bulk.intervals[-1].high_y
    far = 2 * top
    while count_above(far, after) > 0:
        far *= 16
    gaps = ((above.low_y, below.high_y) for below, above in pairwise(bulk.intervals))
    found = []
    for low, high in ((far, top), *gaps):
        inset = _INSET * (high - low)  # at an edge itself the slopes are infinite
        found += _drops(low + inset, high - inset, after)
    return found


def _drops(far: float, near: float, after: PencilStep) -> list[float]:
    """Return every point between ``far`` (large z) and ``near`` where the count changes."""
    least, most = count_above(far, after), count_above(near, after)
    found: list[float] = []
    for target in range(least + 1, most + 1):
        low, high = far, near
        for _ in range(_HALVINGS):  # pragma: no branch - the loop ends by a break
            middle = -math.sqrt(low * high) if isinstance(after.curve, Curve) else (low + high) / 2
            if not low < middle < high:
                break
            if count_above(middle, after) < target:
                low = middle
            else:
                high = middle
        same = found and abs(high - found[-1]) <= _SAME * abs(high)
        found.append(found[-1] if same else high)
    return found


def _solved(x: float, after: PencilStep) -> tuple[Traces, float]:
    """Return λ = −z and the traces there at a point of the curve: y for one kind of neuron, ln(k − 1) for several."""
    case = after.case
    if isinstance(after.curve, Curve):
        return traces_on(x, after.curve)
    point = np.array([x])
    found, k = after.curve.at(point, 0, ABOVE_ONE), float(ABOVE_ONE.k(point)[0])
    sigma, lam = float(found.sigma[0]), -float(found.z[0])
    return kind_traces_at(case.kinds, 1 / sigma, k / sigma, case.phi, case.psi, lam), lam


class Mid(NamedTuple):
    """Mid at λ = −z with its derivative in λ, the sign of θ, and ζ.

    Where θ < 0 the last block changes its sign, so that eliminating it leaves −θ Y Yᵀ as ever.
    """

    matrix: Dual
    sign: float
    zeta: float


def mid_at(x: float, after: PencilStep) -> Mid:
    """Return Mid at one point, or just before it where w_0 is infinite, with the spike made by ‖x‖²."""
    case = after.case
    slices = slices_of(*_solved(x, after), case)
    sign = math.copysign(1, slices[0].theta.value)
    neurons = list(zip((kind.share for kind in case.as_kinds), after.c2, slices, strict=True))
    zeta = sum((share * constant_spread(c2, at.spread) for share, c2, at in neurons), Dual(0.0, 0.0))
    if case.gaussian_rows and zeta.value == -1:
        return mid_at(math.nextafter(x, -math.inf), after)
    size = len(after.factors[0])
    blocks, s = blocks_of(FLOATS, size - 1, slices, case), in_resolvent(slices[0].m1, case.phi, case.psi)
    if case.gaussian_rows:
        blocks.weights[0] = s / (1 + zeta)
    roots = [root(FLOATS, sign * at.theta) for at in slices]
    matrix = matrix_of(blocks, roots, after.factors, case.own)
    spike = [math.sqrt(share) * c2 * one for (share, c2, _), one in zip(neurons, roots, strict=True)]
    for b, one in enumerate(spike, start=2):
        for other_b, other in enumerate(spike, start=2):
            entry = matrix[b * size][other_b * size]
            matrix[b * size][other_b * size] = entry + 2 * sign * s * one * other / case.psi
    value, slope = (
        np.array([[getattr(entry, part) for entry in row] for row in matrix]) for part in ("value", "slope")
    )
    for part in (value, slope):
        part[2 * size :, 2 * size :] *= sign
    return Mid(Dual(value, slope), sign, float(zeta.value))


def _scaled(mid: Mid, size: int) -> tuple[Array, Array]:
    """Return Mid with its rows and columns scaled to about 1, and the scales."""
    matrix = mid.matrix.value
    weights, loads = np.abs(np.diag(matrix)[:size]), np.linalg.norm(matrix[size : 2 * size, 2 * size :], axis=1)
    first = 1 / np.sqrt(weights + weights.min())
    # Not the k-th of ``first``: where w_0 is infinite, (Mid⁻¹)₂₂ is, and Mid must look singular.
    second = 1 / np.maximum(loads, first.max())
    scale = np.concatenate([first, second, np.ones(len(matrix) - 2 * size)])
    return matrix * scale[:, None] * scale, scale


def count_above(x: float, after: PencilStep) -> int:
    """Return the number of outliers above z at one point, up to a constant of the interval (0 above the bulk).

    Outliers of F₀ itself, where 1 + ζ = 0 or w_0 is infinite, are poles of Mid: there they are counted, too.
    """
    mid, size = mid_at(x, after), len(after.factors[0])
    negative = int(np.count_nonzero(np.linalg.eigvalsh(_scaled(mid, size)[0]) < 0))
    beyond = int(mid.zeta < -1)
    in_last = beyond if mid.sign > 0 else size - beyond
    return negative - in_last - size + (1 + int(after.case.gaussian_rows)) * beyond


def overlaps_at(x: float, multiplicity: int, after: PencilStep) -> Array:
    """Return the squared overlaps with H_k(h)/√(n k!) for all vectors of one outlier, from the residue of VᵀRV."""
    mid, size = mid_at(x, after), len(after.factors[0])
    if abs(1 + mid.zeta) <= _SAME:
        mid = mid_at(x - _SAME * abs(x), after)  # w_0 must be finite, and the residue changes as little as x
    matrix, scale = _scaled(mid, size)
    eigenvalues, vectors = np.linalg.eigh(matrix)
    null = vectors[:, np.argsort(np.abs(eigenvalues))[:multiplicity]] * scale[:, None]
    growth, mixed = np.linalg.eigh(null.T @ mid.matrix.slope @ null)
    norms = np.array([factorial(k) for k in range(size)])
    return np.asarray(-((null[size : 2 * size] @ mixed).T ** 2) / (growth[:, None] * norms))
