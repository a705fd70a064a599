"""Ω, ξ and the formulas themselves, in symbols and in numbers.

See docs/theory/training_gain.md#the-printed-form and docs/theory/missing_coefficients.md#the-projection.
"""

from __future__ import annotations

import itertools
from fractions import Fraction

import flint
import numpy as np
import pytest
import sympy as sp
from hypothesis import example, given
from hypothesis import strategies as st

import theorycalc as tc
from tests.properties import BALLS, FLOATS, MPMATH, SYMPY, invariant
from tests.properties.drawing import TEACHER_LISTS, binary, problems
from tests.properties.systems import MP, SIXTY, TOLERANCE, as_mpf, exact, predicted
from theorycalc.functions.algebra import xi, xi_inverse
from theorycalc.numbers.balls import ball, ball_precision
from theorycalc.symbolic import symbols
from theorycalc.theory.printed import Omega_inverse
from theorycalc.theory.traces import HermiteWeights

SPIKES = st.sets(st.integers(2, 9), max_size=5).map(lambda rest: (1, *sorted(rest)))
GAINS = (tc.symbolic.Delta, tc.symbolic.Lambda)


def rational(x):
    return sp.Rational(x.numerator, x.denominator)


@pytest.mark.checks("Omega", "Omega_inverse")
@invariant("Ω is symmetric and positive definite")
@given(spikes=SPIKES, m1=binary(-3, 3), share=binary(-3, -1), constant=binary(-3, -1), kappa=binary(-1, 1))
def test_omega_is_symmetric_and_positive_definite(system, spikes, m1, share, constant, kappa):
    """With 0 < m_2 ≤ m_1, and w_0 ≤ s as a Gaussian first layer has it."""
    weights = (constant * m1 / 10, share * m1 / 10, m1)
    if system == FLOATS:
        spikes = spikes[:4]  # beyond, the smallest eigenvalue of a moment matrix is below its rounding
        matrix = np.array(Omega_inverse(spikes, HermiteWeights(*map(float, weights)), float(kappa)))
        assert np.array_equal(matrix, matrix.T)
        scale = 1 / np.sqrt(np.diag(matrix))
        assert np.linalg.eigvalsh(matrix * scale * scale[:, None]).min() > 0
    elif system == MPMATH:
        matrix = MP.matrix(Omega_inverse(spikes, HermiteWeights(*map(exact, weights)), exact(kappa)))
        assert matrix == matrix.T
        MP.cholesky(matrix)  # raises unless positive definite
        assert all(MP.lu_solve(matrix, MP.eye(len(spikes))[:, i])[i] > 0 for i in range(len(spikes)))
    elif system == BALLS:
        with ball_precision(400):
            rows = Omega_inverse(spikes, HermiteWeights(*map(ball, weights)), ball(kappa))
            for x, mirrored in zip(itertools.chain(*rows), itertools.chain(*zip(*rows, strict=True)), strict=True):
                assert (x - mirrored).contains(0)
                assert x.rad() <= abs(x) * ball(Fraction(1, 2**350))
            for size in range(1, len(spikes) + 1):
                assert flint.arb_mat([row[:size] for row in rows[:size]]).det() > 0  # a proof, by Sylvester
    else:
        matrix = sp.Matrix(Omega_inverse(spikes, HermiteWeights(*map(rational, weights)), rational(kappa)))
        assert matrix == matrix.T
        assert all(matrix[:size, :size].det() > 0 for size in range(1, len(spikes) + 1))


@pytest.mark.checks("xi", "xi_inverse", "H")
@invariant("ξξ⁻¹ = I exactly", share=0.1)
@example(size=61)
@given(size=st.integers(1, 40))
def test_xi_and_its_inverse(size):
    forward, back = (np.array([[f(p, i) for i in range(size)] for p in range(size)], object) for f in (xi, xi_inverse))
    assert np.array_equal(forward @ back, np.eye(size, dtype=int))
    assert np.array_equal(back @ forward, np.eye(size, dtype=int))


@pytest.mark.checks("Delta", "Lambda", "B", "T", "projection", "Omega_inverse", "r")
@invariant("matrix form = closed form", SYMPY, share=0.1)
@given(spikes=SPIKES.filter(lambda k: max(k) < 7), formula=st.sampled_from(GAINS))
def test_the_matrix_form_is_the_closed_form_in_symbols(spikes, formula):
    closed, matrix = (formula(max(spikes), spikes=spikes, form=form) for form in ("closed", "matrix"))
    assert sp.cancel(sp.together(closed - matrix)) == 0


