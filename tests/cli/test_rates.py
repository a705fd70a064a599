"""``theorycalc error-rate``, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json

import pytest

import theorycalc as tc
from theorycalc.cli import main

PROBLEM = tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10")
RATE = ["error-rate", "--activation", "tanh", "--teacher", "sign(x)", "--phi", "1/2", "--psi", "2/3"]


def run(capsys, *arguments):
    code = main([*RATE, *arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_the_limit(capsys):
    code, out, err = run(capsys, "--ridge", "0.1", "--ell", "1", "--network", "literal", "--json")
    assert (code, err) == (0, "")
    expected = tc.error_rate(PROBLEM, ell=1, network="literal").error_rate
    assert json.loads(out)["rows"][0]["error_rate"] == expected


@pytest.mark.slow
def test_a_network_over_ridges(capsys):
    code, out, _ = run(capsys, "--ridge", "0.1,1", "--n", "100", "--eta", "2", "--csv")
    assert code == 0
    rows = list(csv.DictReader(io.StringIO(out)))
    found = tc.error_rate(PROBLEM, n=100, eta=2, ridge=[0.1, 1])
    assert [float(row["error_rate"]) for row in rows] == found.error_rate.tolist()


def test_the_window_of_a_step(capsys):
    code, out, _ = run(capsys, "--ridge", "0.1", "--alpha", "0.3")
    assert code == 0
    assert "ℓ = 2, α = 3/10" in out


def test_refusals_name_options(capsys):
    code, _, err = run(capsys, "--ridge", "0.1")
    assert code == 2
    assert "give --ell or --alpha of the limit" in err
    code = main([*RATE[:3], "--teacher", "H1", *RATE[5:], "--ridge", "0.1", "--ell", "1"])
    assert code == 2
    assert "write --teacher sign(H1)" in capsys.readouterr().err
