"""The law of S = Xᵀdiag(r)X/n, or of T = φ₀Xᵀdiag(r²)X/n, by which neurons turn, with its resolvent.

See docs/theory/turning.md#the-law-of-s and docs/theory/turning.md#activations-without-a-second-coefficient.

r = y − f₀ is the residual at a point x of the step's batch.  S is a sum of n terms r xxᵀ/n in d dimensions, φ₀ = d/n:
m(z) = tr(S − z)⁻¹/d solves m = 1/(k(m) − z), k(m) = E[r/(1 + φ₀rm)], and has no other root in the upper half-plane.

Let x_D be the coordinates of x on which r depends: t along the teacher's directions and, with the initial output, one
along W₀ᵀa.  By Schur complements, with k_D = E[r x_D/(1 + φ₀rm)] and K_D = E[r x_D x_Dᵀ/(1 + φ₀rm)], the forms of
(S − z)⁻¹ are (K_D − z)⁻¹ within D, (K_D − z)⁻¹k_D between D and b = Xᵀr/n, and E r − k + k_Dᵀ(K_D − z)⁻¹k_D for b
itself.  For b − c_⋆1û, whose length is √(κ(1 − ρ²)), k_D less E[r t] = c_⋆1û takes the place of k_D; û is β⋆ if the
teacher has one direction.

For small φ₀ these are nearly their values at φ₀ = 0, and it is the difference that counts:  r/(1 + φ₀rm) is taken as
r − φ₀m r²/(1 + φ₀rm), and the means of the first part are known: E r = 0, E[r t] = c_⋆1û, E[r ttᵀ] = M, which is 2c_⋆2
for one direction, and with the coordinate o along W₀ᵀa E[r o] = −c_1, E[r t o] = E[r o²] = 0.  If r has a mean, S is
E r and a rest to which all of this applies with the r as it is: k, K_D and z are all less by E r.

In T a point enters by φ₀r² instead of r, but b is the same: m, K_D and k_D have 1 + φ₀(φ₀r²)m below.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import NamedTuple

import numpy as np

from theorycalc.errors import PrecisionError, spelled
from theorycalc.numbers.iteration import zero_between
from theorycalc.numbers.systems import Array
from theorycalc.theory.dressed.multi_index import LABEL_SPACING, GivenLabel, MultiIndex, gathered, given_label
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.options import LabelChannel
from theorycalc.theory.dressed.responses import normal_rule, panel_rule

_TOLERANCE = 1e-12
_MOST_STEPS = 200
_NEGLIGIBLE = 1e-15  # weight of a node
_TEACHER_NODES = 64
_NOISE_STEP = 0.5
_NOISE_END = 7.0
_GRID = np.linspace(0.01, 0.99, 99)
_SIDES = (1.0, -1.0)
_ON_CIRCLE = 24
_SAME_PLACE = 1e-9


@dataclass(frozen=True)
class Residual:
    """Nodes for the law of r with the coordinates x_D: the teacher's, and a last one along W₀ᵀa."""

    ratio: float  # φ₀
    spike: Array  # E[r x_D x_Dᵀ]: M, and 0 with the last coordinate
    off_mean: Array  # E[r x_D] − c_⋆1û: 0, and −c_1 where r depends on the last coordinate
    off: float  # κ(1 − ρ²)
    center: float  # E r, which is taken off: all places and shares are those of S − E r
    r: Array
    enters: Array  # r, by which a point enters S: φ₀r² for the law of T, whose center is E φ₀r²
    weights: Array
    first: Array  # weights times x_D, over (coordinate, node)
    second: Array  # weights times x_D x_Dᵀ, over (coordinate, coordinate, node)

    def mean(self, values: Array, measure: Array | None = None) -> Array:
        """Return the mean of values over their last axis, or their sum over nodes with other weights."""
        return values @ (self.weights if measure is None else measure)


class DirectionTransforms(NamedTuple):
    """Spectral measures of S: its bulk, all pairs of directions, W₀ᵀa, and W₀ᵀa with all directions.

    The directions, on the first axes, are those of the teacher, and the last is c.
    """

    bulk: Array
    directions: Array
    own: Array
    own_directions: Array


