"""The command line, run as a user runs it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys

import pytest

import theorycalc as tc
from theorycalc.cli import main

PREDICT = [
    "predict", "--c1", "1/2", "--c-rest", "0.3014", "--teacher", "1,1/2", "--phi", "1/2", "--psi", "2/3",
    "--ridge", "0.1", "--noise", "0.5",
]  # fmt: skip


def run(capsys, *arguments: str) -> tuple[int, str, str]:
    code = main(arguments)
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def test_a_table_for_a_person(capsys):
    code, out, err = run(capsys, *PREDICT, "--ell", "2")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("Prediction for ℓ = 2")
    expected = tc.predict(
        tc.Problem(tc.Activation.from_moments("1/2", "0.3014"), ["1", "1/2"], "1/2", "2/3", "0.1", "0.5"), ell=2
    )
    assert any(line.split()[:2] == ["Λ_ℓ", repr(expected.test_gain)] for line in lines)
    columns = {line.index(line.split()[1]) for line in lines[1:13]}
    assert len(columns) == 1


def test_json_for_a_machine(capsys):
    code, out, _ = run(capsys, *PREDICT, "--alpha", "3/10", "--digits", "50", "--json")
    data = json.loads(out)
    assert code == 0
    assert (data["ell"], data["digits"], data["guarantee"]) == (2, 50, "enclosed")
    assert len(data["values"]["m1"]) >= 50
    assert data["inputs"]["ridge"] == "1/10"
    assert data["theorycalc"] == tc.__version__


def test_infinity_is_text_in_json(capsys):
    threshold = [*PREDICT, "--ell", "1", "--json", "--ridge", "0", "--phi", "2/3"]
    code, out, _ = run(capsys, *threshold)
    assert code == 0
    assert json.loads(out)["values"]["test_loss"] == "inf"


def test_negative_numbers_need_no_equals_sign(capsys):
    code, out, _ = run(capsys, *PREDICT, "--teacher", "-1,1/2", "--ell", "1")
    assert code == 0
    assert "-0.73" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--alpha", "1/4"], "window ℓ = 2"),
        (["--ell", "two"], "ell='two'"),
        (["--ell", "1", "--ridge", "-1"], "ridge=-1 must not be negative"),
        (["--ell", "1", "--phi", "1/0"], "divides by zero"),
        (["--ell", "1", "--digits", "many"], "digits='many'"),
        (["--ell", "1", "--teacher", "1,,2"], "teacher c_⋆2=''"),
        (["--ell", "1", "--present", "1,b"], "present"),
        (["--ell", "1", "--first-layer", "ball"], "first_layer='ball'"),
        ([], "either ell= or alpha="),
    ],
)
def test_bad_input_is_one_line_and_exit_2(capsys, arguments, message):
    code, out, err = run(capsys, *PREDICT, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("theorycalc: error: ")
    assert "Traceback" not in err


def test_demo_prints_the_staircase(capsys):
    code, out, _ = run(capsys, "demo")
    assert code == 0
    rows = [line for line in out.splitlines() if "█" in line]
    assert [row.split()[0] for row in rows] == ["1", "2", "3", "4", "5", "6"]


def test_help_needs_neither_numpy_nor_sympy():
    """--help and import stay light: the heavy libraries are loaded when something is computed."""
    script = (
        "import sys, theorycalc, theorycalc.cli\n"
        "try: theorycalc.cli.main(['--help'])\n"
        "except SystemExit as stop: assert stop.code == 0\n"
        "heavy = {'numpy', 'sympy', 'scipy', 'mpmath', 'flint', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_a_float_prediction_needs_no_sympy():
    script = (
        "import sys, theorycalc as tc\n"
        "a = tc.Activation.from_moments('1/2', '3/10')\n"
        "tc.predict(tc.Problem(a, ['1'], 1, 2, 1), ell=1)\n"
        "heavy = {'sympy', 'scipy', 'matplotlib'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_the_module_runs_and_the_example_in_help_works():
    shown = subprocess.run(
        [sys.executable, "-m", "theorycalc", "predict", "--help"], check=True, capture_output=True, encoding="utf-8"
    ).stdout
    examples = [shlex.split(line) for line in shown.splitlines() if line.startswith("  theorycalc predict")]
    assert len(examples) == 2
    for example in examples:
        subprocess.run([sys.executable, "-m", *example], check=True, capture_output=True)


def test_a_reader_that_goes_away_is_no_traceback():
    command = f"{sys.executable} -m theorycalc demo | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, encoding="utf-8", check=True)
    assert "Traceback" not in done.stderr
