"""The laws of what is drawn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.model.inputs import Inputs
from theorycalc.simulation import draws
from theorycalc.simulation.draws import draw_neurons, neuron_coefficients
from theorycalc.simulation.network import SpikeTerms
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import read_settings

RNG = np.random.default_rng


@pytest.mark.parametrize(("law", "fourth"), [("gaussian", 3.0), ("uniform", 1.8), ("rademacher", 1.0)])
def test_inputs_have_the_moments_of_their_law(law, fourth):
    x = draws.draw_inputs(RNG(1), law, 400, 500)
    count = x.size
    for power, moment, spread in ((1, 0.0, 1.0), (2, 1.0, fourth - 1), (3, 0.0, 15.0)):
        assert abs(np.mean(x**power) - moment) < 4 * np.sqrt(spread / count) + 1e-12
    assert abs(np.mean(x**4) - fourth) < 4 * np.sqrt(105 / count)
    assert abs(np.mean(x[:, 0] * x[:, 1])) < 4 / np.sqrt(400)


def test_teacher_has_norm_one_and_no_preferred_axis():
    directions = np.array([draws.draw_direction(RNG(seed), 20) for seed in range(500)])
    np.testing.assert_allclose(np.linalg.norm(directions, axis=1), 1, rtol=1e-14)
    assert np.all(np.abs(directions.mean(axis=0)) < 4 * np.sqrt(1 / 20 / 500))


LEVELS = Inputs.given([4, 4, 4, 1, 1, 1, 1, 1, 1, 0.5, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0, 0, 2, 0, 0])


@pytest.mark.parametrize("law", ["gaussian", "uniform", "rademacher"])
def test_inputs_have_their_covariance(law):
    count, scales = 20000, draws.input_scales(LEVELS, 12)
    tau = np.array([4, 4, 4, *[1] * 6, 0.5, 0, 0]) * 12 / 18.5
    np.testing.assert_allclose(scales**2, tau, rtol=1e-14)
    x = draws.draw_inputs(RNG(2), law, count, 12, scales)
    fourth = {"gaussian": 3.0, "uniform": 1.8, "rademacher": 1.0}[law]
    spread = np.sqrt(np.outer(tau, tau) * np.where(np.eye(12), fourth - 1, 1.0) / count)
    assert np.all(np.abs(x.T @ x / count - np.diag(tau)) <= 4.5 * spread + 1e-12)
    np.testing.assert_array_equal(x, draws.draw_inputs(RNG(2), law, count, 12) * scales)


def test_a_teacher_has_its_shares_and_prefers_no_direction_within_a_level():
    """β⋆·x has variance 1: β⋆ = Σ^−½v, and v is uniform on a sphere in every level; a level of one input has a sign."""
    count, scales = 800, draws.input_scales(LEVELS, 12)
    found = np.array([draws.draw_preferring(RNG(seed), LEVELS, 12) for seed in range(count)])
    np.testing.assert_allclose(np.sum((found * scales) ** 2, axis=1), 1, rtol=1e-13)
    shares = np.add.reduceat((found * scales) ** 2, [0, 3, 9, 10], axis=1)
    np.testing.assert_allclose(shares, np.broadcast_to([1 / 4, 1 / 4, 1 / 2, 0], (count, 4)), atol=1e-14)
    mean = np.mean((found * scales) ** 2, axis=0)[:9]
    expected = np.array([1 / 12] * 3 + [1 / 24] * 6)
    assert np.all(np.abs(mean - expected) < 4.5 * expected * np.sqrt(2 / count))
    signs = np.sign(found[:, :10])
    assert np.all(np.abs(signs.mean(axis=0)) < 4.5 / np.sqrt(count))
    assert np.all(found[:, 10:] == 0)  # inputs that do not vary


def test_corrupted_labels_come_from_points_of_the_same_covariance():
    """E(β⋆·x)² = β⋆ᵀΣβ⋆ = 1, and that of isotropic points is ‖β⋆‖² = 4.6."""
    scales, direction = draws.input_scales(LEVELS, 12), draws.draw_preferring(RNG(0), LEVELS, 12)
    labels, count = draws.Labels(np.square, direction, 0.0), 4000
    x = draws.draw_inputs(RNG(1), "gaussian", count, 12, scales)
    y = draws.draw_labels(RNG(2), labels, draws.Channel(1.0), "gaussian", x, scales)
    assert abs(np.mean(y) - 1) < 4 * np.sqrt(2 / count)
    wrong = draws.draw_labels(RNG(2), labels, draws.Channel(1.0), "gaussian", x)
    assert abs(np.mean(wrong) - 1) > 4 * np.sqrt(2 / count)


def test_several_directions_are_orthonormal_and_prefer_no_axis():
    found = np.array([draws.draw_directions(RNG(seed), 20, 3) for seed in range(500)])
    np.testing.assert_allclose(found.swapaxes(1, 2) @ found, np.broadcast_to(np.eye(3), (500, 3, 3)), atol=1e-14)
    assert np.all(np.abs(found.mean(axis=0)) < 4.5 * np.sqrt(1 / 20 / 500))  # of 60 means
    np.testing.assert_array_equal(draws.draw_directions(RNG(1), 20, 1), draws.draw_direction(RNG(1), 20))


def test_first_layer_on_the_sphere_or_gaussian():
    sphere = draws.draw_first_layer(RNG(0), "sphere", 300, 100)
    np.testing.assert_allclose(np.linalg.norm(sphere, axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(draws.draw_first_layer(RNG(0), "sphere", 300, 100, scale=3.0), 3 * sphere, rtol=1e-14)
    squares = np.sum(draws.draw_first_layer(RNG(0), "gaussian", 300, 100) ** 2, axis=1)
    assert abs(squares.mean() - 1) < 4 * np.sqrt(2 / 100 / 300)
    assert 0.7 < squares.var() / (2 / 100) < 1.4  # χ²: the norms do fluctuate


@pytest.mark.parametrize("law", ["gaussian", "uniform", "sign", "constant"])
def test_second_layer(law):
    N = 4000
    scaled = draws.draw_second_layer(RNG(0), law, N, scale=2.0) * np.sqrt(N) / 2
    if law in ("gaussian", "uniform"):
        fourth, eighth = {"gaussian": (3, 105), "uniform": (9 / 5, 9)}[law]
        assert abs(np.mean(scaled**2) - 1) < 4 * np.sqrt((fourth - 1) / N)
        assert abs(np.mean(scaled**4) - fourth) < 4 * np.sqrt((eighth - fourth**2) / N)
    else:
        np.testing.assert_allclose(scaled**2, 1, rtol=1e-14)
        assert abs(scaled.mean() - (law == "constant")) < 4 / np.sqrt(N)


def labelled(corrupt, noise=0.0, count=3000):
    x = draws.draw_inputs(RNG(5), "gaussian", count, 10)
    labels = draws.Labels(np.sin, draws.draw_direction(RNG(6), 10), noise)
    return x, labels, draws.draw_labels(RNG(7), labels, draws.Channel(corrupt), "gaussian", x)


@pytest.mark.parametrize("corrupt", [0.0, 0.1, 1.0])
def test_corruption_replaces_that_fraction_and_keeps_the_law(corrupt):
    x, labels, y = labelled(corrupt)
    clean = np.sin(x @ labels.direction)
    changed = y != clean
    assert changed.sum() == round(corrupt * len(y))
    if changed.any():
        assert abs(np.corrcoef(y[changed], clean[changed])[0, 1]) < 4 / np.sqrt(changed.sum())
    variance = (1 - np.exp(-2)) / 2  # of sin(Z)
    assert abs(np.mean(y**2) - variance) < 4 * np.sqrt(variance / len(y))


@pytest.mark.parametrize("corrupt", [0.0, 0.5])
def test_flips_change_that_many_signs_and_nothing_else(corrupt):
    x, labels, y = labelled(corrupt, noise=0.1)
    flipped = draws.draw_labels(RNG(7), labels, draws.Channel(corrupt, 0.25), "gaussian", x)
    np.testing.assert_array_equal(np.abs(flipped), np.abs(y))
    assert np.sum(flipped != y) == 750


def test_noise_has_its_variance():
    x, labels, y = labelled(0.0, noise=0.5)
    noise = y - np.sin(x @ labels.direction)
    assert abs(np.mean(noise**2) - 0.25) < 4 * np.sqrt(2 / len(y)) * 0.25


def test_streams_differ_by_seed_replicate_and_purpose():
    sources = [draws.Source(*key) for key in ((0, 0), (1, 0), (0, 1))]
    first = [source.stream(purpose).random() for source in sources for purpose in draws.PURPOSES]
    assert len(set(first)) == len(first) == 3 * len(draws.PURPOSES)
    keys = [(purpose, batch) for purpose in draws.PURPOSES for batch in (1, 2)]
    batches = [source.stream(*key).random() for source in sources for key in keys]
    assert len({*first, *batches}) == 9 * len(draws.PURPOSES)
    again = [source.stream(purpose).random() for source in sources for purpose in draws.PURPOSES]
    assert again == first  # a stream begins anew whenever it is asked for


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
