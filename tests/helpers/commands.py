"""Commands that several tests run as a user runs them."""

from __future__ import annotations

import csv
import io

from tests.helpers.problems import problem
from theorycalc.cli import main

MOMENTS = ["--c1", "1/2", "--c-rest", "0.3014", "--teacher", "1,1/2", "--phi", "1/2", "--psi", "2/3"]
PREDICT = ["predict", *MOMENTS, "--ridge", "0.1", "--noise", "0.5"]
RELU = ["--activation", "relu", "--teacher", "H1 + H2/2", "--phi", "1/2", "--psi", "2/3", "--ridge", "0.1"]
RELU_PROBLEM = problem("relu", "H1 + H2/2", noise=0)  # that these options describe
LINEAR = [
    "simulate", "--activation", "x", "--teacher", "H1 + H2/sqrt(2)", "--phi", "1/2", "--psi", "2/3",
    "--ridge", "0.1", "--noise", "0.5",
]  # fmt: skip
SMALL = [*LINEAR, "--n", "40", "--replicates", "3"]


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def table(capsys, *arguments: str) -> list[dict[str, str]]:
    code, out, err = run(capsys, *arguments, "--csv")
    assert (code, err) == (0, "")
    return list(csv.DictReader(io.StringIO(out)))
