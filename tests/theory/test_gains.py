"""Δ_ℓ and Λ_ℓ: the two forms against each other, the printed special cases, the invariants."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.problems import CUBIC, RELU, SETTING_2, problem, theorem_on_the_residual
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.theory.gains import parts_of, shares
from theorycalc.theory.limits import Values
from theorycalc.theory.printed import Delta, slides_Lambda
from theorycalc.theory.solver import float_traces
from theorycalc.theory.traces import HermiteWeights, weights_of

DIGITS = 30
CLOSE = mpmath.mpf("1e-28")
OUTPUTS = ("train_gain", "test_gain", "train_loss", "test_loss", "train_loss_initial", "test_loss_initial")


def agree(one: tc.Prediction, other: tc.Prediction, names=Values._fields) -> bool:
    with mpmath.workdps(40):
        return all(
            abs(mpmath.mpf(getattr(one, n)) - mpmath.mpf(getattr(other, n))) <= CLOSE * abs(mpmath.mpf(getattr(one, n)))
            for n in names
        )


@pytest.mark.checks("gaps", "projection", "left")
@given(present=st.sets(st.integers(2, 11), min_size=1, max_size=5), ell=st.integers(2, 11))
@pytest.mark.parametrize("samples", [None, "3"])
def test_matrix_form_is_closed_form_with_missing_coefficients(present, ell, samples):
    activation = tc.Activation.from_moments("2/3", "1/5", present=(1, *present))
    case = problem(activation, ["1", "-1/2", "1/3", "1/5", "-1/7", "1/11", "0", "1/50"], step_samples=samples)
    assert agree(tc.predict(case, ell=ell, digits=DIGITS), tc.predict(case, ell=ell, digits=DIGITS, form="matrix"))
    closed, matrix = (theorem_on_the_residual(case, ell, form, DIGITS) for form in ("closed", "matrix"))
    assert closed.kappa > tc.predict(case, ell=ell).kappa
    assert all(abs(one - other) <= 1e-28 * abs(one) for one, other in zip(closed, matrix, strict=True))


@pytest.mark.checks("constant_weight")
@pytest.mark.parametrize(
    "coefficients", [["1", "1/2", "3/10"], ["1", "1/2", "0", "1/9"], ["1", "0", "0", "1/9", "0", "1/70"]]
)
@pytest.mark.parametrize("ell", [1, 2, 4, 6])
def test_matrix_form_is_closed_form_with_a_gaussian_first_layer(coefficients, ell):
    case = problem(tc.Activation.from_coefficients(coefficients), ["1", "1/2", "1/3", "-1/5"], first_layer="gaussian")
    assert agree(tc.predict(case, ell=ell, digits=DIGITS), tc.predict(case, ell=ell, digits=DIGITS, form="matrix"))


@pytest.mark.checks("weights", "constant_weight", "zeta")
def test_the_test_weight_of_the_rest_is_that_of_the_constant_and_of_the_bulk():
    for ridge in (0.01, 1.0, 30.0):
        weights = weights_of(float_traces(0.5, 2 / 3, ridge, 0.5, 0.3), 0.5, 2 / 3, ridge)
        assert weights.test_constant + weights.test_bulk == pytest.approx(weights.test_rest, rel=1e-14)


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


@pytest.mark.checks("Lambda", "direction")
def test_large_ridge_limits():
    """λ → ∞: both losses tend to c_⋆² + σ_ε², the corrected Λ_1 to c_⋆1⁴/κ, the slides' to 0."""
    case = problem(teacher=["1", "1/2"], ridge="1e12")
    p = tc.predict(case, ell=1)
    total = 1 + 2 / 4 + 1 / 4
    assert p.train_loss_initial == pytest.approx(total, rel=1e-11)
    assert p.test_loss_initial == pytest.approx(total, rel=1e-11)
    assert p.test_gain == pytest.approx(1 / p.kappa, rel=1e-11)
    assert tc.predict(case, ell=1, as_printed=True).test_gain < 1e-20


@pytest.mark.checks("projection", "B", "T")
def test_odd_and_relu_like_activations():
    """Odd: no even power, no T²/S. ReLU: no odd power beyond x (docs/theory/missing_coefficients.md#without-gaps)."""
    teacher = ["1", "1/2", "1/3", "1/5", "1/7"]
    odd = tc.predict(problem(tc.Activation.from_moments("1/2", "3/10", present=(1, 3, 5)), teacher), ell=5)
    assert odd.spikes == (1, 3, 5)
    t = odd.rho**2
    lam_s = 0.1 * (2 / 3) / 0.5
    expected = lam_s * (odd.m2 * t + odd.m1 * (6 / 9 * t**3 + 120 / 49 * t**5))
    assert odd.train_gain == pytest.approx(expected, rel=1e-13)
    relu = tc.predict(problem(RELU, teacher), ell=5)
    assert relu.spikes == (1, 2, 4)
    floor = (-t / 2 + 3 * t**2 / 5) ** 2 / (15 / 8)
    expected = lam_s * (relu.m2 * t + relu.m1 * (2 / 4 * t**2 + 24 / 25 * t**4 - floor))
    assert relu.train_gain == pytest.approx(expected, rel=1e-13)
    assert any("missing coefficients" in note for note in relu.notes)


