"""``theorycalc sweep``, run as a user runs it."""

from __future__ import annotations

import csv
import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import theorycalc as tc
from tests.helpers.commands import run
from tests.helpers.processes import started, wait_until
from tests.helpers.sweeps import stop_after
from theorycalc.cli import main, parser
from theorycalc.cli.parsing import commands_of
from theorycalc.sweeps import grid

FIXED = ["sweep", "--teacher", "H1 + H2/2", "--phi", "1/2", "--psi", "2/3"]


def test_csv_on_stdout_has_full_digits(capsys):
    code, out, err = run(capsys, *FIXED, "--activation", "relu,tanh", "--ridge", "1e-3:10:3:log", "--ell", "1,inf")
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(out.splitlines()))
    assert [(r["activation"], r["ridge"], r["ell"]) for r in rows[:3]] == [
        ("relu", "0.001", "1"),
        ("relu", "0.001", "inf"),
        ("relu", "0.1", "1"),
    ]
    problem = tc.Problem("tanh", "H1 + H2/2", "1/2", "2/3", ridge="1/10")
    assert float(rows[9]["test_gain"]) == pytest.approx(tc.predict(problem, ell="inf").test_gain, rel=2e-14, abs=0)
    assert len(rows) == 12


def test_teachers_of_several_directions_are_an_axis(capsys):
    teachers = "t1 + t1*t2, where(t1 > 0, t2, 0); 1, 1/2; H1"
    fixed = ["sweep", "--activation", "relu", "--phi", "1/2", "--psi", "2/3", "--ridge", "0.1", "--ell", "1"]
    code, out, _ = run(capsys, *fixed, "--teacher", teachers)
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0
    assert [row["teacher"] for row in rows] == ["t1 + t1*t2", "where(t1 > 0, t2, 0)", "1,1/2", "H1"]
    problem = tc.Problem("relu", "t1 + t1*t2", "1/2", "2/3", ridge="1/10")
    assert float(rows[0]["test_gain"]) == pytest.approx(tc.predict(problem, ell=1).test_gain, rel=2e-14, abs=0)


def test_the_command_writes_the_bytes_that_python_writes(capsys, tmp_path):
    """Also where a point has no value, and the reason would name options or arguments."""
    by_command, by_python = tmp_path / "command.csv", tmp_path / "python.csv"
    code, _, _ = run(
        capsys, *FIXED, "--activation", "relu", "--ridge", "1/10", "--alpha", "0.1,0.25", "--output", str(by_command)
    )
    assert code == 0
    problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10")
    tc.sweep(problem, {"alpha": ["0.1", "0.25"]}, output=by_python)
    assert "tc.step()" in by_python.read_text(encoding="utf-8")
    assert by_command.read_bytes() == by_python.read_bytes()


def test_json_on_stdout(capsys):
    code, out, _ = run(
        capsys,
        *FIXED,
        "--activation",
        "relu",
        "--ridge",
        "0,1",
        "--ell",
        "0:2:3",
        "--json",
        "--quantities",
        "m1, test_loss",
    )
    data = json.loads(out)
    assert code == 0
    assert data["columns"] == ["ridge", "ell", "m1", "test_loss"]
    assert data["rows"][0]["m1"] == "inf"
    assert len(data["rows"]) == 6


def test_moments_and_coefficients(capsys):
    code, out, _ = run(
        capsys, "sweep", "--c1", "1/2", "--c-rest", "0.3", "--teacher", "1,1/2;-1,1", "--phi", "1/2,1", "--psi", "2/3",
        "--ridge", "0.1", "--ell", "2", "--first-layer", "sphere", "--second-layer", "gaussian,sign",
    )  # fmt: skip
    assert code == 0
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["teacher"] for row in rows] == ["1,1/2"] * 4 + ["-1,1"] * 4
    assert list(rows[0])[:4] == ["teacher", "phi", "second_layer", "ell"]


def test_finite_steps(capsys):
    code, out, _ = run(
        capsys, *FIXED, "--activation", "tanh", "--ridge", "0.1", "--n", "100,200", "--alpha", "0.1,0.25"
    )
    rows = list(csv.DictReader(out.splitlines()))
    assert code == 0
    assert [(row["n"], row["alpha"], row["converged"], row["reason"]) for row in rows] == [
        (n, alpha, "1.0", "") for n in ("100", "200") for alpha in ("0.1", "0.25")
    ]


def test_output_and_resume(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 2)
    command = [*FIXED, "--activation", "relu", "--ridge", "1:2:9", "--ell", "1", "--output", "grid.csv"]
    stop_after(monkeypatch, 2, KeyboardInterrupt())
    code, out, err = run(capsys, *command)
    assert (code, out) == (130, "")
    assert "of 9 points are in grid.csv.part; --resume continues" in err
    code, _, err = run(capsys, *command)
    assert code == 2
    assert "points of an earlier sweep" in err
    code, out, _ = run(capsys, *command, "--resume")
    assert code == 0
    assert out.splitlines()[0] == "Sweep of 9 × 1 = 9 points: the theorem's limits n → ∞, in grid.csv"
    assert len((tmp_path / "grid.csv").read_text().splitlines()) == 10
    assert os.listdir(tmp_path) == ["grid.csv"]


