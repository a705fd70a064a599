"""``theorycalc predict``, ``staircase`` and ``demo``."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import theorycalc as tc
from tests.helpers.commands import PREDICT, RELU, RELU_PROBLEM, run, table


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


def test_infinity_is_text_in_json(capsys):
    threshold = [*PREDICT, "--ell", "1", "--json", "--ridge", "0", "--phi", "2/3"]
    code, out, _ = run(capsys, *threshold)
    assert code == 0
    assert json.loads(out)["rows"][0]["test_loss"] == "inf"


def test_lists_are_predicted_in_every_combination(capsys):
    rows = table(capsys, "predict", *RELU, "--ridge", "0.1,1", "--noise", "0:1:3", "--ell", "1,inf")
    assert [row["noise"] for row in rows[:3]] == ["0.0", "0.5", "1.0"]
    assert [(row["ell"], row["ridge"]) for row in rows[::3]] == [
        (ell, ridge) for ell in ("1", "inf") for ridge in ("0.1", "1.0")
    ]
    both = [tc.predict(RELU_PROBLEM, ell=ell, ridge=[[0.1] * 3, [1] * 3], noise=[0, 0.5, 1]) for ell in (1, "inf")]
    gains = [float(gain) for prediction in both for gain in prediction.test_gain.ravel()]
    assert [float(row["test_gain"]) for row in rows] == gains
    _, out, _ = run(capsys, "predict", *RELU, "--ridge", "0.1,1", "--ell", "1")
    heads, *lines = [line.split() for line in out.splitlines()[1:4]]
    assert " ".join(heads) == "ℓ λ test loss training loss training error test gain training gain"
    gains = tc.predict(RELU_PROBLEM, ell=1, ridge=[0.1, 1]).test_gain
    assert [line[5] for line in lines] == [repr(float(gain)) for gain in gains]
    data = json.loads(run(capsys, "predict", *RELU, "--ridge", "0.1,1", "--ell", "1", "--json")[1])
    assert [row["test_gain"] for row in data["rows"]] == gains.tolist()


def test_a_list_with_proven_digits(capsys):
    rows = table(capsys, "predict", *RELU, "--ridge", "1e-2:1:3:log", "--ell", "1", "--digits", "40")
    assert [row["ridge"] for row in rows] == ["1/100", "1/10", "1"]
    assert rows[1]["test_gain"] == str(tc.predict(RELU_PROBLEM, ell=1, digits=40).test_gain)


def test_the_staircase(capsys):
    stairs = tc.staircase(RELU_PROBLEM, 3)
    rows = table(capsys, "staircase", *RELU, "--ell", "3")
    assert [row["ell"] for row in rows] == ["0", "1", "2", "3", "inf"]
    assert [float(row["test_gain"]) for row in rows[:4]] == [p.test_gain for p in stairs.predictions]
    assert float(rows[4]["test_gain"]) == stairs.ceiling.test_gain
    data = json.loads(run(capsys, "staircase", *RELU, "--ell", "3", "--json")[1])
    assert data == json.loads(json.dumps(stairs.to_dict()))
    code, out, _ = run(capsys, "staircase", *RELU)
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()[2:10]] == [*map(str, range(7)), "∞"]
    assert repr(tc.staircase(RELU_PROBLEM).predictions[6].test_gain) in out  # piped: all digits


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


def test_a_teacher_of_several_directions(capsys):
    ratios = ["--phi", "1/2", "--psi", "2/3", "--ridge", "0.1"]
    several = ["--activation", "relu", "--teacher", "t1 + t1*t2", *ratios, "--ell", "2"]
    code, out, _ = run(capsys, "predict", *several, "--digits", "20", "--json")
    assert code == 0
    assert json.loads(out)["inputs"]["teacher"]["seen"] == ["1", "0"]
    _, out, _ = run(capsys, "predict", *several)
    assert "û = (1, 0): 50 % of the energy" in out
    (row,) = table(capsys, "predict", *several)
    (same,) = table(capsys, "predict", "--activation", "relu", "--teacher", "x", *ratios, "--noise", "1", "--ell", "2")
    assert row["test_gain"] == same["test_gain"]
    code, _, err = run(capsys, "predict", "--activation", "relu", "--teacher", "t1 + x", *ratios, "--ell", "2")
    assert code == 2
    assert err.endswith("x and t1, t2, … do not mix: write t1 for x\n  t1 + x\n       ^\n")
