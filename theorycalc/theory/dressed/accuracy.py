"""Losses after steps of any size, each with as many nodes as its accuracy needs.

The error of equal steps falls like exp(−const/step), and the constant like 1/η once the step is large.  So one trial at the
largest step says which rules all others need; the largest step of each rule is then checked with a finer one.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from theorycalc.theory.dressed.fixed_point import solve
from theorycalc.theory.dressed.forms import labels_given, losses
from theorycalc.theory.dressed.network import Resolution, Step, network_after
from theorycalc.theory.dressed.rules import Array

ACCURACY = 1e-9  # relative, of each loss
_AIM = 1e-10  # of the rules that a trial chooses
_Z_ACCURACY = 1e-11  # of the answers, in the mean square
_AT_ONCE = 64
_REFINEMENT = math.sqrt(2)
_FINEST_STEP = 0.05
_FINEST_LEVEL = 6
_FURTHEST_END = 14.0


class Losses(NamedTuple):
    """Losses after the step, the residual of their fixed point, and how much finer rules change them, relatively."""

    train: Array
    test: Array
    residual: Array
    error: Array


def evaluate(step: Step, eta: Array, ridge: Array, resolution: Resolution) -> tuple[Array, Array, Array]:
    """Return training loss, test loss and residual for pairs of η and λ, at one resolution."""
    parts = []
    for start in range(0, len(eta), _AT_ONCE):
        sizes, inverse = np.unique(eta[start : start + _AT_ONCE], return_inverse=True)
        network = network_after(step, sizes, resolution).at(inverse)
        lam = ridge[start : start + _AT_ONCE]
        solution = solve(network, lam)
        labels = labels_given(network, resolution.z_level)
        parts.append((*losses(network, labels, lam, solution), solution.residual))
    train, test, residual = (np.concatenate(column) for column in zip(*parts, strict=True))
    return train, test, residual


def dressed_losses(step: Step, eta: Array, ridge: Array) -> Losses:
    """Return the losses for pairs of η and λ."""
    out = np.empty((4, len(eta)))
    largest = int(np.lexsort((-ridge, eta))[-1])
    coarse = _trial(step, eta[[largest]], ridge[[largest]])
    for resolution, chosen in _classes(coarse, eta, eta[largest]):
        top = chosen[np.lexsort((-ridge[chosen], eta[chosen]))[-1:]]
        error = _change(step, eta[top], ridge[top], resolution, _finer(resolution))
        while error > ACCURACY and _finer(resolution) != resolution:
            resolution = _finer(resolution)  # noqa: PLW2901 - the trial was too hopeful
            error = _change(step, eta[top], ridge[top], resolution, _finer(resolution))
        out[:3, chosen] = evaluate(step, eta[chosen], ridge[chosen], resolution)
        out[3, chosen] = error
    return Losses(*out)


def _change(step: Step, eta: Array, ridge: Array, resolution: Resolution, other: Resolution) -> float:
    """Return by how much a resolution changes the losses, relatively."""
    here, there = (np.array(evaluate(step, eta, ridge, r)[:2]) for r in (resolution, other))
    return float(np.max(np.abs(there / here - 1)))


def _finer(resolution: Resolution) -> Resolution:
    """Return more nodes everywhere, as far as that is affordable."""
    return Resolution(
        max(resolution.u_step / _REFINEMENT, _FINEST_STEP),
        max(resolution.h_step / _REFINEMENT, _FINEST_STEP),
        min(resolution.z_level + 1, _FINEST_LEVEL),
        min(resolution.end + 0.5, _FURTHEST_END),
    )


def _trial(step: Step, eta: Array, ridge: Array) -> Resolution:
    """Return the resolution that one step seems to need, from what finer rules change at a coarse one."""
    start = Resolution()
    here = np.array(evaluate(step, eta, ridge, start)[:2])

    def change(**finer: float) -> float:
        there = np.array(evaluate(step, eta, ridge, replace(start, **finer))[:2])  # type: ignore[arg-type]
        return float(np.max(np.abs(there / here - 1)))

    def needed(distance: float, error: float) -> float:
        ratio = math.log(max(error, 1e-16)) / math.log(_AIM)  # exp(−const/step): solve for the step
        return min(distance, max(distance * min(ratio, 1.0), _FINEST_STEP))

    end = start.end
    while end < _FURTHEST_END and change(end=end + 1) > ACCURACY:
        end += 1
    level = _z_level(step, eta)
    return Resolution(
        needed(start.u_step, change(u_step=start.u_step / _REFINEMENT)),
        needed(start.h_step, change(h_step=start.h_step / _REFINEMENT)),
        level,
        end,
    )


def _z_level(step: Step, eta: Array) -> int:
    """Return how fine the rule in z must be: the answers of a few neurons at a few points tell."""
    few = Resolution(u_step=1.0, h_step=1.0)
    before = network_after(step, eta, few)
    for level in range(_FINEST_LEVEL):
        after = network_after(step, eta, replace(few, z_level=level + 1))
        root = np.sqrt(before.u_weights)[:, None]
        pairs = (
            (before.mean, after.mean, 1),
            (before.linear, after.linear, 1),
            (before.noise, after.noise, before.h_weights),
        )
        changes = [np.linalg.norm((y - x) * root * w) / np.linalg.norm(y * root * w) for x, y, w in pairs if y.any()]
        if max(changes) < _Z_ACCURACY:
            return level
        before = after
    return _FINEST_LEVEL


def _classes(needed: Resolution, eta: Array, largest: float) -> Iterator[tuple[Resolution, Array]]:
    """Yield resolutions with the points that need them: distances grow as steps shrink, in factors of √2."""
    start = Resolution()
    smaller = np.log(largest / np.maximum(eta, largest * 1e-3)) / math.log(_REFINEMENT) if largest > 0 else 0 * eta
    coarser = np.floor(smaller).astype(int)
    room = max(_halvings(start.u_step / needed.u_step), _halvings(start.h_step / needed.h_step))
    for power in np.unique(np.minimum(coarser, room)):
        chosen = np.flatnonzero(np.minimum(coarser, room) == power)
        yield (
            replace(
                needed,
                u_step=min(start.u_step, needed.u_step * _REFINEMENT**power),
                h_step=min(start.h_step, needed.h_step * _REFINEMENT**power),
            ),
            chosen,
        )


def _halvings(ratio: float) -> int:
    return math.ceil(math.log(ratio) / math.log(_REFINEMENT) - 1e-9)
