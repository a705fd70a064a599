"""The error rate before a step in symbols: numbers put in are those of error_rate()."""

from __future__ import annotations

import mpmath
import pytest
import sympy

import theorycalc as tc

S = tc.symbolic


@pytest.mark.checks("error_rate_initial")
@pytest.mark.parametrize("activation", ["relu", "tanh(x + 1)"])
def test_its_numbers_are_the_proven_ones(activation):
    problem = tc.Problem(activation, "sign(x)", "1/2", "2/3", "1/10", "1/5")
    known = tc.predict(problem, ell=0, digits=40)
    with mpmath.workdps(40):
        letters = {
            S.phi: sympy.Rational(1, 2),
            S.psi: sympy.Rational(2, 3),
            S.noise: sympy.Rational(1, 5),
            S.c_star: 1,
            S.c_star_of(1): sympy.sqrt(2 / sympy.pi),
            **{
                symbol: sympy.Float(str(value), 40)
                for symbol, value in (
                    (S.m_1, known.m1),
                    (S.m_2, known.m2),
                    (S.m_1_slope, known.m1_slope),
                    (S.m_2_slope, known.m2_slope),
                )
            },
        }
        found = S.formula("error_rate_initial").doit().subs(letters).evalf(35)
    expected = tc.error_rate(problem, ell=0, digits=35).error_rate_initial
    assert abs(found - sympy.Float(str(expected), 35)) < 1e-30
    assert r"\arccos" in tc.latex(S.formula("error_rate_initial"))
