"""Infinitely many spikes: the shares of the teacher at the ceiling of the staircase, from its covariance.

See docs/theory/training_gain.md#the-staircase-and-its-ceiling.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from theorycalc.model.spikes import ALL, ODD, ONE_AND_EVEN, Spikes
from theorycalc.numbers.systems import Number, NumberSystem
from theorycalc.theory.gains import Shares


def shares_from_covariance(
    ns: NumberSystem,
    covariance: Callable[[NumberSystem, Number], Number],
    linear: Number,
    t: Number,
    one_minus_t: Number,
    spikes: Spikes = ALL,
) -> Shares:
    """Return the shares for infinitely many spikes: Σ_k k! c_{⋆,k}² t^k = E[σ⋆(Z)σ⋆(Z')] at correlation t.

    The sum over one parity is the odd or the even part of that function of t; at correlation 0 it is the
    square of the mean.
    """
    one = ns.rational(Fraction(1))
    at_t, at_one, at_zero = covariance(ns, t), covariance(ns, one), covariance(ns, 0 * t)
    if spikes != ALL:
        sign = -1 if spikes == ODD else 1
        at_t = (at_t + sign * covariance(ns, -t)) / 2
        if spikes == ONE_AND_EVEN:
            return Shares(at_t - at_zero, (at_one - at_t) - linear, floor=0 * t)
        return Shares(at_t - linear * t, (at_one - at_t) - linear * one_minus_t - at_zero, floor=0 * t)
    explained = at_t - at_zero - linear * t
    left = (at_one - at_t) - linear * one_minus_t
    return Shares(explained, left, floor=0 * t)
