"""The spikes E_z(h + √τz)^k of lengthened neurons: closed form, projection, printed form and dressed features."""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial

import pytest
import sympy as sp

import theorycalc as tc
from tests.problems import problem
from theorycalc.hermite.polynomials import double_factorial, xi
from theorycalc.numbers import SYMBOLS
from theorycalc.theory.dressed.setup import step_of
from theorycalc.theory.gains import parts_of, shares
from theorycalc.theory.lengthened import lengthened_B, lengthening

TEACHER = [Fraction(1), Fraction(1, 2), Fraction(-1, 3), Fraction(1, 5), Fraction(2, 7), Fraction(-1, 11)]
T = Fraction(3, 5)


def projected(ell, tau):
    """What the spikes span of Σ_{k≥2} c_⋆k ρ^k H_k, by their Gram matrix; h is a spike, so the linear part is free."""
    spikes = sp.zeros(ell + 1, ell + 1)
    for k in range(1, ell + 1):
        for m in range(0, k + 1, 2):
            for i in range(k - m + 1):
                spikes[k, i] += comb(k, m) * sp.Rational(tau) ** (m // 2) * double_factorial(m - 1) * xi(k - m, i)
    weights = sp.diag(*(0 if k == 1 else factorial(k) for k in range(ell + 1)))
    rows, root = spikes[2:, :], sp.sqrt(sp.Rational(T))
    f = sp.Matrix([0, 0, *(sp.Rational(c) * root**k for k, c in enumerate(TEACHER[1:ell], start=2))])
    q = rows * weights * f
    return sp.nsimplify((q.T * (rows * weights * rows.T).inv() * q)[0])


@pytest.mark.checks("lengthened_B", "lengthened_T", "lengthened_S")
@pytest.mark.parametrize("tau", [Fraction(0), Fraction(1, 3), Fraction(7, 5)])
@pytest.mark.parametrize("ell", [2, 3, 4, 5, 6])
def test_the_closed_form_is_the_projection(ell, tau):
    assert sp.simplify(projected(ell, tau) - lengthened_B([sp.Rational(c) for c in TEACHER[:ell]], T, tau)) == 0


@pytest.mark.checks("lengthened_B", "lengthened_S")
@pytest.mark.parametrize("ell", [2, 3, 4, 5, 6])
def test_without_lengthening_it_is_the_printed_form(ell):
    teacher = [sp.Rational(c) for c in TEACHER[:ell]]
    parts = parts_of(SYMBOLS, teacher, 0, tuple(range(1, ell + 1)))
    assert (
        lengthened_B(teacher, sp.Rational(T), Fraction(0)) == shares(SYMBOLS, parts, sp.Rational(T), 1 - T, 0).explained
    )


@pytest.mark.checks("lengthened_B")
def test_more_even_powers_may_gain_from_it():
    assert lengthened_B([0, 0.5, 0, 0], 1, 0.3) < lengthened_B([0, 0.5, 0, 0], 1, 0)
    assert lengthened_B([0, 0.5, 0, 0.13], 1, 0.3) > lengthened_B([0, 0.5, 0, 0.13], 1, 0)


@pytest.mark.checks("lengthened_B", "lengthening", "gradient_spread", "linear_factors")
@pytest.mark.parametrize("mode", ["included", "neglected"])
def test_dressed_features_tend_to_it(mode):
    """In window 2 at n = 10^16 they show the gain of h² + τ, and not the printed one."""
    case = problem("tanh(x + 1)", "H1 + H2/sqrt(2)", initial_output=mode)
    first, second = tc.predict(case, ell=1), tc.predict(case, ell=2)
    step = step_of(case, 1000)
    tau = lengthening(step.spread, step.c1, step.kappa)
    teacher, t = [1, 2**-0.5], step.rho**2
    share = lengthened_B(teacher, t, tau) / lengthened_B(teacher, t, 0)
    assert share == pytest.approx(3 / (2 + (1 + tau) ** 2))
    found = tc.step(case, n=10**16, alpha="0.3")
    for name in ("train_gain", "test_gain"):
        one, two = getattr(first, name), getattr(second, name)
        assert abs(getattr(found, name) / (one + share * (two - one)) - 1) < 2e-3
        assert abs(getattr(found, name) / two - 1) > 0.05
