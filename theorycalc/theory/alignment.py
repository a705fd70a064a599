"""How much of a linear teacher the step's direction explains where inputs have a covariance.

See docs/theory/inputs.md#the-gains.

The spike h costs no penalty, so ridge fits what h leaves of the teacher.  Along an eigenvector of eigenvalue τ the
resolvent keeps s·g of a linear function, and h has c_{⋆,1}τ/√κ of the teacher there, and noise beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from theorycalc.numbers.systems import Array, Number
from theorycalc.theory.case import Case
from theorycalc.theory.covariance import InputSpectrum, spectrum_of
from theorycalc.theory.spectral_traces import unfitted
from theorycalc.theory.traces import Weights

_Shape = Callable[[Array], Number]  # a function of the eigenvalue


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


class Remainder(NamedTuple):
    """The shares of t − ρh that ridge leaves and learns, and forms of its fit, for each unit of its energy."""

    kept: Number  # 1 where ridge learns nothing, k where Σ = I
    learned: Number  # 1 − kept, which is not formed by subtraction
    square: Number  # of what is left, with weights g² for g
    mixed: Number  # with xτg²
    beside: Number  # of what is left beside kept·(t − ρh)


def remainder(case: Case, weights: Weights, stepped: bool) -> Remainder:
    """Return the remainder of a case at one λ; before the step, that of t itself."""
    own = case.own_linear**2 if case.included else 0
    squared, whole = (case.step_linear**2, case.one_minus_t) if stepped else (0 * case.rho, 1)
    load = case.c1**2 * weights.spread
    return remainder_of(spectrum_of(case.levels), load, squared, case.scatter / case.moments.square, own, whole)


def remainder_of(
    spectrum: InputSpectrum, load: Number, squared: Number, sampled: Number, own: Number, whole: Number
) -> Remainder:
    """Return the remainder by sums of squares; ``whole`` is 1 − ρ², and the others are as in :func:`aligned_shares`.

    See docs/theory/error_rate.md#inputs-with-a-covariance.

    >>> from theorycalc.theory.covariance import InputLevel
    >>> remainder_of(spectrum_of([InputLevel(1.0, 1.0, 1.0)]), 1.0, 1.0, 1.0, 0.0, 0.5)[:2]  # Σ = I: 1/(1 + x)
    (np.float64(0.5), np.float64(0.5))
    """

    def g(tau: Array) -> Number:
        return unfitted(tau, load)

    def taken(tau: Array) -> Number:  # (1 − g)/x
        return tau * g(tau)

    def form(value: _Shape, along: _Shape, off: _Shape) -> Number:
        of_noise = spectrum.mean(lambda tau: noise_of_direction(sampled, own, tau) * value(tau) * off(tau) ** 2, load)
        return spectrum.teacher_mean(lambda tau: value(tau) * along(tau) ** 2, load) + squared * of_noise

    def length(value: _Shape) -> Number:
        of_noise = spectrum.mean(lambda tau: noise_of_direction(sampled, own, tau) * value(tau), load)
        return squared * spectrum.teacher_mean(lambda tau: tau**2 * value(tau), load) + of_noise

    def left(value: _Shape, turn: Number) -> Number:
        return form(value, lambda tau: 1 - squared * turn * tau, lambda tau: turn)

    lengths = length(g), length(taken)
    both = lengths[0] + load * lengths[1]
    crossed = spectrum.teacher_mean(taken, load), spectrum.teacher_mean(lambda tau: tau * taken(tau), load)
    turns = crossed[0] / lengths[0], crossed[1] / lengths[1]  # γ/c_⋆1² of each weight alone
    turn, apart = turns[0], turns[1] - turns[0]
    change = lengths[1] / both * apart  # by which γ of equal weights differs, for each unit of x
    even = turn + load * change
    learned = (left(taken, turns[1]) + squared * lengths[0] * change * apart) / whole

    def along(tau: Array) -> Number:
        turned = squared * change * tau + learned * (1 - squared * even * tau)
        return turned - taken(tau) * (1 - squared * turn * tau)

    return Remainder(
        kept=left(g, turn) / whole,
        learned=load * learned,
        square=left(lambda tau: g(tau) ** 2, turn) / whole,
        mixed=load * left(lambda tau: taken(tau) * g(tau), turn) / whole,
        beside=load**2 * form(lambda tau: 1, along, lambda tau: change + taken(tau) * turn - learned * even) / whole,
    )


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
