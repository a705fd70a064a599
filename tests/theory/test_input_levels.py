"""Inputs with a covariance as levels, and neurons whose rest of the gradient is even noise."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.theory.covariance import InputLevel
from theorycalc.theory.dressed.accuracy import evaluate
from theorycalc.theory.dressed.input_levels import even_spread, gauss_rule, level_lengths, levels_of, only_its_levels
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of

COARSE = Resolution(u_step=0.7, h_step=0.7, z_level=1)
IDENTITY = (InputLevel(1.0, 1.0, 1.0),)


def problem_of(activation="tanh(x + 1)", teacher="H1 + H2/sqrt(2)", **options):
    return tc.Problem(activation, teacher, n=600, d=300, N=450, ridge="1/10", noise="1/2", **options)


def identity(step):
    """Return a step whose inputs have the covariance I, by the equations for any covariance."""
    return replace(step, case=replace(step.case, levels=IDENTITY))


def losses(step, *etas, ridge=0.1, resolution=COARSE):
    return evaluate(step, np.array(etas), np.full(len(etas), ridge), resolution)[:2]


@pytest.mark.checks("even_spread_of_inputs")
@pytest.mark.parametrize("gradient", ["labels", "residual"])
@pytest.mark.parametrize("first_layer", ["sphere", "gaussian"])
def test_the_identity_is_the_isotropic_form(gradient, first_layer):
    step = step_of(problem_of(first_layer=first_layer), 450, gradient, isotropic=True)
    etas = 0.0, 1.0, 5.0, 25.0
    assert np.allclose(losses(identity(step), *etas), losses(step, *etas), rtol=1e-12)


def test_many_levels_keep_their_means():
    step = step_of(problem_of(inputs="power(1/2, 1)"), 450, "labels", isotropic=True)
    few, (tau, weights, shares) = levels_of(step), np.array(step.case.levels).T
    assert len(few.tau) == 24 < len(tau) == 300
    for f in (np.square, lambda x: 1 / (1 + 10 * x), lambda x: x**3 / (1 + x)):
        assert np.isclose(few.weights @ f(few.tau), weights @ f(tau), rtol=1e-9)
        assert np.isclose(few.shares @ f(few.tau), shares @ f(tau), rtol=1e-9)


def test_few_levels_stay_as_they_are():
    found = levels_of(step_of(problem_of(inputs="two_level(4, 1/2, 1)"), 450, "labels"))
    assert found.tau.tolist() == [1.6, 0.4]
    assert found.shares.tolist() == [1, 0]


def test_a_gauss_rule_ends_where_all_points_are_nodes():
    points = np.array([1.0, 2.0, 4.0])
    nodes, weights = gauss_rule(points, np.array([0.2, 0.3, 0.5]), np.array([[0.2, 0.3, 0.5]]), 10)
    assert np.allclose(nodes, points)
    assert np.allclose(weights, [0.2, 0.3, 0.5])


@pytest.mark.checks("even_spread_of_inputs")
def test_shares_of_directions_are_those_of_vectors():
    """b = c_⋆1Σv − c_1Σω + scatter: sampled vectors, whose forms fluctuate like 1/√d."""
    step = step_of(problem_of(inputs="two_level(4, 1/2, 3/4)"), 450, "residual", isotropic=True)
    case, half, rng = step.case, 4000, np.random.default_rng(0)
    tau = np.repeat([1.6, 0.4], half)
    v = rng.standard_normal(2 * half)
    v *= np.sqrt(np.repeat([0.75, 0.25], half)) / np.repeat(np.linalg.norm(v.reshape(2, -1), axis=1), half)
    scatter, omega = rng.standard_normal((2, 2 * half)) / np.sqrt(2 * half)
    omega *= np.sqrt(tau)
    raw = case.scatter / 1.36
    b = tau * (case.step_linear * v - case.own_linear * omega + np.sqrt(raw) * scatter)
    assert abs(b @ b / case.kappa - 1) < 0.1
    b /= np.linalg.norm(b)
    c = (b - (b @ v) * v) / np.sqrt(1 - (b @ v) ** 2)
    weights = only_its_levels(network_after(step, np.ones(1), COARSE)).nodes.weights

    def by_level(x, y):
        return (x * y).reshape(2, -1).sum(axis=1)

    assert np.allclose(weights.directions[0, 1], by_level(v, c), atol=0.05)
    assert np.allclose(weights.directions[1, 1], by_level(c, c), atol=0.05)
    assert np.allclose(weights.own_directions[1], by_level(c, omega), atol=0.05)


def test_lengths_of_rows_vary_by_the_covariance():
    rng, d, draws = np.random.default_rng(1), 200, 20000
    rows = rng.standard_normal((draws, d)) / np.sqrt(d)
    tau = np.repeat([1.6, 0.4], d // 2)
    for layer in ("gaussian", "sphere"):
        step = step_of(problem_of(first_layer=layer, inputs="two_level(4, 1/2, 1)"), 450, "labels", isotropic=True)
        law = level_lengths(network_after(step, np.zeros(1), COARSE))
        seen = rows if layer == "gaussian" else rows / np.linalg.norm(rows, axis=1, keepdims=True)
        variance = d / 2 * np.var(seen**2 @ tau)
        assert abs(variance / law.variance[0, 0] - 1) < 4 * np.sqrt(2 / draws)


@pytest.mark.checks("even_spread_of_inputs")
def test_even_noise_spreads_neurons_by_the_covariance_and_its_square():
    """Sampled gradients of neurons on the sphere, along the eigenvectors of either eigenvalue."""
    rng, d, n0, N, u = np.random.default_rng(3), 200, 400, 2000, 1.5
    tau = np.repeat([1.6, 0.4], d // 2)
    seen = []
    for _ in range(8):
        W, Z = rng.standard_normal((N, d)), rng.standard_normal((n0, d))
        W *= np.sqrt(tau) / np.linalg.norm(W, axis=1, keepdims=True)
        r = rng.standard_normal(n0)
        slopes = (W @ Z.T > 0) - 0.5  # of ReLU, less c_1
        moved = W + u * tau * ((slopes * r) @ Z) / n0
        seen.append(d * np.mean(moved**2, axis=0).reshape(2, -1).mean(axis=1))
    noise = d / n0 / 4  # φ₀ Var σ' E r²
    first, second = even_spread(u, noise, 1.36)
    s_square = 1 + u**2 * noise * 1.36
    typed = s_square * np.array([first * x + second * x**2 for x in (1.6, 0.4)])
    error = np.std(seen, axis=0, ddof=1) / np.sqrt(len(seen))
    assert np.all(np.abs(np.mean(seen, axis=0) - typed) < 4 * error)
    assert np.any(np.abs(np.mean(seen, axis=0) - s_square * np.array([1.6, 0.4])) > 10 * error)