def test_lists_of_biases_are_split_at_semicolons(capsys):
    how = [
        "--activation",
        "relu",
        "--ridge",
        "1/10",
        "--ell",
        "2",
        "--intercept",
        "--biases",
        "0:1/2, 1:1/2; normal(1)",
    ]
    code, out, err = run(capsys, *FIXED, *how)
    assert (code, err) == (0, "")
    rows = list(csv.DictReader(out.splitlines()))
    assert [row["biases"] for row in rows] == ["0:1/2, 1:1/2", "normal(1)"]
    problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10", intercept=True, biases={0: 1, 1: 1})
    assert float(rows[0]["test_gain"]) == pytest.approx(tc.predict(problem, ell=2).test_gain, rel=2e-14)


def test_an_interruption_prints_what_is_done(capsys, monkeypatch):
    monkeypatch.setattr(grid, "_LIMITS_AT_ONCE", 2)
    calls = stop_after(monkeypatch, 2, KeyboardInterrupt())
    code, out, err = run(capsys, *FIXED, "--activation", "relu", "--ridge", "1:2:9", "--ell", "1")
    assert code == 130
    assert len(out.splitlines()) == 1 + sum(len(part.axes[0]) for _, part in calls[:2])
    assert "interrupted; " in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--activation", "relu", "--ridge", "1:2", "--ell", "1"], "is not a range"),
        (["--activation", "relu", "--ridge", "1", "--ell", "1.5"], "--ell 3/2 must be a whole number"),
        (["--activation", "relu", "--ridge", "1"], "give --ell or --alpha for limits"),
        (["--activation", "relu,,tanh", "--ridge", "1", "--ell", "1"], "empty"),
        (["--activation", "relu,tnah", "--ridge", "1", "--ell", "1"], "tnah"),
        (["--activation", "relu", "--ridge", "1", "--ell", "1", "--quantities", "gain"], "'gain' is not one of"),
        (["--activation", "relu", "--ridge", "1", "--ell", "1", "--output", "grid.xls"], "must end in .csv"),
        (["--activation", "relu", "--ridge", "1", "--ell", "1", "--workers", "many"], "--workers many"),
        (
            ["--activation", "relu", "--ridge", "1", "--ell", "1", "--json", "--output", "x.json"],
            "are for printed answers",
        ),
        (["--activation", "relu", "--ridge", "1", "--ell", "1", "--resume"], "--resume needs --output"),
        (["--activation", "relu", "--c1", "1", "--ridge", "1", "--ell", "1"], "not both"),
        (["--ridge", "1", "--ell", "1"], "give --activation"),
        (["--activation", "relu", "--ridge", "1:2:2000", "--noise", "1:2:2000", "--ell", "1"], "are not printed"),
    ],
)
def test_bad_input_is_a_message_and_exit_2(capsys, arguments, message):
    code, out, err = run(capsys, *FIXED, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert err.startswith("theorycalc: error: ")
    assert "Traceback" not in err


def test_the_example_with_a_file_writes_its_whole_grid(capsys, tmp_path, monkeypatch):
    """All examples of the help are run by test_help.py."""
    shown = re.sub(r"\\\n\s*", "", commands_of(parser())["sweep"].complete_description().epilog)
    examples = [shlex.split(line) for line in shown.splitlines() if line.startswith("  theorycalc sweep")]
    assert len(examples) == 4
    (example,) = (example for example in examples if "grid.csv" in example)
    monkeypatch.chdir(tmp_path)
    assert len(run(capsys, *example[1:])[1].splitlines()) > 5
    assert len((tmp_path / "grid.csv").read_text().splitlines()) == 1 + 2 * 20 * 50 * 2


@pytest.mark.slow
def test_ctrl_c_on_a_real_terminal_command(tmp_path):
    """A sweep of finite steps is stopped and continued; the second answer is that of one without a stop."""
    command = [
        sys.executable, "-m", "theorycalc", *FIXED, "--activation", "tanh", "--ridge", "0.1,0.2", "--n", "50:640:60",
        "--alpha", "0:0.4:40", "--output", "grid.csv",
    ]  # fmt: skip
    note = tmp_path / "grid.csv.progress"
    with started(command, cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8") as process:
        wait_until(lambda: note.exists() and json.loads(note.read_text())["points"] > 0, process)
        process.send_signal(signal.SIGINT)
        _, words = process.communicate()
    assert process.returncode == 130
    assert "Traceback" not in words
    assert re.search(r"interrupted; \d+ of 4800 points are in grid.csv.part; --resume continues", words)


@pytest.mark.slow
def test_the_code_and_the_commands_of_the_page_run(capsys, monkeypatch, tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "sweep.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
    shown = re.search(r's\["test_gain"\]\.shape  # (\(.*?\)):', code).group(1)
    script = code + "\nprint(s['test_gain'].shape)"
    monkeypatch.chdir(tmp_path)
    exec(script, {"__name__": "page"})
    assert capsys.readouterr().out.splitlines()[-1] == shown
    assert {"gains.csv", "limits.csv", "steps.nc"} == set(os.listdir(tmp_path))
    commands = [shlex.split(line) for line in re.findall(r"^(theorycalc .*)$", page, re.MULTILINE)]
    assert len(commands) == 1
    assert main(commands[0][1:]) == 0
    assert (tmp_path / "grid.csv").exists()
