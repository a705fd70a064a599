"""One formula, every number system: the same numbers from each."""

from __future__ import annotations

from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy as sp

from tests.helpers.mpmath_numbers import Mpf
from theorycalc.model.seen_part import along_direction, series_energy
from theorycalc.model.spikes import ALL, Spikes
from theorycalc.numbers.balls import ball, ball_precision, mpf_context
from theorycalc.numbers.systems import BALLS, FLOATS, SCALARS, SYMBOLS, horner
from theorycalc.theory.case import gradient_spread, initial_variance, kappa, lengthening, scatter
from theorycalc.theory.covariance import InputLevel, input_moments, spectrum_of
from theorycalc.theory.dressed.multi_index import left_open
from theorycalc.theory.dressed.nodes_of_kinds import kept_share, row_square
from theorycalc.theory.gains import (
    even_share,
    kernel_terms,
    losses,
    parts_of,
    quotient,
    shares,
)
from theorycalc.theory.kind_spikes import spike_powers
from theorycalc.theory.kinds import KindMoments, fit_noise, kind_equations, kind_sums, kind_traces_at
from theorycalc.theory.limits import clean_gain, clean_loss
from theorycalc.theory.printed import Delta
from theorycalc.theory.spectral_traces import (
    spectral_balance,
    spectral_equations,
    spectral_traces_at,
    spectral_weights,
)
from theorycalc.theory.traces import Alignment, HermiteWeights, balance_of, traces_at, weights_of
from theorycalc.theory.weights import left_overlap, outlier_square, right_overlap, step_strength

TEACHER = [Fraction(1), Fraction(1, 2), Fraction(-1, 3), Fraction(1, 5), Fraction(2, 7)]
NUMBERS = {"phi": Fraction(1, 2), "psi": Fraction(2, 3), "lam": Fraction(1, 10), "c1": Fraction(1, 2)}


def everything(ns, number, spikes):
    """Call every formula of the closed form in one number system, at a made-up root y."""
    phi, psi, lam, c1 = (number(x) for x in NUMBERS.values())
    c_rest, y, noise = number(Fraction(3, 10)), number(Fraction(1, 8)), number(Fraction(1, 2))
    equation = balance_of(ns, phi, psi, lam, c1, c_rest)
    traces = traces_at(ns, y, equation, phi, psi, lam)
    weights = weights_of(traces, phi, psi, lam)
    teacher, zero, zeta = [number(c) for c in TEACHER], number(Fraction(0)), number(Fraction(1, 9))
    spikes = ALL if spikes is None else Spikes(spikes)
    parts = parts_of(ns, teacher, zero, spikes)
    sampled = scatter(parts.linear + parts.rest, noise**2 + initial_variance(c1, c_rest, c1, psi), phi)
    off = sampled + c1**2
    length = kappa(teacher[0], off)
    t, one_minus_t = parts.linear / length, off / length
    tau = lengthening(gradient_spread(noise, sampled), c1, length)
    aligned = Alignment(t, one_minus_t, t, one_minus_t)
    printed = losses(weights, parts, shares(ns, parts, t, one_minus_t, zeta), aligned, noise**2)
    long = parts_of(ns, teacher, zero, spikes, tau) if parts.spanned else parts
    share = shares(ns, long, t, one_minus_t, zeta, tau=None if parts.spanned else tau)
    literal = losses(weights, long, share, aligned, noise**2)
    free = parts_of(ns, teacher, zero, spikes, free_constant=True)
    left, told = shares(ns, free, t, one_minus_t, zero), number(Fraction(2, 3))
    corrupted = losses(weights, free, left, aligned, noise**2, fidelity=told)
    clean = clean_loss(y, left.left, left.explained, noise**2, weights.test_rest, told, 1 - told)
    literal = (*literal, *corrupted, clean, clean_gain(y, left.explained, told, 1 - told))
    found = [*traces, *weights, length, tau, *printed, *share, *literal]
    strength, ratio = step_strength(c1, 9, length), 1 / psi
    found += [formula(strength, ratio) for formula in (outlier_square, left_overlap, right_overlap)]
    found += [row_square(kept_share(noise, 9, y), sampled, 9, y)]
    found += [left_open(y, noise, c1, c_rest)]
    b = {(1, 0): c1, (2, 1): y, (0, 2): noise}
    found += [*along_direction(b, (c_rest, psi)).values(), series_energy(b)]
    kinds = [KindMoments(noise, c1, c_rest), KindMoments(1 - noise, c_rest, y)]
    found += [*kind_traces_at(kinds, psi, y, phi, psi, lam), *kind_equations(kinds, psi, y, phi, psi, lam)]
    found += [*fit_noise(kind_sums(kinds, psi, y), psi, y, phi, psi, lam)]
    if parts.spanned:
        powers = [spike_powers(k, y) for k in spikes.listed]
        shapes = [[1 * power.get(j, 0) for j in range(max(power) + 1)] for power in powers]
        found += shares(ns, parts_of(ns, teacher, zero, spikes, tau, True, shapes), t, one_minus_t, zero)[:2]
    levels = [InputLevel(lam + 1, noise, y), InputLevel(1 - lam, 1 - noise, 1 - y)]
    spectrum = spectrum_of(levels)
    found += [*spectral_traces_at(ns, y, equation, spectrum, psi, lam), *spectral_weights(weights, spectrum, c1)]
    found += [*spectral_equations(spectrum, psi, y, phi, psi, lam, c1, c_rest), *input_moments(levels)]
    found += spectral_balance(ns, y, equation, spectrum)
    if long.floor is not None and long.floor.evens:
        x, stretch = (1 + tau) * t, (1 + tau) ** 2
        found += [even_share(long.floor, x, stretch, zeta), *kernel_terms(long.floor.evens, stretch)]
    return [value + zero for value in found]


