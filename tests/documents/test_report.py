"""A report is one file that asks for nothing, says everything once computed, and can be made again."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.docs_code import inside
from tests.helpers.problems import EXAMPLE as PROBLEM
from tests.helpers.processes import finished, started, wait_until
from tests.helpers.reports import Page, check_alone
from theorycalc.cli import main
from theorycalc.documents.report import command_of, python_of

pytestmark = pytest.mark.slow


def test_a_report_stands_alone(made, simulated):
    for one in (made, simulated):
        page = check_alone(one.html)
        assert page.tags.count("svg") == page.tags.count("figure") >= 6
        assert page.tags.count("math") > 40
        assert len(one.html) < 600_000


def test_a_report_is_the_same_each_time(made):
    assert tc.report(PROBLEM, n=200, alpha="3/10").html == made.html


def test_text_of_a_user_stays_text():
    nasty = "<script>alert(1)</script> & $x$ \" ' ]]> --> url(http://a.b)"
    act = tc.Activation.from_callable(
        lambda x: np.tanh(x + 1), derivative=lambda x: 1 - np.tanh(x + 1) ** 2, name=nasty
    )
    made = tc.report(tc.Problem(act, "H1 + H2/2", "1/2", "2/3", "1/10"), n=100)
    page = Page(made.html)
    assert "script" not in page.tags
    assert "<script" not in made.html
    assert "<script>alert(1)</script>" in page.text
    assert "estimated" in page.text
    assert "No digits are proven, since the function is known by its values only" in page.text
    assert "tc.Problem(activation, teacher='H1 + H2/2'" in page.text
    assert "theorycalc report" not in page.text  # a function cannot be typed


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: tc.report("relu"), "takes a Problem, not str"),
        (lambda: tc.report(PROBLEM, n=0), "n=0 must be a positive whole number"),
        (lambda: tc.report(PROBLEM, alpha="1/2"), "the theorem needs α < 1/2"),
        (lambda: tc.report(PROBLEM, alpha=[]), "alpha is empty"),
        (lambda: tc.report(PROBLEM, alpha="big"), "'big' is not a number"),
        (lambda: tc.report(PROBLEM, run=3), "must be a Run"),
        (lambda: tc.report(PROBLEM, aplha=1), "did you mean 'alpha'"),
    ],
)
def test_bad_calls_say_what_is_wrong(call, message):
    with pytest.raises(tc.TheoryError, match=message):
        call()


def test_runs_that_do_not_fit_are_refused(run):
    with pytest.raises(tc.ArgumentError, match="n=200 contradicts the run, which has n = 100"):
        tc.report(PROBLEM, n=200, run=run)
    with pytest.raises(tc.ArgumentError, match="different problems: noise"):
        tc.report(tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "1/10"), run=run)
    with pytest.raises(tc.ArgumentError, match="give alpha= for the step"):
        tc.report(PROBLEM, run=tc.simulate(PROBLEM, n=60, eta=2, replicates=2))


def test_saving(made, tmp_path):
    assert made.save(tmp_path / "a.html").read_text(encoding="utf-8") == made.html
    for path, message in (
        ("a.pdf", "ends in '.pdf'"),
        (3, "path must be"),
        (tmp_path / "no" / "a.html", "cannot write"),
    ):
        with pytest.raises(tc.ArgumentError, match=message):
            made.save(path)


def test_without_what_draws_or_sets_one_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(tc.ArgumentError, match=r"pip install 'theorycalc\[plots\]'"):
        tc.report(PROBLEM)


COMMAND = ["report", "--activation", "relu", "--teacher", "H1 + H2/2", "--noise", "0.5", "--n", "60"]


def test_the_command_writes_a_report_and_keeps_its_run(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = [*COMMAND, "--alpha", "0.3,0.1", "--simulate", "3", "-o", "r.html"]
    assert main(words) == 0
    assert capsys.readouterr().out == "wrote r.html\n"
    first = Path("r.html").read_text(encoding="utf-8")
    check_alone(first)
    assert sorted(os.listdir()) == ["r.html", "r.run.json"]
    assert tc.load_run("r.run.json").settings.replicates == 3
    shown = re.search(r"<pre><code>(theorycalc report .*?)</code></pre>", first, re.DOTALL)[1]
    again = shlex.split(shown.replace("&#x27;", "'").replace("\\\n", " "))
    assert main([*again[1:-1], "r.html"]) == 0
    assert Path("r.html").read_text(encoding="utf-8") == first
    assert main([*COMMAND, "--n", "70", "--simulate", "3", "-o", "r.html"]) == 2
    assert "r.run.json belongs to another simulation" in capsys.readouterr().err
    assert Path("r.html").read_text(encoding="utf-8") == first


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([*COMMAND], "--output"),
        ([*COMMAND, "-o", "r.pdf"], "must end in .html or .htm"),
        ([*COMMAND, "-o", "/no/such/folder/r.html"], "does not exist"),
        ([*COMMAND, "-o", "r.html", "--alpha", "0.25"], "on the boundary 1/4"),
        ([*COMMAND, "-o", "r.html", "--simulate", "1"], "2 or more"),
        ([*COMMAND, "-o", "r.html", "--simulate", "many"], "replicates='many'"),
        ([*COMMAND, "-o", "r.html", "--phi", "0"], "--phi 0 must be positive"),
    ],
)
def test_bad_commands_write_nothing(words, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 2
    assert message in capsys.readouterr().err
    assert not Path("r.html").exists()


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is sent as a signal")
def test_an_interrupted_simulation_goes_on(tmp_path):
    words = [*COMMAND, "--n", "300", "--simulate", "30", "-o", "r.html"]
    command = [sys.executable, "-m", "theorycalc", *words]
    journal = tmp_path / "r.run.json.journal"
    with started(command, cwd=tmp_path, stderr=subprocess.PIPE) as process:
        wait_until(lambda: journal.exists() and journal.read_bytes().count(b"\n") > 3, process)
        process.send_signal(signal.SIGINT)
        message = process.communicate()[1].decode()
    assert process.returncode == 130
    assert "replicates are done" in message
    kept = [json.loads(line) for line in journal.read_bytes().splitlines()[1:]]
    assert len(kept) >= 3
    assert finished(command, cwd=tmp_path).stdout == "wrote r.html\n"
    again = tc.load_run(tmp_path / "r.run.json")
    assert [record["rows"] for record in again.records[: len(kept)]] == [record["rows"] for record in kept]


def test_the_code_on_reports_runs(tmp_path):
    page = (Path(__file__).parents[2] / "docs" / "report.md").read_text(encoding="utf-8")
    code = re.search(r"```python\n(.*?)```", page, re.DOTALL).group(1)
    with inside(tmp_path):
        exec(code, {"__name__": "page"})
    check_alone((tmp_path / "report.html").read_text(encoding="utf-8"))


def test_a_run_of_ones_own_is_not_said_to_be_the_commands(run):
    assert "--simulate 4" in command_of(PROBLEM, 100, [0.3, 0.1], "residual", run)
    other = tc.simulate(PROBLEM, n=60, alpha=0.1, replicates=2, seed=7)
    assert command_of(PROBLEM, 60, [0.1], "residual", other) is None
    assert "replicates=2, seed=7, …)" in python_of(PROBLEM, 60, [0.1], "residual", other)


def test_neurons_with_biases_have_a_report_with_formulas():
    biased = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", intercept=True, biases="0:1/2, 1:1/2", corrupt_fit="3/10")
    page = tc.report(biased, n=100).html
    assert "Formulas cannot be shown: " not in page
    assert "of a neuron without a bias" in page
    assert "expected at n = 100" in page
    assert f"{tc.step(biased, n=100, alpha='3/10').test_loss_clean:.6g}" in page


def test_a_simulation_that_no_finite_step_describes_is_shown_in_short():
    problem = tc.Problem("relu", "H1 + H2/2", n=40, d=20, N=30, ridge="1/10", steps=2)
    run = tc.simulate(problem, alpha=0.2, replicates=2)
    page = tc.report(problem, run=run).html
    assert "after, 2 simulated networks" in page
    assert "The simulation beside theory cannot be shown: steps=2: large steps on the residual diverge" in page


def test_several_steps_are_counted_in_words():
    page = tc.report(tc.Problem("relu", "H1", "1/2", "2/3", "1/10", steps=3), n=100, gradient="labels").html
    assert "3 gradient steps, α = 3/10" in page
    assert "What do 3 gradient steps of size" in page
