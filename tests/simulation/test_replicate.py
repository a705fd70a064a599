"""One replicate against a plain script on the same draws, and its promises."""

from __future__ import annotations

import json
import math
import tracemalloc
from types import SimpleNamespace

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

import theorycalc as tc
from theorycalc.errors import DomainError
from theorycalc.simulation import draws, ridge
from theorycalc.simulation import replicate as replicate_module
from theorycalc.simulation.draws import Channel, Labels, Source, draw_direction, draw_labels
from theorycalc.simulation.eigenvalues import decompose, spectrum_record
from theorycalc.simulation.network import Ladder
from theorycalc.simulation.replicate import fresh_losses, replicate
from theorycalc.simulation.ridge import Fit
from theorycalc.simulation.settings import read_settings

RIDGES = (0.01, 0.1, 1.0)
LOSSES = (
    *("train_loss_initial", "train_error_initial", "test_loss_initial"),
    *("train_loss", "train_error", "test_loss"),
)


def problem(activation="tanh(x + 1)", teacher=("1", "1/2"), **options):
    return tc.Problem(activation, teacher, **{"phi": "1/2", "psi": "2/3", "ridge": "1/10", "noise": "1/2"} | options)


def only(settings, index=0):
    """The record of a replicate that has one step."""
    (record,) = replicate(settings, index)
    return record


def script(settings, cell, index):
    """Return the losses of a record, of the network of docs/theory/setting.md as one would type it."""
    p, stream = settings.problem, draws.Source(settings.seed, index).stream
    act, (n, d, N, m) = p.activation, (settings.n, settings.d, settings.N, settings.step_samples)
    sigma, mean = act, float(p.unit_activation.mean) if p.centred else 0.0
    beta_star = draws.draw_direction(stream("teacher"), d)
    W0 = float(p.first_scale) * draws.draw_first_layer(stream("first_layer"), p.first_layer, N, d)
    a = float(p.second_scale) * draws.draw_second_layer(stream("second_layer"), p.second_layer, N)
    noise, lift = float(p.noise), 0.0 if p.centred_labels else float(p.teacher.mean)

    def signal(x):
        z = x @ beta_star
        return lift + z + (z**2 - 1) / 2

    def labels(x, rng):
        return signal(x) + noise * rng.standard_normal(len(x))

    W = W0
    for number in range(p.steps):
        batch = 0 if settings.reuse_batch else number
        X = draws.draw_inputs(stream("step_inputs", batch), settings.input_law, m, d)
        y = labels(X, stream("step_labels", batch))
        residual = y - (sigma(X @ W.T) - mean) @ a if settings.gradient == "residual" else y
        gradient = -((residual[:, None] * a) * act.derivative(X @ W.T)).T @ X / m
        W = W - settings.steps_taken[cell].eta * gradient
    X = draws.draw_inputs(stream("ridge_inputs"), settings.input_law, n, d)
    y = labels(X, stream("ridge_labels"))
    T = draws.draw_inputs(stream("test_inputs"), settings.input_law, settings.test_samples, d)
    losses = []
    for lam in settings.ridges:
        row = []
        for V in (W0, W):
            F, G = sigma(X @ V.T) - mean, sigma(T @ V.T) - mean
            if p.intercept:  # one more feature, without a penalty: the normal equations with it
                F, G = (np.column_stack([features, np.ones(len(features))]) for features in (F, G))
            penalty = lam * np.array([*np.ones(N), *([0.0] if p.intercept else [])])
            head = np.linalg.solve(F.T @ F / n + np.diag(penalty), F.T @ y / n)
            error = np.mean((y - F @ head) ** 2)
            row += [error + head @ (penalty * head), error, np.mean((signal(T) - G @ head) ** 2) + noise**2]
        losses.append(row)
    return np.array(losses)


