"""``theorycalc features``, run as a user runs it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.pools import law
from theorycalc.cli import main

F, Y = law(10).draw(300, np.random.default_rng(0))


@pytest.fixture
def file(tmp_path):
    np.savez(tmp_path / "features.npz", features=F, labels=Y)
    return str(tmp_path / "features.npz")


def answer(capsys, *arguments):
    assert main(["features", *arguments, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_losses_are_those_of_the_library(capsys, file):
    found = answer(capsys, file, "--n", "20,50", "--ridge", "0.1,1")
    expected = tc.features(F, Y).losses([20, 50], [0.1, 1])
    assert [row["test_loss"] for row in found["rows"]] == expected.test_loss.ravel().tolist()
    without = answer(capsys, file, "--n", "50", "--ridge", "0.1", "--no-intercept")
    assert without["rows"][0]["test_loss"] == tc.features(F, Y, intercept=False).losses([50], [0.1]).test_loss[0, 0]


def test_the_best_ridge_the_pool_and_a_range_of_n(capsys, file):
    assert answer(capsys, file)["kind"] == "feature_pool"
    found = answer(capsys, file, "--n", "10:100:3:log")
    assert [row["n"] for row in found["rows"]] == [10, 32, 100]
    assert found["rows"][0]["ridge"] == tc.features(F, Y).best_ridge([10, 32, 100]).ridge[0]


def test_splits(capsys, file):
    found = answer(capsys, file, "--n", "20", "--ridge", "0.1", "--draws", "3", "--seed", "2")
    expected = tc.features(F, Y).compare(F, Y, [20], [0.1], draws=3, seed=2)
    assert [row["observed"] for row in found["rows"]] == [row["observed"] for row in expected.rows]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["missing.npz"], "cannot read missing.npz"),
        (["FILE", "--ridge", "1"], "--n is missing"),
        (["FILE", "--n", "20", "--draws", "3"], "give --ridge"),
        (["FILE", "--n", "1"], "--n"),
        (["FILE", "--n", "20", "--ridge", "-1"], "must not be negative"),
    ],
)
def test_refusals(capsys, file, arguments, words):
    assert main(["features", *(file if one == "FILE" else one for one in arguments)]) == 2
    assert words in capsys.readouterr().err
