"""The rest of the gradient for inputs with a covariance: reductions, sampled matrices, limits, and networks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from tests.theory.test_input_levels import COARSE, identity, losses, problem_of
from theorycalc.errors import PrecisionError
from theorycalc.theory.dressed import fixed_point, level_turning
from theorycalc.theory.dressed.forms import losses as losses_of
from theorycalc.theory.dressed.input_levels import InputLevels
from theorycalc.theory.dressed.labels import labels_given
from theorycalc.theory.dressed.lengths import LengthLaw
from theorycalc.theory.dressed.level_turning import LevelOperators, batch_of, embeddings, respond, seen_by_points
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of
from theorycalc.theory.dressed.solving import solve


@pytest.mark.checks("point_of_a_batch", "turning_noise")
@pytest.mark.parametrize("activation", ["H1 + H2/2", "erf", "H1 + H3/4"])
def test_the_identity_is_page_12_where_the_rest_is_S_or_T_alone(activation):
    """ϖ = 0 or c_2 = 0: nothing is approximated by page 12; lengths and norms are left out of both."""
    for gradient in ("labels", "residual"):
        step = step_of(problem_of(activation), 450, gradient)
        network = network_after(step, np.array([8.0]), COARSE)
        without_norm = replace(
            network,
            mean=network.mean - network.quadratic * (network.h**2 - 1) / (2 * step.inputs),
            norm_loadings=0 * network.norm_loadings,
        )
        solution = fixed_point.solve(without_norm, np.array([0.1]))
        none = np.zeros_like(network.u)
        solution = replace(solution, turning=replace(solution.turning, lengths=LengthLaw(none, none)))
        known = losses_of(without_norm, labels_given(without_norm, COARSE.z_level), np.array([0.1]), solution)
        assert np.allclose(losses(identity(step), 8.0), known, rtol=1e-7)


def test_the_quadratic_of_T_costs_little():
    """With ϖ > 0 page 12 has a quadratic in S for T, which is exact here."""
    step = step_of(problem_of("relu"), 450, "labels")
    exact, near = losses(identity(step), 8.0), losses(step, 8.0)
    assert 1e-5 < np.abs(exact / near - 1).max() < 0.01


def sampled(rng, d, tau, r, V, B, B_T):
    """Return ⟨𝓔⟩, ⟨SΣ𝓔⟩ with weight τ, and ⟨ΣTΣ𝓔⟩ of one draw."""
    Z, ratio = rng.standard_normal((len(r), d)), d / len(r)
    S, T = ((Z.T * x) @ Z / len(r) for x in (r, ratio * r**2))
    Sigma, size = np.diag(tau), len(V)
    turned = Sigma @ S @ Sigma
    K = np.kron(B[:size, :size], Sigma) + np.kron(B[:size, size:] + B[size:, :size], turned)
    K += np.kron(B[size:, size:], turned @ S @ Sigma) + np.kron(B_T, Sigma @ T @ Sigma)
    E = np.linalg.inv(np.kron(np.linalg.inv(V), np.eye(d)) + K).reshape(size, d, size, d)

    def trace(matrix):
        return np.einsum("iajb,ba->ij", E, matrix) / d

    return np.stack([trace(np.eye(d)), trace(turned), trace(Sigma @ T @ Sigma)])


@pytest.mark.checks("point_of_a_batch")
def test_the_equations_are_those_of_sampled_matrices():
    """With Σ, S and T that do not commute, and two shapes; r as in a batch of an asymmetric law."""
    rng, d, n0 = np.random.default_rng(2), 240, 480
    tau = np.repeat([1.7, 0.3], d // 2)
    r = rng.exponential(size=n0) - 1
    r -= r.mean()
    V, B_T = np.array([[1.0, 0.3], [0.3, 0.6]]), np.array([[0.5, 0.1], [0.1, 0.2]])
    root = rng.standard_normal((4, 4)) / 2
    B = root @ root.T
    B[:2, 2:] = B[2:, :2] = (B[:2, 2:] + B[2:, :2]) / 2  # as moments of αα are
    seen = np.array([sampled(rng, d, tau, r, V, B, B_T) for _ in range(12)])
    levels = InputLevels(np.array([1.7, 0.3]), np.full(2, 0.5), np.full(2, 0.5))
    step = step_of(problem_of(), 450, "labels")
    batch = batch_of(replace(step, case=identity(step).case), 0)
    batch = batch._replace(ratio=d / n0, r=r, weights=np.full(n0, 1 / n0))
    loads = np.eye(6)[:, [0, 1, 4, 5]]  # x and p of (x, Σx, p)
    operators = LevelOperators(V[None], (loads @ B @ loads.T)[None], B_T[None])
    G = np.zeros((1, 4, 4))
    for _ in range(200):
        found = respond(levels, batch, operators, G)
        G = seen_by_points(levels, found)
    to = embeddings(2)
    each = found.inverse[0]
    weighted = np.einsum("j,jab->ab", levels.weights * levels.tau, each)
    scattered = np.einsum("j,jab->ab", batch.weights * batch.ratio * r**2, (found.M[0] @ G[0])[:, :2, :2])
    typed = np.stack([np.einsum("j,jab->ab", levels.weights, to.x.T @ each @ to.x), weighted[2:4, :2], scattered])
    error = seen.std(axis=0, ddof=1) / np.sqrt(len(seen))
    assert np.abs((seen.mean(axis=0) - typed) / error).max() < 4
    commuting = typed[1] * 0
    assert np.abs((seen.mean(axis=0)[1] - commuting) / error[1]).max() > 10


@pytest.mark.slow
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_large_steps_give_the_limits(gradient):
    problem = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2", inputs="two_level(9, 1/4, 1/2)")
    for ell, n, alpha in ((1, 10**14, "0.18"), (2, 10**16, "0.3")):
        limit = tc.predict(problem, ell=ell, network="literal", gradient=gradient)
        found = tc.step(problem, n=n, alpha=alpha, gradient=gradient)
        assert abs(found.train_gain / limit.train_gain - 1) < 4e-3
        assert abs(found.test_gain / limit.test_gain - 1) < 4e-3


def test_before_the_step_it_is_the_limit():
    problem = problem_of("relu", inputs="power(1/3)")
    found = losses(step_of(problem, 450, "residual"), 0.0, resolution=Resolution(z_level=2))[:, 0]
    limit = tc.predict(problem, ell=0)
    assert np.allclose(found, [limit.train_loss, limit.test_loss], rtol=1e-8)


@pytest.mark.slow
def test_networks_tell_the_covariance_and_its_rest():
    """20 networks after a large step: all gains agree, even noise is too large, and isotropic inputs are far off."""
    problem = problem_of("relu", inputs="two_level(4, 1/2, 1)")
    run = tc.simulate(problem, alpha=[0.2, 0.5], replicates=20, seed=5)
    theories = {
        "all": tc.step(problem, alpha=[0.2, 0.5]),
        "even": tc.step(problem, alpha=[0.2, 0.5], method="isotropic"),
        "none": tc.step(problem_of("relu"), alpha=[0.2, 0.5]),
    }

    def scores(theory):
        rows = zip(run.rows, theory.train_gain, theory.test_gain, strict=True)
        return [
            [(row[f"{name}_gain"] - gain) / row[f"{name}_gain_se"] for name, gain in (("train", train), ("test", test))]
            for row, train, test in rows
        ]

    found = {name: np.abs(scores(theory)) for name, theory in theories.items()}
    assert found["all"].max() < 3
    assert found["none"].max() > 5
    assert found["even"][1, 0] > found["all"][1, 0]


def test_a_fixed_point_that_is_not_reached_is_refused(monkeypatch):
    step = step_of(problem_of("relu", inputs="two_level(4, 1/2, 1)"), 450, "labels")
    network = network_after(step, np.array([8.0]), COARSE)
    monkeypatch.setattr(level_turning, "_TOLERANCE", 0.0)
    with pytest.raises(PrecisionError, match="did not reach 0"):
        solve(network, np.array([0.1]))
