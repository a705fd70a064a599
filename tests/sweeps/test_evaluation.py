"""Points of a grid have the values of predict() and step(), or a reason."""

from __future__ import annotations

import csv
import dataclasses
import io
import itertools
import json
import math

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.sweeps import NETWORK, PROBLEM, RIDGES, cut_in_fives
from theorycalc.sweeps import evaluation, sweeping

small_pieces = pytest.fixture(cut_in_fives)


def test_every_value_is_that_of_predict(small_pieces):
    over = {"ridge": RIDGES, "activation": ["relu", "leaky_relu(0.1)"], "phi": "0.1:2:4", "ell": [0, 2, "inf"]}
    found = tc.sweep(PROBLEM, over, quantities=("test_gain", "m1", "train_loss"))
    assert found.shape == (7, 2, 4, 3)
    for (j, name), (m, ell) in itertools.product(enumerate(over["activation"]), enumerate(over["ell"])):
        problem = dataclasses.replace(PROBLEM, activation=name)
        wanted = tc.predict(problem, ell=ell, ridge=RIDGES[:, None], phi=found.axes["phi"])
        for quantity in ("test_gain", "m1", "train_loss"):  # both are within 1e-14 of the truth (docs/accuracy.md)
            np.testing.assert_allclose(found[quantity][:, j, :, m], getattr(wanted, quantity), rtol=2e-14, atol=0)


@pytest.mark.slow
def test_finite_steps_are_those_of_step(small_pieces):
    over = {"alpha": [0, 0.2, 0.4], "n": "100,200", "ridge": ["1/10", 1], "noise": ["0", "1/2"]}
    found = tc.sweep(NETWORK, over, quantities=("train_gain", "test_loss", "error", "converged"))
    assert found.shape == (3, 2, 2, 2)
    assert not found.reasons
    for (j, n), (m, noise) in itertools.product(enumerate((100, 200)), enumerate((0, "1/2"))):
        problem = dataclasses.replace(NETWORK, noise=noise)
        wanted = tc.step(problem, n=n, alpha=np.array([0, 0.2, 0.4])[:, None], ridge=[0.1, 1.0])
        for quantity in ("train_gain", "test_loss"):  # to the accuracy of the quadrature, which is chosen for all steps
            np.testing.assert_allclose(found[quantity][:, j, :, m], getattr(wanted, quantity), rtol=1e-8, atol=1e-9)
    assert found["error"].max() < 5e-9
    assert np.all(found["converged"] == 1)


def test_steps_by_eta_and_by_method():
    over = {"n": [200], "eta": [0, 0.5], "method": ["dressed", "pencil"]}
    found = tc.sweep(NETWORK, over, quantities=["test_gain"])
    for m, method in enumerate(over["method"]):
        wanted = tc.step(NETWORK, n=200, eta=[0, 0.5], method=method).test_gain
        np.testing.assert_allclose(found["test_gain"][0, :, m], wanted, rtol=1e-8, atol=1e-12)


def test_alpha_on_a_boundary_has_a_reason_and_no_value(small_pieces):
    found = tc.sweep(PROBLEM, {"alpha": "0.05:0.45:9", "ridge": [0.1, 1]}, quantities=["test_gain"])
    gains = found["test_gain"]
    assert isinstance(gains, np.ma.MaskedArray)
    masked = [round(float(a), 2) for a, row in zip(found.axes["alpha"], gains.mask, strict=True) if row.all()]
    assert masked == [0.25, 0.4, 0.45]
    for alpha, row in zip(found.axes["alpha"], gains, strict=True):
        if not row.mask.any():
            assert np.array_equal(row, tc.predict(PROBLEM, alpha=float(alpha), ridge=[0.1, 1]).test_gain)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    without = [row for row in rows if row["test_gain"] == ""]
    assert [row["alpha"] for row in without] == ["0.25", "0.25", "0.4", "0.4", "0.45", "0.45"]
    assert all("on the boundary" in row["reason"] for row in without)
    assert all(row["reason"] == "" for row in rows if row["test_gain"])
    assert "6 without a value" in repr(found)
    xarray = pytest.importorskip("xarray")
    assert isinstance(found.to_dataset(), xarray.Dataset)
    assert np.isnan(found.to_dataset()["test_gain"].values).sum() == 6


def test_a_step_that_cannot_be_computed_leaves_the_others(small_pieces):
    steep = dataclasses.replace(NETWORK, activation="H1 + H4", teacher="H1")
    found = tc.sweep(steep, {"n": 1000, "eta": [0.1, 1e6], "ridge": [0.1, 1.0]}, quantities=["test_gain"])
    assert found["test_gain"].mask.tolist() == [[[False, False], [True, True]]]
    assert set(found.reasons) == {2, 3}
    assert "take a smaller step" in found.reasons[2]
    wanted = tc.step(steep, n=1000, eta=0.1, ridge=[0.1, 1.0]).test_gain
    np.testing.assert_allclose(found["test_gain"][0, 0], wanted, rtol=1e-8)
    assert found.rows[0]["reason"] is None


def test_infinite_losses_are_values(tmp_path):
    found = tc.sweep(PROBLEM, {"ell": 1, "ridge": [0, 1], "phi": "2/3"}, quantities=["test_loss"])
    assert found["test_loss"][0, 0, 0] == math.inf
    assert found.to_csv().splitlines()[1] == "1,0.0,0.6666666666666666,inf"
    assert found.to_dict()["rows"][0]["test_loss"] == "inf"
    json.dumps(found.to_dict(), allow_nan=False)


