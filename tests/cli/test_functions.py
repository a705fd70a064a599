"""Activations and teachers on the command line: listed, expanded, and read as text."""

from __future__ import annotations

import json

from theorycalc.cli import main
from theorycalc.results.listing import list_activations


def test_command_coefficients(capsys):
    assert main(["coefficients", "gelu", "-k", "3", "--digits", "30", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["coefficients"][2] == "0.211571093830408607605529794335"
    assert data["guarantee"] == "enclosed"
    assert main(["coefficients", "relu", "-k", "2", "--exact", "--latex"]) == 0
    assert r"c_{1} &= \frac{1}{2}" in capsys.readouterr().out
    assert main(["coefficients", "relu", "-k", "1"]) == 0
    assert capsys.readouterr().out.splitlines()[2].split() == ["1", "0.5"]
    assert main(["coefficients", "rellu"]) == 2
    assert "did you mean 'relu'" in capsys.readouterr().err


def test_command_activations(capsys):
    assert main(["activations"]) == 0
    lines = {line.split("(")[0].split()[0]: line for line in capsys.readouterr().out.splitlines()}
    assert "ℓ ≤ 2" in lines["relu"]
    assert "none: it jumps" in lines["sign"]
    rows = {row["name"]: row for row in list_activations().rows}
    assert rows["tanh"]["parity"] == "odd"
    assert rows["threshold"]["c1"] is None
    assert rows["square"]["conditions"] == "none: c_1 = 0"


def test_command_predict_reads_text(capsys):
    case = ["--phi", "1/2", "--psi", "2/3", "--ridge", "0.1", "--ell", "2", "--json"]
    assert main(["predict", "--activation", "relu", "--teacher", "H1 + H2/sqrt(2)", *case]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["inputs"]["activation"]["name"] == "relu"
    assert data["rows"][0]["spikes"] == "1,2"
    assert main(["predict", "--c1", "1/2", "--c-rest", "0.3", "--teacher", "-1,1/2", *case]) == 0
    assert json.loads(capsys.readouterr().out)["inputs"]["teacher"]["coefficients"] == ["-1", "1/2"]
    assert main(["predict", "--teacher", "1", *case]) == 2
    assert "--activation" in capsys.readouterr().err
    assert main(["predict", "--activation", "relu", "--c1", "1", "--teacher", "1", *case]) == 2
    assert "not both" in capsys.readouterr().err