LIFTED = {"teacher": "x + x^2/2", "centred_labels": False}
CASES = {
    "plain": (problem(), {}),
    "labels alone": (problem(), {"gradient": "labels"}),
    "three steps on one batch": (problem(steps=3), {"reuse_batch": True}),
    "three steps": (problem(steps=3), {}),
    "two steps on the labels": (problem(steps=2, step_samples=2), {"gradient": "labels"}),
    "wide, Gaussian rows": (problem(phi="3/4", psi="1/3", first_layer="gaussian"), {"input_law": "uniform"}),
    "relu, signs": (problem("relu", second_layer="sign", step_samples=2), {"input_law": "rademacher"}),
    "constant, many test points": (problem("softplus", second_layer="constant"), {"test_samples": 1200}),
    "intercept": (problem("relu", intercept=True), {}),
    "wide, intercept": (problem("relu", phi="3/4", psi="1/3", intercept=True), {"test_samples": 700}),
    "raw": (problem("relu", centred=False), {}),
    "raw, intercept, labels with a mean": (problem("relu", centred=False, intercept=True, **LIFTED), {}),
    "scales, uniform": (problem(first_scale="1/sqrt(3)", second_scale="1/2", second_layer="uniform"), {}),
    "scales, Gaussian rows": (problem("relu", first_scale=2, second_scale=3, first_layer="gaussian"), {}),
    "torch": (
        problem("relu", first_scale="1/sqrt(3)", second_layer="uniform", intercept=True, centred=False, **LIFTED),
        {"gradient": "labels"},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_losses_are_those_of_a_plain_script(case):
    described, options = CASES[case]
    settings = read_settings(described, n=60, alpha=[0.1, 0.4], ridge=RIDGES, seed=3, **options)
    for cell, record in enumerate(replicate(settings, 4)):
        found = np.array([[row[name] for name in LOSSES] for row in record["rows"]])
        np.testing.assert_allclose(found, script(settings, cell, 4), rtol=1e-8)
        assert (record["alpha"], record["eta"], record["replicate"]) == ((0.1, 0.4)[cell], 60 ** (0.1, 0.4)[cell], 4)
        for row in record["rows"]:
            assert row["train_gain"] == row["train_loss_initial"] - row["train_loss"]
            assert row["test_gain"] == row["test_loss_initial"] - row["test_loss"]
            assert row["train_error"] < row["train_loss"]


def test_the_ladder_and_corruption_are_those_of_a_plain_script():
    """F_ℓ = F₀ + Σ_k c_1^k c_k η^k (X̃β)^k (a^k)ᵀ, and F₀ ← c_1X̃W₀ᵀ + c_{>1}Z, with the numbers of ReLU by hand."""
    settings = read_settings(
        problem("relu", corrupt_step="3/10", corrupt_fit="1/5"),
        n=60,
        alpha=0.3,
        ridge=0.1,
        equivalent=["spiked", "gaussian"],
        ell=2,
        seed=3,
    )
    stream, (n, d, N) = draws.Source(3, 1).stream, (settings.n, settings.d, settings.N)
    beta_star = draws.draw_direction(stream("teacher"), d)
    W0 = draws.draw_first_layer(stream("first_layer"), "sphere", N, d)
    a = draws.draw_second_layer(stream("second_layer"), "gaussian", N)
    labels = draws.Labels(lambda z: z + (z**2 - 1) / 2, beta_star, 0.5)
    c0, c1, c2 = 1 / math.sqrt(2 * math.pi), 1 / 2, 1 / math.sqrt(8 * math.pi)
    c_rest, eta = math.sqrt(1 / 2 - c0**2 - c1**2), 60**0.3
    X = draws.draw_inputs(stream("step_inputs"), "gaussian", n, d)
    y = draws.draw_labels(stream("step_labels"), labels, draws.Channel(0.3), "gaussian", X)
    beta = X.T @ (y - (np.maximum(X @ W0.T, 0) - c0) @ a) / n
    batches = []
    X = draws.draw_inputs(stream("ridge_inputs"), "gaussian", n, d)
    y = draws.draw_labels(stream("ridge_labels"), labels, draws.Channel(0.2), "gaussian", X)
    T = draws.draw_inputs(stream("test_inputs"), "gaussian", n, d)
    for x, purpose in ((X, "bulk"), (T, "test_bulk")):
        h = x @ beta
        spikes = c1 * c1 * eta * np.outer(h, a) + c1**2 * c2 * eta**2 * np.outer(h**2, a**2)
        bulk = c1 * x @ W0.T + c_rest * stream(purpose).standard_normal((n, N))
        batches.append((np.maximum(x @ W0.T, 0) - c0 + spikes, bulk + spikes, labels.teacher(x @ beta_star)))
    (*fits, _), (*tests, signal) = batches
    for row, F, G in zip(only(settings, 1)["rows"], fits, tests, strict=True):
        inverse = np.linalg.inv(F @ F.T + 0.1 * n * np.eye(n))
        assert row["train_loss"] == pytest.approx(0.1 * y @ inverse @ y, rel=1e-8)
        assert row["train_error"] == pytest.approx(np.mean((y - F @ F.T @ inverse @ y) ** 2), rel=1e-8)
        clean = np.mean((signal - G @ F.T @ inverse @ y) ** 2) + 0.25
        assert row["test_loss_clean"] == pytest.approx(clean, rel=1e-8)


@pytest.mark.parametrize(("height", "spikes"), [(2.0, 0), (2.8, 0), (3.1, 1), (30.0, 1)])
def test_a_spike_stands_above_what_the_edge_moves_by(height, spikes):
    """Three eigenvalues: the threshold is 1 + 4·3^(−2/3) = 2.92 times the largest before the step."""
    x = np.array([1.0, -2.0, 0.0])
    stepped = np.eye(3) + (math.sqrt(height) - 1) * np.outer(x, x) / 5
    assert spectrum_record(decompose(np.eye(3), 1), decompose(stepped, 1), x)["spikes"] == spikes


EVERYTHING = {"equivalent": ["network", "spiked", "gaussian"], "ell": 2, "spectrum": True, "traces": True}


def test_repeats_to_the_last_bit_whatever_came_before():
    settings = read_settings(problem(corrupt_fit=0.2), n=150, alpha=[0.1, 0.3], ridge=RIDGES, **EVERYTHING)
    first = replicate(settings, 1)
    other = replicate(settings, 0)
    with threadpool_limits(limits=2, user_api="blas"):
        second = replicate(settings, 1)
    assert first == second
    assert json.loads(json.dumps(first, allow_nan=False)) == first
    assert other[1]["rows"] != first[1]["rows"]


@pytest.mark.parametrize(("described", "options"), [(problem(), EVERYTHING), (problem(steps=3), {})], ids=str)
def test_steps_together_or_apart_give_the_same_bits(described, options):
    """A curve over α does not depend on the other points of it, nor on their order."""
    given = {"n": 80, "ridge": RIDGES, "seed": 2, **options}
    alphas = [0.1, 0.2, 0.3, 0.45]
    together = read_settings(described, alpha=alphas, **given)
    records = replicate(together, 3)
    assert replicate(together, 3, cells=[2, 0]) == [records[2], records[0]]
    assert replicate(read_settings(described, alpha=alphas[::-1], **given), 3) == records[::-1]
    for alpha, record in zip(alphas, records, strict=True):
        assert only(read_settings(described, alpha=alpha, **given), 3) == record


@pytest.mark.parametrize("model", [0, 1, 2], ids=EVERYTHING["equivalent"])
def test_steps_of_a_replicate_share_its_draw_and_replicates_do_not(model):
    settings = read_settings(problem(), n=80, alpha=[0.1, 0.4], **EVERYTHING)
    (first, second), (other, _) = replicate(settings, 0), replicate(settings, 1)
    for name in ("train_loss_initial", "train_error_initial", "test_loss_initial"):
        assert first["rows"][model][name] == second["rows"][model][name] != other["rows"][model][name]
    assert first["rows"][model]["test_loss"] != second["rows"][model]["test_loss"]
    assert first["traces"] == second["traces"] != other["traces"]
    for name in ("top_initial", "quantiles_initial", "threshold"):
        assert first["spectrum"][name] == second["spectrum"][name] != other["spectrum"][name]


def test_the_curve_of_a_replicate_is_smooth():
    """Neighbours on a fine curve differ by their step alone: by a small part of what two draws differ by."""
    settings = read_settings(problem(), n=100, alpha=list(np.linspace(0.2, 0.21, 5)))
    curves = np.array([[r["rows"][0]["test_loss"] for r in replicate(settings, index)] for index in range(6)])
    assert np.abs(np.diff(curves, axis=1)).max() < curves.std(axis=0, ddof=1).min() / 10
    assert np.abs(np.diff(curves, n=2, axis=1)).max() < np.abs(np.diff(curves, axis=1)).max() / 10


def test_before_the_step_is_computed_once(monkeypatch):
    """F₀ is fitted once and the gradient taken once, however many steps there are."""
    calls = {"ridge_path": 0, "loss_gradient": 0}

    def counted(name, real):
        def call(*arguments):
            calls[name] += 1
            return real(*arguments)

        return call

    for name in calls:
        monkeypatch.setattr(replicate_module, name, counted(name, getattr(replicate_module, name)))
    replicate(read_settings(problem(), n=30, alpha=[0.0, 0.1, 0.2, 0.3, 0.4]), 0)
    assert calls == {"ridge_path": 1 + 5, "loss_gradient": 1}


def test_options_do_not_change_the_network():
    """Equivalents, spectrum and traces are of the same draw, and a shorter path has the same losses."""
    plain = read_settings(problem(), n=80, alpha=0.3, ridge=RIDGES)
    full = read_settings(
        problem(), n=80, alpha=0.3, ridge=RIDGES, equivalent=["network", "spiked", "gaussian"], ell=2, spectrum=True
    )
    assert only(plain)["rows"] == only(full)["rows"][: len(RIDGES)]


def test_no_step_no_gain():
    settings = read_settings(problem(), n=50, eta=0, ridge=RIDGES, equivalent=["network", "spiked", "gaussian"], ell=3)
    for row in only(settings)["rows"]:
        assert row["train_gain"] == 0 == row["test_gain"]


def test_traces_are_their_definition():
    for described in (problem(), problem(phi="3/4", psi="1/3")):
        settings = read_settings(described, n=60, eta=1, ridge=RIDGES, traces=True, seed=5)
        n, d, N = settings.n, settings.d, settings.N
        stream = draws.Source(5, 0).stream
        W0 = draws.draw_first_layer(stream("first_layer"), "sphere", N, d)
        X = draws.draw_inputs(stream("ridge_inputs"), "gaussian", n, d)
        act = settings.problem.activation
        F = act(X @ W0.T) - float(act.mean)
        for row, lam in zip(only(settings)["traces"], RIDGES, strict=True):
            R = np.linalg.inv(F @ F.T + lam * n * np.eye(n))
            assert row["ridge"] == lam
            assert row["m1"] == pytest.approx(N / n * np.trace(R), rel=1e-10)
            assert row["m2"] == pytest.approx(N / n * np.trace(X.T @ R @ X) / d, rel=1e-10)


def test_traces_that_float64_cannot_tell_are_refused():
    settings = read_settings(problem("x", phi="1/4", psi="1/4"), n=40, eta=1, ridge=1e-20, traces=True)
    with pytest.raises(DomainError, match="below the resolution of the eigenvalues"):
        replicate(settings, 0)  # F₀ is square, and of rank d = n/4


@pytest.mark.parametrize("psi", ["2/3", "1/4"])
def test_spectrum_shows_the_spike_and_its_direction(psi):
    """At α = 0.45 the spike of X̃β stands far out, and its left singular vector is X̃β."""
    described = problem("tanh", psi=psi)
    settings = read_settings(described, n=300, alpha=[0.0, 0.45], spectrum=True, seed=1, gradient="labels")
    weak, strong = (record["spectrum"] for record in replicate(settings, 0))
    assert (weak["spikes"], strong["spikes"]) == (0, 1)  # tanh has no second spike, and the third is too weak
    assert strong["top"][0] > 2 * strong["threshold"]
    assert strong["alignments"][0][0] > 0.8
    assert all(sum(row) <= 1 + 1e-12 for row in strong["alignments"])
    assert strong["quantiles"][-1] == strong["top"][0]
    assert len(strong["quantiles"]) == 201
    rank = min(settings.n, settings.N)
    zeros = np.searchsorted(np.array(strong["quantiles_initial"]), 1e-9) / 201
    assert zeros == pytest.approx(1 - rank / settings.n, abs=0.02)


def test_float32_products_change_little():
    described = problem()
    exact, rough = (
        only(read_settings(described, n=400, alpha=0.3, ridge=RIDGES, precision=word))["rows"]
        for word in ("float64", "float32")
    )
    errors = [abs(a[name] / b[name] - 1) for a, b in zip(exact, rough, strict=True) for name in LOSSES]
    assert 0 < max(errors) < 1e-5


def peak_memory(settings) -> int:
    replicate(settings, 0)  # imports and caches are not a replicate's
    tracemalloc.start()
    try:
        replicate(settings, 1)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow
@pytest.mark.parametrize("intercept", [False, True], ids=["", "intercept"])
@pytest.mark.parametrize("options", [{}, {"precision": "float32"}, {"spectrum": True, "traces": True}], ids=str)
@pytest.mark.parametrize("iterations", [600, 5], ids=["lanczos", "svd"])
def test_memory_stays_below_what_was_said(options, iterations, intercept, monkeypatch):
    monkeypatch.setattr(ridge, "MOST_ITERATIONS", iterations)
    settings = read_settings(problem(intercept=intercept), n=500, alpha=[0.3, 0.2, 0.1], **options)
    record, *_ = replicate(settings, 0)
    assert settings.memory / 4 < peak_memory(settings) < settings.memory
    assert record["solver"]["method"] == ("svd" if iterations == 5 else "lanczos")
    assert (record["solver"]["fallback"] is not None) == (iterations == 5)


@pytest.mark.parametrize("steps", [1, 3])
@pytest.mark.parametrize(("phi", "psi"), [("1/2", "2/3"), ("1/20", "1/20")])
def test_memory_of_steps_on_a_large_batch(steps, phi, psi):
    settings = read_settings(problem(phi=phi, psi=psi, step_samples=10, steps=steps), n=200, alpha=[0.1, 0.2])
    assert peak_memory(settings) < settings.memory


@pytest.mark.parametrize("options", [{}, {"equivalent": ["gaussian"], "ell": 5}], ids=str)
def test_step_that_overflows_is_refused(options):
    settings = read_settings(problem("relu"), n=30, eta=1e200, **options)
    with pytest.raises(DomainError, match=r"eta=1e\+200: .*overflow"):
        replicate(settings, 0)


def test_labels_of_zero_leave_nothing_to_learn_and_nothing_to_align_with():
    silent = tc.Problem("tanh", ["0"], "1/2", "2/3", "1/10")
    record = only(read_settings(silent, n=30, eta=1, spectrum=True, gradient="labels"))
    assert not any(record["rows"][0][name] for name in LOSSES)
    assert not np.any(record["spectrum"]["alignments"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("activation", "options"),
    [
        ("relu", {}),
        ("tanh(x + 1)", {}),
        ("relu", {"intercept": True, "biases": "normal(1)"}),
        ("relu", {"intercept": True, "centred": False, "first_scale": 2, "corrupt_fit": "1/4"}),
    ],
)
def test_losses_before_the_step_are_the_predicted_ones(activation, options):
    """docs/theory/test_gain.md#before-the-step, judged by the standard error of 24 draws of a small network."""
    settings = read_settings(problem(activation, **options), n=240, eta=0, ridge=(0.1, 1.0), replicates=24, seed=11)
    rows = [only(settings, index)["rows"] for index in range(24)]
    for j, lam in enumerate(settings.ridges):
        predicted = tc.predict(settings.problem, ell=1, ridge=lam)
        for name in ("train_loss_initial", "test_loss_initial"):
            values = np.array([row[j][name] for row in rows])
            z = (values.mean() - getattr(predicted, name)) / (values.std(ddof=1) / math.sqrt(len(values)))
            assert abs(z) < 4, (name, lam, z)


def test_corrupted_labels_cost_what_noise_costs():
    """All labels corrupted: nothing can be learnt, and a fit is worse than none, which λ = 10¹² leaves."""
    path = (0.1, 1e12)
    for index in range(4):
        lost = problem(corrupt_step=1, corrupt_fit=1)
        corrupted, nothing = only(read_settings(lost, n=200, alpha=0.2, ridge=path), index)["rows"]
        clean, _ = only(read_settings(problem(), n=200, alpha=0.2, ridge=path), index)["rows"]
        assert corrupted["test_loss_clean"] > nothing["test_loss_clean"] > clean["test_loss"]


D, N, DRAWS = 4, 3, 2000
LADDER = Ladder(np.linspace(-1.0, 1.0, N * D).reshape(N, D), np.cos, "float64", 0.0, 0.0)
HEADS = np.array([[0.3, -1.0], [0.8, 0.2], [-0.4, 0.5]])
FIT = Fit(HEADS, np.zeros(2), np.zeros(2), "lanczos", 0.0, None, np.array([0.2, -0.7]))


def labels(noise=0.3):
    return Labels(lambda z: z + z**2, draw_direction(np.random.default_rng(3), D), noise, offset=0.4)


def fit_tested(channel, inputs="gaussian", test_samples=1300, replicate=0):
    law = {"input_law": inputs, "input_scales": None, "d": D, "fit_channel": Channel(*channel)}
    settings = SimpleNamespace(ridges=(0.1, 1.0), test_samples=test_samples, **law)
    return fresh_losses(settings, Source(1, replicate), labels(), LADDER, {"initial": FIT})["initial"]


@pytest.mark.parametrize("inputs", ["gaussian", "rademacher"])
@pytest.mark.parametrize("channel", [(0.0, 0.0), (0.4, 0.0), (0.0, 0.3), (0.5, 0.2), (1.0, 0.0)], ids=str)
def test_losses_are_those_of_drawn_labels(channel, inputs):
    """Labels with a mean, of which one draw is one point of its batch; both are means over independent draws."""
    rng = np.random.default_rng(0)
    found = np.array([fit_tested(channel, inputs, 40, replicate).losses for replicate in range(300)])
    x = rng.standard_normal((DRAWS, 20, D)) if inputs == "gaussian" else 2.0 * rng.integers(0, 2, (DRAWS, 20, D)) - 1
    drawn = []
    for points in x:
        y = draw_labels(rng, labels(), Channel(*channel), inputs, points)[:, None]
        drawn.append(np.mean((y - np.cos(points @ LADDER.initial.T) @ HEADS - FIT.intercepts) ** 2, axis=0))
    errors = [np.std(values, axis=0, ddof=1) / len(values) ** 0.5 for values in (found, drawn)]
    assert np.all(np.abs(np.mean(found, axis=0) - np.mean(drawn, axis=0)) < 4 * np.hypot(*errors))


def test_clean_losses_are_those_of_a_clean_channel():
    clean, corrupted = fit_tested((0.0, 0.0)), fit_tested((0.5, 0.0))
    assert np.array_equal(clean.losses, clean.clean_losses)
    assert np.array_equal(clean.losses, corrupted.clean_losses)
    assert np.all(corrupted.losses != clean.losses)


def test_error_rates_count_signs():
    x = np.concatenate(list(_points(1300)))
    z = labels().signal(x)[:, None] + 0.4
    predicted = np.cos(x @ LADDER.initial.T) @ HEADS + FIT.intercepts + 0.4
    np.testing.assert_allclose(fit_tested((0.5, 0.0)).error_rates, np.mean(z * predicted < 0, axis=0), rtol=1e-12)


def _points(count):
    rng = Source(1, 0).stream("test_inputs")
    while count:
        size = min(count, 512)
        count -= size
        yield rng.standard_normal((size, D))