@pytest.mark.parametrize("spikes", [(1, 2, 3, 4), (1, 3), (1, 2, 4), (1, 4, 5), None])
def test_the_systems_agree(spikes):
    exact = everything(SYMBOLS, lambda x: sp.Rational(x.numerator, x.denominator), spikes)
    assert all(value.is_Rational for value in exact)
    floats = everything(FLOATS, np.float64, spikes)
    scalars = everything(SCALARS, float, spikes)
    digits = everything(Mpf(40), Mpf(40).rational, spikes)
    with ball_precision(200):
        balls = everything(BALLS, ball, spikes)
        for i, truth in enumerate(exact):
            assert floats[i] == pytest.approx(float(truth), rel=1e-14)
            assert scalars[i] == pytest.approx(float(truth), rel=1e-14)
            assert abs(digits[i] * int(truth.q) - int(truth.p)) <= abs(int(truth.p)) * mpf_context(40).mpf("1e-37")
            enclosure = flint.arb(balls[i])
            assert (enclosure * int(truth.q)).contains(int(truth.p))  # a whole number, which no ball rounds
            assert enclosure.rel_accuracy_bits() > 180


def test_the_systems_solve_alike():
    weights, c_star = (Fraction(1), Fraction(1, 3), Fraction(1)), TEACHER[:3]

    def delta(ns, number):
        return Delta(
            ns, (1, 2, 3), HermiteWeights(*map(number, weights)), list(map(number, c_star)), number(Fraction(3, 5))
        )

    exact = delta(SYMBOLS, lambda x: sp.Rational(x.numerator, x.denominator))
    assert delta(FLOATS, np.float64) == pytest.approx(float(exact), rel=1e-13)
    assert delta(SCALARS, float) == pytest.approx(float(exact), rel=1e-13)
    assert float(delta(Mpf(30), Mpf(30).rational)) == pytest.approx(float(exact), rel=1e-15)
    with ball_precision(150):
        assert delta(BALLS, ball).contains(flint.fmpq(int(exact.p), int(exact.q)))
        singular = BALLS.solve([[flint.arb(1), flint.arb(1)], [flint.arb(1), flint.arb(1)]], [flint.arb(1)] * 2)
        assert all(x.is_nan() for x in singular)


@pytest.mark.parametrize("ns", [FLOATS, SCALARS, Mpf(20), BALLS, SYMBOLS], ids=lambda ns: type(ns).__name__)
def test_each_system_has_the_same_functions(ns):
    assert float(ns.sqrt(ns.rational(Fraction(9, 4)))) == pytest.approx(1.5)
    assert float(ns.rough_cbrt(ns.rational(Fraction(27)))) == pytest.approx(3, rel=0.05)
    assert float(ns.exp(ns.sinh(ns.asin(ns.rational(Fraction(1, 2)))))) == pytest.approx(np.exp(np.sinh(np.pi / 6)))
    assert float(ns.maximum(ns.rational(Fraction(1)), 2)) == 2
    assert float(ns.minimum(ns.rational(Fraction(1)), 2)) == 1
    assert float(ns.where(True, ns.pi, ns.inf)) == pytest.approx(np.pi)
    assert ns.all(True)
    assert float(ns.inf) == np.inf


@pytest.mark.checks("left")
def test_polynomial_helpers():
    coefficients = [3, -1, 4, 1, -5]
    t = sp.Symbol("t")
    f = horner(coefficients, t)
    assert sp.expand(f - sum(c * t**j for j, c in enumerate(coefficients))) == 0
    assert sp.expand(f.subs(t, 1) - f - (1 - t) * horner(quotient(coefficients), t)) == 0
