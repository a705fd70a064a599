"""What the step's direction explains of a linear teacher, against the forms that define it."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.alignment import Alignment, alignment
from theorycalc.theory.case import Case, float_case
from theorycalc.theory.covariance import InputLevel, spectrum_of
from theorycalc.theory.solver import float_weights
from theorycalc.theory.spectral_traces import unfitted

CASES = [
    (inputs, gradient)
    for inputs in ("two_level(9, 1/4)", "two_level(9, 1/4, 0)", "1:1:3, 2:2:1, 5:1:2")
    for gradient in ("labels", "residual")
]


def case_with(inputs: str | None, gradient: str) -> Case:
    problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2", inputs=inputs, step_samples="3/2")
    return float_case(problem, gradient)


def noise(case: Case, tau: np.ndarray) -> np.ndarray:
    """Return κ dμ_h/dμ beside the teacher, from c_⋆², the variance of r and c_1."""
    sampled = case.phi / case.step_ratio * (case.energy + case.residual_variance) * tau**2
    return sampled + case.c1**2 * tau**3 if case.included else sampled


def forms(case: Case, ridge: float) -> tuple[float, float, float, float]:
    """Return s, k_⋆, ρk_× and k_h from their definitions."""
    weights = float_weights(case, ridge)[1]
    spectrum = spectrum_of(case.levels)
    g = unfitted(spectrum.eigenvalues, case.c1**2 * weights.spread)
    along = case.step_linear**2 * spectrum.shares * spectrum.eigenvalues**2
    k_h = (along @ g + spectrum.weights @ (noise(case, spectrum.eigenvalues) * g)) / case.kappa
    crossed = case.step_linear * spectrum.shares @ (spectrum.eigenvalues * g) / np.sqrt(case.kappa)
    return weights.train_rest / ridge, spectrum.shares @ g, crossed, k_h


@pytest.mark.checks("alignment_of_inputs")
@pytest.mark.parametrize(("inputs", "gradient"), CASES)
def test_training_shares_are_those_of_one_free_feature(inputs, gradient):
    case = case_with(inputs, gradient)
    _, kept, crossed, k_h = forms(case, 0.1)
    found = alignment(case, float_weights(case, 0.1)[1])
    assert found.train == pytest.approx(crossed**2 / (k_h * kept), rel=1e-13)
    assert found.train + found.train_left == pytest.approx(1, rel=1e-14)
    assert found.test + found.test_left == pytest.approx(1, rel=1e-13)


@pytest.mark.checks("alignment_of_inputs")
@pytest.mark.parametrize(("inputs", "gradient"), CASES)
def test_test_shares_are_slopes_in_the_ridge(inputs, gradient):
    """−∂_λ(s ρ²k_×²/k_h)/s² by differences."""
    case, step = case_with(inputs, gradient), 1e-5

    def gain(ridge: float) -> float:
        s, _, crossed, k_h = forms(case, ridge)
        return s * crossed**2 / k_h

    weights = float_weights(case, 0.1)[1]
    slope = (gain(0.1 - step) - gain(0.1 + step)) / (2 * step) / forms(case, 0.1)[0] ** 2
    found = alignment(case, weights)
    assert weights.test_linear * found.test == pytest.approx(slope, rel=1e-6)
    assert weights.test_linear * found.train != pytest.approx(slope, rel=1e-3)  # as if k_×²/(k_⋆k_h) had no slope


def test_one_level_explains_the_squared_cosine():
    case = case_with(None, "residual")
    level = Case(**(vars(case) | {"levels": (InputLevel(1.0, 1.0, 1.0),)}))
    found = alignment(level, float_weights(level, 0.1)[1])
    assert found == pytest.approx(Alignment(case.t, case.one_minus_t, case.t, case.one_minus_t), rel=1e-14)


@pytest.mark.checks("inputs_direction")
def test_the_direction_is_that_of_the_measure():
    """κ is the whole of dμ_h, and 1 − ρ² what is off the teacher."""
    for inputs, gradient in CASES:
        case = case_with(inputs, gradient)
        spectrum = spectrum_of(case.levels)
        tau = spectrum.eigenvalues
        kappa = case.step_linear**2 * spectrum.shares @ tau**2 + spectrum.weights @ noise(case, tau)
        rho = case.step_linear * spectrum.shares @ tau / np.sqrt(kappa)
        assert (case.kappa, case.rho) == pytest.approx((kappa, rho), rel=1e-14)
        assert case.t + case.one_minus_t == pytest.approx(1, rel=1e-14)
