"""Δ, Λ, the losses and m_1, m_2 in symbols: proofs by computation."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.rationals import random_values
from theorycalc.symbolic.ingredients import hermite_weights

S = tc.symbolic


@pytest.mark.parametrize("quantity", [S.Delta, S.Lambda])
@pytest.mark.parametrize("ell", range(9))
def test_matrix_form_is_closed_form(quantity, ell):
    assert sp.cancel(sp.together(quantity(ell, form="matrix") - quantity(ell))) == 0


@pytest.mark.parametrize("quantity", [S.Delta, S.Lambda])
@pytest.mark.parametrize("spikes", [(1, 3), (1, 3, 5), (1, 2, 4), (1, 2, 4, 6), (1, 4), (1, 2, 5), (1, 3, 4, 7)])
def test_matrix_form_is_closed_form_for_missing_coefficients(quantity, spikes):
    ell = spikes[-1]
    difference = quantity(ell, form="matrix", spikes=spikes) - quantity(ell, spikes=spikes)
    assert sp.cancel(sp.together(difference)) == 0


@pytest.mark.parametrize("ell", [10, 13, 17, 20])
def test_matrix_form_is_closed_form_at_random_rationals(ell):
    from theorycalc.numbers.systems import SYMBOLS
    from theorycalc.theory import printed

    closed = (S.Delta(ell), S.Lambda(ell))
    values = random_values(closed, seed=ell)
    weights = [printed.HermiteWeights(*(sp.sympify(w).subs(values) for w in metric)) for metric in hermite_weights()]
    c_star = [values[S.c_star_of(k)] for k in range(1, ell + 1)]
    spikes = range(1, ell + 1)
    rho = values[S.rho]
    assert printed.Delta(SYMBOLS, spikes, weights[0], c_star, rho) == closed[0].subs(values)
    assert printed.Lambda(SYMBOLS, spikes, *weights, c_star, rho) == closed[1].subs(values)


def test_a_wrong_closed_form_is_noticed():
    """Without T²/S, or with S_2 for S_1, the equality above fails."""
    right = S.Delta(2, form="matrix")
    c2, rho = S.c_star_of(2), S.rho
    scale = S.lam * S.psi / S.phi * S.m_1
    without_floor = S.Delta(1) + scale * 2 * c2**2 * rho**4
    wrong_norm = without_floor - scale * c2**2 * rho**4 / sp.Rational(15, 8)
    assert sp.cancel(right - without_floor) != 0
    assert sp.cancel(right - wrong_norm) != 0


@pytest.mark.checks("Delta", "Lambda", "slides_Lambda")
def test_special_cases_as_printed():
    phi, psi, lam, m_1, m_2, kappa = S.phi, S.psi, S.lam, S.m_1, S.m_2, S.kappa
    c1, c2 = S.c_star_of(1), S.c_star_of(2)
    aligned = {S.rho: c1 / sp.sqrt(kappa)}
    delta_1 = psi * lam * c1**4 * m_2 / (phi * kappa)
    delta_2 = delta_1 + 4 * psi * lam * c1**4 * c2**2 * m_1 / (3 * phi * kappa**2)
    assert sp.cancel(S.Delta(1).subs(aligned) - delta_1) == 0
    assert sp.cancel(S.Delta(2).subs(aligned) - delta_2) == 0
    for ell, printed in ((1, 0), (2, 4 * c1**4 * c2**2 / (3 * kappa**2 * m_1**2) * -S.m_1_slope)):
        slides = c1**4 / kappa * -S.m_2_slope + printed
        assert sp.cancel(S.Lambda(ell, as_printed=True) - slides) == 0
    factor = phi / (psi * m_1**2)
    assert sp.cancel(S.Lambda(1).subs(aligned) - factor * S.Lambda(1, as_printed=True)) == 0


def test_delta_is_in_the_papers_letters_only():
    for form in ("closed", "matrix"):
        letters = {str(symbol) for symbol in S.Delta(3, form=form).free_symbols}
        assert letters == {"phi", "psi", "lambda", "m_1", "m_2", "rho", "c_star_1", "c_star_2", "c_star_3"}


@pytest.mark.slow
@pytest.mark.checks("train_loss", "test_loss")
def test_losses_before_less_gain_are_losses_after():
    for network in ({}, {"network": "literal"}, {"network": "literal", "gradient": "labels"}):
        for ell in (1, 2, 3, 5):
            assert sp.cancel(S.train_loss() - S.Delta(ell, **network) - S.train_loss(ell, **network)) == 0
            assert sp.cancel(S.test_loss() - S.Lambda(ell, **network) - S.test_loss(ell, **network)) == 0


@pytest.mark.checks("train_error")
@pytest.mark.parametrize("network", ["theorem", "literal"])
def test_the_training_error_is_the_objective_without_its_penalty(network):
    """At the minimum of ‖ỹ − Fa‖²/n + λ‖a‖² the error is −λ²∂_λ(L_tr/λ), with the step held fixed."""
    for ell in (0, 1, 2, 4):
        slopes = {S.m_1: sp.Function("m_1")(S.lam), S.m_2: sp.Function("m_2")(S.lam)}
        objective = S.train_loss(ell, network=network).subs(slopes)
        error = -(S.lam**2) * sp.diff(objective / S.lam, S.lam)
        primes = {sp.Derivative(slopes[m], S.lam): slope for m, slope in ((S.m_1, S.m_1_slope), (S.m_2, S.m_2_slope))}
        assert sp.cancel(sp.together(error.subs(primes) - S.train_error(ell, network=network))) == 0
