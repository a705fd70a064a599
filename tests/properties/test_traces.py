"""m_1 and m_2: the facts of docs/theory/traces.md#facts."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.mpmath_numbers import Mpf
from tests.properties import FLOATS, invariant
from tests.properties.drawing import SIGNS, binary
from tests.properties.systems import TOLERANCE, exact, traces
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.theory.solver import ball_traces
from theorycalc.theory.traces import trace_equations

SIZES = {name: binary(-6, 6) for name in ("phi", "psi", "ridge")}
MOMENTS = {
    "c1": st.builds(lambda s, c: s * c, SIGNS, binary(-3, 2)),
    "c_rest": st.one_of(binary(-3, 2), st.just(Fraction(0))),
}


@pytest.mark.slow
@pytest.mark.checks("trace_equations", "reduced_equation", "m2_of_m1")
@invariant("0 < m_2 < m_1 < 1/γ, and m_1 > (1 − φ/ψ)/γ")
@given(**SIZES, **MOMENTS)
def test_bounds_and_signs(system, phi, psi, ridge, c1, c_rest):
    m1, m2, m1_slope, m2_slope = traces(system, phi, psi, ridge, c1, c_rest)
    gamma = ridge * psi / phi
    upper, lower = exact(1 / gamma), exact(max(Fraction(0), (1 - phi / psi) / gamma))
    if system == FLOATS:  # strictly but for rounding: far out, neighbours are one float
        assert 0 < m2 <= m1 <= upper * (1 + TOLERANCE[system])
        assert m1 >= lower * (1 - TOLERANCE[system])
    else:
        assert 0 < m2 < m1 < upper
        assert m1 > lower
    assert m1_slope < 0
    assert m2_slope < 0


@pytest.mark.checks("trace_equations", "reduced_equation", "m2_of_m1")
@invariant("m_1, m_2 solve the printed equations")
@given(**SIZES, **MOMENTS)
def test_enclosures_satisfy_the_printed_equations(phi, psi, ridge, c1, c_rest):
    with ball_precision(300):
        numbers = [ball(x) for x in (phi, psi, ridge, c1, c_rest)]
        found = ball_traces((phi, psi, ridge), numbers[3], numbers[4], 300)
        size = numbers[0] * found.m1**2 * (numbers[3] ** 2 + numbers[4] ** 2)
        for residual in trace_equations(found.m1, found.m2, *numbers):
            assert residual.contains(0)
            assert residual.rad() < abs(size) * ball(Fraction(1, 2**150))


@pytest.mark.checks("slopes")
@invariant("m_1, m_2 are completely monotone in λ")
@given(**SIZES, **MOMENTS, ratio=st.sampled_from([Fraction(1, 1000), Fraction(1, 10), Fraction(1), Fraction(30)]))
def test_finite_differences_alternate_in_sign(phi, psi, ridge, c1, c_rest, ratio):
    """(−1)^k Δ^k m(λ) > 0 for k = 0, …, 5 on five steps of any width; and the slope is between the chords."""
    step = ridge * ratio
    found = [tc.traces(phi=phi, psi=psi, ridge=ridge + i * step, c1=c1, c_rest=c_rest, digits=150) for i in range(6)]
    for name in ("m1", "m2"):
        values = [getattr(point, name) for point in found]
        for order in range(6):
            difference = sum((-1) ** i * comb(order, i) * values[i] for i in range(order + 1))
            assert difference > 0, (name, order)
        chord = (values[1] - values[0]) * step.denominator / step.numerator
        assert getattr(found[0], f"{name}_slope") < chord < getattr(found[1], f"{name}_slope") < 0


@pytest.mark.checks("reduced_equation")
@invariant("γm_1 → 1 as λ → ∞, → max(0, 1 − φ/ψ) as λ → 0⁺")
@given(phi=binary(-3, 3), psi=binary(-3, 3), c1=binary(-2, 1), c_rest=binary(-2, 1))
def test_both_ends_of_the_ridge(phi, psi, c1, c_rest):
    """1 − γm_1 is at most (φ/ψ)Var σ/λ above, and γm_1 falls to its limit with λ."""
    ns = Mpf(120)
    limit = ns.rational(max(Fraction(0), 1 - phi / psi))
    for power in (6, 12, 24):
        far, near = Fraction(10) ** power, Fraction(10) ** (-2 * power - 12)
        large, small = (
            ns.context.mpf(tc.traces(phi=phi, psi=psi, ridge=x, c1=c1, c_rest=c_rest, digits=120).m1)
            * ns.rational(x * psi / phi)
            for x in (far, near)
        )
        assert 0 < 1 - large <= ns.rational(phi / psi * (c1**2 + c_rest**2) / far)
        # c_{>1}² p u/λ ≤ 1 in the reduced equation, and p − limit ≤ p, u: it is at most √λ/c_{>1}
        assert 0 < small - limit <= ns.sqrt(ns.rational(near)) / ns.rational(c_rest)


@pytest.mark.checks("trace_equations", "slopes")
@invariant("σ → sσ, λ → s²λ sends m to m/s²")
@given(**SIZES, **MOMENTS, power=st.integers(-4, 4), sign=SIGNS)
def test_scaling_of_the_activation(system, phi, psi, ridge, c1, c_rest, power, sign):
    scale = Fraction(2) ** power * (1 if system == FLOATS else Fraction(3, 7))
    plain = traces(system, phi, psi, ridge, c1, c_rest)
    scaled = traces(system, phi, psi, ridge * scale**2, sign * c1 * scale, c_rest * scale)
    for one, other, order in zip(plain, scaled, (1, 1, 2, 2), strict=True):
        expected = one / exact(scale) ** (2 * order)
        assert abs(other - expected) <= TOLERANCE[system] * abs(expected)
