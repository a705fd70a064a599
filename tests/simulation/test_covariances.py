"""Simulated inputs with a covariance: against plain scripts, the formulas before the step, and stored runs."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from scipy.optimize import root

import theorycalc as tc
from theorycalc.simulation import draws
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings, settings_from_dict

LOSSES = (
    *("train_loss_initial", "train_error_initial", "test_loss_initial"),
    *("train_loss", "train_error", "test_loss"),
)
NOISE, RIDGES = 0.5, (0.01, 0.1, 1.0)
EXPONENTIAL = tc.Inputs.given(np.exp(-np.arange(30) / 7), np.arange(30) % 3)  # floats; no share in every third


def problem(inputs, activation="tanh(x + 1)", **options):
    usual = {"n": 60, "d": 30, "N": 45, "ridge": "1/10", "noise": "1/2"}
    return tc.Problem(activation, "H1 + H2/2", inputs=inputs, **usual | options)


# Two levels by hand: of 30 inputs 8 (of 7.5) have 4.5 times the variance of the other 22.  Without a share the upper
# one has that of the trace, (1/4)·4.5 of (1/4)·4.5 + 3/4.
TWO = np.array([4.5] * 8 + [1.0] * 22) * 30 / (8 * 4.5 + 22)
CASES = {
    "two levels": ("two_level(9/2, 1/4)", TWO, [0.6, 0.4], {}, {}),
    "top": ("two_level(9/2, 1/4, 1)", TWO, [1.0, 0.0], {"first_layer": "gaussian"}, {"gradient": "labels"}),
    "bottom, uniform": ("two_level(9/2, 1/4, 1/10)", TWO, [0.1, 0.9], {"intercept": True}, {"input_law": "uniform"}),
    "signs": ("two_level(9/2, 1/4, 1/2)", TWO, [0.5, 0.5], {"step_samples": 90}, {"input_law": "rademacher"}),
    "steps": ("two_level(9/2, 1/4, 1/2)", TWO, [0.5, 0.5], {"steps": 3}, {"gradient": "labels"}),
}


def script(settings, eigenvalues, shares, index):
    """Return the losses of a record: the network of docs/theory/setting.md with x = Σ^½z, as one would type it."""
    p, stream = settings.problem, draws.Source(settings.seed, index).stream
    act, (n, d, N) = p.activation, (settings.n, settings.d, settings.N)
    root_of = np.diag(np.sqrt(eigenvalues))
    g = stream("teacher").standard_normal(d)
    parts = [slice(0, 8), slice(8, 30)]
    v = np.concatenate([math.sqrt(share) * g[p] / np.linalg.norm(g[p]) for share, p in zip(shares, parts, strict=True)])
    beta_star = np.linalg.solve(root_of, v)
    W0 = draws.draw_first_layer(stream("first_layer"), p.first_layer, N, d)
    a = draws.draw_second_layer(stream("second_layer"), p.second_layer, N)

    def sigma(z):
        return act(z) - float(act.mean)

    def signal(x):
        z = x @ beta_star
        return z + (z**2 - 1) / 2

    def points(purpose, count, batch=0):
        return draws.draw_inputs(stream(purpose, batch), settings.input_law, count, d) @ root_of

    W = W0
    for number in range(p.steps):
        X = points("step_inputs", settings.step_samples, number)
        y = signal(X) + NOISE * stream("step_labels", number).standard_normal(len(X))
        residual = y - sigma(X @ W.T) @ a if settings.gradient == "residual" else y
        W = W + settings.steps_taken[0].eta * ((residual[:, None] * a) * act.derivative(X @ W.T)).T @ X / len(X)
    X, T = points("ridge_inputs", n), points("test_inputs", settings.test_samples)
    y = signal(X) + NOISE * stream("ridge_labels").standard_normal(n)
    losses = []
    for lam in settings.ridges:
        row = []
        for V in (W0, W):
            F, G = sigma(X @ V.T), sigma(T @ V.T)
            penalty = lam * np.ones(N)
            if p.intercept:
                F, G = (np.column_stack([features, np.ones(len(features))]) for features in (F, G))
                penalty = np.append(penalty, 0.0)
            head = np.linalg.solve(F.T @ F / n + np.diag(penalty), F.T @ y / n)
            error = np.mean((y - F @ head) ** 2)
            row += [error + head @ (penalty * head), error, np.mean((signal(T) - G @ head) ** 2) + NOISE**2]
        losses.append(row)
    return np.array(losses)


@pytest.mark.parametrize("case", CASES)
def test_losses_are_those_of_a_plain_script(case):
    inputs, eigenvalues, shares, described, options = CASES[case]
    settings = read_settings(problem(inputs, **described), alpha=0.3, ridge=RIDGES, seed=3, **options)
    (record,) = replicate(settings, 4)
    found = np.array([[row[name] for name in LOSSES] for row in record["rows"]])
    np.testing.assert_allclose(found, script(settings, eigenvalues, shares, 4), rtol=1e-8)
    other = script(settings, eigenvalues[::-1], shares, 4)
    assert np.abs(found / other - 1).min() > 1e-4  # the script sees another Σ


def test_equal_eigenvalues_give_the_numbers_of_isotropic_inputs():
    alike, plain = (
        replicate(read_settings(problem(inputs), alpha=0.2, spectrum=True, traces=True), 1)
        for inputs in ("2:1/2, 2:1/2", None)
    )
    assert alike == plain


def test_the_spiked_equivalent_is_a_good_one():
    """F₀ + Σ_k c_1^k c_k η^k (X̃β)^k (a^k)ᵀ: a first-order step of a wide network, so equal to it as η → 0."""
    gaps = []
    for eta in (0.02, 0.01):
        settings = read_settings(problem("two_level(9, 1/4)"), eta=eta, equivalent=["network", "spiked"], ell=1)
        network, spiked = replicate(settings, 0)[0]["rows"]
        assert network["test_loss_initial"] == spiked["test_loss_initial"]
        gaps.append(abs(network["train_gain"] - spiked["train_gain"]))
    assert gaps[1] < 0.6 * gaps[0] < 0.001


def test_the_gaussian_equivalent_is_refused():
    with pytest.raises(tc.ArgumentError, match=r"lacks the means .* take equivalent='spiked'") as caught:
        read_settings(problem("power(1/2)"), eta=1, equivalent=["network", "gaussian"], ell=1)
    assert caught.value.argument == "equivalent"


@pytest.mark.parametrize(
    "inputs", ["two_level(9, 1/4)", "power(1/3, 1/2)", EXPONENTIAL, [(3.3, 0.3, 0.5), (0.1, 1, 0.5)]]
)
def test_runs_are_stored_resumed_and_read_again(inputs, tmp_path):
    """Floats come back as the same floats, so that a run can be extended."""
    described, output = problem(inputs), tmp_path / "run.json"
    settings = read_settings(described, alpha=0.2)
    assert settings_from_dict(json.loads(json.dumps(settings.to_dict()))) == settings
    whole = tc.simulate(described, alpha=0.2, replicates=3)
    tc.simulate(described, alpha=0.2, replicates=2, output=output)
    assert tc.simulate(tc.load_run(output).problem, alpha=0.2, replicates=3, output=output, resume=True) == whole
    assert tc.load_run(output) == whole


def traces(lam, phi, psi, c1, c_rest, eigenvalues):
    """Return s = tr R₀ and ⟨τ/(1 + bsτ)⟩ by docs of random features with a covariance: two equations in s and θ."""
    tau = np.asarray(eigenvalues)

    def equations(logs):
        s, theta = np.exp(logs)
        b = theta * c1**2 / psi
        down = 1 + b * s * tau
        return [
            s * (lam + phi / psi * c_rest**2 * theta + phi * b * np.mean(tau / down)) - 1,
            theta * (1 + c_rest**2 * s + c1**2 * s * np.mean(tau / down)) - 1,
        ]

    solved = root(equations, [math.log(0.5 / lam), math.log(0.5)], tol=1e-12)
    assert solved.success
    s, theta = np.exp(solved.x)
    return s, 1 / (1 + theta * c1**2 / psi * s * tau)


@pytest.mark.slow
@pytest.mark.parametrize("inputs", ["two_level(9, 1/4, 1/2)", "two_level(9, 1/4, 1)", "power(1/3, 1)"])
def test_traces_and_losses_before_the_step_are_those_of_random_features(inputs):
    """s = tr R₀ is m_1, m_2 = (φ/ψ)s⟨τ/(1 + bsτ)⟩, and H_1 in the labels keeps ⟨1/(1 + bsτ)⟩_v of its weight.

    Traces of single draws scatter by a share of order 1/n, and so are off by one: they are judged by that scatter.
    """
    lam, draws_of = 0.1, 24
    described = problem(inputs, "erf", n=300, d=200, N=260)
    run = tc.simulate(described, eta=0, replicates=draws_of, seed=5, traces=True, test_samples=2000)
    (row,) = run.rows
    p, levels, counts = run.problem, run.problem.inputs.levels, run.problem.inputs.multiplicities(200)
    tau = np.repeat([float(level.eigenvalue) for level in levels], counts)
    shares = np.repeat([float(level.share) / count for level, count in zip(levels, counts, strict=True)], counts)

    def scores(tau):
        """z of every quantity, with eigenvalues that may be wrong."""

        def weighed(ridge):
            s, kept = traces(ridge, float(p.phi), float(p.psi), float(p.activation.c1), float(p.activation.c_rest), tau)
            return s * (np.sum(shares * kept) + 0.5 + NOISE**2), s, np.mean(tau * kept)

        total, s, kept = weighed(lam)
        slope = (weighed(lam * 1.001)[0] - weighed(lam / 1.001)[0]) / (lam * (1.001 - 1 / 1.001))
        ratio = float(p.phi) / float(p.psi)
        expected = {"m1": ratio * s, "m2": ratio * s * kept}
        expected |= {"train_loss_initial": lam * total, "test_loss_initial": -slope / s**2}
        of_one = {"m1": math.sqrt(draws_of), "m2": math.sqrt(draws_of)}
        return {
            name: abs(row[name] - value) / (row[f"{name}_se"] * of_one.get(name, 1)) for name, value in expected.items()
        }

    found = scores(tau)
    assert max(found.values()) < 4, found
    assert max(scores(np.ones(200)).values()) > 10  # isotropic inputs would be seen


def rotated_network(rng, eigenvalues, shares, sizes, eta, lam):
    """Gains of one draw of tanh with labels sin(β·x) and a covariance that is not diagonal, with its own randomness."""
    n, d, N = sizes
    Q, _ = np.linalg.qr(rng.standard_normal((d, d)))
    half = Q @ np.diag(np.sqrt(eigenvalues)) @ Q.T
    cut = np.count_nonzero(np.isclose(eigenvalues, eigenvalues[0]))
    upper, lower = rng.standard_normal(cut), rng.standard_normal(d - cut)
    v = Q[:, :cut] @ upper * math.sqrt(shares[0]) / np.linalg.norm(upper)
    v += Q[:, cut:] @ lower * math.sqrt(shares[1]) / np.linalg.norm(lower)
    beta = np.linalg.solve(half, v)
    W = rng.standard_normal((N, d))
    W /= np.linalg.norm(W, axis=1, keepdims=True)
    a = rng.standard_normal(N) / math.sqrt(N)
    X, X_fit, X_test = (rng.standard_normal((count, d)) @ half for count in (n, n, n))
    hidden = np.tanh(X @ W.T)
    residual = np.sin(X @ beta) - hidden @ a
    stepped = W + eta * ((residual[:, None] * (1 - hidden**2)) * a).T @ X / n
    losses = []
    for V in (W, stepped):
        F, y = np.tanh(X_fit @ V.T), np.sin(X_fit @ beta)
        head = np.linalg.solve(F.T @ F / n + lam * np.eye(N), F.T @ y / n)
        train = np.mean((y - F @ head) ** 2) + lam * head @ head
        losses.append([train, np.mean((np.sin(X_test @ beta) - np.tanh(X_test @ V.T) @ head) ** 2)])
    return np.array([*losses[0], *(np.array(losses[0]) - losses[1])])


@pytest.mark.slow
def test_the_simulator_is_an_independent_network_in_another_basis():
    """No line and no random number is shared, and Σ is rotated: means of 150 draws agree by their standard errors."""
    sizes, count = (120, 40, 80), 150
    described = tc.Problem(
        "tanh", "sin(x)", **dict(zip("ndN", sizes, strict=True)), ridge="1/100", inputs="two_level(9, 1/4, 1/2)"
    )
    rng = np.random.default_rng(9)
    eigenvalues = np.array([3.0] * 10 + [1 / 3] * 30)
    plain = np.array([rotated_network(rng, eigenvalues, (0.5, 0.5), sizes, 20.0, 0.01) for _ in range(count)])
    names = ("train_loss_initial", "test_loss_initial", "train_gain", "test_gain")

    def scores(inputs):
        run = tc.simulate(tc.Problem(**vars(described) | {"inputs": inputs}), eta=20, replicates=count, seed=8)
        found = np.array([[row[name] for name in names] for row in run.draws])
        errors = np.hypot(found.std(axis=0, ddof=1), plain.std(axis=0, ddof=1)) / math.sqrt(count)
        return np.abs(found.mean(axis=0) - plain.mean(axis=0)) / errors

    assert scores(described.inputs).max() < 4
    assert scores("two_level(9, 1/4, 9/10)").max() > 4  # the check sees other shares
    assert scores(None).max() > 4
