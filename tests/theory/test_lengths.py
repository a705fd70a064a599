"""Neurons of one u differ in length: sampled gradients against the formula, and the feature that it makes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.requirements import functions_of
from theorycalc.theory.dressed.fixed_point import solve
from theorycalc.theory.dressed.lengths import (
    ResidualMoments,
    SlopeMoments,
    length_parts,
    residual_moments,
    slope_moments,
)
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.residual import residual_of


def network_of(problem, eta, gradient="labels"):
    return network_after(step_of(problem, problem.N, gradient), np.array([float(eta)]), Resolution())


def expected(problem, eta, gradient="labels"):
    """d/2 times the variance of ‖w_i‖²/s_u², of which the part along E[r x] is no feature of its own."""
    network = network_of(problem, eta, gradient)
    law = residual_of(network.step, 0)
    slope = slope_moments(network.step.slope_function, float(network.step.case.c1))
    parts = length_parts(network.u, network.kept, law.ratio, slope, residual_moments(law))
    rows = parts.rows if problem.first_layer == "gaussian" else 0.0
    along = parts.along / (2 * network.scale**4)
    found = (parts.points + parts.pairs + parts.along + rows) / (2 * network.scale**4)
    assert np.allclose(solve(network, np.array([0.1])).turning.lengths, found - along, rtol=1e-12)
    return float(found[0, 0])


def sampled(problem, eta, draws):
    """d/2 times the variance of ‖w_i‖²/s_u² over neurons without the step direction, of every draw."""
    functions, network, (n, d, N) = functions_of(problem), network_of(problem, eta), (problem.n, problem.d, problem.N)
    u, noise, c1 = eta / math.sqrt(N), float(problem.noise), float(network.step.case.c1)
    found = []
    for seed in range(draws):
        rng = np.random.default_rng(seed)
        X, W = rng.standard_normal((n, d)), rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1, keepdims=True) if problem.first_layer == "sphere" else math.sqrt(d)
        r = functions.teacher(X[:, 0]) + noise * rng.standard_normal(n)
        rest = ((functions.slope(X @ W.T) - c1) * r[:, None]).T @ X / n
        found.append(d / 2 * np.var(np.sum((W + u * rest) ** 2, axis=1)) / float(network.scale[0, 0]) ** 4)
    return np.mean(found), np.std(found, ddof=1) / math.sqrt(draws)


def problem_of(activation, teacher, first_layer="sphere"):
    kinds = {"second_layer": "constant", "first_layer": first_layer}
    return tc.Problem(activation, teacher, n=400, d=200, N=400, ridge="1/10", noise="1/2", **kinds)


@pytest.mark.slow
@pytest.mark.checks("lengths")
@pytest.mark.parametrize(
    ("activation", "teacher", "first_layer"),
    [
        ("max(0, x)**2", "tanh(2*x)", "sphere"),
        ("tanh(x + 1)", "H1 + H2/sqrt(2)", "sphere"),
        ("relu", "tanh(2*x)", "gaussian"),
        ("erf", "tanh(2*x)", "sphere"),
    ],
)
def test_the_variance_is_that_of_sampled_gradients(activation, teacher, first_layer):
    """40 draws by their standard errors: noise that knows nothing of the neuron is rejected, and equal rows."""
    problem, eta = problem_of(activation, teacher, first_layer), 18.0
    mean, error = sampled(problem, eta, 40)
    assert abs(mean - expected(problem, eta)) < 4 * error
    assert error < 0.05 * mean
    network = network_of(problem, eta)
    u, scale = float(network.u[0, 0]), float(network.scale[0, 0])
    independent = (scale**4 - (1.0 if first_layer == "sphere" else 0.0)) / scale**4  # of ‖w_i + u noise‖²
    assert abs(mean - independent) > 4 * error
    assert abs(mean - (u**2 * network.step.spread / scale**2) ** 2) > 4 * error  # pairs of points alone


@pytest.mark.checks("lengths")
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_the_moments_of_the_residual(gradient):
    """r = t + (t² − 1)/√2 + ε/2, and its initial output: E r², E r³, and E[r x] by hand."""
    step = step_of(tc.Problem("erf", "H1 + H2/sqrt(2)", "1/2", "1/2", "1/10", "1/2"), 400, gradient)
    found = residual_moments(residual_of(step, 0))
    variance = 1 + 1 + float(step.case.residual_variance)
    assert found.second == pytest.approx(variance, rel=1e-9)
    assert found.third == pytest.approx(3 * math.sqrt(2) + 2 * math.sqrt(2), rel=1e-9)  # 3E[t²·H_2]/√2 + E H_2³/2√2
    own = -float(step.case.c1) if gradient == "residual" else 0.0
    assert found.direction == pytest.approx([1.0, own], rel=1e-9, abs=1e-12)


@pytest.mark.checks("lengths")
def test_a_linear_network_has_neurons_of_one_length():
    assert expected(problem_of("x", "H1 + H2/2"), 10.0) == pytest.approx(0, abs=1e-9)
    rows = problem_of("x", "H1 + H2/2", "gaussian")
    assert expected(rows, 10.0) == pytest.approx(1, rel=1e-9)


@pytest.mark.checks("lengths")
def test_the_parts_are_of_their_orders():
    slope, r = SlopeMoments(1, 2, 3, 4, 5, 6, 7), ResidualMoments(2, 3, 11, [1, 2], [3, 4])
    small = length_parts(1e-4, 1, 1, slope, r)
    assert small.points == pytest.approx(4e-8 * 2 * 2, rel=1e-3)  # 4u²φ₀E r² Var(Zg)
    assert small.pairs == pytest.approx(2e-16 * 4, rel=1e-9)  # 2u⁴v²
    assert small.along == pytest.approx(4e-8 * 25 * 5, rel=1e-3)  # |2uE[Z²g]E[r x]|²
    assert small.rows == pytest.approx(2, rel=1e-6)
    whole = length_parts(2, 3, 1, slope, r)
    assert whole == (4 * 36 * 4 + 4 * 3 * 8 * 9 + 16 * 11 * 4, 2 * 64, (60 + 72) ** 2 + (120 + 96) ** 2, 2 * 37**2)


@pytest.mark.slow
@pytest.mark.checks("lengths")
def test_it_is_a_feature_after_large_steps(monkeypatch):
    """max(0, x)², constant second layer, η = n^0.49: without lengths the training gain is far off."""
    from theorycalc.theory.dressed import turning

    case = {"ridge": 1, "second_layer": "constant"}
    problem = tc.Problem("max(0, x)**2", "tanh(2*x)", n=642, d=192, N=572, noise=0, **case)
    run = tc.simulate(problem, alpha="0.49", gradient="labels", replicates=24, seed=3).rows[0]
    found = tc.step(problem, alpha="0.49", gradient="labels").train_gain
    monkeypatch.setattr(turning, "relative_lengths", lambda network, law: 0 * network.u)
    without = tc.step(problem, alpha="0.49", gradient="labels").train_gain
    assert abs(run["train_gain"] - found) < 4 * run["train_gain_se"]
    assert abs(run["train_gain"] - without) > 5 * run["train_gain_se"]
