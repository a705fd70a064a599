"""``theorycalc weights``, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json

import pytest

import theorycalc as tc
from tests.helpers.problems import PAPER
from theorycalc.cli import main

WEIGHTS = [
    "weights", "--activation", "relu", "--teacher", "H1 + H2/sqrt(2)", "--phi", "1/2", "--psi", "2/3",
    "--noise", "1/2",
]  # fmt: skip


def run(capsys, *arguments):
    code = main([*WEIGHTS, *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_bulk_alone(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    low, high = tc.weight_spectrum(PAPER).edges[0]
    assert out.splitlines()[1].split()[:4] == ["bulk", repr(low), "…", repr(high)]
    assert "outlier" not in out


def test_the_outlier_with_its_overlaps(capsys):
    code, out, _ = run(capsys, "--n", "1000", "--eta", "8")
    assert code == 0
    found = tc.weight_spectrum(PAPER, n=1000, eta=8)
    for number in (found.outlier, found.overlap_a, found.overlap_direction, found.overlap_teacher):
        assert f" {number!r} " in out
    assert "  note  with a Gaussian second layer" in out


@pytest.mark.parametrize("how", [["--gradient", "labels"], ["--method", "pencil"], ["--second-layer", "sign"]])
def test_options_reach_the_library(capsys, how):
    name, value = how[0].removeprefix("--").replace("-", "_"), how[1]
    problem = PAPER
    options = {name: value}
    if name == "second_layer":
        options, problem = {}, tc.Problem(**(vars(PAPER) | {name: value}))
    data = json.loads(run(capsys, "--n", "1000", "--eta", "8", *how, "--json")[1])
    expected = tc.weight_spectrum(problem, n=1000, eta=8, **options)
    assert data["rows"] == json.loads(json.dumps(expected.to_dict()))["rows"]
    assert data["inputs"] == json.loads(json.dumps(expected.to_dict()))["inputs"]


def test_several_steps(capsys):
    code, out, _ = run(capsys, "--n", "1000", "--eta", "1,8", "--csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["eta"], row["kind"]) for row in rows if row["kind"] != "zero"] == [
        ("1.0", "bulk"), ("8.0", "bulk"), ("8.0", "outlier")
    ]  # fmt: skip
    assert float(rows[-1]["overlap_teacher"]) == tc.weight_spectrum(PAPER, n=1000, eta=8).overlap_teacher


def test_the_help_names_every_outlier(capsys):
    with pytest.raises(SystemExit, match="0"):
        main(["weights", "--help"])
    assert "their bulk, and those that steps drive out of it." in " ".join(capsys.readouterr().out.split())


def test_bad_input_names_the_option(capsys):
    assert run(capsys, "--n", "100", "--eta", "1", "--method", "dressed")[0] == 2
    assert run(capsys, "--eta", "1")[2].count("--n")
    assert "not both" in run(capsys, "--n", "100", "--eta", "1", "--alpha", "1")[2]
