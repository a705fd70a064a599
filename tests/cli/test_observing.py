"""``theorycalc simulate``, run as a user runs it."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys

import pytest

import theorycalc as tc
from tests.helpers.commands import LINEAR, SMALL, run
from tests.helpers.runs import VALUES
from tests.helpers.terminals import on_terminal, read_until
from theorycalc.cli import main


def test_agreement_is_exit_status_0(capsys):
    code, out, err = run(capsys, *LINEAR, "--n", "200", "--replicates", "10", "--alpha", "0.1,0.4")
    assert (code, err) == (0, "")
    assert out.startswith("Run of n = 200, d = 100, N = 150, seed 0: 10 of 10 replicates")
    assert "Theory and observation agree: none of 4 comparisons at level 0.01 differs" in out
    assert "would have shown nine times in ten" in out


def test_disagreement_is_exit_status_1(capsys):
    against = ["--against", "limit", "--ell", "0"]
    code, out, _ = run(capsys, *LINEAR, "--n", "200", "--replicates", "20", "--alpha", "0.4", *against)
    assert code == 1
    assert "Theory and observation differ in" in out


def test_too_few_draws_are_exit_status_3(capsys):
    code, out, _ = run(capsys, *SMALL, "--alpha", "0.1")
    assert code == 3
    assert "Too few draws to tell: 3, and a verdict needs 8" in out


def test_limits_stand_beside_what_is_judged(capsys):
    code, out, _ = run(capsys, *SMALL, "--alpha", "0.1,0.25,0.3", "--against", "step,limit,literal", "--json")
    data = json.loads(out)
    assert code == 3
    assert [cell["alpha"] for cell in data["settings"]["steps_taken"]] == [0.1, 0.25, 0.3]
    gains = [row for row in data["comparison"]["rows"] if row["quantity"] == "test_gain"]
    assert [(row["theory"], row["alpha"], row["judged"]) for row in gains] == [
        *(("finite step (dressed)", alpha, True) for alpha in (0.1, 0.25, 0.3)),
        ("ℓ = 1", 0.1, False), ("ℓ = 2", 0.3, False),
        ("limit of literal networks, ℓ = 1", 0.1, False), ("limit of literal networks, ℓ = 2", 0.3, False),
    ]  # fmt: skip
    assert len(data["rows"]) == 3


def test_a_run_without_a_theory_is_shown_all_the_same(capsys):
    code, out, _ = run(capsys, *SMALL, "--alpha", "0.1", "--steps", "2")
    assert code == 0
    assert "nothing is compared: --steps 2" in out
    code, out, _ = run(capsys, *SMALL, "--alpha", "0.1", "--against", "none")
    assert code == 0
    assert "comparisons at level" not in out


def test_inputs_with_a_covariance_are_simulated_stored_and_continued(capsys, tmp_path):
    output = str(tmp_path / "run.json")
    arguments = [*SMALL, "--alpha", "0.1", "--inputs", "two_level(9, 1/4)", "--output", output]
    code, out, _ = run(capsys, *arguments, "--against", "none", "--json")
    assert code == 0
    assert json.loads(out)["inputs"]["inputs"].startswith("3:1/4:")
    run(capsys, *arguments, "--against", "none", "--replicates", "4", "--resume")
    assert len(tc.load_run(output).records) == 4
    assert tc.load_run(output).problem.inputs == tc.Inputs.two_level(9, "1/4")


def test_a_ridge_path_and_the_ladder(capsys):
    ladder = ["--equivalent", "network,spiked", "--ell", "1", "--spectrum"]
    _, out, _ = run(capsys, *SMALL, "--ridge", "0.1,1", "--alpha", "0.1", *ladder, "--json")
    data = json.loads(out)
    assert [(row["model"], row["ridge"]) for row in data["rows"]] == [
        (model, ridge) for model in ("network", "spiked") for ridge in (0.1, 1.0)
    ]
    assert data["settings"]["spectrum"] is True
    assert data["comparison"]["looks"] == 8


def test_a_saved_run_knows_its_problem(capsys, tmp_path):
    output = str(tmp_path / "run.json")
    run(capsys, *SMALL, "--alpha", "0.1", "--output", output)
    assert main(["compare", output, "--activation", "relu", "--n", "300"]) == 2
    assert "a saved run knows its own problem: leave out --activation and --n" in capsys.readouterr().err


@pytest.mark.slow
def test_output_and_resume(capsys, tmp_path):
    output = str(tmp_path / "run.json")
    arguments = [*SMALL, "--alpha", "0.1", "--output", output]
    run(capsys, *arguments)
    assert len(tc.load_run(output).records) == 3
    run(capsys, *arguments, "--replicates", "5", "--resume")
    assert len(tc.load_run(output).records) == 5
    code, out, err = run(capsys, *arguments, "--seed", "1", "--resume")
    assert (code, out) == (2, "")
    assert "seed is 0 there and 1 here" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "alpha"),
        (["--alpha", "0.1", "--eta", "1"], "alpha"),
        (["--alpha", "a"], "--alpha a is not a number"),
        (["--alpha", "0.1:0.2"], "not a range"),
        (["--alpha", "0.1:0.2:1"], "the third part of a range"),
        (["--alpha", "0.1:0.2:x"], "the third part of a range"),
        (["--alpha", "0.1", "--n", "many"], "--n many"),
        (["--alpha", "0.1", "--n", "10000000"], "GiB"),
        (["--alpha", "0.1", "--replicates", "1"], "--replicates 1"),
        (["--alpha", "0.1", "--workers", "0"], "--workers 0"),
        (["--alpha", "0.1", "--workers", "2", "--dask", "x"], "--workers or --dask"),
        (["--alpha", "0.1", "--equivalent", "spikd"], "did you mean 'spiked'"),
        (["--alpha", "0.1", "--equivalent", "spiked"], "needs --ell"),
        (["--alpha", "0.1", "--resume"], "resume"),
        (["--alpha", "0.1", "--output", "no/such/run.json"], "does not exist"),
        (["--alpha", "0.1", "--input-law", "normal"], "--input-law normal"),
        (["--alpha", "0.1", "--ell", "x"], "--ell x"),
        (["--alpha", "0.1", "--against", "limits"], "did you mean 'limit'"),
        (["--eta", "1:3:3", "--against", "limit"], "a step given by --eta is in no window; give --ell, too"),
    ],
)
def test_bad_input_is_exit_status_2(capsys, arguments, message):
    code, out, err = run(capsys, *SMALL, *arguments)
    assert (code, out) == (2, "")
    assert err.startswith("theorycalc: error: ")
    assert message in err


def test_moments_alone_have_no_network(capsys):
    moments = ["--c1", "1/2", "--c-rest", "1/3"]
    code, _, err = run(capsys, "simulate", *moments, *SMALL[3:], "--alpha", "0.1")
    assert code == 2
    assert "moments" in err


def test_csv_has_a_row_for_everything_observed(capsys):
    _, out, _ = run(capsys, *SMALL, "--alpha", "0.1,0.25", "--csv")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [row["quantity"] for row in rows] == 2 * list(VALUES)
    assert {row["theory"] for row in rows} == {"finite step (dressed)"}
    data = json.loads(run(capsys, *SMALL, "--alpha", "0.1,0.25", "--json")[1])
    compared = data["comparison"]["rows"]
    assert list(rows[0]) == list(compared[0])  # the columns of compare --csv
    by_name = {(row["alpha"], row["quantity"]): row["z"] for row in compared}
    assert {(float(row["alpha"]), row["quantity"]): float(row["z"]) for row in rows} == by_name
    assert [float(row["observed"]) for row in rows if row["quantity"] == "test_gain"] == [
        row["test_gain"] for row in data["rows"]
    ]


def test_a_pipe_gets_all_digits(capsys):
    text = run(capsys, *SMALL, "--alpha", "0.1")[1]
    summary = json.loads(run(capsys, *SMALL, "--alpha", "0.1", "--json")[1])["rows"]
    assert f"{summary[0]['test_gain']!r} ± {summary[0]['test_gain_se']!r}" in text


@pytest.mark.slow
def test_a_terminal_sees_progress_and_a_pipe_does_not(tmp_path):
    """Long enough for the line to appear; then Ctrl-C, which says how to go on."""
    arguments = [*LINEAR, "--n", "100", "--replicates", "100000", "--alpha", "0.1", "--output", "run.json"]
    command = [sys.executable, "-m", "theorycalc", *arguments]
    with on_terminal(command, "stderr", stdout=subprocess.PIPE, cwd=tmp_path) as (process, master):
        seen = read_until(master, b"s left")
        process.send_signal(signal.SIGINT)
        seen += read_until(master)
        out, _ = process.communicate()
    assert b"simulating: " in seen
    assert b"/100000, about " in seen
    assert "theorycalc: interrupted; " in seen.decode()
    assert "--resume continues run.json.journal" in seen.decode()
    assert (process.returncode, out) == (130, b"")


@pytest.mark.slow
def test_error_rates_are_judged_and_limits_of_their_own_step_stand_beside_them(capsys, tmp_path):
    signs = ["--activation", "tanh", "--teacher", "sign(x)", "--ridge", "0.1", "--n", "40", "--d", "20", "--N", "30"]
    saved = str(tmp_path / "run.json")
    draws = ["--replicates", "3", "--alpha", "0.1,0.3", "--against", "step,literal", "--output", saved, "--json"]
    code, out, _ = run(capsys, "simulate", *signs, *draws)
    assert code == 3
    rows = [row for row in json.loads(out)["comparison"]["rows"] if row["quantity"] == "error_rate_gain"]
    assert [(row["theory"], row["alpha"], row["judged"]) for row in rows] == [
        ("error rate (dressed)", 0.1, True), ("error rate (dressed)", 0.3, True),
        ("error rate of literal networks, ℓ = 1", 0.1, False), ("error rate of literal networks, ℓ = 2", 0.3, False),
    ]  # fmt: skip
    _, out, _ = run(capsys, "compare", saved, "--against", "limit", "--ell", "1", "--json")
    rows = [row for row in json.loads(out)["rows"] if row["quantity"] == "error_rate"]
    problem = tc.Problem("tanh", "sign(x)", n=40, d=20, N=30, ridge="1/10")
    assert [row["predicted"] for row in rows] == [pytest.approx(tc.error_rate(problem, ell=1).error_rate)] * 2


def test_a_theory_without_rates_says_so(capsys):
    sizes = ["--n", "200", "--d", "100", "--N", "100", "--ridge", "0.1"]
    two = ["--activation", "relu", "--teacher", "sign(x)", "--inputs", "two_level(4)", *sizes]
    _, out, _ = run(capsys, "simulate", *two, "--replicates", "2", "--alpha", "0.1")
    assert "note  error rates are not compared: " in out
    assert "is not part of error rates after finite steps: only inputs without a covariance are known there" in out
