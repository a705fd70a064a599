"""The traces of inputs with a covariance Σ, and the weights of the losses (docs/theory/inputs.md#the-equations).

In the names of :mod:`~theorycalc.theory.traces`, with x = bw/φ = c_1²sθ/ψ and g = 1/(1 + xτ), the part that the fit
leaves of a linear function along an eigenvector of eigenvalue τ:

    λs + (φ/ψ)(1 − θ) = 1,      aw + φ⟨xτg⟩ = 1 − p

One unknown is left, as without a covariance, and the left side grows with it.  Σ = I gives g = k.
"""

from __future__ import annotations

from theorycalc.numbers.systems import Array, Number, NumberSystem
from theorycalc.theory.case import Case
from theorycalc.theory.covariance import InputSpectrum, spectrum_of
from theorycalc.theory.ridgeless import RidgelessCase, narrow, square, wide
from theorycalc.theory.traces import Balance, Traces, Weights, in_resolvent, slopes


def linear_load(equation: Balance, w: Number) -> Number:
    """Return x = bw/φ, by which the neurons fit linear functions.

    >>> linear_load(Balance(0, 1, 0, phi=2, a=1, b=3, wide=True), 4)
    6.0
    """
    return equation.b * w / equation.phi


def unfitted(eigenvalue: Array, load: Number) -> Number:
    """Return g = 1/(1 + xτ), the part that the fit leaves of a linear function along an eigenvector.

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
    """Return aw + φ⟨xτg⟩ − min(1, φ/ψ), the load of the neurons less the most they can take, and its slope χ in w.

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
    """Return m_1, m_2 = m_1⟨τg⟩ and all that follows at the root y, by sums of positive terms.

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
    """Return −m_1'/(m_1s) − 1, the variance of the fit for each unit of energy of degree ≥ 2, by positive terms.

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
    """Return the weights with those of a linear teacher: λs⟨g⟩_v in training, ⟨g²⟩_v and ⟨g⟩_v in a test.

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
) -> tuple[Traces, Weights]:
    """Return traces and weights in the limit λ → 0⁺ (docs/theory/inputs.md#without-ridge).

    ``w`` is the root of :func:`spectral_load` with a = c_{>1}² and b = c_1², which are ``moments`` before squaring.
    """
    (phi, psi), (c1, c_rest) = sizes, moments
    load = c1**2 * w / phi
    kept = spectrum.mean(lambda tau: tau * unfitted(tau, load), load)
    twice = spectrum.mean(lambda tau: tau * unfitted(tau, load) ** 2, load)
    limits = {RidgelessCase.WIDE: wide, RidgelessCase.NARROW: narrow, RidgelessCase.SQUARE: square}
    traces, weights = limits[case](ns, phi, psi, w, kept, c_rest**2 + c1**2 * twice)
    if case == RidgelessCase.WIDE:  # in the others it is infinite
        slope = slopes(traces.m1, traces.m2, twice / kept, traces.chi_p, traces.stiffness)[1]
        traces = traces._replace(m2_slope=slope)
    return traces, spectral_weights(weights, spectrum, c1)
