"""Answers as JSON, CSV and pictures."""

from __future__ import annotations

import json

import pytest

import theorycalc as tc
from tests.helpers.commands import PREDICT, RELU, run, table


def test_json_for_a_machine(capsys):
    code, out, _ = run(capsys, *PREDICT, "--alpha", "3/10", "--digits", "50", "--json")
    data = json.loads(out)
    assert code == 0
    (row,) = data["rows"]
    assert (row["ell"], data["digits"], data["guarantee"]) == (2, 50, "enclosed")
    assert len(row["m1"]) >= 50
    assert data["inputs"]["ridge"] == "1/10"
    assert data["theorycalc"] == tc.__version__


@pytest.mark.parametrize(
    ("arguments", "known"),
    [
        (["predict", *RELU, "--ell", "1"], "inputs"),
        (["predict", *RELU, "--ell", "1,2"], "inputs"),
        (["staircase", *RELU, "--ell", "1"], "inputs"),
        (["step", *RELU, "--n", "100", "--eta", "1"], "inputs"),
        (["spectrum", *RELU], "inputs"),
        (["spectrum", *RELU, "--n", "100", "--eta", "1,2"], "inputs"),
        (["simulate", *RELU, "--n", "20", "--replicates", "2", "--eta", "1"], "inputs"),
        (["sweep", *RELU, "--ell", "1,2"], "inputs"),
        (["coefficients", "relu", "-k", "1"], "coefficients"),
        (["activations"], "rows"),
        (["latex"], "formulas"),
        (["latex", "Delta", "--ell", "1"], "latex"),
    ],
)
def test_json_is_an_object_that_begins_with_the_version(capsys, arguments, known):
    code, out, _ = run(capsys, *arguments, "--json")
    data = json.loads(out)
    assert code == (3 if arguments[0] == "simulate" else 0)  # two draws are too few for a verdict
    assert next(iter(data.items())) == ("theorycalc", tc.__version__)
    assert data[known]
    if known == "inputs":
        assert data["inputs"]["phi"] == "1/2"


def test_csv_of_coefficients_and_activations(capsys):
    rows = table(capsys, "coefficients", "relu", "-k", "3")
    assert [float(row["c_k"]) for row in rows] == tc.coefficients("relu", 3).tolist()
    digits = table(capsys, "coefficients", "tanh", "-k", "3", "--digits", "30")
    assert digits[1]["c_k"] == "0.605705509602158825583540227556"
    names = table(capsys, "activations")
    assert {"relu", "gelu"} <= {row["name"] for row in names}
    assert next(row for row in names if row["name"] == "leaky_relu")["parameters"] == "negative_slope=0.01"
    assert {row["name"] for row in table(capsys, "latex")} >= {"Delta", "Lambda"}
