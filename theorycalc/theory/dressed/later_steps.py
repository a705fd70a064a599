"""Neurons after several steps on the labels of fresh batches: their common and their individual displacements.

See docs/theory/later_steps.md.

A neuron of u, the u of one step, is the sum of m(u)β⋆, of a displacement ξ(u) that all neurons of u share, ξ(u)·ξ(u')
= Ξ(u, u'), and of a part of its own of squared length s².  At a fresh point with t = x·β⋆ its slope is σ'(mt + Sz),
S² = Ξ(u, u) + s².  With f_k(u, t) = E[He_k(z)σ'(mt + Sz)]/√k! the next step adds u E[y t f_0] to m, turns all other
parts by 1 + uE[y f_1]/S, and the sampling of its n₀ points adds, with the correlation c = Ξ(u, u')/(S S') of neurons,

    uu'φ₀ E[y² Σ_k c^k f_k f'_k] to Ξ,      and to s² what is left of u²φ₀E[y²σ'²].

The first step adds what one step does.  u = 0 is Σ_t b_t, the direction of h.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.numbers.systems import Array, Number
from theorycalc.running.budget import check
from theorycalc.theory.case import Case
from theorycalc.theory.dressed.options import LabelChannel
from theorycalc.theory.dressed.responses import Function, normal_rule, panel_rule

_DIRECTIONS = 4  # beside h and β⋆, in which neurons move together; what is left is dropped: thousandths of |w|²
_ACCURACY = 1e-12  # of the sum over k
_MOST_TERMS = 64
_LABEL_NODES = 40
_PANEL_NODES = 40
_SMOOTH_STEP = 0.35  # of scale·z
_END = 8.5
_AT_ONCE = 400_000  # values of σ'
_WIDEST = 500  # number of steps times the largest length of neurons, on which the time of smooth rules depends
_FINEST = 1  # level: that of the rules in z and t


class StepLabels(NamedTuple):
    """Nodes t = x·β⋆ with their weights, and E[y | t] and E[y² | t] for the step's labels there."""

    t: Array
    weights: Array
    mean: Array
    square: Array


class Together(NamedTuple):
    """Neurons after some steps, per u of one step: the quantities of each node, and Ξ for each pair of nodes.

    All of it is divided by u, or by uu', so that it has a value at u = 0; the last node is u = 0 with σ' = 1, Σ_t b_t.
    """

    teacher: Array  # m/u
    shared: Array  # Ξ/(uu')
    spread: Array  # (s² − kept²)/u²
    kept: Array  # what is left of w_i itself
    c2: Array  # E σ''/2 at the neurons, the mean over the steps


class LaterSteps(NamedTuple):
    """Neurons after several steps, over (η, u): they see p h + Σ_k q_k g_k + s z, s_u² = s² + Σ q_k²."""

    along: Array  # p
    beside: Array  # q_k/s_u, over (η, k, u): the first along the part of β⋆ that h leaves open
    scale: Array  # s_u
    alone: Array  # s²/s_u²
    kept: Array
    c2: Array
    spread: Array  # (s² − kept²)/u², u that of all steps

    def at(self, which: Array) -> LaterSteps:
        """Return the neurons with their steps reordered or repeated."""
        return LaterSteps(*(part[which] for part in self))

    def of_kind(self, index: int, count: int) -> LaterSteps:
        """Return the neurons at the nodes of one of ``count`` kinds."""
        return LaterSteps(*(np.split(part, count, axis=-1)[index] for part in self))


def labels_of_step(case: Case, teacher: Function, channel: LabelChannel, level: int) -> StepLabels:
    """Return the labels of a batch, which may be corrupted and have a mean."""
    mean, energy, noise = (float(x) for x in (case.residual_mean, case.energy, case.noise))
    (t,), (weights,) = panel_rule(np.zeros(1), np.ones(1), teacher.kinks, _LABEL_NODES << min(level, _FINEST))
    signal = np.broadcast_to(teacher.values(t), t.shape)
    first = channel.fidelity * signal
    square = (1 - channel.corrupt) * signal**2 + channel.corrupt * energy + noise**2
    square = square + channel.flipped_square(signal)
    return StepLabels(t, weights, first + mean, square + 2 * mean * first + mean**2)


