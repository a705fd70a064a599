"""Limits of inputs with a covariance: an independent script, today's digits, refusals, and simulated ridge fits."""

from __future__ import annotations

import dataclasses
import math

import mpmath
import numpy as np
import pytest

import theorycalc as tc
from tests.independent.anisotropic import DIGITS, Numbers, Setting, numbers_of, power_law
from theorycalc.numbers.systems import FLOATS
from theorycalc.theory.case import case_at, float_constants
from theorycalc.theory.checks import checked_terms, plan_of
from theorycalc.theory.covariance import InputLevel
from theorycalc.theory.limits import all_values
from theorycalc.theory.solver import float_weights

TWO = (("3", "1/4", "1/2"), ("1/3", "3/4", "1/2"))
SETTINGS = {
    "two_level(9, 1/4, 1/2)": Setting("1/2", "2/3", "1/10", "1/2", ("1", "1/2"), TWO, 2),
    "power(1/5, 1/2, 400)": Setting("3/2", "2/3", "1/20", "1/3", ("1", "1/2", "1/4"), power_law("0.2", "0.5", 400), 2),
    "3:1/4:1/2, 1/3:3/4:1/2": Setting("1/2", "1/3", "1/3", "1/4", ("1", "-1/2", "1/3", "1/5"), TWO, 2, True, True),
}


@pytest.mark.slow
@pytest.mark.checks("spectral_equations", "spectral_slopes", "inputs_direction", "alignment_of_inputs")
@pytest.mark.parametrize("inputs", SETTINGS)
def test_an_independent_script_agrees(inputs):
    setting = SETTINGS[inputs]
    rows = "gaussian" if setting.gaussian_rows else "sphere"
    problem = tc.Problem("relu", list(setting.teacher), *setting[:4], first_layer=rows, inputs=inputs)
    network = "literal" if setting.residual else "theorem"
    found = tc.predict(problem, ell=setting.ell, network=network, digits=30)
    rounded = tc.predict(problem, ell=setting.ell, network=network)
    theirs = numbers_of(setting)
    with mpmath.mp.workdps(DIGITS):
        for name in Numbers._fields:
            assert abs(mpmath.mpf(getattr(found, name)) / getattr(theirs, name) - 1) < 1e-17, name
            assert getattr(rounded, name) == pytest.approx(float(getattr(theirs, name)), rel=1e-13), name


def values_with(levels: tuple[InputLevel, ...], gradient: str) -> np.ndarray:
    """Return all values of a problem whose inputs are replaced by levels."""
    problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2", corrupt_fit="1/5")
    plan = plan_of(problem, 2, "closed", False, "literal", gradient)
    terms = checked_terms(plan)
    constants = dataclasses.replace(float_constants(problem, gradient), levels=levels)
    case = case_at(FLOATS, constants, 0.5, 2 / 3, 0.5)
    terms = dataclasses.replace(terms, constants=constants)
    return np.array(all_values(FLOATS, plan, terms, case, float_weights(case, 0.1)))


@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_one_level_has_the_digits_of_today(gradient):
    one = values_with((InputLevel(1.0, 1.0, 1.0),), gradient)
    today = values_with((), gradient)
    np.testing.assert_allclose(one, today, rtol=3e-15)
    near = values_with((InputLevel(1 + 1e-6, 0.5, 0.5), InputLevel(1 - 1e-6, 0.5, 0.5)), gradient)
    np.testing.assert_allclose(near, today, rtol=1e-10)
    assert not np.array_equal(near, today)


def test_equal_eigenvalues_are_the_default_to_the_last_bit():
    plain, equal = (tc.Problem("relu", "H1", "1/2", "2/3", "1/10", inputs=x) for x in (None, "2:1/3:1/2, 2:2/3:1/2"))
    assert tc.predict(plain, ell=1).to_dict() == tc.predict(equal, ell=1).to_dict()


@pytest.mark.parametrize(
    ("options", "how", "argument"),
    [
        ({}, {"form": "matrix"}, "form"),
        ({}, {"as_printed": True}, "as_printed"),
        ({"centred": False}, {"network": "literal"}, "centred"),
        ({"activation": "x"}, {"ridge": 0}, "ridge"),
        ({"activation": tc.Activation.from_moments("1/2", "3/10")}, {}, "inputs"),
        ({"inputs": [(1.5, 1), (0.5, 1)]}, {"digits": 20}, "inputs"),
    ],
)
def test_what_is_not_derived_is_refused(options, how, argument):
    given = {"activation": "relu", "teacher": "H1 + H2/2", "phi": "1/2", "psi": "2/3", "ridge": "1/10"}
    problem = tc.Problem(**(given | {"inputs": "two_level(9, 1/4)"} | options))
    with pytest.raises(tc.TheoryError) as caught:
        tc.predict(problem, ell=2, **how)
    assert caught.value.argument == argument