def residual_of(step: DressedStep, level: int) -> Residual:
    """Return the law of r = σ⋆ + E r + τξ; τ² is the noise plus any initial output, c_1² of it along W₀ᵀa."""
    case, (sizes, axes) = step.case, step.spikes
    spread = math.sqrt(case.residual_variance)
    several = isinstance(step.teacher, MultiIndex)
    labels = received(step.channel, labels_of(step, level))
    xi, xi_weights = normal_rule(_NOISE_STEP / 2**level, _NOISE_END) if spread > 0 else (np.zeros(1), np.ones(1))
    share = case.own_linear / spread if case.included else 0.0
    own = -share * xi  # along W₀ᵀa
    center = float(case.residual_mean)
    r = (labels.label[:, None] + spread * xi).ravel() + center

    def with_noise(measure: Array, factor: Array | float = 1.0) -> Array:
        return np.multiply.outer(measure, xi_weights * factor).reshape(*measure.shape[:-1], -1)

    weights, first = with_noise(labels.weights), with_noise(labels.first)
    square, mixed = with_noise(labels.weights, 1 - share**2 + own**2), with_noise(labels.first, own)
    first = np.concatenate([first, with_noise(labels.weights, own)[None]])
    upper = np.concatenate([with_noise(labels.second), mixed[:, None]], axis=1)
    second = np.concatenate([upper, np.concatenate([mixed, square[None]])[None]])
    keep = np.abs(weights) > _NEGLIGIBLE
    law = Residual(
        ratio=case.batch_ratio,
        spike=np.pad((axes * sizes) @ axes.T, (0, 1)),
        off_mean=np.append(np.zeros(len(labels.first)), -case.own_linear if case.included else 0.0),
        off=case.kappa * case.one_minus_t,
        center=center,
        r=r[keep],
        enters=r[keep],
        **{
            name: part[..., keep] / weights[keep].sum()
            for name, part in (("weights", weights), ("first", first), ("second", second))
        },
    )
    if step.one_draw:
        drawn = _as_drawn(law.r, law.weights, step.samples * case.step_ratio)
        law = replace(law, r=drawn, enters=drawn)
    return _at_few_nodes(law, level) if several else law


def of_squares(law: Residual) -> Residual:
    """Return the law of T = φ₀Xᵀdiag(r²)X/n."""
    enters = law.ratio * law.r**2
    center = float(law.mean(enters))
    return replace(law, enters=enters, center=center, spike=law.second @ enters - center * np.eye(len(law.spike)))


def labels_of(step: DressedStep, level: int) -> GivenLabel:
    """Return nodes for the noiseless labels of the step's batch, with the teacher's coordinates."""
    teacher = step.teacher
    if isinstance(teacher, MultiIndex):
        return given_label(teacher, level)
    (g,), (weights,) = panel_rule(np.zeros(1), np.ones(1), teacher.kinks, _TEACHER_NODES << level)
    first = weights * g
    return GivenLabel(np.broadcast_to(teacher.values(g), g.shape), weights, first[None], (first * g)[None, None])


def _at_few_nodes(law: Residual, level: int) -> Residual:
    """Return the law with its nodes merged into a few."""
    size, count = math.sqrt(float(law.mean(law.r**2))), len(law.first)
    measures = np.concatenate([law.weights[None], law.first, law.second.reshape(count**2, -1)])
    r, (weights, *rest) = gathered(law.r, measures, LABEL_SPACING / 2**level, size)
    first, second = np.array(rest[:count]), np.reshape(rest[count:], (count, count, len(r)))
    return replace(law, r=r, enters=r, weights=weights, first=first, second=second)