def slopes_at(slope: Function, center: Array, scale: Array, terms: int, level: int) -> tuple[Array, Array]:
    """Return E[He_k(z)σ'(center + scale z)]/√k! for k below ``terms``, on the first axis, and E σ'².

    >>> found, square = slopes_at(Function(lambda x: x**2, ()), np.array([[1.0]]), np.array([2.0]), 3, 0)
    >>> found.ravel().round(9), square.round(9)  # 1 + 4, 2·1·2, √2·4; (5² + 4² + 32)
    (array([5.        , 4.        , 5.65685425]), array([[73.]]))
    """
    out, square = np.empty((terms, *center.shape)), np.empty(center.shape)
    start = 0
    while start < len(center):
        check()
        step = min(0.5, _SMOOTH_STEP / float(scale[start:].max())) / 2.0**level
        nodes = (len(slope.kinks) + 1) * _PANEL_NODES << level if slope.kinks else 2 * _END / step
        rows = slice(start, start + max(1, int(_AT_ONCE / nodes / center.shape[1])))
        centers, scales = center[rows, :, None], scale[rows, None, None]
        if slope.kinks:
            scales_there = np.broadcast_to(scale[rows, None], center[rows].shape)
            z, weights = panel_rule(center[rows], scales_there, slope.kinks, _PANEL_NODES << level)
        else:
            z, weights = normal_rule(step, _END)
        places = scales * z + centers
        values = np.broadcast_to(slope.values(places), places.shape)
        weighted = values * weights
        square[rows] = np.einsum("utz,utz->ut", weighted, values)
        before, here = np.zeros_like(z), np.ones_like(z)
        for k in range(terms):
            out[k, rows] = (weighted @ here) if here.ndim == 1 else np.einsum("utz,utz->ut", weighted, here)
            before, here = here, (z * here - math.sqrt(k) * before) / math.sqrt(k + 1)
        start = rows.stop
    return out, square


def turned_by(u: Number, pull: Number, scale: Number) -> Number:
    """Return B = 1 + uE[y f_1]/S, by which a step turns and lengthens the part orthogonal to β⋆; ``pull`` is E[y f_1].

    See docs/theory/later_steps.md#what-later-steps-do.

    >>> turned_by(2, 3, 4)
    2.5
    """
    return 1 + u * pull / scale


def with_batch(part: Number, turned: Number, other: Number, ratio: Number, sampled: Number) -> Number:
    """Return Ξ, or s² − k², after a step, both per u²: turned twice, plus the noise of a sampled batch.

    See docs/theory/later_steps.md#what-later-steps-do.

    >>> with_batch(1, 2, 3, 4, 5)
    26
    """
    return turned * other * part + ratio * sampled


def along_h(teacher: Number, of_h: Number, shared: Number, length: Number) -> Number:
    """Return p, the part of a displacement along h, from its inner product with Σb_t.

    See docs/theory/later_steps.md#the-direction-of-h.

    >>> along_h(1, 2, 3, 5)
    1.0
    """
    return (teacher * of_h + shared) / length


def beside_h(teacher: Number, along: Number, rho: Number, off: Number) -> Number:
    """Return q_1, its part along g_1, x·β⋆ = ρh + √(1−ρ²)g_1.

    See docs/theory/later_steps.md#the-direction-of-h.

    >>> beside_h(3, 2, 0.5, 2)
    1.0
    """
    return (teacher - rho * along) / off


def start_of(count: int) -> Together:
    """Return ``count`` neurons before the first step."""
    none = np.zeros(count + 1)
    return Together(none, np.zeros((count + 1, count + 1)), none, np.ones(count + 1), none)


def one_more(
    now: Together, slopes: Sequence[Function], labels: StepLabels, u: Array, ratio: float, level: int
) -> Together:
    """Return neurons after one more step on a fresh batch, φ₀ = ``ratio``; u lists one kind of neuron after another."""
    steps = np.append(u, 0.0)
    scale = _lengths(now, steps)
    likeness = np.outer(steps, steps) * now.shared / np.outer(scale, scale)
    nearest = min(float(np.abs(likeness).max()), 1 - 1 / _MOST_TERMS)
    terms = 2 if nearest == 0 else min(_MOST_TERMS, 2 + math.ceil(math.log(_ACCURACY) / math.log(nearest)))
    center = (steps * now.teacher)[:, None] * labels.t
    kinds = np.split(np.arange(len(u)), len(slopes))
    found = [slopes_at(slope, center[at], scale[at], terms, level) for slope, at in zip(slopes, kinds, strict=True)]
    linear = np.zeros((terms, 1, len(labels.t)))
    linear[0] = 1.0  # σ' = 1
    f = np.concatenate([*(part for part, _ in found), linear], axis=1)
    square = np.concatenate([*(part for _, part in found), linear[0]])
    first, second = labels.weights * labels.mean, labels.weights * labels.square
    turned = turned_by(steps, f[1] @ first, scale)
    sampled = np.zeros_like(now.shared)
    for part in f[::-1]:
        sampled = sampled * likeness + (part * second) @ part.T
    apart = np.maximum(square @ second - np.diag(sampled), 0.0)  # a sum of squares, up to rounding
    return Together(
        teacher=now.teacher + f[0] @ (first * labels.t),
        shared=with_batch(now.shared, turned[:, None], turned, ratio, sampled),
        spread=with_batch(now.spread, turned, turned, ratio, apart),
        kept=turned * now.kept,
        c2=now.c2 + (f[1] @ labels.weights) / scale / 2,
    )


