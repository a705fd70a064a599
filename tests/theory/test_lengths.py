"""Neurons of one u differ in length: sampled gradients against the formula, and the feature that it makes."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.requirements import functions_of
from theorycalc.numbers.dual import Dual
from theorycalc.theory.dressed.direction_forms import lengths_along
from theorycalc.theory.dressed.fixed_point import averaged, inverses, operators_of, solve
from theorycalc.theory.dressed.lengths import (
    LengthLaw,
    ResidualMoments,
    SlopeMoments,
    length_parts,
    lengths_of,
    residual_moments,
)
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.residual import DirectionTransforms, residual_of
from theorycalc.theory.dressed.turning import Nodes


def network_of(problem, eta, gradient="labels"):
    return network_after(step_of(problem, problem.N, gradient), np.array([float(eta)]), Resolution())


def expected(problem, eta, gradient="labels"):
    """d/2 times the variance of ‖w_i‖²/s_u², with its part along the step direction."""
    lengths = solve(network_of(problem, eta, gradient), np.array([0.1])).turning.lengths
    found = lengths.variance + 2 * lengths.lean**2
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
def test_the_parts_by_hand():
    """u = 2, k_u = 3, φ₀ = 1: r z g has the factor 12 and r²g² the factor 4."""
    slope, r = SlopeMoments(1, 26, 31, 40, 5, 6, 7), ResidualMoments(2, 3, 11, [1, 2], [3, 4])
    kappa, mixed, square = 1 + 4 + 2, 3 + 8 + 3, 9 + 16 + 11
    found = length_parts(2, 3, 1, slope, r)
    assert found.points == 144 * 2 * (26 - 25) + 2 * 48 * 3 * (31 - 30) + 16 * 11 * (40 - 36)
    assert found.pairs == 2 * (4 * 2) ** 2
    assert found.beside == 24**2 * (square - mixed**2 / kappa)
    assert found.rows == 2 * (9 + 4 * 2 * 7 / 2) ** 2
    assert found.lean == 12 * 5 + 24 * mixed / kappa
    whole = kappa * found.lean**2 + found.beside  # of the vector whose product with w_i is linear in all z_j
    assert whole == pytest.approx(60**2 * kappa + 2 * 60 * 24 * mixed + 24**2 * square)


@pytest.mark.slow
@pytest.mark.checks("lengths", "leaning_lengths")
@pytest.mark.parametrize(("activation", "teacher"), [("erf", "tanh(2*x)"), ("x + sin(2*x)/4", "H1 + H2/sqrt(2)")])
def test_lengths_follow_the_step_direction(activation, teacher):
    """The slope of ‖w_i‖²/s_u² in w_i·b̂ over sampled neurons, by the standard error of 40 draws."""
    sizes, eta = {"n": 2000, "d": 100, "N": 600}, 3 * math.sqrt(600)
    problem = tc.Problem(activation, teacher, **sizes, ridge="1/10", noise="1/2", second_layer="constant")
    network, functions, (n, d, N) = network_of(problem, eta), functions_of(problem), (problem.n, problem.d, problem.N)
    lean = float(solve(network, np.array([0.1])).turning.lengths.lean[0, 0])
    u, scale, c1 = (float(x) for x in (network.u[0, 0], network.scale[0, 0], network.step.case.c1))
    found = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X, W = rng.standard_normal((n, d)), rng.standard_normal((N, d))
        W /= np.linalg.norm(W, axis=1, keepdims=True)
        r = functions.teacher(X[:, 0]) + rng.standard_normal(n) / 2
        moved = W + u * ((functions.slope(X @ W.T) - c1) * r[:, None]).T @ X / n
        b = X.T @ r / n
        along = W @ (b / np.linalg.norm(b))
        squares = np.sum(moved**2, axis=1) / scale**2
        found.append((squares - squares.mean()) @ along / (along @ along) / 2)
    error = np.std(found, ddof=1) / math.sqrt(len(found))
    assert abs(np.mean(found) - lean) < 4 * error
    assert abs(lean) > 10 * error


@pytest.mark.slow
@pytest.mark.checks("leaning_lengths")
def test_that_they_do_is_seen_in_the_losses(monkeypatch):
    """tanh, α = 1/2, equal a_i: lengths without that part, or with as much of it apart, disagree with networks."""
    from theorycalc.theory.dressed import turning

    sizes = {"n": 600, "d": 150, "N": 150, "step_samples": 3000}
    problem = tc.Problem("tanh", "tanh(2*x)", **sizes, ridge="0.003", second_layer="constant")
    step = {"eta": 3 * math.sqrt(150), "gradient": "labels"}
    run = tc.simulate(problem, **step, replicates=80, seed=1).rows[0]
    found = tc.step(problem, **step).train_loss
    assert abs(run["train_loss"] - found) < 4 * run["train_loss_se"]
    for share in (0, 2):
        monkeypatch.setattr(turning, "lengths_of", lambda network, law, share=share: without(network, law, share))
        assert abs(run["train_loss"] - tc.step(problem, **step).train_loss) > 5 * run["train_loss_se"]


@pytest.mark.checks("leaning_lengths")
def test_their_forms_are_those_of_a_matrix_S():
    """S of five dimensions with β⋆ and c: functions of S between d and b̂, in the place of shares of its spectrum."""
    network = network_of(problem_of("tanh(x + 1)", "H1 + H2/2"), 18.0)
    rng = np.random.default_rng(0)
    s, vectors = np.linalg.eigh(rng.standard_normal((5, 5)) @ np.diag([1.0, 2, 3, 4, 5]))
    teacher, rest = np.linalg.qr(rng.standard_normal((5, 2)))[0].T @ vectors
    both = np.stack([teacher, rest])
    weights = DirectionTransforms(0 * s, both[:, None] * both, 0 * s, 0 * both)
    found = solve(network, np.array([0.1])).turning
    turning = replace(found, nodes=Nodes(s, weights), lengths=LengthLaw(0 * network.u, found.lengths.lean))
    g, Q = (Dual(x, 0 * x) for x in (np.full((1, len(network.h)), 0.7), np.full((1, 1), 0.4)))
    operators = operators_of(network, turning.spread_of, g, Q)
    T = inverses(operators, s)
    coupling, gram = lengths_along(
        network, turning, operators, lambda w: averaged(w * s ** np.arange(3)[:, None], T), Q
    )
    case, alpha = network.step.case, network.loadings[0]
    V, K = operators.V.value[0], [part.value[0] for part in operators.K]
    led = found.lengths.lean[0] * np.append(network.quadratic[0, 0], np.zeros(len(network.norm_shapes[0])))
    step = case.rho * teacher + case.off_teacher * rest
    by_direction, form = 0.0, 0.4 / case.psi * np.outer(led, led)
    for k in range(5):
        G = 0.4 / case.psi * (found.kept[0] + found.kept[1] * s[k])[0, 0] * np.outer(alpha[0], led)
        T_k = np.linalg.inv(np.eye(len(V)) + V @ (K[0] + K[1] * s[k] + K[2] * s[k] ** 2))
        by_direction += step[k] * np.concatenate([teacher[k] * T_k.T @ G, rest[k] * T_k.T @ G])
        form = form - step[k] ** 2 * G.T @ T_k @ V @ G
    assert np.allclose(coupling.value[0], by_direction, rtol=1e-10, atol=1e-14)
    assert np.allclose(gram.value[0], form, rtol=1e-10, atol=1e-14)


def without(network, law, share):
    """Lengths that do not follow the step direction, or of which that part is a feature of its own (share 2)."""
    found = lengths_of(network, law)
    return LengthLaw(found.variance + share * found.lean**2, 0 * found.lean)


@pytest.mark.slow
@pytest.mark.checks("lengths")
def test_it_is_a_feature_after_large_steps(monkeypatch):
    """max(0, x)², constant second layer, η = n^0.49: without lengths the training gain is far off."""
    from theorycalc.theory.dressed import turning

    case = {"ridge": 1, "second_layer": "constant"}
    problem = tc.Problem("max(0, x)**2", "tanh(2*x)", n=642, d=192, N=572, noise=0, **case)
    run = tc.simulate(problem, alpha="0.49", gradient="labels", replicates=24, seed=3).rows[0]
    found = tc.step(problem, alpha="0.49", gradient="labels").train_gain
    monkeypatch.setattr(turning, "lengths_of", lambda network, law: LengthLaw(0 * network.u, 0 * network.u))
    without = tc.step(problem, alpha="0.49", gradient="labels").train_gain
    assert abs(run["train_gain"] - found) < 4 * run["train_gain_se"]
    assert abs(run["train_gain"] - without) > 5 * run["train_gain_se"]
