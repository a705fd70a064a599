"""Simulated neurons with biases: their functions, their coefficients, and their losses against the limits."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.simulation.biased import draw_neurons, neuron_coefficients
from theorycalc.simulation.network import SpikeTerms
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings


def problem(biases: object, activation: str = "tanh", **options: object) -> tc.Problem:
    return tc.Problem(
        activation,
        "H1 + H2/2",
        **{"phi": "1/2", "psi": "2/3", "ridge": "1/10", "intercept": True} | options,
        biases=biases,
    )


@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
def test_coefficients_are_those_of_the_shifted_activation(activation):
    known = problem({0: 1}, activation, first_scale="1/2")
    biases = np.array([1.0, -0.5, 1.0])
    coefficients, c_rest = neuron_coefficients(known, biases, 4)
    for i, bias in enumerate(biases):
        exact = known.activation.stretched(known.first_scale, float(bias))
        assert coefficients[:, i] == pytest.approx(exact.coefficients(4), abs=1e-13)
        assert c_rest[i] == pytest.approx(float(exact.c_rest), abs=1e-13)


@pytest.mark.parametrize("biases", [{0: 1, 1: 2}, "normal(1)", "uniform(2)"])
def test_each_neuron_is_shifted_by_its_bias_and_centred(biases):
    raw, centred = (
        draw_neurons(np.random.default_rng(2), problem(biases, centred=centred), 60, 3) for centred in (False, True)
    )
    b = problem(biases).biases.drawn(np.random.default_rng(2), 60)
    z = np.linspace(-2, 2, 5)[:, None] + np.zeros(60)
    assert raw.functions.activation(z) == pytest.approx(np.tanh(z + b))
    assert raw.functions.slope(z) == pytest.approx(1 / np.cosh(z + b) ** 2)
    assert raw.functions.activation(z) - centred.functions.activation(z) == pytest.approx(raw.c0 + 0 * z)
    sample = np.random.default_rng(3).standard_normal((40_000, 60))
    means = centred.functions.activation(sample).mean(axis=0)
    assert np.all(np.abs(means) < 5 / 200)  # the standard error is at most 1/200


def test_spikes_of_neurons_with_biases():
    strengths = np.array([[1.0, 2.0], [10.0, 0.0]])
    bulk = np.zeros((1, 2))
    SpikeTerms(strengths, np.ones(1), np.array([1.0, 2.0])).add_to(bulk, np.array([[3.0]]))
    assert bulk.tolist() == [[1 * 3 * 1 + 10 * 9 * 1, 2 * 3 * 2]]


def test_one_kind_without_a_bias_is_the_network_without_biases():
    rows = []
    for biases in (None, {0: 1}):
        settings = read_settings(problem(biases), n=40, alpha=0.3, equivalent=["network", "spiked", "gaussian"], ell=2)
        rows.append(replicate(settings, 0)[0]["rows"])
    for plain, biased in zip(*rows, strict=True):
        for name, value in plain.items():
            assert biased[name] == (value if name == "model" else pytest.approx(value, rel=1e-9))


def test_a_run_with_biases_comes_back(tmp_path):
    known = problem({0: 1, 1: 1})
    run = tc.simulate(known, n=30, alpha=0.2, replicates=2)
    run.save(tmp_path / "run.json")
    assert tc.load_run(tmp_path / "run.json").problem.biases == known.biases


@pytest.mark.slow
@pytest.mark.checks("kind_equations", "kind_slopes")
@pytest.mark.parametrize("biases", [{0: 1, 2: 1}, "normal(2)"])
def test_losses_before_the_step_are_the_limits(biases):
    """Of networks and of their Gaussian equivalents, each neuron with the coefficients of its kind."""
    known = problem(biases, noise="1/2", centred=False)
    models = ["network", "gaussian"]
    run = tc.simulate(known, n=400, alpha=0.1, replicates=24, gradient="labels", equivalent=models, ell=1)
    limit, plain = (tc.predict(replace(run.problem, biases=one), ell=0) for one in (run.problem.biases, None))
    for model in models:
        scores = []
        for name in ("train_loss_initial", "test_loss_initial", "train_error_initial"):
            values = np.array([row[name] for row in run.draws if row["model"] == model])
            error = values.std(ddof=1) / np.sqrt(len(values))
            assert abs(values.mean() - getattr(limit, name)) < 3.5 * error
            scores.append(abs(values.mean() - getattr(plain, name)) / error)
        assert max(scores) > 5