def test_no_value_without_a_reason(monkeypatch):
    @dataclasses.dataclass
    class Broken:
        test_gain: float = math.nan

    real = evaluation.predict
    monkeypatch.setattr(evaluation, "predict", lambda *a, **k: Broken() if k["ell"] == 2 else real(*a, **k))
    with pytest.raises(tc.SweepError, match="point 1 of the grid has no value") as stop:
        tc.sweep(PROBLEM, {"ell": [1, 2]}, quantities=["test_gain"])
    assert stop.value.sweep.done == 0


def test_a_combination_without_a_value_is_named_before_any_work(monkeypatch):
    monkeypatch.setattr(sweeping, "evaluate", None)
    over = {"noise": [0, 0.5], "teacher": ["H1", "3"], "ell": [1, 2], "ridge": RIDGES}
    with pytest.raises(tc.DomainError, match="at teacher=3, ell=1: the teacher is zero and noise=0"):
        tc.sweep(PROBLEM, over)


RATES = ["error_rate_initial", "error_rate", "error_rate_gain"]
SIGNS = tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10")


def test_every_rate_is_that_of_error_rate(small_pieces):
    over = {"phi": ["1/2", 1], "ell": [0, 1], "ridge": [0.1, 1.0], "network": ["theorem", "literal"]}
    found = tc.sweep(SIGNS, over, quantities=[*RATES, "test_gain"])
    for (i, phi), (j, ell), (k, network) in itertools.product(*(enumerate(over[x]) for x in ("phi", "ell", "network"))):
        problem = dataclasses.replace(SIGNS, phi=phi)
        wanted = tc.error_rate(problem, ell=ell, ridge=[0.1, 1.0], network=network)
        for name in RATES:
            np.testing.assert_array_equal(found[name][i, j, :, k], getattr(wanted, name))
        gains = tc.predict(problem, ell=ell, ridge=[0.1, 1.0], network=network).test_gain
        np.testing.assert_array_equal(found["test_gain"][i, j, :, k], gains)
    assert not set(RATES) & set(tc.sweep(SIGNS, {"ell": 1}).grid.quantities)


@pytest.mark.slow
def test_rates_of_finite_steps_and_the_worse_of_two_accuracies():
    found = tc.sweep(SIGNS, {"n": 100, "alpha": [0.1, 0.3]}, quantities=["error_rate", "test_loss", "error"])
    rates, losses = (take(SIGNS, n=100, alpha=[0.1, 0.3]) for take in (tc.error_rate, tc.step))
    np.testing.assert_array_equal(found["error_rate"][0], rates.error_rate)
    np.testing.assert_array_equal(found["test_loss"][0], losses.test_loss)
    np.testing.assert_array_equal(found["error"][0], np.maximum(rates.error, losses.error))
    alone = tc.sweep(SIGNS, {"n": 100, "alpha": [0.1, 0.3]}, quantities=["error_rate", "error", "converged"])
    np.testing.assert_array_equal(alone["error"][0], rates.error)
    assert alone["converged"].all()


@pytest.mark.parametrize(("over", "words"), [
    ({"teacher": ["sign(x)", "H1"], "ell": 1}, r"at teacher=H1, ell=1: an error rate needs labels ±1"),
    ({"n": 50, "alpha": 0.1, "teacher": "H1"}, r"at n=50, teacher=H1: an error rate needs labels ±1"),
    ({"n": 50, "alpha": 0.1, "method": "pencil"}, "error rates are those of dressed features, and method='pencil'"),
])  # fmt: skip
def test_a_grid_without_rates_is_refused_before_any_work(monkeypatch, over, words):
    monkeypatch.setattr(sweeping, "evaluate", None)
    with pytest.raises(tc.TheoryError, match=words):
        tc.sweep(SIGNS, over, quantities="error_rate")


def test_finite_steps_have_losses_on_clean_labels():
    over = {"corrupt_fit": [0, "3/10"], "n": [60], "alpha": ["1/5"]}
    found = tc.sweep(NETWORK, over, quantities=["test_loss", "test_loss_clean", "test_gain_clean"])
    clean, corrupted = (tc.step(dataclasses.replace(NETWORK, corrupt_fit=p), n=60, alpha="1/5") for p in (0, "3/10"))
    assert found["test_loss_clean"].ravel().tolist() == [clean.test_loss, corrupted.test_loss_clean]
    assert found["test_gain_clean"].ravel().tolist() == [clean.test_gain, corrupted.test_gain_clean]


def test_options_that_a_step_does_not_know_are_refused_before_any_work():
    with pytest.raises(tc.TheoryError, match=r"^at steps=2, n=60: steps=2: large steps on the residual") as caught:
        tc.sweep(NETWORK, {"steps": [1, 2], "n": [60], "alpha": ["1/5"]})
    assert caught.value.argument == "steps"


@pytest.mark.slow
def test_sweeps_follow_biases_by_every_method():
    biases = ["0:1", "0:1/2, 1:1/2"]
    axes = {"intercept": [True], "biases": biases, "method": ["dressed", "pencil"], "n": [60], "alpha": ["1/5"]}
    found = tc.sweep(NETWORK, axes, quantities="test_gain")
    by_pencil = tc.step(
        dataclasses.replace(NETWORK, intercept=True, biases=biases[1]), n=60, alpha="1/5", method="pencil"
    )
    gains = np.asarray(found["test_gain"]).ravel()
    assert gains.shape == (4,)
    assert float(by_pencil.test_gain) == gains[3]