def _lengths(now: Together, u: Array) -> Array:
    """Return √(Ξ(u, u) + s²) for each node."""
    return np.sqrt(u**2 * np.diag(now.shared) + (now.kept**2 + u**2 * now.spread))


def displaced(now: Together, u: Array, weights: Array, rho: float, off: float) -> LaterSteps:
    """Return the neurons' displacements along h, along the open part of β⋆, and along the main directions of the rest.

    Directions are those of the Gram matrix of the displacements, weighted by the law of u; h has the direction of the
    last node, and β⋆ the cosine ρ with it.
    """
    teacher, shared = now.teacher, now.shared
    gram = np.outer(teacher, teacher) + shared
    along = along_h(teacher[:-1], teacher[-1], shared[-1, :-1], math.sqrt(gram[-1, -1]))
    toward = beside_h(teacher[:-1], along, rho, off)
    rest = gram[:-1, :-1] - np.outer(along, along) - np.outer(toward, toward)
    root = np.sqrt(weights) * np.abs(u)
    root = np.where(root > 0, root, 1.0)
    values, vectors = np.linalg.eigh(rest * np.outer(root, root))
    sizes = np.zeros(_DIRECTIONS)
    found = np.maximum(values[::-1][:_DIRECTIONS], 0.0)
    sizes[: len(found)] = np.sqrt(found)
    others = np.zeros((_DIRECTIONS, len(root)))
    others[: len(found)] = vectors.T[::-1][:_DIRECTIONS] / root
    beside = np.vstack([toward, sizes[:, None] * others]) * u
    alone = now.kept[:-1] ** 2 + u**2 * now.spread[:-1]
    whole = alone + np.sum(beside**2, axis=0)
    scale = np.sqrt(whole)
    return LaterSteps(along * u, beside / scale, scale, alone / whole, now.kept[:-1], now.c2[:-1], now.spread[:-1])


def after_steps(
    case: Case, slopes: Sequence[Function], labels: StepLabels, count: int, u: Array, weights: Array, level: int
) -> LaterSteps:
    """Return neurons after ``count`` steps of equal size, given u of all steps together, over (η, node).

    ``slopes`` are σ' of each kind of neuron, whose nodes follow each other; the case has the batches as one.
    """
    direction, found = (float(case.rho), float(case.off_teacher)), []
    for row in u / count:
        moved = displaced(followed(case, slopes, labels, count, row, level), row, weights, *direction)
        found.append(moved._replace(c2=moved.c2 / count, spread=moved.spread / count**2))
    return LaterSteps(*(np.array(part) for part in zip(*found, strict=True)))


def followed(case: Case, slopes: Sequence[Function], labels: StepLabels, count: int, u: Array, level: int) -> Together:
    """Return neurons after several steps of equal size, given u of each step."""
    ratio, now = float(case.batch_ratio) * count, start_of(len(u))
    with np.errstate(all="ignore"):  # what overflows is refused here
        for _ in range(count):
            if not all(slope.kinks for slope in slopes):
                _check_length(float(_lengths(now, np.append(u, 0.0)).max()), count)
            now = one_more(now, slopes, labels, u, ratio, min(level, _FINEST))
            if not all(np.isfinite(part).all() for part in now):
                raise DomainError(
                    f"neurons overflow float64 in {count} steps; take smaller or fewer ones", argument="eta"
                )
    return now


def _check_length(length: float, count: int) -> None:
    """Refuse neurons so long that integrals over a smooth activation would take too much time."""
    if length * count > _WIDEST:
        raise DomainError(
            f"in {count} steps neurons become {length:.3g} times as long, beyond {_WIDEST / count:.3g}, up to which "
            "the next step is computed; take a smaller η, less noise, fewer steps, or larger batches",
            argument="eta",
        )
