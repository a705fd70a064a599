"""The traces of inputs with a covariance, and how much of a linear teacher the step explains."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.theory.case import Case, float_case
from theorycalc.theory.covariance import InputLevel, InputSpectrum, spectrum_of
from theorycalc.theory.solver import float_limits, float_traces, float_weights
from theorycalc.theory.spectral_traces import alignment, spectral_equations, spectral_weights, unfitted
from theorycalc.theory.traces import Alignment, weights_of

SIZES = (0.5, 2 / 3, 0.1)
MOMENTS = (0.5, 0.3)
TWO = spectrum_of([InputLevel(3.0, 0.25, 0.5), InputLevel(1 / 3, 0.75, 0.5)])


def drawn(seed: int, levels: int, points: int = 60) -> tuple[InputSpectrum, np.ndarray, tuple[float, float]]:
    """Return levels of mean 1, sizes of all orders of magnitude, and c_1 and c_{>1}."""
    rng = np.random.default_rng(seed)
    weights, shares = rng.dirichlet(np.ones(levels), 2)
    eigenvalues = 10 ** rng.uniform(-2, 2, levels)
    sizes = 10 ** rng.uniform(-4, 4, (3, points))
    sizes[1, ::4] = sizes[0, ::4]  # N = n
    c1, c_rest = 10 ** rng.uniform(-2, 1, 2)
    return InputSpectrum(eigenvalues / (weights @ eigenvalues), weights, shares), sizes, (float(c1), float(c_rest))


@pytest.mark.checks("spectral_equations", "spectral_slopes")
@settings(max_examples=10)
@given(seed=st.integers(0, 10**6))
def test_one_level_or_equal_levels_are_section_three(seed):
    _, sizes, moments = drawn(seed, 1)
    wanted = float_traces(*sizes, *moments)
    for weights in ([1.0], [0.25, 0.75]):
        found = float_traces(*sizes, *moments, InputSpectrum(np.ones(len(weights)), *np.array([weights, weights])))
        for name, value in found._asdict().items():
            np.testing.assert_allclose(value, getattr(wanted, name), rtol=1e-13, err_msg=name)


def test_nearly_equal_levels_tend_to_section_three():
    wanted = np.array(float_traces(*SIZES, *MOMENTS))
    for gap, far in ((1e-3, 1e-5), (1e-5, 1e-9)):
        near = InputSpectrum(np.array([1 + gap, 1 - gap]), np.full(2, 0.5), np.full(2, 0.5))
        found = np.array(float_traces(*SIZES, *MOMENTS, near))
        assert 0 < np.max(np.abs(found / wanted - 1)) < far


@pytest.mark.checks("spectral_equations")
def test_both_equations_vanish():
    found = float_traces(*SIZES, *MOMENTS, TWO)
    s = SIZES[1] / SIZES[0] * found.m1
    assert spectral_equations(TWO, s, found.theta, *SIZES, *MOMENTS) == pytest.approx((0, 0), abs=1e-14)
    wrong = InputSpectrum(TWO.eigenvalues, TWO.weights[::-1], TWO.shares)
    assert max(map(abs, spectral_equations(wrong, s, found.theta, *SIZES, *MOMENTS))) > 0.01


@pytest.mark.checks("spectral_slopes")
def test_slopes_are_differences():
    phi, psi, lam = SIZES
    step = 1e-5
    below, at, above = (float_traces(phi, psi, lam + x, *MOMENTS, TWO) for x in (-step, 0, step))
    for name in ("m1", "m2"):
        slope = (getattr(above, name) - getattr(below, name)) / (2 * step)
        assert getattr(at, f"{name}_slope") == pytest.approx(slope, rel=1e-6)


@pytest.mark.checks("spectral_slopes")
def test_weights_of_a_linear_teacher_are_those_of_its_shares():
    """−∂_λ(s⟨g⟩_v)/s² by differences."""
    phi, psi, lam = SIZES
    step, c1 = 1e-5, MOMENTS[0]

    def solved(ridge: float) -> tuple[float, float, float]:
        traces = float_traces(phi, psi, ridge, *MOMENTS, TWO)
        weights = spectral_weights(weights_of(traces, phi, psi, ridge), TWO, c1)
        return weights.train_linear / ridge, weights.test_linear, weights.train_rest / ridge

    (above, _, _), (below, _, _), (kept, tested, s) = (solved(lam + x) for x in (step, -step, 0))
    assert tested == pytest.approx((below - above) / (2 * step) / s**2, rel=1e-6)
    g = unfitted(TWO.eigenvalues, c1**2 * s * float_traces(*SIZES, *MOMENTS, TWO).theta / psi)
    assert kept == pytest.approx(s * TWO.shares @ g, rel=1e-14)


@pytest.mark.checks("spectral_slopes")
@pytest.mark.parametrize("sizes", [(0.5, 2 / 3), (1.5, 2 / 3), (2 / 3, 2 / 3)])
def test_a_tiny_ridge_is_no_ridge(sizes):
    none, tiny = (float_limits(*sizes, np.array([ridge]), *MOMENTS, spectrum=TWO)[1] for ridge in (0.0, 1e-16))
    finite = np.isfinite(none.test_bulk)
    for name, value in none._asdict().items():
        if name == "test_constant" and not finite:
            assert value == 0  # nothing next to the infinite weights
        elif np.isinf(value):
            assert getattr(tiny, name) > 1e6, name
        else:
            assert getattr(tiny, name) == pytest.approx(value, rel=1e-6, abs=1e-6), name


@pytest.mark.slow
@pytest.mark.checks("spectral_equations")
def test_traces_are_those_of_matrices():
    """F₀ = c_1XW₀ᵀ + c_{>1}Z with inputs of two variances; without the covariance the traces would be others."""
    n, d, N, lam = 800, 400, 600, 0.05
    tau = np.repeat(TWO.eigenvalues, [d // 4, d - d // 4])
    found = []
    for seed in range(6):
        rng = np.random.default_rng(seed)
        W = rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        Z = rng.standard_normal((n, d))
        F = MOMENTS[0] * (Z * np.sqrt(tau)) @ W.T + MOMENTS[1] * rng.standard_normal((n, N))
        R = np.linalg.inv(F @ F.T + lam * n * np.eye(n))
        kept = np.sum(Z * (R @ Z), axis=0)
        found.append([np.trace(R), kept[: d // 4].mean(), kept[d // 4 :].mean()])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0, ddof=1) / math.sqrt(len(found))
    traces = float_traces(d / n, d / N, lam, *MOMENTS, TWO)
    s = n / N * traces.m1
    wanted = [s, *(s * unfitted(TWO.eigenvalues, MOMENTS[0] ** 2 * s * traces.theta * N / d))]
    assert np.all(np.abs(mean - wanted) < 4 * error + 2e-3 * mean)  # 1/n beside the standard error
    isotropic = float_traces(d / n, d / N, lam, *MOMENTS)
    assert abs(mean[1] - n / N * isotropic.m2) > 20 * error[1]


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
