"""One case, from ratios of 1e-17 to 1e17: κ, ρ², 1 − ρ² and what is learned, in float64 and by balls."""

from __future__ import annotations

import math
from fractions import Fraction

import flint
import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import RATIOS
from tests.helpers.problems import problem as example
from theorycalc.errors import TheoryError
from theorycalc.model.enums import GradientTarget
from theorycalc.numbers.balls import ball_precision
from theorycalc.theory.case import ball_case, float_case
from theorycalc.theory.dressed.neurons import step_of
from theorycalc.theory.dressed.residual import bulk_transform, residual_of, resolvent

DIRECTION = ("kappa", "rho", "t", "one_minus_t", "off_teacher", "scatter", "residual_variance")


def problem(phi, psi="2/3", **options):
    return example("tanh(x + 1)", "H1 + H2/2", phi, psi, **options)


@pytest.mark.checks("direction", "scatter", "initial_scatter")
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("law", ["gaussian", "constant"])
@pytest.mark.parametrize("phi", RATIOS)
def test_the_direction_has_all_its_digits(phi, law, gradient):
    case = problem(phi, second_layer=law)
    rounded = float_case(case, gradient)
    with ball_precision(400):
        exact = ball_case(case, gradient)
        for name in DIRECTION:
            truth = getattr(exact, name)
            assert abs(float((flint.arb(getattr(rounded, name)) - truth) / truth)) < 1e-15, name


@pytest.mark.checks("direction", "scatter", "initial_scatter")
@pytest.mark.parametrize("gradient", GradientTarget)
def test_the_direction_by_hand(gradient):
    """σ = x + x² − 1: c_1 = 1, c_{>1}² = 2.  Teacher 3H_1 + H_2: c_⋆² = 11.  The step has half as many points."""
    network = example("x + x**2 - 1", "3*H1 + H2", noise="2", step_samples="1/2")
    found = float_case(network, gradient)
    variance = 4 + (3 if gradient == "residual" else 0)  # σ_ε² = 4, Var f₀ = 3
    sampled = 11 + variance  # φ₀ = 1
    kappa = 9 + sampled + (1 if gradient == "residual" else 0)
    expected = {
        "residual_variance": variance,
        "scatter": sampled,
        "kappa": kappa,
        "without_own": 9 + sampled,
        "rho": 3 / math.sqrt(kappa),
        "t": 9 / kappa,
        "one_minus_t": 1 - 9 / kappa,
        "off_teacher": math.sqrt(1 - 9 / kappa),
        "batch_ratio": 1,
    }
    assert {name: float(getattr(found, name)) for name in expected} == pytest.approx(expected, rel=1e-14)


@pytest.mark.checks("Delta", "Lambda", "train_loss", "test_loss")
@pytest.mark.parametrize("network", ["theorem", "literal"])
@pytest.mark.parametrize("psi", ["1e-17", "2/3", "1e17"])
@pytest.mark.parametrize("phi", RATIOS)
def test_limits_have_their_proven_digits(phi, psi, network):
    for ell in (1, 2, 3):
        case = problem(phi, psi)
        rounded, proven = (tc.predict(case, ell=ell, network=network, digits=digits) for digits in (None, 20))
        for name in ("train_gain", "test_gain", "train_loss", "test_loss", "rho", "kappa", "train_error"):
            truth = getattr(proven, name)
            assert abs(getattr(rounded, name) - truth) <= 1e-14 * abs(truth), (name, ell)


@pytest.mark.checks("residual_law", "residual_shares")
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("phi", RATIOS)
def test_the_law_of_the_rest_of_the_gradient_at_any_ratio(phi, gradient):
    """m(z) solves its equation near and far from the bulk, and every share is whole: −1/z far from the spectrum."""
    law = residual_of(step_of(problem(phi), 1000, gradient), 0)
    width = math.sqrt(law.ratio * float(law.mean(law.r**2)))
    z = width * np.array([0.3 + 0.1j, -2 + 0.5j, 40j])
    m = bulk_transform(law, z)
    k = -law.ratio * m * law.mean(law.r**2 / (1 + law.ratio * m[:, None] * law.r))
    assert np.max(np.abs(m * (k - z) - 1)) < 1e-11
    far = 1j * 1e6 * np.array([width + law.ratio * np.abs(law.r).max() ** 2 + 10])
    forms = resolvent(law, far)
    for whole in (forms.bulk, forms.own):
        assert abs(whole[0] * far[0] + 1) < 1e-5
    assert np.abs(forms.directions[..., 0] * far[0] + np.eye(2)).max() < 1e-5


