"""Losses after steps of any size, to an accuracy checked with finer rules."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError, PrecisionError, called
from theorycalc.numbers.dual import Dual
from theorycalc.numbers.systems import Array, Number
from theorycalc.running.budget import allow_times, spending
from theorycalc.theory.dressed.finite_size import shifts
from theorycalc.theory.dressed.forms import losses, train_error
from theorycalc.theory.dressed.labels import labels_given
from theorycalc.theory.dressed.multi_index import MultiIndex
from theorycalc.theory.dressed.neurons import DressedStep, Network, Resolution, network_after
from theorycalc.theory.dressed.solving import solve
from theorycalc.theory.kinds import kind_theta
from theorycalc.theory.solver import float_weights
from theorycalc.theory.traces import constant_spread, in_resolvent

ACCURACY = 5e-9  # relative, of each loss
_MOST_SHARED = 0.1  # measured: docs/theory/later_steps.md#how-far-it-is-right
_SMALL = 1e-2  # gain, relative to the loss: then it is taken by the same rules with and without the step
_Z_ACCURACY = 1e-11  # of the answers, in the mean square
_WORTHLESS = 0.1  # a change that leaves no digit
_AT_ONCE = 16
_STRONGEST = 1e8  # spike, beside which float64 has nothing left of the bulk
_STALLS = 2  # refinements without effect, after which only rounding is left
_REFINEMENT = 1.4
_FINEST = Resolution(u_step=0.05, h_step=0.05, z_level=6, end=14.0, s_accuracy=1e-13, r_level=1, smallest_shape=1e-9)


class StepLosses(NamedTuple):
    """Losses after the step, the residual of their fixed point, and their relative change under finer rules."""

    train: Array
    test: Array
    train_error: Array  # without the penalty
    gains: Array  # of these three
    residual: Array
    error: float
    resolution: Resolution  # of the rules


def check_strength(step: DressedStep, eta: float) -> None:
    """Refuse a step with a first spike so strong that float64 keeps no digits of the rest."""
    strongest = abs(step.slope) * step.unit(eta)
    if strongest > _STRONGEST:
        raise PrecisionError(
            f"rounding leaves no digits of the bulk: the first spike is {strongest:.1g} times as large; take a "
            f"smaller step, fewer samples, or {called('predict')} for the limit",
            argument="eta",
        )


def shared_length(step: DressedStep, eta: float) -> float:
    """Return the share of the neurons' squared length that lies off h in common directions: 0 after one step.

    See docs/theory/later_steps.md#how-far-it-is-right.
    """
    network = network_after(replace(step, one_draw=True), np.array([eta]), Resolution())
    squares = network.u_weights * network.scale[0] ** 2
    return float(1 - squares @ network.alone[0] / squares.sum())


def check_shared(step: DressedStep, eta: float) -> None:
    """Refuse several steps after which neurons share so much that simulations contradict the theory."""
    if step.count > 1 and (share := shared_length(step, eta)) > _MOST_SHARED:
        raise DomainError(
            f"after {step.count} steps of η = {eta:g} {share:.0%} of the squared length of neurons is noise of the "
            "batches that they share, and the theory holds for small shares; take smaller or fewer steps, larger "
            f"batches, or an activation that grows less, or use {called('simulate')}",
            argument="eta",
        )


def evaluate(step: DressedStep, eta: Array, ridge: Array, resolution: Resolution, with_error: bool = False) -> Array:
    """Return training loss, test loss and residual for pairs of η and λ, at one resolution, in rows.

    ``with_error`` adds the training error without the penalty, which takes one more derivative.
    """
    out = np.empty((4 if with_error else 3, len(eta)))
    order = np.argsort(eta, kind="stable")  # similar steps together: their rules have the same focus
    for start in range(0, len(eta), _AT_ONCE):
        chosen = order[start : start + _AT_ONCE]
        out[:, chosen] = _evaluated(step, eta[chosen], ridge[chosen], resolution, with_error)
    return out


def _evaluated(step: DressedStep, eta: Array, ridge: Array, resolution: Resolution, with_error: bool) -> Array:
    """Return the same for pairs whose arrays are all made at once."""
    network = network_after(step, eta, resolution)
    solution = solve(network, ridge, resolution.s_accuracy, resolution.r_level)
    labels = labels_given(network, resolution.z_level)
    error = [train_error(network, labels, ridge, solution)] if with_error else []
    return np.array([*losses(network, labels, ridge, solution), solution.residual, *error])


def _gains(step: DressedStep, eta: Array, ridge: Array, resolution: Resolution) -> Array:
    """Return the three gains as differences from η = 0 under equal rules, so that quadrature errors cancel."""
    out = np.empty((3, len(eta)))
    order = np.argsort(eta, kind="stable")
    for start in range(0, len(eta), _AT_ONCE // 2):
        chosen = order[start : start + _AT_ONCE // 2]
        at_zero, which = np.unique(ridge[chosen], return_inverse=True)
        both = np.concatenate([eta[chosen], 0 * at_zero]), np.concatenate([ridge[chosen], at_zero])
        found = _evaluated(step, *both, resolution, with_error=True)[[0, 1, 3]]
        out[:, chosen] = found[:, len(chosen) :][:, which] - found[:, : len(chosen)]
    return out


@np.errstate(over="ignore", invalid="ignore")  # overflow leaves a residual above the tolerance, which is refused
def dressed_losses(step: DressedStep, eta: Array, ridge: Array, before: Array) -> StepLosses:
    """Return the losses and gains for pairs of η and λ, given both losses and the training error before the step.

    The smallest and the largest step, at the smallest λ, are tried with finer rules in u, h and z together; all steps
    are then done with a rule that these change by less than ACCURACY, or with the finest, and the change is reported.
    """
    check_strength(step, float(eta.max()))
    check_shared(step, float(eta.max()))
    trial = np.unique([eta.min(), eta.max()])
    ridges = np.full(len(trial), ridge.min())
    tried = functools.cache(lambda rules: evaluate(step, trial, ridges, rules, with_error=True))
    with spending("the rules of a step of η =", trial[-1]):
        allow_times(_share_of_numbers(step, float(trial[-1])))
        resolution, error = _settled(step, trial[-1:], tried)
    alone = len(eta) == 1  # the pair that was tried
    found = tried(resolution) if alone else evaluate(step, eta, ridge, resolution, with_error=True)
    train, test, residual, plain = found
    after = np.array([train, test, plain])
    if not (error < _WORTHLESS and np.all(after >= 0)):
        raise PrecisionError(  # pragma: no cover - no known problem reaches it
            f"rounding leaves no digits of the losses: finer rules change them by {error:.1g}; take a smaller step, "
            "fewer samples, or an activation that grows less",
            argument="eta",
        )
    gains = before + untrained_shift(step, ridge) - after
    small = np.any(np.abs(gains) < _SMALL * before, axis=0)
    if small.any():
        gains[:, small] = _gains(step, eta[small], ridge[small], resolution)
    if not step.isotropic:
        gains -= shifts(step, eta, ridge)
    train, test, plain = before - gains
    return StepLosses(train, test, plain, gains, residual, error, resolution)


def _share_of_numbers(step: DressedStep, eta: float) -> float:
    """Return how many times as long as another step this one may take, as its numbers ask.

    Rules in u and h grow with the logarithm of the spike, and there are as many as kinds of neurons and of inputs.
    """
    of_size = max(math.log10(max(abs(step.slope) * step.unit(eta), 1.0)), 1.0)
    return of_size * max(len(step.kinds), 1) * max(len(step.case.levels), 1)


def _settled(step: DressedStep, largest: Array, tried: Callable[[Resolution], Array]) -> tuple[Resolution, float]:
    """Return a rule that finer ones change by less than ACCURACY, or the best that was found, and the change."""
    resolution = replace(Resolution(), z_level=_z_level(step, largest))
    error = _change(tried, resolution)
    finer, stalled = resolution, 0
    while error > ACCURACY and stalled < _STALLS and _finer(finer) != finer:
        finer = _finer(finer)
        try:
            change = _change(tried, finer)
        except DomainError:  # finer rules would take minutes; the change by the last ones is reported
            break
        stalled = stalled + 1 if change > error / 3 else 0  # before it converges, or where only rounding is left
        if change < error:
            resolution, error = finer, change
    return resolution, max(error, _label_error(step, largest, resolution.z_level))


def untrained_shift(step: DressedStep, ridge: Array) -> Array:
    """Return the change that a finite network makes in both losses and the training error before the step.

    It is of relative order 1/d, by the fluctuation of ‖x‖² and by a constant feature.  Losses after the step contain
    it, so gains are taken from losses that do.  See docs/theory/dressed.md#the-norm-of-the-inputs.
    """
    case, fit = step.case, step.fit
    without_norm = step.isotropic or bool(case.levels)
    if without_norm and not fit.constant:
        return np.zeros((3, len(ridge)))
    traces, _ = float_weights(case, ridge)
    s, spread = in_resolvent(traces.m1, case.phi, case.psi), traces.m1 * traces.theta / case.phi
    s, spread = Dual(s, s * traces.m1_slope / traces.m1), Dual(spread, -spread / traces.stiffness)
    c2 = 0.0 if without_norm else step.c2
    if step.kinds:
        t = in_resolvent(traces.m2, case.phi, case.psi)
        spread, c2 = _spread_of_kinds(step, s, Dual(t, t * traces.m2_slope / traces.m2)), 1.0
    change = untrained_change(s, spread, c2, step.laplacian, step.inputs)
    if fit.constant:
        rows = constant_spread(case.c2_gaussian, spread)
        change = with_constant_feature(s, spread, c2, step.laplacian, step.inputs, rows, fit.constant, fit.label_mean)
    return np.array([ridge * change.value, -change.slope / s.value**2, -(ridge**2) * change.slope])


def untrained_change(s: Number, spread: Number, c2: Number, laplacian: Number, d: Number) -> Number:
    """Return the change of ỹᵀR₀ỹ by ‖x‖², which is −(L²/2d) sζ/(1 + ζ(1 + 1/d)) with L = 2c_⋆2 for one direction.

    See docs/theory/dressed.md#the-norm-of-the-inputs.

    >>> untrained_change(2.0, 1.0, 0.5, 1.0, 4.0)
    -0.07692307692307693
    """
    zeta = constant_spread(c2, spread)
    whole = 1 + 1 / d  # beside ε, which has the variance 2/d, the mean of δ given h has 2/d²
    return -(s * zeta / (1 + zeta * whole) * (laplacian**2 / (2 * d)))


def with_constant_feature(
    s: Number,
    spread: Number,
    c2: Number,
    laplacian: Number,
    d: Number,
    rows: Number,
    constant: Number,
    mean: Number,
) -> Number:
    """Return the change of ỹᵀR₀ỹ by ‖x‖², a constant feature c_0 and labels of a mean; ``rows`` is ζ of Gaussian rows.

    See docs/theory/dressed.md#raw-activations.

    >>> with_constant_feature(2.0, 1.0, 0.5, 1.0, 4.0, 0.0, 0.0, 0.0) == untrained_change(2.0, 1.0, 0.5, 1.0, 4.0)
    True
    """
    zeta = constant_spread(c2, spread)
    whole = 1 + 1 / d
    of_mean = mean**2 * (1 + zeta * whole) - 2 * constant * mean * c2 * laplacian * spread
    below = 1 + zeta * whole + constant**2 * d * spread / (1 + rows)
    return s * (of_mean / (1 + rows) - zeta * laplacian**2 / (2 * d)) / below


def _spread_of_kinds(step: DressedStep, s: Dual, t: Dual) -> Dual:
    """Return ζ/2 = sE_b[c_2²θ]/ψ for neurons with biases, with its slope in λ (docs/theory/kinds.md#finite-steps)."""
    total = 0 * s
    for kind, moments in zip(step.kinds, step.case.kinds, strict=True):
        total = total + kind.share * kind.c2**2 * (s * kind_theta(moments, s, t))
    return total / step.case.psi


def _change(tried: Callable[[Resolution], Array], resolution: Resolution) -> float:
    """Return the relative change of the losses under finer rules."""
    here, there = (tried(rules)[:2] for rules in (resolution, _finer(resolution)))
    return float(np.max(np.abs(there - here) / np.where(here == 0, 1, np.abs(here))))


def _label_error(step: DressedStep, eta: Array, level: int) -> float:
    """Return the last refinement's change of labels of several directions, whose rules are refined less than others."""
    if not isinstance(step.teacher, MultiIndex):
        return 0.0
    network = network_after(step, eta, Resolution(u_step=1.0, h_step=1.0))
    return _change_of_labels(network, min(level, step.teacher.finest - 1))


def _finer(resolution: Resolution) -> Resolution:
    """Return a finer resolution, limited to the finest that is affordable."""
    return Resolution(
        max(resolution.u_step / _REFINEMENT, _FINEST.u_step),
        max(resolution.h_step / _REFINEMENT, _FINEST.h_step),
        min(resolution.z_level + 1, _FINEST.z_level),
        min(resolution.end + 0.5, _FINEST.end),
        max(resolution.s_accuracy / 10, _FINEST.s_accuracy),
        min(resolution.r_level + 1, _FINEST.r_level),
        max(resolution.smallest_shape / 10, _FINEST.smallest_shape),
    )


def _z_level(step: DressedStep, eta: Array) -> int:
    """Return the level of the rule in z, chosen from a few neurons and from labels at a few points."""
    few = Resolution(u_step=1.0, h_step=1.0)
    before = network_after(step, eta, few)
    for level in range(_FINEST.z_level):
        after = network_after(step, eta, replace(few, z_level=level + 1))
        labels = step.teacher.accuracy if isinstance(step.teacher, MultiIndex) else _Z_ACCURACY
        if _change_of_answers(before, after) < _Z_ACCURACY and _change_of_labels(before, level) < labels:
            return level
        before = after
    return _FINEST.z_level


def _change_of_answers(before: Network, after: Network) -> float:
    root = np.sqrt(before.u_weights)[:, None]
    size = np.linalg.norm(after.linear * root)
    pairs = (before.mean, after.mean), (before.linear, after.linear)
    noise = np.linalg.norm((before.noise - after.noise) * before.h_weights * root) / size**2
    return float(max(noise, *(np.linalg.norm((x - y) * root) / size for x, y in pairs)))


def _change_of_labels(network: Network, level: int) -> float:
    here, finer = (np.vstack(labels_given(network, z_level)) for z_level in (level, level + 1))
    moved, square = np.abs(finer - here) @ network.h_weights, float(finer[-1] @ network.h_weights)
    return float(max(moved[:-1].max() / math.sqrt(square), moved[-1] / square)) if square > 0 else 0.0