def received(channel: LabelChannel, labels: GivenLabel) -> GivenLabel:
    """Return labels as the step receives them: each point's own or another's, with either sign.

    See docs/theory/dressed.md#corrupted-labels.
    """
    one, zero = np.eye(len(labels.first))[..., None], 0 * labels.first
    others = GivenLabel(labels.label, labels.weights, zero, one * labels.weights)
    parts = []
    for sign, share in ((1.0, 1 - channel.flip), (-1.0, channel.flip)):
        parts += [((1 - channel.corrupt) * share, sign, labels), (channel.corrupt * share, sign, others)]
    kinds = [
        (sign * x.label + (sign - channel.sign) * channel.mean, *(share * measure for measure in x[1:]))
        for share, sign, x in parts
        if share
    ]
    return GivenLabel(*(np.concatenate(column, axis=-1) for column in zip(*kinds, strict=True)))


def _as_drawn(r: Array, weights: Array, count: float) -> Array:
    """Return residuals clipped to the range they have in a batch of ``count``."""
    order = np.argsort(r)
    below = np.cumsum(weights[order]) / weights.sum()
    low, high = (
        r[order[min(int(np.searchsorted(below, share)), len(r) - 1)]] for share in (0.5 / count, 1 - 0.5 / count)
    )
    return np.clip(r, low, high)


def bulk_transform(law: Residual, z: Array) -> Array:
    """Return m(z) in the upper half-plane, by Newton's method or, where Newton would leave it, by iterating the map."""
    m = -1 / (z + 1j * standard_deviation(law))
    for _ in range(_MOST_STEPS):
        share = _share(law, m)
        k = _taken_off(law, m, share, law.enters**2 * law.weights)
        excess = m * (k - z) - 1
        slope = k - z - law.ratio * m * law.mean((law.enters * share) ** 2)
        moved = m - excess / slope
        moved = np.where(moved.imag > 0, moved, 1 / (k - z))
        done = np.abs(moved - m) <= _TOLERANCE * np.abs(m)
        m = moved
        if done.all():
            return m
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        "Newton's method did not find the law of the gradient's rest for these labels; "
        f"use {spelled('method', 'isotropic')}, which does without it",
        argument="teacher",
    )


def standard_deviation(law: Residual) -> float:
    """Return the standard deviation of the eigenvalues of S."""
    return math.sqrt(law.ratio * float(law.mean(law.enters**2)))


def _share(law: Residual, m: Array | float) -> Array:
    """Return 1/(1 + φ₀rm) at every place."""
    return 1 / (1 + law.ratio * np.asarray(m)[..., None] * law.enters)


def _taken_off(law: Residual, m: Array, share: Array, measure: Array) -> Array:
    """Return −φ₀m Σ share·measure, for a measure with further axes."""
    found: Array = -law.ratio * m[:, None] * (share @ measure.reshape(-1, len(law.r)).T)
    return found.reshape(len(m), *measure.shape[:-1])


class _WithinD(NamedTuple):
    """1/(1 + φ₀rm), and K_D − z, at every point."""

    share: Array
    matrix: Array


def _within_D(law: Residual, m: Array, z: Array) -> _WithinD:
    share = _share(law, m)
    K = law.spike + _taken_off(law, m, share, law.enters**2 * law.second)
    return _WithinD(share, K - z[:, None, None] * np.eye(len(law.spike)))


def resolvent(law: Residual, z: Array) -> DirectionTransforms:
    """Return the transforms ∫ dμ(s)/(s − z) of the shares at points in the upper half-plane.

    c is the part of b orthogonal to û, of unit length.
    """
    m = bulk_transform(law, z)
    share, matrix = _within_D(law, m, z)
    k_D = law.off_mean + _taken_off(law, m, share, law.enters * law.r * law.first)
    within = np.linalg.inv(matrix)
    with_c = (within @ k_D[..., None])[..., 0]
    c = np.einsum("pi,pi->p", k_D, with_c) - _taken_off(law, m, share, law.r**2 * law.weights)
    whole = np.concatenate([within, with_c[:, None] / math.sqrt(law.off)], axis=1)  # rows: x_D and c, columns x_D
    own = len(law.spike) - 1
    rows = [*range(own), own + 1]  # without W₀ᵀa
    last = np.append(with_c[:, :own] / math.sqrt(law.off), c[:, None] / law.off, axis=-1)
    directions = np.concatenate([whole[:, rows, :own], last[..., None]], axis=-1)
    return DirectionTransforms(m, np.moveaxis(directions, 0, -1), within[:, own, own], whole[:, rows, own].T)


