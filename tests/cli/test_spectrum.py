"""``theorycalc spectrum``, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json

import pytest

import theorycalc as tc
from tests.helpers.problems import PAPER
from theorycalc.cli import main

SPECTRUM = [
    "spectrum", "--activation", "relu", "--teacher", "H1 + H2/sqrt(2)", "--phi", "1/2", "--psi", "2/3",
    "--noise", "1/2",
]  # fmt: skip


def run(capsys, *arguments):
    code = main([*SPECTRUM, *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def expected(**step):
    return tc.spectrum(PAPER, **step)


def test_the_bulk_alone(capsys):
    code, out, err = run(capsys)
    assert (code, err) == (0, "")
    low, high = expected().edges[0]
    assert out.splitlines()[1].split()[:4] == ["bulk", repr(low), "…", repr(high)]
    assert "outlier" not in out


@pytest.mark.slow
def test_a_ridge_changes_nothing(capsys):
    assert run(capsys, "--n", "500", "--alpha", "0.4") == run(capsys, "--ridge", "0.1", "--n", "500", "--alpha", "0.4")


@pytest.mark.slow
def test_outliers_with_their_overlaps(capsys):
    for how in ({}, {"method": "pencil", "powers": 2}):
        options = [word for name, value in how.items() for word in (f"--{name}", str(value))]
        code, out, _ = run(capsys, "--n", "2000", "--alpha", "0.4", *options)
        assert code == 0
        rows = [line.split() for line in out.splitlines() if line.startswith("  outlier")]
        assert [row[1] for row in rows] == [repr(float(z)) for z in expected(n=2000, alpha="0.4", **how).outliers]
        assert rows[0][4] == "H_1(h)"
    code, out, _ = run(capsys, "--n", "2000", "--eta", "0.1")
    assert out.splitlines()[-1].split()[:2] == ["outlier", "none"]


def test_json(capsys):
    code, out, _ = run(capsys, "--n", "2000", "--alpha", "3/10", "--method", "pencil", "--json")
    data = json.loads(out)
    assert code == 0
    found = expected(n=2000, alpha="3/10", method="pencil")
    rows = {kind: [row for row in data["rows"] if row["kind"] == kind] for kind in ("outlier", "spike", "zero")}
    assert [row["low"] for row in rows["outlier"]] == found.outliers.tolist()
    assert [[row[f"overlap_{k}"] for k in range(3)] for row in rows["outlier"]] == found.alignments.tolist()
    assert {row["alpha"] for row in data["rows"]} == {0.3}
    assert [row["power"] for row in rows["spike"]] == [1, 2]
    assert (data["inputs"]["method"], rows["zero"][0]["share"]) == ("pencil", 0.25)
    alone = json.loads(run(capsys, "--json")[1])
    assert (list(alone), [row["kind"] for row in alone["rows"]]) == (list(data), ["bulk", "zero"])


@pytest.mark.slow
def test_several_steps(capsys):
    code, out, _ = run(capsys, "--n", "2000", "--alpha", "0.1,0.4", "--csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["alpha"], row["kind"]) for row in rows][:2] == [("0.1", "bulk"), ("0.1", "zero")]
    outliers = [row for row in rows if row["kind"] == "outlier" and row["alpha"] == "0.4"]
    found = expected(n=2000, alpha="0.4")
    assert [float(row["low"]) for row in outliers] == found.outliers.tolist()
    assert [float(row["overlap_1"]) for row in outliers] == found.alignments[:, 1].tolist()
    both = json.loads(run(capsys, "--n", "2000", "--alpha", "0.1,0.4", "--json")[1])
    assert {row["alpha"] for row in both["rows"]} == {0.1, 0.4}
    assert run(capsys, "--n", "2000", "--alpha", "0.1,0.4")[1].count("Spectrum of FFᵀ/n after one step") == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "0.3"], "needs --n"),
        (["--n", "1000"], "either --alpha"),
        (["--n", "1000.5", "--alpha", "0.3"], "--n 1000.5"),
        (["--n", "1000", "--alpha", "0.3", "--method", "guess"], "--method guess"),
        (["--n", "1000", "--alpha", "0.3", "--powers", "0"], "--powers 0"),
        (["--n", "1000", "--alpha", "0.3", "--powers", "2"], "--powers is for --method pencil"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys, arguments, message):
    code, out, err = run(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
