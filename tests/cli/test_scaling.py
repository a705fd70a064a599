"""theorycalc scaling."""

from __future__ import annotations

import json

from theorycalc.cli import main

PROBLEM = ["--activation", "x", "--teacher", "H1", "--n", "1e9", "--d", "300", "--N", "1e9", "--ridge", "1e-12"]
LAW = ["--inputs", "power(3/2, 2)"]


def test_a_scaling_law_as_a_table_and_as_json(capsys):
    assert main(["scaling", *PROBLEM, *LAW, "--sizes", "20:80:3:log"]) == 0
    assert "the known exponent is 1" in capsys.readouterr().out
    assert main(["scaling", *PROBLEM, *LAW, "--growing", "N", "--sizes", "20,40,80", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [row["size"] for row in data["rows"]] == [20, 40, 80]
    assert data["inputs"]["known"] == 1.0


def test_ratios_are_refused(capsys):
    ratios = ["--activation", "x", "--teacher", "H1", "--phi", "1", "--psi", "1", "--ridge", "1"]
    assert main(["scaling", *ratios]) == 2
    assert "needs a problem with sizes, --n, --d, --N" in capsys.readouterr().err