def test_missing_and_assumed_coefficients_are_said():
    assumed = tc.predict(problem(tc.Activation.from_moments("1/2", "3/10")), ell=3)
    assert assumed.spikes == (1, 2, 3)
    assert any("not known" in note for note in assumed.notes)
    assert [c.holds for c in assumed.conditions if "k ≤ ℓ" in c.statement] == [None]
    known = tc.predict(problem(CUBIC), ell=3)
    assert [c.holds for c in known.conditions if "k ≤ ℓ" in c.statement] == [True]
    beyond = tc.predict(problem(CUBIC), ell=5)
    assert beyond.spikes == (1, 2, 3)
    assert any("beyond k = 3" in note for note in beyond.notes)
    linear = tc.predict(problem(tc.Activation.from_moments("1/2", 0)), ell=4)
    assert linear.spikes == (1,)


def test_even_spikes_are_said_to_be_the_printed_ones():
    def said(activation, ell, **options):
        notes = tc.predict(tc.Problem(activation, ["1", "1/2"], "1/2", "2/3", "1/10"), ell=ell, **options).notes
        return any("even spikes gain what the paper prints" in note for note in notes)

    assert [said("relu", ell) for ell in (0, 1, 2, "inf")] == [False, False, True, True]
    assert not said("relu", 2, network="literal")
    assert not said("tanh", 4)
    assert not said("tanh", "inf")


def test_a_teacher_without_linear_part_gains_nothing():
    for digits in (None, 30):
        p = tc.predict(problem(teacher=["0", "1"]), ell=4, digits=digits)
        assert p.rho == p.train_gain == p.test_gain == 0
        assert p.train_loss == p.train_loss_initial > 0
        assert [c.holds for c in p.conditions if c.statement == "c_⋆1 ≠ 0"] == [False]


def sine_teacher(mean=Fraction(0)):
    """sin(z) + mean, whose covariance contains mean²."""
    root = sp.exp(-sp.Rational(1, 2))
    return tc.Teacher.from_moments(
        [root, 0, -root / 6, 0, root / 120],
        second_moment=(1 - sp.exp(-2)) / 2 + sp.Rational(mean.numerator, mean.denominator) ** 2,
        mean=mean,
        covariance=lambda ns, t: ns.exp(-1) * ns.sinh(t) + ns.rational(mean**2),
    )


@pytest.mark.checks("ceiling")
def test_a_teacher_that_is_not_a_polynomial():
    """sin: E[σ⋆(Z)σ⋆(Z')] = e^{-1} sinh t, and its Hermite series is the same thing."""
    activation = tc.Activation.from_moments("1/2", "3/10")
    case = problem(activation, sine_teacher())
    ceiling = tc.predict(case, ell="inf", digits=30)
    with mpmath.workdps(40):
        t = mpmath.mpf(ceiling.rho) ** 2
        weight = mpmath.mpf(1) / 10 * (mpmath.mpf(2) / 3) * 2
        series = sum(mpmath.exp(-1) * t**k / mpmath.factorial(k) for k in range(3, 60, 2))
        expected = weight * (mpmath.mpf(ceiling.m2) * mpmath.exp(-1) * t + mpmath.mpf(ceiling.m1) * series)
        assert abs(mpmath.mpf(ceiling.train_gain) / expected - 1) < CLOSE
    rounded = tc.predict(case, ell="inf", noise=[0, 0.5], phi=[[1e-8], [0.5]])
    assert rounded.train_gain[1, 1] == pytest.approx(float(ceiling.train_gain), rel=1e-14)
    exact = tc.predict(case, ell="inf", noise=0, phi=Fraction(1e-8), digits=25)
    assert rounded.test_loss[0, 0] == pytest.approx(float(exact.test_loss), rel=1e-14)
    assert tc.predict(case, ell=5).train_gain < float(ceiling.train_gain)


