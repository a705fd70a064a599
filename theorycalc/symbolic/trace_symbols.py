"""m_1, m_2 and their slopes as equations in symbols (docs/theory/traces.md).

Each function calls the formula that the numeric layer calls.  p = λψm_1/φ, u = p + φ/ψ − 1, w = pu,
a = c_{>1}²/λ, b = c_1²/λ and k = m_2/m_1 are its short names.
"""

from __future__ import annotations

import sympy

from theorycalc.symbolic.symbols import a as a_symbol
from theorycalc.symbolic.symbols import b as b_symbol
from theorycalc.symbolic.symbols import c_1, c_rest, k, lam, m_1, m_2, p, phi, psi, u, w
from theorycalc.theory import traces as formulas
from theorycalc.theory.traces import Balance, Traces

#: The short names, each in terms of what the paper has.
SHARE = lam * formulas.in_resolvent(m_1, phi, psi)  # p = λ lim tr R₀
OTHER_SHARE = p + phi / psi - 1  # u
SHORT = {
    p: SHARE,
    u: OTHER_SHARE,
    w: p * u,
    a_symbol: c_rest**2 / lam,
    b_symbol: c_1**2 / lam,
    k: m_2 / m_1,
}


def in_full(expression: sympy.Basic) -> sympy.Basic:
    """Return an expression with the short names replaced by what they stand for.

    >>> in_full(k * p)
    lambda*m_2*psi/phi
    """
    for _ in range(3):  # w is made of u, and u of p
        expression = expression.xreplace(SHORT)
    return expression


def coupling() -> sympy.Expr:
    """Return Ψ.

    >>> coupling()
    c_1**2*m_1*m_2*(lambda*m_1*psi/phi - 1)
    """
    return formulas.coupling(m_1, m_2, phi, psi, lam, c_1)


def trace_equations() -> sympy.Tuple:
    """Return the two printed equations whose only positive solution is m_1, m_2.

    >>> len(trace_equations())
    2
    """
    left_sides = formulas.trace_equations(m_1, m_2, phi, psi, lam, c_1, c_rest)
    return sympy.Tuple(*(sympy.Eq(side, 0) for side in left_sides))


def short_equation() -> sympy.Eq:
    """Return the reduced equation in its short names: (aw + p − 1)φ + (aw + p + φ − 1)bw = 0."""
    gap = w / p - p  # u − p, so that p(p + gap) is w
    value, _ = formulas.balance(p, Balance(gap, sympy.Integer(1), phi - 1, phi, a_symbol, b_symbol, wide=True))
    return sympy.Eq(value, 0)


def reduced_equation() -> sympy.Eq:
    """Return the one equation for m_1 to which the printed two reduce: increasing, with one positive root.

    >>> sorted(map(str, reduced_equation().free_symbols))
    ['c_1', 'c_rest', 'lambda', 'm_1', 'phi', 'psi']
    """
    return in_full(short_equation())


def quartic() -> sympy.Eq:
    """Return the reduced equation as a polynomial in m_1, whose coefficients share no factor.

    It is of degree 4, and 3 when c_{>1} = 0.

    >>> sympy.degree(quartic().lhs, m_1)
    4
    """
    numerator, _ = sympy.fraction(sympy.together(reduced_equation().lhs))
    coefficients = [sympy.factor(coefficient) for coefficient in sympy.Poly(numerator, m_1).all_coeffs()]
    powers = reversed(range(len(coefficients)))
    return sympy.Eq(sympy.Add(*(value * m_1**j for value, j in zip(coefficients, powers, strict=True))), 0)


def short_m2() -> sympy.Expr:
    """Return m_2 = k m_1 with k in its short names."""
    return formulas.kept(phi, b_symbol, w) * m_1


def m2_of_m1() -> sympy.Expr:
    """Return m_2 as a function of m_1, from the second printed equation.

    >>> m2_of_m1().subs({c_1: 0}) == m_1
    True
    """
    return in_full(short_m2())


def short_traces() -> Traces:
    """Return m_1, m_2, their slopes, θ = uψ/φ and the stiffness λ(1 + χ(p + u)) in the short names."""
    return formulas.traces_of(p, u, k, a_symbol, b_symbol, phi, psi, lam)


def short_slopes() -> tuple[sympy.Expr, sympy.Expr]:
    """Return ∂m_1/∂λ and ∂m_2/∂λ in the short names and m_1, m_2."""
    found = short_traces()
    return formulas.slopes(m_1, m_2, k, found.chi_p, found.stiffness)


def slopes() -> sympy.Tuple:
    """Return ∂m_1/∂λ and ∂m_2/∂λ in terms of m_1, m_2 and the parameters.

    >>> len(slopes())
    2
    """
    return sympy.Tuple(*map(in_full, short_slopes()))