def test_levels_of_arrays_are_those_of_points():
    problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2", inputs="two_level(9, 1/4)")
    many = tc.predict(problem, ell=2, phi=[[0.5, 1.5]], ridge=[[0.1], [0.2], [0.0]])
    for i, ridge in enumerate((0.1, 0.2, 0.0)):
        for j, phi in enumerate((0.5, 1.5)):
            assert many.test_gain[i, j] == pytest.approx(tc.predict(problem, ell=2, phi=phi, ridge=ridge).test_gain)


def strong_spikes(rng: np.random.Generator, tau: np.ndarray, share: np.ndarray, gradient: str) -> np.ndarray:
    """Return κ, both losses before the step and both gains of ridge with h as a feature without penalty."""
    n, d, N, lam, fresh = 600, len(tau), 450, 0.1, 3000
    W = rng.standard_normal((N, d))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    a, v = rng.standard_normal(N) / math.sqrt(N), np.sqrt(share) * rng.choice([-1, 1], d)

    def batch(count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        Z = rng.standard_normal((count, d))
        X, t = Z * np.sqrt(tau), Z @ v
        return X, t + (t**2 - 1) / 2 + rng.standard_normal(count) / 2, np.tanh(X @ W.T)

    (X0, y0, F0), (X, y, F), (there, z, G) = batch(n), batch(n), batch(fresh)
    beta = X0.T @ (y0 - F0 @ a if gradient == "residual" else y0) / n
    found = [beta @ (tau * beta)]
    for free, free_there in ((X @ beta * 0, there @ beta * 0), (X @ beta, there @ beta)):
        if free.any():  # a strong spike takes the direction a from the neurons
            right = a / np.linalg.norm(a)
            F, G = F - np.outer(F @ right, right), G - np.outer(G @ right, right)
        R = np.linalg.inv(F @ F.T + lam * n * np.eye(n))
        b = free @ R @ y / (free @ R @ free) if free.any() else 0.0
        dual = R @ (y - b * free)
        found += [lam * (y - b * free) @ dual, np.mean((z - b * free_there - G @ (F.T @ dual)) ** 2)]
    kappa, *before, train, test = found
    return np.array([kappa, *before, before[0] - train, before[1] - test])


@pytest.mark.slow
@pytest.mark.checks("inputs_direction", "alignment_of_inputs", "spectral_equations")
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_ridge_fits_with_a_strong_spike(gradient):
    """|z| < 3.5; Σ ignored, another share of the teacher, or κ̃ without c_1²⟨τ³⟩ is far off."""
    d, draws = 300, 20
    tau, share = np.repeat([3.0, 1 / 3], [75, 225]), np.repeat([0.5 / 75, 0.5 / 225], [75, 225])
    found = np.array([strong_spikes(np.random.default_rng([5, i]), tau, share, gradient) for i in range(draws)])
    mean, error = found.mean(axis=0), found.std(axis=0, ddof=1) / math.sqrt(draws)
    sizes = {"n": 600, "d": d, "N": 450, "ridge": "1/10", "noise": "1/2"}

    def theory(inputs: str | None) -> np.ndarray:
        problem = tc.Problem("tanh", "H1 + H2/2", **sizes, inputs=inputs)
        p = tc.predict(problem, ell=1, network="literal", gradient=gradient)
        return np.array([p.kappa, p.train_loss_initial, p.test_loss_initial, p.train_gain, p.test_gain])

    right = theory("two_level(9, 1/4, 1/2)")
    assert np.all(np.abs(mean - right) < 3.5 * error)
    for wrong in (theory(None), theory("two_level(9, 1/4, 3/4)")):  # no covariance, another share of the teacher
        assert np.max(np.abs(mean - wrong) / error) > 5
    if gradient == "residual":
        own = float(tc.activation("tanh").c1) ** 2 * np.mean(tau**3)
        assert mean[0] - (right[0] - own) > 5 * error[0]
