"""The traces for inputs with a covariance Σ, the weights of the losses, and the shares of a linear teacher.

See docs/theory/inputs.md#the-equations and docs/theory/inputs.md#the-gains.

In the names of :mod:`~theorycalc.theory.traces`, with x = bw/φ = c_1²sθ/ψ and g = 1/(1 + xτ), the part that the fit
leaves of a linear function along an eigenvector of eigenvalue τ:

    λs + (φ/ψ)(1 − θ) = 1,      aw + φ⟨xτg⟩ = 1 − p

One unknown is left, as without a covariance, and the left side grows with it.  Σ = I gives g = k.

The spike h costs no penalty, so ridge fits what h leaves of the teacher.  Along an eigenvector of eigenvalue τ the
resolvent keeps s·g of a linear function, and h has c_{⋆,1}τ/√κ of the teacher there, and noise beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from theorycalc.numbers.systems import Array, Number, NumberSystem
from theorycalc.theory.case import Case
from theorycalc.theory.covariance import InputSpectrum, spectrum_of
from theorycalc.theory.ridgeless import LIMITS, RidgelessCase
from theorycalc.theory.traces import Alignment, Balance, Solved, Traces, Weights, in_resolvent, slopes


def linear_load(equation: Balance, w: Number) -> Number:
    """Return x = bw/φ, by which the neurons fit linear functions.

    >>> linear_load(Balance(0, 1, 0, phi=2, a=1, b=3, wide=True), 4)
    6.0
    """
    return equation.b * w / equation.phi


def unfitted(eigenvalue: Array, load: Number) -> Number:
    """Return g = 1/(1 + xτ), the part of a linear function that the fit leaves along an eigenvector.

    >>> unfitted(3, 1)
    0.25
    """
    return 1 / (1 + eigenvalue * load)


def spectral_equations(
    spectrum: InputSpectrum, s: Number, theta: Number, phi: Number, psi: Number, lam: Number, c1: Number, c_rest: Number
) -> tuple[Number, Number]:
    """Return λ + (φ/ψ)c_{>1}²θ + φ⟨bτ/(1+bsτ)⟩ − 1/s and 1 + c_{>1}²s + c_1²⟨sτ/(1+bsτ)⟩ − 1/θ, b = c_1²θ/ψ.

    Both vanish at the solution.

    >>> from theorycalc.theory.covariance import InputLevel, spectrum_of
    >>> spectral_equations(spectrum_of([InputLevel(1.0, 1.0, 1.0)]), 1.0, 0.5, 1.0, 0.5, 1.0, 1.0, 0.0)
    (np.float64(0.5), np.float64(-0.5))
    """
    b = c1**2 * theta / psi
    kept = spectrum.mean(lambda tau: tau * unfitted(tau, b * s))
    return (
        lam + phi * c_rest**2 * theta / psi + phi * b * kept - 1 / s,
        1 + c_rest**2 * s + c1**2 * s * kept - 1 / theta,
    )


def stiffening(equation: Balance, spectrum: InputSpectrum, load: Number) -> Number:
    """Return χ = (c_{>1}² + c_1²⟨τg²⟩)/λ."""
    return equation.a + equation.b * spectrum.mean(lambda tau: tau * unfitted(tau, load) ** 2, load)


def spectral_load(ns: NumberSystem, w: Number, equation: Balance, spectrum: InputSpectrum) -> tuple[Number, Number]:
    """Return aw + φ⟨xτg⟩ − min(1, φ/ψ), the neurons' load minus its maximum, and its slope χ in w.

    Where most is fitted, φ⟨xτg⟩ − min(1, φ/ψ) is taken as φ − min(1, φ/ψ) − φ⟨g⟩.
    """
    load = linear_load(equation, w)
    left = spectrum.mean(lambda tau: unfitted(tau, load), load)
    taken = spectrum.mean(lambda tau: tau * load * unfitted(tau, load), load)
    linear = ns.where(left < taken, equation.excess - equation.phi * left, equation.phi * taken - equation.room)
    return equation.a * w + linear, stiffening(equation, spectrum, load)


def spectral_balance(ns: NumberSystem, y: Number, equation: Balance, spectrum: InputSpectrum) -> tuple[Number, Number]:
    """Return y + aw + φ⟨xτg⟩ − min(1, φ/ψ), which vanishes at the solution, and its slope in y."""
    value, chi = spectral_load(ns, y * (y + equation.gap), equation, spectrum)
    return y + value, 1 + chi * (2 * y + equation.gap)


def spectral_traces_at(
    ns: NumberSystem, y: Number, equation: Balance, spectrum: InputSpectrum, psi: Number, lam: Number
) -> Traces:
    """Return m_1, m_2 = m_1⟨τg⟩ and all that follows at the root y, as sums of positive terms.

    See docs/theory/inputs.md#derivatives.
    """
    other, load = y + equation.gap, linear_load(equation, y * (y + equation.gap))
    p, u = ns.where(equation.wide, y, other), ns.where(equation.wide, other, y)
    chi = stiffening(equation, spectrum, load)
    kept = spectrum.mean(lambda tau: tau * unfitted(tau, load), load)
    twice = spectrum.mean(lambda tau: tau * unfitted(tau, load) ** 2, load)
    chi_p, stiffness = chi * p, lam * (1 + chi * p + chi * u)
    m1 = p * equation.phi / (psi * lam)
    m2 = kept * m1
    return Traces(m1, m2, *slopes(m1, m2, twice / kept, chi_p, stiffness), u * psi / equation.phi, chi_p, stiffness)


def spectral_noise(case: Case, traces: Traces, weights: Weights) -> Number:
    """Return −m_1'/(m_1s) − 1, the variance of the fit per unit of energy of degree ≥ 2, as positive terms.

    See docs/theory/error_rate.md#inputs-with-a-covariance.
    """
    spectrum = spectrum_of(case.levels)
    s, t = (in_resolvent(m, case.phi, case.psi) for m in (traces.m1, traces.m2))
    theta, load = traces.theta, case.c1**2 * weights.spread
    bulk = case.c_rest**2 * s
    once = spectrum.mean(lambda tau: tau * unfitted(tau, load) ** 2, load)
    twice = spectrum.mean(lambda tau: (tau * unfitted(tau, load)) ** 2, load)
    straight = load * s * theta * twice / (theta * (1 + bulk) + case.psi * load * once)  # t − s dt/ds
    taken = theta * (bulk + case.c1**2 * t)  # 1 − θ
    return weights.test_rest * case.phi * (taken**2 + (case.c1 * theta) ** 2 * straight) / case.psi


def spectral_weights(weights: Weights, spectrum: InputSpectrum, c1: Number) -> Weights:
    """Return the weights, with those of a linear teacher: λs⟨g⟩_v in training, ⟨g²⟩_v and ⟨g⟩_v in a test.

    −∂_λ(sg)/s² = g²/(s·stiffness) + gχp/(s·stiffness) for each eigenvalue (docs/theory/inputs.md#derivatives).
    """
    load = c1**2 * weights.spread
    kept = spectrum.teacher_mean(lambda tau: unfitted(tau, load), load)
    twice = spectrum.teacher_mean(lambda tau: unfitted(tau, load) ** 2, load)
    return weights._replace(
        train_linear=weights.train_rest * kept,
        test_linear=weights.test_constant * twice + weights.test_bulk * kept,
        kept=kept,
    )


def spectral_ridgeless(
    ns: NumberSystem,
    case: RidgelessCase,
    sizes: tuple[Number, Number],
    moments: tuple[Number, Number],
    spectrum: InputSpectrum,
    w: Number,
) -> Solved:
    """Return traces and weights in the limit λ → 0⁺ (docs/theory/inputs.md#without-ridge).

    ``w`` is the root of :func:`spectral_load` with a = c_{>1}² and b = c_1², which are ``moments`` before squaring.
    """
    (phi, psi), (c1, c_rest) = sizes, moments
    load = c1**2 * w / phi
    kept = spectrum.mean(lambda tau: tau * unfitted(tau, load), load)
    twice = spectrum.mean(lambda tau: tau * unfitted(tau, load) ** 2, load)
    traces, weights = LIMITS[case](ns, phi, psi, w, kept, c_rest**2 + c1**2 * twice)
    if case == RidgelessCase.WIDE:  # in the others it is infinite
        slope = slopes(traces.m1, traces.m2, twice / kept, traces.chi_p, traces.stiffness)[1]
        traces = traces._replace(m2_slope=slope)
    return traces, spectral_weights(weights, spectrum, c1)


_Shape = Callable[[Array], Number]  # a function of the eigenvalue


def noise_of_direction(sampled: Number, own: Number, tau: Array) -> Number:
    """Return κ dμ_h/dμ apart from the teacher: φ₀E r² τ² and, for a step on the residual, g_a²c_1²τ³.

    See docs/theory/inputs.md#the-direction.

    >>> noise_of_direction(2, 3, 2)
    32
    """
    return sampled * tau**2 + own * tau**3


def alignment(case: Case, weights: Weights) -> Alignment:
    """Return the shares for a case at one λ, or at arrays of points."""
    own = case.own_linear**2 if case.included else 0
    sampled = case.scatter / case.moments.square
    ratio = weights.test_constant / weights.test_bulk
    load = case.c1**2 * weights.spread
    return aligned_shares(spectrum_of(case.levels), load, ratio, case.step_linear**2, sampled, own)


class Remainder(NamedTuple):
    """The shares of t − ρh that ridge leaves and learns, and forms of its fit, per unit of its energy."""

    kept: Number  # 1 where ridge learns nothing, k where Σ = I
    learned: Number  # 1 − kept, which is not formed by subtraction
    square: Number  # of what is left, with weights g² for g
    mixed: Number  # with xτg²
    beside: Number  # of what is left beside kept·(t − ρh)


def remainder(case: Case, weights: Weights, stepped: bool) -> Remainder:
    """Return the remainder for a case at one λ; before the step, it is that of t itself."""
    own = case.own_linear**2 if case.included else 0
    squared, whole = (case.step_linear**2, case.one_minus_t) if stepped else (0 * case.rho, 1)
    load = case.c1**2 * weights.spread
    return remainder_of(spectrum_of(case.levels), load, squared, case.scatter / case.moments.square, own, whole)


def remainder_of(
    spectrum: InputSpectrum, load: Number, squared: Number, sampled: Number, own: Number, whole: Number
) -> Remainder:
    """Return the remainder as sums of squares; ``whole`` is 1 − ρ², and the others are as in :func:`aligned_shares`.

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