@pytest.mark.checks("Delta", "Lambda")
@invariant("ℓ = 1, 2: general = special", SYMPY, share=0.1)
@given(formula=st.sampled_from(GAINS))
def test_the_first_two_windows_in_symbols(formula):
    s = symbols
    train = formula is tc.symbolic.Delta
    one, two = (s.m_2, s.m_1) if train else (-s.m_2_slope, -s.m_1_slope)
    factor = s.psi * s.lam / s.phi if train else s.phi / (s.psi * s.m_1**2)
    c1, c2, rho = s.c_star_of(1), s.c_star_of(2), s.rho
    first = factor * c1**2 * rho**2 * one
    assert sp.simplify(formula(1) - first) == 0
    assert sp.simplify(formula(2) - first - factor * sp.Rational(4, 3) * c2**2 * rho**4 * two) == 0


@pytest.mark.checks("slides_Lambda")
@invariant("Λ_1, Λ_2 as printed lack φ/(ψm_1²) and φ/ψ, and change nothing else", SYMPY, share=0.1)
@given(ell=st.sampled_from([1, 2]))
def test_the_printed_test_gains_lack_a_factor_in_symbols(ell):
    """The printed ones are written in κ; ρ² κ is c_⋆1²."""
    s = symbols
    aligned = {s.rho: s.c_star_of(1) / sp.sqrt(s.kappa)}
    first, second = (tc.symbolic.Lambda(1, as_printed=True), tc.symbolic.Lambda(2, as_printed=True))
    printed = first / s.m_1**2 + (second - first if ell == 2 else 0)
    assert sp.cancel(tc.symbolic.Lambda(ell).subs(aligned) - s.phi / s.psi * printed) == 0


ALL = (*GAINS, tc.symbolic.train_loss, tc.symbolic.test_loss)


@pytest.mark.checks("Delta", "Lambda", "train_loss", "test_loss")
@invariant("y → sy multiplies every loss and gain by s²", SYMPY, share=0.1)
@given(spikes=SPIKES, formula=st.sampled_from(ALL))
def test_the_unit_of_labels_in_symbols(spikes, formula):
    """ρ and κ/c_⋆² stay as they are."""
    scale = sp.Symbol("scale", positive=True)
    expression = formula(max(spikes), spikes=spikes)
    labels = [symbols.c_star, symbols.noise, *(symbols.c_star_of(k) for k in range(1, max(spikes) + 1))]
    scaled = expression.subs({x: scale * x for x in labels}, simultaneous=True)
    assert sp.expand(scaled - scale**2 * expression) == 0


@pytest.mark.checks("Delta", "Lambda", "train_loss", "test_loss")
@invariant("σ⋆(z) → ±σ⋆(±z) changes nothing", SYMPY, share=0.1)
@given(spikes=SPIKES, formula=st.sampled_from(ALL), sign=st.sampled_from([1, -1]), mirror=st.sampled_from([1, -1]))
def test_a_mirrored_teacher_in_symbols(spikes, formula, sign, mirror):
    """ρ has the sign of c_⋆1."""
    expression = formula(max(spikes), spikes=spikes)
    changes = {symbols.c_star_of(k): sign * mirror**k * symbols.c_star_of(k) for k in range(1, max(spikes) + 1)}
    mirrored = expression.subs(changes | {symbols.rho: sign * mirror * symbols.rho}, simultaneous=True)
    assert sp.expand(mirrored - expression) == 0


@pytest.mark.slow
@pytest.mark.checks("Delta", "Lambda", "train_loss", "test_loss")
@invariant("the number systems agree", SYMPY, share=0.15)
@given(case=problems(teachers=TEACHER_LISTS, ridgeless=False), ell=st.integers(0, 5))
def test_the_formulas_have_the_proven_values(case, ell):
    truth = predicted(BALLS, case, ell)
    names = ("train_gain", "test_gain", "train_loss", "test_loss")
    for name, formula in zip(names, ALL, strict=True):
        value = formula(ell, case, digits=60)
        number = as_mpf(SIXTY.context.mpf(str(sp.N(value, 60)))) if value.free_symbols == set() else None
        assert number is not None, value
        size = getattr(truth, name) + getattr(truth, f"{name.partition('_')[0]}_loss_initial") * MP.mpf("1e-12")
        assert abs(number - getattr(truth, name)) <= TOLERANCE[BALLS] * size, name
