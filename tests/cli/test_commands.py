"""What the commands answer: tables, JSON and CSV with the numbers of the library."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from fractions import Fraction

import pytest

import theorycalc as tc
from tests.helpers.commands import PREDICT, RELU, run
from theorycalc.cli.options import numbers, whole_or_text, windows

PROBLEM = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "0.1")


def table(capsys, *arguments: str) -> list[dict[str, str]]:
    code, out, err = run(capsys, *arguments, "--csv")
    assert (code, err) == (0, "")
    return list(csv.DictReader(io.StringIO(out)))


def test_a_table_for_a_person(capsys):
    code, out, err = run(capsys, *PREDICT, "--ell", "2")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("The theorem's limit n → ∞, ℓ = 2")
    expected = tc.predict(
        tc.Problem(tc.Activation.from_moments("1/2", "0.3014"), ["1", "1/2"], "1/2", "2/3", "0.1", "0.5"), ell=2
    )
    assert any(line.split()[:2] == ["Λ_2", repr(expected.test_gain)] for line in lines)  # piped: all digits
    columns = {line.index(line.split()[1]) for line in lines[1:15]}
    assert len(columns) == 1


def test_json_for_a_machine(capsys):
    code, out, _ = run(capsys, *PREDICT, "--alpha", "3/10", "--digits", "50", "--json")
    data = json.loads(out)
    assert code == 0
    (row,) = data["rows"]
    assert (row["ell"], data["digits"], data["guarantee"]) == (2, 50, "enclosed")
    assert len(row["m1"]) >= 50
    assert data["inputs"]["ridge"] == "1/10"
    assert data["theorycalc"] == tc.__version__


def test_infinity_is_text_in_json(capsys):
    threshold = [*PREDICT, "--ell", "1", "--json", "--ridge", "0", "--phi", "2/3"]
    code, out, _ = run(capsys, *threshold)
    assert code == 0
    assert json.loads(out)["rows"][0]["test_loss"] == "inf"


def test_values_that_begin_with_a_minus_sign_need_no_equals_sign(capsys):
    code, out, _ = run(capsys, *PREDICT, "--teacher", "-1,1/2", "--ell", "1")
    assert code == 0
    assert "-0.73" in out
    code, out, _ = run(capsys, "predict", *RELU, "--activation", "-tanh(x)", "--ell", "1")
    assert code == 0
    assert run(capsys, "coefficients", "-k", "1", "--csv", "--", "-x")[1] == "k,c_k\n0,0.0\n1,-1.0\n"


def test_lists_are_predicted_in_every_combination(capsys):
    rows = table(capsys, "predict", *RELU, "--ridge", "0.1,1", "--noise", "0:1:3", "--ell", "1,inf")
    assert [row["noise"] for row in rows[:3]] == ["0.0", "0.5", "1.0"]
    assert [(row["ell"], row["ridge"]) for row in rows[::3]] == [
        (ell, ridge) for ell in ("1", "inf") for ridge in ("0.1", "1.0")
    ]
    both = [tc.predict(PROBLEM, ell=ell, ridge=[[0.1] * 3, [1] * 3], noise=[0, 0.5, 1]) for ell in (1, "inf")]
    gains = [float(gain) for prediction in both for gain in prediction.test_gain.ravel()]
    assert [float(row["test_gain"]) for row in rows] == gains
    _, out, _ = run(capsys, "predict", *RELU, "--ridge", "0.1,1", "--ell", "1")
    heads, *lines = [line.split() for line in out.splitlines()[1:4]]
    assert " ".join(heads) == "ℓ λ test loss training loss training error test gain training gain"
    gains = tc.predict(PROBLEM, ell=1, ridge=[0.1, 1]).test_gain
    assert [line[5] for line in lines] == [repr(float(gain)) for gain in gains]
    data = json.loads(run(capsys, "predict", *RELU, "--ridge", "0.1,1", "--ell", "1", "--json")[1])
    assert [row["test_gain"] for row in data["rows"]] == gains.tolist()


def test_a_list_with_proven_digits(capsys):
    rows = table(capsys, "predict", *RELU, "--ridge", "1e-2:1:3:log", "--ell", "1", "--digits", "40")
    assert [row["ridge"] for row in rows] == ["1/100", "1/10", "1"]
    assert rows[1]["test_gain"] == str(tc.predict(PROBLEM, ell=1, digits=40).test_gain)


def test_numbers_lists_and_ranges():
    assert numbers("0.05:0.45:9", "alpha")[4] == Fraction(1, 4)
    assert numbers("1, 2 ,3:5:3", "eta") == [1, 2, 3, 4, 5]
    assert numbers("1e-4:1e4:9:log", "ridge") == [Fraction(10) ** k for k in range(-4, 5)]
    third = numbers("1:8:4:log,1/3:3:2:log", "ridge")
    assert third == [1, 2, 4, 8, Fraction(1, 3), 3]
    assert [whole_or_text(text) for text in ("12", "-3", "1e3", "1.5e2", "1.55e1", "inf", None)] == [
        12, -3, 1000, 150, "1.55e1", "inf", None,
    ]  # fmt: skip
    assert windows("0:2:3,7,inf") == [0, 1, 2, 7, "inf"]


def test_the_staircase(capsys):
    stairs = tc.staircase(PROBLEM, 3)
    rows = table(capsys, "staircase", *RELU, "--ell", "3")
    assert [row["ell"] for row in rows] == ["0", "1", "2", "3", "inf"]
    assert [float(row["test_gain"]) for row in rows[:4]] == [p.test_gain for p in stairs.predictions]
    assert float(rows[4]["test_gain"]) == stairs.ceiling.test_gain
    data = json.loads(run(capsys, "staircase", *RELU, "--ell", "3", "--json")[1])
    assert data == json.loads(json.dumps(stairs.to_dict()))
    code, out, _ = run(capsys, "staircase", *RELU)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:10]] == [*map(str, range(7)), "∞"]
    assert repr(tc.staircase(PROBLEM).predictions[6].test_gain) in out  # piped: all digits


def test_steps_and_ridges(capsys):
    rows = table(capsys, "step", *RELU, "--n", "200", "--d", "100", "--N", "150", "--eta", "1,4", "--ridge", "0.1,1")
    assert [(row["eta"], row["ridge"]) for row in rows] == [
        ("1.0", "0.1"),
        ("1.0", "1.0"),
        ("4.0", "0.1"),
        ("4.0", "1.0"),
    ]
    found = tc.step(PROBLEM, n=200, eta=[[1], [4]], ridge=[0.1, 1])
    assert [float(row["test_gain"]) for row in rows] == found.test_gain.ravel().tolist()
    assert {row["N"] for row in rows} == {"150"}
    _, out, _ = run(capsys, "step", *RELU, "--n", "200", "--eta", "1,4")
    assert repr(float(found.test_gain[1, 0])) in out
    assert out.startswith("Steps of the literal network, n = 200, d = 100, N = 150, λ = 0.1 (dressed features")


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


def test_demo_prints_the_staircase(capsys):
    code, out, _ = run(capsys, "demo")
    assert code == 0
    rows = [line for line in out.splitlines() if "█" in line]
    assert [row.split()[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.slow
def test_a_float_prediction_needs_no_sympy():
    script = (
        "import sys, theorycalc as tc\n"
        "a = tc.Activation.from_moments('1/2', '3/10')\n"
        "tc.predict(tc.Problem(a, ['1'], 1, 2, 1), ell=1)\n"
        "heavy = {'sympy', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)
