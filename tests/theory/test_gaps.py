"""Spikes with gaps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.agreement import agree
from tests.helpers.problems import RELU, problem, theorem_on_the_residual


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


DIGITS = 30


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


@pytest.mark.checks("gaps")
def test_a_teacher_without_the_highest_powers():
    """Of h⁸ nothing is left along H_2 but a ball around 0, whose square is one, too."""
    case = problem("H1 + H2/5 + H4/20 + H8/4000", ["1", "1/2"], intercept=True)
    rounded, proven = (tc.predict(case, ell=8, network="literal", digits=digits) for digits in (None, 15))
    assert rounded.spikes == (1, 2, 4, 8)
    assert rounded.train_gain == pytest.approx(float(proven.train_gain), rel=1e-14)
    assert rounded.train_gain == pytest.approx(tc.predict(case, ell=2, network="literal").train_gain, rel=1e-14)
