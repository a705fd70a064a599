"""m_1, m_2: the printed equations, the facts of docs/theory/traces.md#facts, independent solvers."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.mpmath_numbers import Mpf
from theorycalc.numbers.balls import mpf_context
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.theory.traces import Balance, balance, balance_of, trace_equations, traces_at

PHI, PSI, LAM, C1, C_REST, P = sp.symbols("phi psi lambda c_1 c_rest p", positive=True)


@pytest.mark.checks("trace_equations", "reduced_equation", "m2_of_m1")
@pytest.mark.parametrize("ridge", ["1e-3", "1/10", "7"])
@pytest.mark.parametrize(("phi", "psi"), [("1/2", "2/3"), ("3", "1/5"), ("2/7", "2/7")])
def test_mpmath_solves_the_printed_system_to_the_same_digits(phi, psi, ridge):
    """An independent path: two equations, Newton in two dimensions, unproven."""
    ours = tc.traces(phi=phi, psi=psi, ridge=ridge, c1="1/2", c_rest="3/10", digits=45)
    context = mpf_context(50)
    numbers = [Mpf(50).rational(Fraction(x)) for x in (phi, psi, ridge, "1/2", "3/10")]
    solution = context.findroot(
        lambda m1, m2: list(trace_equations(m1, m2, *numbers)), (float(ours.m1), float(ours.m2))
    )
    for value, expected in zip((ours.m1, ours.m2), solution, strict=True):
        assert abs(context.mpf(value) / expected - 1) < context.mpf("1e-44")


@pytest.mark.checks("slopes")
def test_slopes_follow_by_implicit_differentiation():
    """Differentiate the printed equations in sympy and solve for the slopes, at a proven point."""
    m1, m2 = sp.symbols("m_1 m_2")
    equations = sp.Matrix(trace_equations(m1, m2, PHI, PSI, LAM, C1, C_REST))
    slopes = -equations.jacobian([m1, m2]).LUsolve(equations.diff(LAM))
    values = {PHI: "3/4", PSI: "1/3", LAM: "1/7", C1: "2/3", C_REST: "1/5"}
    names = {PHI: "phi", PSI: "psi", LAM: "ridge", C1: "c1", C_REST: "c_rest"}
    ours = tc.traces(**{names[s]: v for s, v in values.items()}, digits=40)
    point = {s: sp.Rational(v) for s, v in values.items()}
    point |= {m1: sp.Float(str(ours.m1), 40), m2: sp.Float(str(ours.m2), 40)}
    for slope, expected in zip(slopes, (ours.m1_slope, ours.m2_slope), strict=True):
        assert abs(sp.N(slope.subs(point), 40) / sp.Float(str(expected), 40) - 1) < 1e-35


@pytest.mark.checks("reduced_equation")
@pytest.mark.parametrize("wide", [True, False])
def test_the_balance_is_the_reduced_equation(wide):
    """In p, with u = p + φ/ψ − 1 and w = pu: aw + φbw/(φ + bw) = 1 − p, times φ + bw."""
    a, b = C_REST**2 / LAM, C1**2 / LAM
    u = P + PHI / PSI - 1
    w = P * u
    reduced = a * w + PHI * b * w / (PHI + b * w) - (1 - P)
    if wide:
        equation = Balance(PHI / PSI - 1, sp.Integer(1), PHI - 1, PHI, a, b, True)
        value, _ = balance(P, equation)
    else:
        equation = Balance(1 - PHI / PSI, PHI / PSI, PHI * (PSI - 1) / PSI, PHI, a, b, False)
        value, _ = balance(u, equation)
    assert sp.simplify(value - reduced * (PHI + b * w)) == 0
    y = sp.Symbol("y")
    general, derivative = balance(y, equation)
    assert sp.expand(sp.diff(general, y) - derivative) == 0


@pytest.mark.checks("trace_equations", "m2_of_m1")
def test_the_reduced_equation_follows_from_the_printed_ones():
    """With m_1 = pφ/(ψλ) and m_2 = km_1: the second equation vanishes, the first is the reduced one."""
    a, b = C_REST**2 / LAM, C1**2 / LAM
    u = P + PHI / PSI - 1
    k = PHI / (PHI + b * P * u)
    m1 = P * PHI / (PSI * LAM)
    first, second = trace_equations(m1, k * m1, PHI, PSI, LAM, C1, C_REST)
    assert sp.simplify(second) == 0
    reduced = a * P * u + PHI * b * P * u / (PHI + b * P * u) - (1 - P)
    factor = C1**2 * k * m1**2  # positive
    assert sp.simplify(first - factor * reduced) == 0


def test_symbols_give_the_expression():
    equation = balance_of(SYMBOLS, PHI, PSI, LAM, C1, C_REST)
    assert equation.a == C_REST**2 / LAM
    traces = traces_at(SYMBOLS, P, Balance(PHI / PSI - 1, 1, PHI - 1, PHI, equation.a, equation.b, True), PHI, PSI, LAM)
    assert sp.simplify(traces.m1 - P * PHI / (PSI * LAM)) == 0


def test_large_ridge_limit():
    result = tc.traces(phi="1/2", psi="2/3", ridge="1e8", c1="1/2", c_rest="3/10")
    assert abs(result.m1 * 1e8 * (2 / 3) / 0.5 - 1) < 1e-8
