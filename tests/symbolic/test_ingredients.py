"""Equations of m_1, m_2, Hermite polynomials, features and windows in symbols."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc
from theorycalc.theory import traces as numeric_traces

S = tc.symbolic


@pytest.mark.checks("Omega", "Omega_inverse")
def test_omega_inverts_its_inverse():
    for ell in range(1, 7):
        assert (S.Omega(ell) * S.Omega_inverse(ell)).applyfunc(sp.cancel) == sp.eye(ell)


@pytest.mark.checks("reduced_equation", "quartic")
def test_the_reduced_equation_follows_from_the_two_printed_ones():
    first, second = (equation.lhs for equation in S.trace_equations())
    (solution,) = sp.solve(second, S.m_2)
    assert sp.cancel(sp.together(solution - S.m2_of_m1())) == 0
    # The first becomes the reduced equation times c_1² m_2²/φ, which is positive.
    factor = S.c_1**2 * S.m2_of_m1() ** 2 / S.phi
    assert sp.cancel(sp.together(first.subs(S.m_2, solution) - factor * S.reduced_equation().lhs)) == 0


@pytest.mark.checks("quartic")
def test_the_quartic_has_degree_four_and_three_when_linear():
    quartic = S.quartic().lhs
    assert sp.degree(quartic, S.m_1) == 4
    assert sp.degree(quartic.subs(S.c_rest, 0), S.m_1) == 3
    numerator = sp.fraction(sp.together(S.reduced_equation().lhs))[0]
    assert sp.cancel(numerator / quartic).diff(S.m_1) == 0
    assert sp.gcd_list(sp.Poly(quartic, S.m_1).all_coeffs()) == 1


def test_the_slopes_follow_by_implicit_differentiation():
    """Differentiate the printed equations in λ; at a solution they say what c_1² and c_{>1}² are, given m_1, m_2."""
    first, rest = sp.symbols("first rest", positive=True)
    squares = {S.c_1: sp.sqrt(first), S.c_rest: sp.sqrt(rest)}
    equations = sp.Matrix([equation.lhs.subs(squares) for equation in S.trace_equations()])
    solved = sp.solve(equations, [first, rest], dict=True)[0]
    jacobian = equations.jacobian([S.m_1, S.m_2]).subs(solved).applyfunc(sp.factor)
    change = equations.diff(S.lam).subs(solved).applyfunc(sp.factor)
    slopes = sp.Matrix([slope.subs(squares).subs(solved) for slope in S.slopes()])
    assert (jacobian * slopes + change).applyfunc(lambda e: sp.cancel(sp.together(e))) == sp.zeros(2, 1)


@pytest.mark.checks("quartic")
def test_equations_hold_at_the_proven_solution():
    problem = tc.Problem("relu", ["1", "1/2"], "1/2", "2/3", "1/10")
    found = tc.predict(problem, ell=1, digits=40)
    values = {S.phi: problem.phi, S.psi: problem.psi, S.lam: problem.ridge, S.c_1: sp.Rational(1, 2)}
    values |= {S.c_rest: sp.sqrt(sp.Rational(1, 4) - 1 / (2 * sp.pi))}
    values |= {S.m_1: sp.Float(str(found.m1), 40), S.m_2: sp.Float(str(found.m2), 40)}
    for equation in (*S.trace_equations(), S.reduced_equation(), S.quartic()):
        assert abs(equation.lhs.subs(values).evalf(40)) < 1e-37
    for slope, wanted in zip(S.slopes(), (found.m1_slope, found.m2_slope), strict=True):
        assert abs(slope.subs(values).evalf(40) - sp.Float(str(wanted), 40)) < 1e-36


def test_the_trace_equations_are_the_numeric_ones():
    numbers = {S.phi: 2, S.psi: 3, S.lam: 5, S.c_1: 7, S.c_rest: 11, S.m_1: 13, S.m_2: 17}
    got = [equation.lhs.subs(numbers) for equation in S.trace_equations()]
    assert got == list(numeric_traces.trace_equations(*map(sp.Integer, (13, 17, 2, 3, 5, 7, 11))))


@pytest.mark.checks("xi", "xi_inverse")
def test_xi_has_indices_from_zero_and_inverts():
    for ell in range(9):
        xi, inverse = S.xi_matrix(ell), S.xi_inverse_matrix(ell)
        assert xi.shape == (ell + 1, ell + 1)
        assert xi * inverse == sp.eye(ell + 1)
    assert S.xi(5, 3) == 10
    assert isinstance(S.xi(5, 3), sp.Integer)


@pytest.mark.checks("xi", "H")
def test_powers_are_sums_of_hermite_polynomials():
    for p in range(8):
        assert sp.expand(sum(S.xi(p, i) * S.H(i) for i in range(p + 1)) - S.x**p) == 0


@pytest.mark.checks("H")
def test_H_is_the_probabilists_polynomial():
    for k in range(9):
        physicists = sp.expand(2 ** sp.Rational(-k, 2) * sp.hermite(k, S.x / sp.sqrt(2)))
        assert S.H(k) == physicists
        assert sp.expand(S.H(k).subs(S.x, -S.x) - (-1) ** k * S.H(k)) == 0


@pytest.mark.checks("feature_expansion")
@pytest.mark.parametrize("ell", [1, 3])
def test_feature_expansion_is_the_matrix_of_the_theorem(ell):
    import numpy as np

    rng = np.random.default_rng(0)
    F0, X = rng.integers(-3, 4, (3, 4)), rng.integers(-3, 4, (3, 2))
    beta, a = rng.integers(-3, 4, (2, 1)), rng.integers(-3, 4, (4, 1))
    numbers = {S.c_1: 2, S.c(2): 3, S.c(3): 5, S.eta: 7}
    found = S.feature_expansion(ell)
    matrices = {"F_0": F0, "X": X, "beta": beta, "a": a}
    sizes = dict(zip(found.atoms(sp.Symbol) - set(numbers), (), strict=False))
    for symbol in found.atoms(sp.MatrixSymbol):
        sizes |= dict(zip(symbol.shape, matrices[symbol.name].shape, strict=True))
    sizes = {symbol: size for symbol, size in sizes.items() if isinstance(symbol, sp.Symbol)}
    concrete = found.subs(numbers).subs(sizes)
    concrete = concrete.subs({s: sp.Matrix(matrices[s.name]) for s in concrete.atoms(sp.MatrixSymbol)}).doit()
    wanted = F0 + sum(2**k * c * 7**k * (X @ beta) ** k @ (a**k).T for k, c in ((1, 2), (2, 3), (3, 5))[:ell])
    assert sp.Matrix(concrete) == sp.Matrix(wanted)


@pytest.mark.checks("window", "spike_order")
def test_windows_meet_and_spikes_leave_the_bulk_at_their_lower_ends():
    for ell in range(1, 9):
        low, high = tc.window_bounds(ell)
        assert S.window(ell) == sp.Interval.open(low, high)
        assert S.window(ell).sup == S.window(ell + 1).inf
        order = sp.log(S.spike_order(ell)).expand(force=True) / sp.log(S.n)
        assert sp.solve(sp.simplify(order) - sp.Rational(1, 2), S.alpha) == [
            sp.Rational(low.numerator, low.denominator)
        ]
    assert S.window().subs(S.ell, 3) == S.window(3)
