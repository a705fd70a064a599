"""Networks with options that must have the losses of networks without them, on the same draws, to rounding."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from theorycalc.simulation import draws
from theorycalc.simulation import replicate as replicate_module

LOSSES = (
    *("train_loss_initial", "train_error_initial", "test_loss_initial"),
    *("train_loss", "train_error", "test_loss", "train_gain", "test_gain"),
)
LADDER = {"equivalent": ["network", "spiked", "gaussian"], "ell": 3}


def problem(activation="relu", teacher="H1 + H2/2", **options):
    return tc.Problem(activation, teacher, **{"n": 60, "d": 25, "N": 40, "ridge": "1/10", "noise": "1/2"} | options)


def rows(described, eta=3.0, **options):
    return tc.simulate(described, eta=eta, replicates=2, seed=5, **{"gradient": "labels"} | options).draws


def assert_same(one, other, names=LOSSES):
    for left, right in zip(one, other, strict=True):
        np.testing.assert_allclose(
            [left[name] for name in names], [right[name] for name in names], rtol=1e-8, atol=1e-9
        )


@pytest.mark.parametrize("second_layer", ["gaussian", "uniform", "sign", "constant"])
def test_an_intercept_takes_the_mean_of_the_activation(second_layer):
    """Raw and centred features differ by a constant, which a fit with an intercept does not see."""
    options = {"intercept": True, "second_layer": second_layer}
    assert_same(rows(problem(centred=False, **options), **LADDER), rows(problem(**options), **LADDER))
    without = rows(problem(centred=False, second_layer=second_layer))
    assert abs(without[0]["test_loss"] / rows(problem(second_layer=second_layer))[0]["test_loss"] - 1) > 1e-3


def test_an_intercept_takes_the_mean_of_the_labels():
    """Before any step; the step itself sees the mean of its labels."""
    lifted, centred = (
        rows(problem(teacher="x + x^2 + 2", intercept=True, centred_labels=kept)) for kept in (False, True)
    )
    assert_same(lifted, centred, [name for name in LOSSES if name.endswith("_initial")])
    assert lifted[0]["test_loss"] != pytest.approx(centred[0]["test_loss"], rel=1e-3)


@pytest.mark.parametrize("gradient", ["labels", "residual"])
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("first_layer", ["sphere", "gaussian"])
def test_long_rows_are_a_stretched_activation_and_another_step(gradient, centred, first_layer):
    """σ(x/2) on rows of length 2 is σ on rows of length 1, and a step 4η on it a step η."""
    options = {"centred": centred, "first_layer": first_layer}
    simulated = {"gradient": gradient, "spectrum": True, "traces": True, **LADDER}
    unit = rows(problem("tanh(x + 1)", **options), eta=3.0, **simulated)
    long = rows(problem("tanh(x/2 + 1)", first_scale=2, **options), eta=12.0, **simulated)
    assert_same(long, unit)
    network = [[row for row in found if row["model"] == "network"] for found in (long, unit)]
    assert_same(*network, ["m1", "m2", "overlap_a", "overlap_direction", "overlap_teacher"])
    for one, other in zip(*network, strict=True):
        assert one["top_singular_value"] == pytest.approx(2 * other["top_singular_value"], rel=1e-10)


def test_a_larger_second_layer_is_a_larger_step_on_the_labels():
    assert_same(rows(problem(second_scale=3), eta=1.0, **LADDER), rows(problem(), eta=3.0, **LADDER))
    literal = {"gradient": "residual"}
    larger, usual = rows(problem(second_scale=3), eta=1.0, **literal), rows(problem(), eta=3.0, **literal)
    assert larger[0]["test_loss"] != pytest.approx(usual[0]["test_loss"], rel=1e-3)  # the output is larger, too


def test_labels_that_are_all_flipped_are_fitted_and_tested_with_the_other_sign():
    assert_same(rows(problem(flip_fit=1)), rows(problem()))
    flipped = rows(problem(flip_fit=1))[0]
    assert flipped["test_loss_clean"] > flipped["test_loss"]


def test_channels_of_the_step_and_of_the_fit_are_apart():
    clean = rows(problem())[0]
    for name in ("corrupt_step", "flip_step"):
        step = rows(problem(**{name: "1/2"}))[0]
        assert "test_loss_clean" not in step
        assert step["test_loss_initial"] == clean["test_loss_initial"]
        assert step["test_loss"] != clean["test_loss"]
    for name in ("corrupt_fit", "flip_fit"):
        fit = rows(problem(**{name: "1/2"}))[0]
        assert fit["test_gain_clean"] == fit["test_loss_clean_initial"] - fit["test_loss_clean"]
        assert fit["test_loss_initial"] != clean["test_loss_initial"]


@pytest.mark.slow
def test_labels_without_a_sign_teach_the_fit_nothing():
    """With half of the labels flipped a fit has no correlation with the clean ones, and costs as much on either."""
    run = tc.simulate(problem(flip_fit="1/2"), eta=3, replicates=200, seed=2)
    for when in ("_initial", ""):
        difference = np.array([row[f"test_loss{when}"] - row[f"test_loss_clean{when}"] for row in run.draws])
        assert abs(difference.mean()) < 4 * difference.std(ddof=1) / np.sqrt(len(difference))
    (row,) = run.rows
    assert row["test_loss_clean"] > 1.5 + 0.25 + 4 * row["test_loss_clean_se"]  # worse than the constant 0


def test_steps_have_fresh_batches_unless_the_first_is_reused():
    twice = problem(steps=2, second_layer="sign")
    fresh, reused = rows(twice, spectrum=True), rows(twice, spectrum=True, reuse_batch=True)
    once = rows(problem(second_layer="sign"), spectrum=True)
    names = [name for name in LOSSES if name.endswith("_initial")]
    assert_same(fresh, reused, names)
    assert_same(fresh, once, names)
    assert len({found[0]["test_loss"] for found in (fresh, reused, once)}) == 3
    tiny = rows(twice, eta=1e-9, reuse_batch=True), rows(problem(second_layer="sign"), eta=2e-9)
    assert_same(*([row | {"train_gain": row["train_gain"] * 1e9} for row in found] for found in tiny), ["test_loss"])
    assert tiny[0][0]["train_gain"] == pytest.approx(tiny[1][0]["train_gain"], rel=1e-5)


def test_residual_steps_that_diverge_are_refused():
    with pytest.raises(tc.SimulationError, match="overflow"):
        rows(problem("x + x^2", steps=40), eta=1e3, gradient="residual")


@pytest.mark.parametrize("flip", [0, "1/5"])
def test_error_rates_are_recorded_where_labels_are_signs(flip):
    """A step makes the fit err less, and labels that say nothing make it err half of the time."""
    run = tc.simulate(problem("tanh", "sign(x)", noise=0, flip_fit=flip), eta=8, replicates=40, gradient="labels")
    (row,) = run.rows
    assert 0 < row["error_rate"] < row["error_rate_initial"] < 0.5
    assert row["error_rate_gain"] > 4 * row["error_rate_gain_se"]
    assert all(draw["error_rate_gain"] == draw["error_rate_initial"] - draw["error_rate"] for draw in run.draws)
    assert "error_rate" not in rows(problem())[0]
    useless = tc.simulate(problem("tanh", "sign(x)", flip_fit="1/2"), eta=1, replicates=60, seed=1).rows[0]
    assert abs(useless["error_rate"] - 1 / 2) < 4 * useless["error_rate_se"]


def test_an_error_rate_knows_the_mean_that_labels_lack():
    """Labels of sign(x − 1) less their mean, fitted by their mean alone: the share of the rarer sign is wrong."""
    options = {"noise": 0, "n": 100, "d": 20, "N": 10, "intercept": True, "ridge": 10**9}
    for centred in (True, False):
        run = tc.simulate(problem("tanh", "sign(x - 1)", centred_labels=centred, **options), eta=1, replicates=20)
        (row,) = run.rows
        rare = 0.15865525393145707  # P(Z > 1)
        assert abs(row["error_rate"] - rare) < 4 * (rare * (1 - rare) / 2000) ** 0.5


def test_runs_with_all_that_is_recorded_are_saved_and_compared_with_their_own_files(tmp_path):
    run = tc.simulate(problem("tanh", "sign(x)", corrupt_fit="1/4"), eta=2, replicates=3)
    run.save(tmp_path / "run.json")
    assert tc.load_run(tmp_path / "run.json") == run
    assert {"error_rate_se", "test_gain_clean_se"} <= set(run.rows[0])


def test_several_directions_of_which_the_labels_see_one(monkeypatch):
    """g(t_1, t_2) = f((t_1 + t_2)/√2) is f of one direction, the sum of the two."""
    simulated = {"spectrum": True, "gradient": "residual"}
    two = rows(problem(teacher="t1 + t2 + (t1 + t2)^2/4"), **simulated)

    def their_sum(rng, d, r):
        return draws.draw_directions(rng, d, 2) @ np.array([1.0, 1.0]) / 2**0.5

    monkeypatch.setattr(replicate_module, "draw_directions", their_sum)
    one = rows(problem(teacher="sqrt(2)*x + x^2/2"), **simulated)
    assert_same(two, one, [*LOSSES, "overlap_teacher", "overlap_direction"])


def test_a_direction_without_a_gradient_counts():
    """t_2 is seen by no gradient, but its energy is in the losses."""
    first, both = (rows(problem(teacher=text))[0] for text in ("t1 + 0*t2", "t1 + t1*t2 + H2(t2)/2"))
    assert both["test_loss_initial"] > first["test_loss_initial"] + 0.5


@pytest.mark.parametrize("gradient", ["labels", "residual"])
@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("scale", [1, 2])
def test_neurons_of_one_bias_have_a_shifted_activation(gradient, centred, scale):
    simulated = {"gradient": gradient, "spectrum": True}
    options = {"intercept": True, "centred": centred, "first_scale": scale}
    shifted = rows(problem("tanh(x + 1)", **options), **simulated)
    assert_same(rows(problem("tanh", biases={1: 1}, **options), **simulated), shifted)


def test_two_kinds_of_neurons_are_those_of_a_plain_script():
    """Half of the neurons have a bias; each is less its own mean in the residual, which the intercept does not see."""
    described = problem("relu", biases={0: 1, 2: 1}, intercept=True, noise=0)
    (row, _) = rows(described, gradient="residual")
    stream = draws.Source(5, 0).stream
    beta = draws.draw_direction(stream("teacher"), 25)
    W = draws.draw_first_layer(stream("first_layer"), "sphere", 40, 25)
    a = draws.draw_second_layer(stream("second_layer"), "gaussian", 40)
    b = described.biases.drawn(stream("biases"), 40)
    assert sorted(set(b)) == [0.0, 2.0]
    means = np.where(b == 0, 0.3989422804014327, 2.0084907)  # E max(0, Z + 2) = 2Φ(2) + φ(2)
    X, T = (draws.draw_inputs(stream(f"{name}_inputs"), "gaussian", 60, 25) for name in ("step", "ridge"))
    y, target = (z + (z**2 - 1) / 2 for z in (X @ beta, T @ beta))
    residual = y - (np.maximum(X @ W.T + b, 0) - means) @ a
    moved = W + 3 * ((residual[:, None] * (X @ W.T + b > 0)).T @ X) * a[:, None] / 60
    for weights, name in ((W, "train_loss_initial"), (moved, "train_loss")):
        F = np.maximum(T @ weights.T + b, 0)
        F, z = F - F.mean(axis=0), target - target.mean()
        assert row[name] == pytest.approx(0.1 * z @ np.linalg.solve(F @ F.T + 6 * np.eye(60), z), rel=1e-5)


@pytest.mark.slow
def test_the_mean_of_raw_features_is_no_spike_and_hides_none():
    """Its eigenvalue N c_0² is far above the bulk before the step; spikes are counted against the edge without it."""
    sizes = {"n": 300, "d": 150, "N": 200, "teacher": "H1"}
    found = {}
    for centred in (True, False):
        described = problem("tanh(x) + 1/2", centred=centred, **sizes)
        run = tc.simulate(described, alpha=0.45, replicates=2, spectrum=True, gradient="labels")
        found[centred] = [record["spectrum"] for record in run.records]
    for raw, plain in zip(found[False], found[True], strict=True):
        assert raw["top_initial"][0] > 20 > 2 * plain["threshold"]
        assert raw["threshold"] == pytest.approx(plain["threshold"], rel=0.05)
        assert (raw["spikes"], plain["spikes"]) == (1, 1)
        assert max(row[0] for row in raw["alignments"]) > 0.8
        assert all(sum(row) <= 1 + 1e-12 for row in raw["alignments"])