@pytest.mark.checks("ceiling")
def test_the_mean_of_a_teacher_is_removed_and_said():
    activation = tc.Activation.from_moments("1/2", "3/10")
    for ell in (3, "inf"):
        plain, shifted = (
            tc.predict(problem(activation, sine_teacher(mean)), ell=ell, digits=30)
            for mean in (Fraction(0), Fraction(2, 3))
        )
        assert agree(plain, shifted)
        assert any("mean 2/3 was removed" in note for note in shifted.notes)
        for kind in ("train", "test"):
            before, gain, after = (getattr(shifted, f"{kind}_{part}") for part in ("loss_initial", "gain", "loss"))
            assert abs(before - gain - after) <= CLOSE * before


def test_what_a_teacher_lacks_is_said():
    bare = tc.Teacher.from_moments(["1/2"], second_moment="1")
    case = problem(tc.Activation.from_moments("1/2", "3/10"), bare)
    with pytest.raises(tc.DomainError, match="up to k = 2"):
        tc.predict(case, ell=2)
    with pytest.raises(tc.DomainError, match="covariance"):
        tc.predict(case, ell="inf")
    wrong = tc.Teacher.from_moments(["1/2"], second_moment="1", covariance=lambda ns, t: 50 * t)
    with pytest.raises(tc.DomainError, match="covariance at correlation 1"):
        tc.predict(problem(tc.Activation.from_moments("1/2", "3/10"), wrong), ell="inf")
    with pytest.raises(tc.DomainError, match="second_moment is less"):
        tc.predict(problem(teacher=tc.Teacher.from_moments(["2"], second_moment="1")), ell=1)


@pytest.mark.checks("initial_identity")
def test_included_output_leaves_the_form_of_the_limit():
    """With the initial output, w_1 and the block E cancel: w_1 + E²/θ = (ψ/φ)m_2.

    See docs/theory/options.md#the-initial-output.

    In the strong-spike limit QᵀMid⁻¹Q → qᵀ(P + E(θB)⁻¹Eᵀ)⁻¹q, and with B_11 = 1 the second term adds
    ψ²(1 − m_2/m_1)²/(κ̃θ) to w_1.  So only κ and ρ change.
    """
    p, phi, psi, a, b, lam, kappa = sp.symbols("p phi psi a b lambda kappa", positive=True)
    u = p + phi / psi - 1
    k = phi / (phi + b * p * u)
    a_solved = (1 - p - phi * (1 - k)) / (p * u)  # the reduced equation, solved for a
    s, c1_squared = p / lam, b * lam
    s3 = psi * (1 + s * a * lam) * (1 - k) / c1_squared
    w1 = ((kappa - c1_squared) * s * k + c1_squared * s3) / kappa
    theta = u * psi / phi
    limit = (w1 + psi**2 * (1 - k) ** 2 / (kappa * theta)).subs(a, a_solved)
    assert sp.simplify(limit - s * k) == 0


@pytest.mark.checks("initial_scatter", "direction")
def test_included_output_changes_kappa():
    plain, labels, residual = (
        tc.predict(problem(CUBIC), ell=2, **options)
        for options in ({}, {"network": "literal", "gradient": "labels"}, {"network": "literal"})
    )
    assert (labels.kappa, labels.rho) == (plain.kappa, plain.rho)
    variance = 1 + 2 / 4 + 6 * 9 / 100
    assert residual.kappa == pytest.approx(plain.kappa + 1 + 0.5 * variance, rel=1e-15)
    assert residual.rho == pytest.approx(1 / residual.kappa**0.5, rel=1e-15)
    for kind in ("train", "test"):
        before, gain, after = (getattr(residual, f"{kind}_{part}") for part in ("loss_initial", "gain", "loss"))
        assert before - gain == pytest.approx(after, rel=1e-14)  # ρ² and 1 − ρ² are of one direction
    constant = tc.predict(problem(CUBIC, second_layer="constant"), ell=2, network="literal")
    assert constant.kappa == pytest.approx(residual.kappa + 0.5 * 2 / 4 * 3 / 2, rel=1e-15)


@pytest.mark.checks("second_layer")
def test_second_layers_merge_spikes():
    spikes = {
        law: tc.predict(problem(RELU, second_layer=law), ell=6).spikes for law in ("gaussian", "sign", "constant")
    }
    assert spikes == {"gaussian": (1, 2, 4, 6), "sign": (1, 2), "constant": (1,)}


@pytest.mark.checks("scatter")
def test_step_samples_change_the_direction_only():
    plain, larger = (tc.predict(problem(step_samples=ratio), ell=2) for ratio in (None, 4))
    assert larger.kappa == pytest.approx(1 + 0.5 / 4 * (1.5 + 0.25), rel=1e-15)
    assert larger.m1 == plain.m1
    assert larger.test_loss_initial == plain.test_loss_initial
    assert larger.test_gain > plain.test_gain
