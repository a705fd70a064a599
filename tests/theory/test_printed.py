"""The forms that are printed: the matrix form, special cases, and the slides."""

from __future__ import annotations

import mpmath
import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.agreement import CLOSE, agree
from tests.helpers.problems import CUBIC, SETTING_2, problem
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.theory.gains import parts_of, shares
from theorycalc.theory.printed import Delta, slides_Lambda
from theorycalc.theory.traces import HermiteWeights

DIGITS = 30


@pytest.mark.checks("constant_weight")
@pytest.mark.parametrize(
    "coefficients", [["1", "1/2", "3/10"], ["1", "1/2", "0", "1/9"], ["1", "0", "0", "1/9", "0", "1/70"]]
)
@pytest.mark.parametrize("ell", [1, 2, 4, 6])
def test_matrix_form_is_closed_form_with_a_gaussian_first_layer(coefficients, ell):
    case = problem(tc.Activation.from_coefficients(coefficients), ["1", "1/2", "1/3", "-1/5"], first_layer="gaussian")
    assert agree(tc.predict(case, ell=ell, digits=DIGITS), tc.predict(case, ell=ell, digits=DIGITS, form="matrix"))


@pytest.mark.checks("B", "T", "S", "r")
@pytest.mark.parametrize("ell", range(1, 6))
def test_matrix_form_is_closed_form_symbolically(ell):
    s, k, rho = sp.symbols("s k rho", positive=True)
    c_star = sp.symbols(f"c_1:{ell + 2}", real=True)
    matrix = Delta(SYMBOLS, range(1, ell + 1), HermiteWeights(s, k * s, s), c_star, rho)
    share = shares(SYMBOLS, parts_of(SYMBOLS, c_star, 0, Spikes.up_to(ell)), rho**2, 1 - rho**2, 0)
    assert sp.simplify(matrix - s * (k * c_star[0] ** 2 * rho**2 + share.explained)) == 0


@pytest.mark.checks("Omega", "Omega_inverse", "projection")
def test_kappa_cancels_in_the_printed_form():
    s, k, rho, root = sp.symbols("s k rho root", positive=True)
    c_star = sp.symbols("c_1:4", real=True)
    weights = HermiteWeights(s, k * s, s)
    with_kappa = Delta(SYMBOLS, (1, 2, 3), weights, c_star, rho, root)
    assert sp.simplify(with_kappa - Delta(SYMBOLS, (1, 2, 3), weights, c_star, rho)) == 0


@pytest.mark.checks("Delta", "Lambda", "weights")
def test_printed_special_cases():
    """Δ_1 = ψλ c_⋆1⁴ m_2/(φκ), Δ_2 = Δ_1 + 4ψλ c_⋆1⁴ c_⋆2² m_1/(3φκ²), and Λ likewise with its factor."""
    case = problem(CUBIC, ["3/2", "1/2", "1/7"])
    first, second = (tc.predict(case, ell=ell, digits=DIGITS) for ell in (1, 2))
    with mpmath.workdps(40):
        phi, psi, lam = (mpmath.mpf(x.numerator) / x.denominator for x in (case.phi, case.psi, case.ridge))
        c1, c2 = mpmath.mpf(3) / 2, mpmath.mpf(1) / 2
        m1, m2, m1_slope, m2_slope, kappa = (
            mpmath.mpf(getattr(first, n)) for n in ("m1", "m2", "m1_slope", "m2_slope", "kappa")
        )
        delta_1 = psi * lam * c1**4 * m2 / (phi * kappa)
        delta_2 = delta_1 + 4 * psi * lam * c1**4 * c2**2 * m1 / (3 * phi * kappa**2)
        factor = phi / (psi * m1**2)
        lambda_1 = factor * c1**4 / kappa * -m2_slope
        lambda_2 = lambda_1 + factor * 4 * c1**4 * c2**2 / (3 * kappa**2) * -m1_slope
        for value, expected in (
            (first.train_gain, delta_1),
            (second.train_gain, delta_2),
            (first.test_gain, lambda_1),
            (second.test_gain, lambda_2),
        ):
            assert abs(mpmath.mpf(value) / expected - 1) < CLOSE


@pytest.mark.checks("slides_Lambda")
def test_the_slides_lack_their_factor():
    """Λ_1 = 0.5393 and Λ_2 = 0.9227; the slides' 6.87 and 7.49 exceed L_te(F₀).

    The example is that of docs/theory/test_gain.md#what-the-slides-lack.
    """
    case = tc.Problem(CUBIC, SETTING_2, n=2400, d=1000, N=1500, ridge="1/10")
    for ell, corrected, printed in ((1, 0.5393, 6.87), (2, 0.9227, 7.49)):
        ours, slides = tc.predict(case, ell=ell), tc.predict(case, ell=ell, as_printed=True)
        assert ours.test_gain == pytest.approx(corrected, abs=5e-5)
        assert slides.test_gain == pytest.approx(printed, abs=5e-3)
        assert slides.test_gain > ours.test_loss_initial == pytest.approx(2.922, abs=5e-4)
        assert slides.train_gain == ours.train_gain
        assert slides.test_loss == pytest.approx(slides.test_loss_initial - slides.test_gain, rel=1e-14)
    with pytest.raises(tc.DomainError, match="not ℓ = 3"):
        slides_Lambda(3, 1, 1, 1, 1, -1, -1)
