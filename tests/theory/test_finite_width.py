"""Terms of a finite width: the norm of the inputs, and a neuron's own output in the residual."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit

import theorycalc as tc
from theorycalc.theory.dressed.accuracy import evaluate, untrained_shift
from theorycalc.theory.dressed.neurons import Resolution, step_of
from theorycalc.theory.dressed.nodes_of_kinds import own_output


@pytest.mark.slow
@pytest.mark.checks("input_norm")
@pytest.mark.parametrize("gradient", ["labels", "residual"])
def test_equal_second_layers_meet_the_norm_of_the_inputs(gradient):
    """Simulated networks with a constant second layer: the gains agree, and those without ‖x‖² are rejected."""
    names = "tanh(x + 1)", "H1 + H2/sqrt(2)"
    case = tc.Problem(*names, n=300, d=150, N=225, ridge="1/10", noise="1/2", second_layer="constant")
    run = tc.simulate(case, alpha=0.1, replicates=60, seed=3, gradient=gradient)
    (row,) = run.rows
    step = tc.step(case, alpha=0.1, gradient=gradient)
    even = tc.step(case, alpha=0.1, gradient=gradient, method="isotropic")  # does not know ‖x‖²
    for name in ("train_gain", "test_gain"):
        assert abs(row[name] - getattr(step, name)) < 4 * row[f"{name}_se"]
    assert abs(row["test_gain"] - even.test_gain) > 4 * row["test_gain_se"]


@pytest.mark.checks("input_norm")
@pytest.mark.parametrize("options", [{}, {"first_layer": "gaussian"}, {"second_layer": "constant"}])
def test_before_the_step_the_norm_of_the_inputs_is_a_closed_form(options):
    case = tc.Problem("tanh(x + 1)", "H1 + H2/2", "1/2", "2/3", "1/10", "1/2", **options)
    step, ridge = step_of(case, 300, "residual"), np.array([0.1, 1.0])
    found = evaluate(step, np.zeros(2), ridge, Resolution(), with_error=True)[[0, 1, 3]]
    limit = tc.predict(case, ell=0, ridge=ridge)
    before = np.array([limit.train_loss, limit.test_loss, limit.train_error])
    shift = untrained_shift(step, ridge)
    assert np.all(np.abs(found - before - shift) < 1e-8 * before)
    assert np.all(np.abs(shift) > 1e-5 * before)


@pytest.mark.checks("input_norm")
def test_the_norm_of_the_inputs_is_a_spike_of_the_features():
    """ỹᵀR₀ỹ falls by (δᵀR₀ỹ)²c_2²Nθ/(1 + ζ), in matrices of Gaussian features with that spike: 200 draws."""
    n, d, N, c2, shift = 60, 40, 50, 0.8, 6.0
    rng = np.random.default_rng(1)
    left, right = [], []
    for _ in range(200):
        F, delta, y = rng.standard_normal((n, N)), rng.standard_normal(n) * math.sqrt(2 / d), rng.standard_normal(n)
        R = np.linalg.inv(F @ F.T + shift * np.eye(n))
        with_spike = F + c2 * np.outer(delta, np.ones(N))
        left.append(y @ R @ y - y @ np.linalg.solve(with_spike @ with_spike.T + shift * np.eye(n), y))
        form, theta = c2 * delta, N - np.ones(N) @ F.T @ R @ F @ np.ones(N)
        cross = 1 + np.ones(N) @ F.T @ R @ form
        mid = np.array([[form @ R @ form, cross], [cross, -theta]])
        q = np.array([form @ R @ y, np.ones(N) @ F.T @ R @ y])
        right.append(q @ np.linalg.solve(mid, q))
    assert np.allclose(left, right, rtol=1e-8)


@pytest.mark.checks("own_output")
def test_the_own_output_by_its_definition():
    """m = E[Zσ(σ' − c_1)] of a centred σ, by another rule and without Stein's identity."""
    z = np.linspace(-12, 12, 400_001)
    weights = np.exp(-(z**2) / 2) / math.sqrt(2 * math.pi) * (z[1] - z[0])
    for text, values, slope in (
        ("tanh(x + 1)", np.tanh(z + 1), 1 - np.tanh(z + 1) ** 2),
        ("relu", np.maximum(z, 0), (z > 0) * 1.0),
        ("max(0, x)**2", np.maximum(z, 0) ** 2, 2 * np.maximum(z, 0)),
    ):
        step = step_of(tc.Problem(text, "H1", "1/2", "2/3", "1/10"), 300, "residual")
        c1 = weights @ (z * values)
        wanted = weights @ (z * (values - weights @ values) * (slope - c1))
        assert step.own_output == pytest.approx(wanted, rel=1e-6)
        assert own_output(step.activation, step.case.c1) == step.own_output
        assert step_of(tc.Problem(text, "H1", "1/2", "2/3", "1/10"), 300, "labels").own_output == 0


@pytest.mark.checks("own_output")
def test_a_neuron_is_shortened_by_its_own_output():
    """w_i·Δw_i of the own output in the rest of the gradient is −ηa_i²m on average, in a real network."""
    n, d, N, eta = 400, 200, 300, 8.0
    step = step_of(tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), N, "residual")
    rng = np.random.default_rng(0)
    X, W = rng.standard_normal((n, d)), rng.standard_normal((N, d))
    W, a = W / np.linalg.norm(W, axis=1, keepdims=True), rng.standard_normal(N) / math.sqrt(N)
    Z = X @ W.T
    values, slopes = step.activation.values(Z), (Z > 0) * 1.0
    own = -eta * (a**2)[:, None] * ((values * (slopes - step.case.c1)).T @ X) / n
    shortened = np.einsum("id,id->i", own, W) / (eta * a**2)
    error = shortened.std(ddof=1) / math.sqrt(N)
    assert abs(shortened.mean() + step.own_output) < 4 * max(error, step.own_output / math.sqrt(n))


@pytest.mark.slow
@pytest.mark.checks("own_output")
@pytest.mark.parametrize(("name", "slope"), [("relu", lambda z: (z > 0) * 1.0), ("softplus", expit)])
def test_the_own_output_changes_the_gain_as_the_theory_says(name, slope):
    """The literal network beside one without the own outputs in the rest of its gradient, on the same draws.

    The first has k_u = 1 − mu²/η and the second 1: the gain between them is that of m, and not of m + c_1².
    """
    n, d, N, eta, ridge, noise = 300, 150, 225, 8.0, 0.1, 0.5
    step = step_of(tc.Problem(name, "H1 + H2/2", n=n, d=d, N=N, ridge="1/10", noise="1/2"), N, "residual")
    sigma, c1, rng, gained = step.activation.values, step.case.c1, np.random.default_rng(0), []
    for _ in range(60):
        W, a = rng.standard_normal((N, d)), rng.standard_normal(N) / math.sqrt(N)
        W /= np.linalg.norm(W, axis=1)[:, None]
        X, fresh, test = (rng.standard_normal((size, d)) for size in (n, n, 2000))
        y, labels, wanted = (
            step.teacher.values(x[:, 0]) + noise * rng.standard_normal(len(x)) for x in (X, fresh, test)
        )
        values, slopes = sigma(X @ W.T), slope(X @ W.T)
        gradient = a[:, None] * ((slopes * (y - values @ a)[:, None]).T @ X) / n
        own = -((a**2)[:, None]) * ((values * (slopes - c1)).T @ X) / n
        losses = []
        for moved in (W + eta * (gradient - own), W + eta * gradient):
            F = sigma(fresh @ moved.T)
            fit = np.linalg.solve(F.T @ F / n + ridge * np.eye(N), F.T @ labels / n)
            losses.append(np.mean((wanted - sigma(test @ moved.T) @ fit) ** 2))
        gained.append(losses[0] - losses[1])
    error = np.std(gained, ddof=1) / math.sqrt(len(gained))
    at = np.array([eta]), np.array([ridge]), Resolution()
    without, literal, twice = (
        evaluate(replace(step, own_output=m), *at)[1, 0] for m in (0.0, step.own_output, step.own_output + c1**2)
    )
    assert abs(np.mean(gained) - (without - literal)) < 4 * error
    assert abs(np.mean(gained) - (without - twice)) > 10 * error