class _Outside(NamedTuple):
    """Points z outside the bulk of S, on one side from far away to its edge: m(z), z, and bounds of ‖K_D‖."""

    m: Array
    z: Array
    sizes: Array


def _outside(law: Residual, sign: float) -> _Outside:
    """Return points beyond the upper or lower edge, which is where z(m) = k(m) − 1/m turns.

    r of mean 0 has both signs; of another mean it may have one, and then m has no bound on the other side.
    """
    largest = float((sign * law.enters).max())
    if law.center == 0:
        m = -sign * _GRID / (law.ratio * largest)
    else:
        m = -sign / (law.ratio * (max(largest, 0.0) + float(law.mean(np.abs(law.enters))) * (1 / _GRID - 1)))
    part = law.enters * _share(law, m)
    z = law.mean(part) - law.center - 1 / m
    sizes = law.mean(np.abs(part), np.einsum("iin->n", law.second)) + abs(law.center)
    end = int(np.argmin(sign * z)) + 1
    return _Outside(m[:end], z[:end], sizes[:end])


def reach(law: Residual) -> float:
    """Return a bound on the spectrum of S: that of its bulk or, if larger, ‖K_D‖ beyond it."""
    return max(float(max(np.abs(side.z[-1]), side.sizes.max())) for side in (_outside(law, sign) for sign in _SIDES))


def bulk_reach(law: Residual) -> float:
    """Return a bound on the bulk of S: its farther edge."""
    return max(abs(float(_outside(law, sign).z[-1])) for sign in _SIDES)


def spikes_of_S(law: Residual, bound: float) -> tuple[Array, DirectionTransforms]:
    """Return the eigenvalues of S beyond ±bound, where K_D − z is singular, and their part in every share."""

    def place(m: float) -> float:
        return float(law.mean(law.enters * _share(law, m))) - law.center - 1 / m

    def level(m: float, index: int) -> float:
        return float(_levels(law, np.array([m]), np.array([place(m)]))[0, index])

    found: list[float] = []
    for side in (_outside(law, sign) for sign in _SIDES):
        negative = _levels(law, side.m, side.z) < 0
        for i, index in np.argwhere(negative[1:] != negative[:-1]):
            root = zero_between(partial(level, index=index), side.m[i], side.m[i + 1], accuracy=1e-15, relative=1e-13)
            found.append(place(root))
    s = _apart([place for place in found if abs(place) > bound])
    return s, residues(law, s, bound)


def residues(law: Residual, s: Array, bound: float) -> DirectionTransforms:
    """Return the part of every share at eigenvalues s of S beyond ±bound, from circles that exclude everything else."""
    others = np.concatenate([s, [bound, -bound]])
    turn = np.exp(1j * math.pi * (np.arange(_ON_CIRCLE) + 0.5) / _ON_CIRCLE)
    radii = np.array([np.abs(others[others != spike] - spike).min() / 2 for spike in s])
    circles = radii[:, None] * turn
    shares = resolvent(law, (s[:, None] + circles).ravel())
    parts = (-(share.reshape(*share.shape[:-1], *circles.shape) * circles).real.mean(axis=-1) for share in shares)
    return DirectionTransforms(*parts)


def _levels(law: Residual, m: Array, z: Array) -> Array:
    """Return the eigenvalues of K_D − z at real points outside the bulk."""
    return np.linalg.eigvalsh(_within_D(law, m, z).matrix)


def _apart(places: list[float]) -> Array:
    """Return the points in decreasing order, merged where they differ only by rounding."""
    ordered = np.sort(np.array(places))[::-1]
    steps = np.diff(ordered, prepend=np.inf)
    return ordered[np.abs(steps) > _SAME_PLACE * np.abs(ordered)]
