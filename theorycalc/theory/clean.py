"""Test losses on clean labels of a fit to corrupted ones (docs/theory/channels.md#clean-labels).

With f the teacher and f̂ the fit to labels that are a_f f in the mean, f − f̂ = (1 − a_f)f + (a_f f − f̂), and
E[f(f − f̂)] of a fit to clean labels is W, the part of the teacher's energy that resists: hence the sum below, all of
whose terms are positive.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import NamedTuple

from theorycalc.numbers.systems import Number
from theorycalc.theory.case import Case
from theorycalc.theory.gains import initial_losses
from theorycalc.theory.traces import Weights


class CleanLosses(NamedTuple):
    """Losses and the gain on clean labels, noise included."""

    test_loss_clean_initial: Number
    test_loss_clean: Number
    test_gain_clean: Number


def clean_loss(
    signal: Number,
    left: Number,
    learned: Number,
    noise_variance: Number,
    test_rest: Number,
    fidelity: Number,
    lost: Number,
    times: Callable[[Number, Number], Number] = operator.mul,
) -> Number:
    """L_clean = a_f² L + (1 − a_f)²(c_⋆² − W) + (1 − a_f²)W + g σ_ε² + (g − 1)(1 − a_f²)c_⋆².

    L is the test loss of a fit to ``signal`` without noise, ``left`` is W and ``learned`` is c_⋆² − W, g the weight of
    noise in a test loss, and ``lost`` is 1 − a_f, which may be tiny.  See docs/theory/channels.md#clean-labels.

    >>> clean_loss(0.5, 0.25, 0.75, 1, 1.5, 1, 0)
    2.0
    """
    spoilt = lost * (1 + fidelity)  # 1 − a_f²
    hidden = spoilt * (left + learned)
    told = lost**2 * learned + spoilt * left
    kept = times(signal, fidelity**2)  # at N = n without a ridge L is infinite, also where nothing is kept
    return kept + told + times(test_rest, noise_variance) + times(test_rest - 1, hidden)


def mean_cost(
    test_rest: Number, flipped: Number, shift: Number, times: Callable[[Number, Number], Number] = operator.mul
) -> Number:
    """Return (g − 1)(1 − b²)μ² + (1 − b)²μ², which flips of labels with a mean μ cost on clean labels.

    The second part is that of labels that keep their mean; ``flipped`` is (1 − b²)μ², and ``shift`` (1 − b)μ or 0.
    See docs/theory/channels.md#labels-with-a-mean.

    >>> mean_cost(3, 0.75, 1)
    2.5
    """
    return times(test_rest - 1, flipped) + shift**2


def untrained_clean(case: Case, weights: Weights, fidelity: Number, lost: Number) -> Number:
    """Return L_clean before a step, given the case with clean labels (docs/theory/channels.md#clean-labels)."""
    linear, k = case.c_star[0] ** 2, weights.kept
    signal = initial_losses(weights, linear, case.rest).test_loss
    learned = (1 - k) * linear
    return clean_loss(signal, k * linear + case.rest, learned, case.noise**2, weights.test_rest, fidelity, lost)


def clean_gain(test_gain: Number, more: Number, fidelity: Number, lost: Number) -> Number:
    """Λ_clean = Λ + 2a_f(1 − a_f)(c_{⋆,1}²ρ²k + B): the step adds ``more`` to c_⋆² − W, ``lost`` is 1 − a_f.

    See docs/theory/channels.md#clean-labels.

    >>> clean_gain(0.5, 2, 0.5, 0.5)
    1.5
    """
    return test_gain + 2 * fidelity * lost * more