@pytest.mark.slow
@pytest.mark.checks("linear_factors", "stacked_forms", "leaning_lengths")
@pytest.mark.parametrize("method", ["dressed", "isotropic"])
@pytest.mark.parametrize("eta", [1e2, 1e3, 1e4])
def test_a_step_with_few_inputs_learns_products_with_its_direction(eta, method):
    """φ = ψ → 0 in closed form: ς = λ + c_{>1}²Q, and the products h·x have K_2 = 4c_2²c_1²κQ E u²/ψ.

    Of E[y hx·β⋆] = 2c_⋆2 they explain 4c_⋆2²K_2/(1 + 3K_2/ς)/ς²: along β⋆, which is the step's direction, E h⁴ = 3.
    Dressed features also know ‖x‖², whose share of the labels is 2c_⋆2²/d, and that neurons grow with w_i·β⋆: along β⋆
    the product is h² + 6c_3/c_1.
    """
    psi, N, ridge = 1e-15, 10**20, 0.1
    case = problem("1e-15", "1e-15")
    found = tc.step(case, n=N, eta=eta, gradient="labels", method=method)
    description = step_of(case, N, "labels")
    c1, rest, c2 = description.case.c1, description.case.c_rest**2, description.c2
    sigma = (ridge + math.sqrt(ridge**2 + 4 * ridge * rest)) / 2
    K = 4 * c2**2 * c1**2 * description.case.kappa * sigma / (sigma + rest) * (eta**2 / N) / psi
    norm = 0 if method == "isotropic" else ridge / sigma * 2 * description.case.c_star_2**2 / (psi * N)
    shift = 0 if method == "isotropic" else 6 * float(case.activation.coefficients(3)[3]) / c1
    gain = ridge / sigma**2 * K / (1 + (3 + 2 * shift + shift**2) * K / sigma)
    assert abs(found.train_gain - gain) < 2e-6 * gain + norm
    assert found.error < 1e-6  # ζ ∝ 1/ψ is 10^15 here


@pytest.mark.slow
@pytest.mark.parametrize("gradient", GradientTarget)
@pytest.mark.parametrize("psi", ["1e-17", "1", "1e17"])
@pytest.mark.parametrize("phi", RATIOS)
def test_a_step_at_any_ratio_is_a_number_or_refused_with_a_reason(phi, psi, gradient):
    n = max(10, round(10 * max(1, 1 / Fraction(phi), Fraction(psi) / Fraction(phi))))
    reason = ""
    try:
        found = tc.step(problem(phi, psi), n=n, eta=2.0, gradient=gradient)
    except TheoryError as error:
        reason = str(error)
    if reason:
        assert "rounding leaves no digits" in reason or "weights are up to" in reason
        return
    assert found.train_loss > 0
    assert found.test_loss > 0
    assert found.error < 0.1  # what is worse is refused; a step that is not converged says so


@pytest.mark.parametrize(
    ("teacher", "kappa", "gain"),
    [
        (["1", "0", "1/3"], "0x1.a8641fdb97530p+0", "0x1.20482914c1fd2p-2"),
        (["1/3", "1/7"], "0x1.aae02a5a6b230p-3", "0x1.32e384a26fbc8p-5"),
    ],
)
def test_options_at_their_defaults_change_no_bit(teacher, kappa, gain):
    """Numbers of the theory before it knew of intercepts, channels and scales: c_⋆² is c_⋆1² and the rest, rounded."""
    found = tc.predict(tc.Problem("relu", teacher, "37/100", "2/3", "1/10", "1/3"), ell=2)
    assert (found.kappa.hex(), found.test_gain.hex()) == (kappa, gain)
