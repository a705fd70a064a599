"""Hermite polynomials, the features after a step, and windows in symbols."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc

S = tc.symbolic


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
