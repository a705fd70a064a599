"""How much of a linear teacher the step's direction explains where inputs have a covariance.

See docs/theory/inputs.md#the-gains.

The spike h costs no penalty, so ridge fits what h leaves of the teacher.  Along an eigenvector of eigenvalue τ the
resolvent keeps s·g of a linear function, and h has c_{⋆,1}τ/√κ of the teacher there, and noise beside it.
"""

from __future__ import annotations

from typing import NamedTuple

from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.case import Case
from theorycalc.theory.covariance import InputSpectrum, spectrum_of
from theorycalc.theory.spectral_traces import unfitted
from theorycalc.theory.traces import Weights


class Alignment(NamedTuple):
    """The shares of a linear teacher's losses that h explains and leaves, in training and in a test."""

    train: Number
    train_left: Number
    test: Number
    test_left: Number


def noise_of_direction(sampled: Number, own: Number, tau: Array) -> Number:
    """Return κ dμ_h/dμ beside the teacher: φ₀E r² τ² and, of a step on the residual, g_a²c_1²τ³.

    See docs/theory/inputs.md#the-direction.

    >>> noise_of_direction(2, 3, 2)
    32
    """
    return sampled * tau**2 + own * tau**3


def alignment(case: Case, weights: Weights) -> Alignment:
    """Return the shares of a case at one λ, or at arrays of points."""
    own = case.own_linear**2 if case.included else 0
    sampled = case.scatter / case.moments.square
    ratio = weights.test_constant / weights.test_bulk
    load = case.c1**2 * weights.spread
    return aligned_shares(spectrum_of(case.levels), load, ratio, case.step_linear**2, sampled, own)


def kept_beside(case: Case, weights: Weights) -> Number:
    """Return ⟨g(1 − γτ)⟩_v/(1 − ρ²), the share of t − ρh that ridge leaves: k where Σ = I.

    See docs/theory/error_rate.md#inputs-with-a-covariance.
    """
    own = case.own_linear**2 if case.included else 0
    sampled, squared, load = case.scatter / case.moments.square, case.step_linear**2, case.c1**2 * weights.spread
    spectrum = spectrum_of(case.levels)

    def g(tau: Array) -> Number:
        return unfitted(tau, load)

    crossed = spectrum.teacher_mean(lambda tau: tau * g(tau), load)
    square = squared * spectrum.teacher_mean(lambda tau: tau**2 * g(tau), load)
    length = square + spectrum.mean(lambda tau: noise_of_direction(sampled, own, tau) * g(tau), load)
    return (spectrum.teacher_mean(g, load) - squared * crossed**2 / length) / case.one_minus_t


def aligned_shares(
    spectrum: InputSpectrum, load: Number, ratio: Number, squared: Number, sampled: Number, own: Number
) -> Alignment:
    """Return the shares ρ²k_×²/(k_⋆k_h) and its complement in training, and those of −∂_λ(s…) in a test.

    ``load`` is x of g = 1/(1 + xτ), ``ratio`` is 1/(χp), by which −∂_λ(sg) is as g²/(χp) + g, ``squared`` is c_⋆1² of
    the step, and the others as in :func:`noise_of_direction`.  In a test the shares are those of the form of
    t − γτ… with these weights, since h's coefficient minimises the training loss: its slope in λ does not count
    (docs/theory/inputs.md#the-gains).
    """

    def g(tau: Array) -> Number:
        return unfitted(tau, load)

    def in_test(tau: Array) -> Number:
        return ratio * g(tau) ** 2 + g(tau)

    def noise(tau: Array) -> Number:
        return noise_of_direction(sampled, own, tau)

    crossed = spectrum.teacher_mean(lambda tau: tau * g(tau), load)
    middle = crossed / spectrum.teacher_mean(g, load)
    along = squared * crossed * middle
    beside = squared * spectrum.teacher_mean(lambda tau: g(tau) * (tau - middle) ** 2, load)
    beside = beside + spectrum.mean(lambda tau: noise(tau) * g(tau), load)
    length = along + beside  # κk_h
    slope = squared * crossed / length  # γ: of the teacher along an eigenvector, 1 − γτ is left
    noisy = slope * crossed / length * spectrum.mean(lambda tau: noise(tau) * in_test(tau), load)
    left = spectrum.teacher_mean(lambda tau: in_test(tau) * (1 - slope * tau) ** 2, load) + noisy
    gained = spectrum.teacher_mean(lambda tau: in_test(tau) * tau * (2 - slope * tau), load)
    whole = spectrum.teacher_mean(in_test, load)
    return Alignment(along / length, beside / length, (slope * gained - noisy) / whole, left / whole)
