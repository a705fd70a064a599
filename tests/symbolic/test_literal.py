"""The limit of literal networks: gaps in K, and its formulas in symbols, which are those of predict."""

from __future__ import annotations

import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import PAPER
from tests.symbolic.test_problems import assert_the_numbers_are_those_of_predict

S = tc.symbolic
GAPS = [(1, 4), (1, 6), (1, 4, 8), (1, 2, 6), (1, 5), (1, 3, 7)]


def with_spikes(spikes, **given):
    """Return a problem whose activation has these c_k, and whose teacher has all."""
    activation = tc.Activation.from_coefficients([f"1/{k}" if k in spikes else 0 for k in range(1, spikes[-1] + 1)])
    options = {"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/3"} | given
    return tc.Problem(activation, [f"1/{k}" for k in range(1, 9)], **options)


@pytest.mark.parametrize("spikes", GAPS)
def test_gains_and_losses_add_up_where_lengthened_spikes_have_gaps(spikes):
    """Directions that gaps leave out have no constant; their zeros, rounded, would hide them from the losses."""
    found = tc.predict(with_spikes(spikes), ell=8, network="literal", digits=30)
    assert found.spikes == spikes
    for part in ("train", "test"):
        before, gain, after = (getattr(found, f"{part}_{name}") for name in ("loss_initial", "gain", "loss"))
        assert abs(before - gain - after) < abs(before) * found.m1.context.mpf("1e-28")


@pytest.mark.slow
@pytest.mark.parametrize(("law", "first"), [("sphere", "residual"), ("gaussian", "labels")])
@pytest.mark.parametrize("spikes", GAPS)
def test_formulas_of_gaps_have_the_numbers_of_predict(spikes, law, first):
    """Each law with both gradients, in turn: they change the direction, and neither the spikes nor their formulas."""
    gradients = ["residual", "labels"]
    gradient = gradients[(gradients.index(first) + GAPS.index(spikes)) % 2]
    problem = with_spikes(spikes, first_layer=law, step_samples="3/2")
    assert_the_numbers_are_those_of_predict(problem, spikes[-1], network="literal", gradient=gradient)


@pytest.mark.slow
@pytest.mark.checks("lengthened_B", "lengthened_T", "lengthened_S")
@pytest.mark.parametrize("spikes", [(1, 2), (1, 2, 3, 4), *GAPS])
def test_without_lengthening_literal_formulas_are_the_theorems(spikes):
    ell = spikes[-1]
    for quantity in (S.Delta, S.Lambda, S.train_loss, S.test_loss, S.train_error):
        literal = quantity(ell, spikes=spikes, network="literal", gradient="labels")
        assert sp.cancel(sp.together(literal.subs(S.tau, 0) - quantity(ell, spikes=spikes))) == 0


@pytest.mark.checks("lengthening", "gradient_spread")
def test_the_direction_has_the_numbers_of_the_network():
    """ReLU: c_1² = Var σ' = 1/4, so τ is the share of the batch in κ̃."""
    problem = PAPER
    values = {equation.lhs: equation.rhs for equation in S.direction(problem, network="literal")}
    found = tc.predict(problem, ell=2, network="literal")
    assert float(values[S.kappa_tilde]) == pytest.approx(found.kappa, rel=1e-14)
    assert float(values[S.rho_tilde]) == pytest.approx(found.rho, rel=1e-14)
    residual = 2 + sp.Rational(1, 4) + sp.Rational(1, 2) - 1 / (2 * sp.pi)  # E r² = E y² + Var f₀
    assert sp.simplify(values[S.tau] - residual / 2 / values[S.kappa_tilde]) == 0
    assert sp.simplify(values[S.v] - residual / 8) == 0
    assert list(S.direction(problem)) == list(S.direction(problem, network="literal", gradient="labels"))[:2]


def test_the_quadratic_part_of_a_literal_network_is_that_of_the_errata():
    """Of 4c_⋆2²ρ⁴/3 the share 3/(2 + (1 + τ)²) is left (docs/theory/turning.md)."""
    share = S.B(2, network="literal", gradient="labels") / S.B(2)
    assert sp.simplify(share * (2 + (1 + S.tau) ** 2) - 3) == 0
