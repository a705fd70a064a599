"""What a person sees on a terminal, and what a file gets instead."""

from __future__ import annotations

import io
import os
import re
import signal
import subprocess
import sys

import pytest

import theorycalc as tc
from tests.helpers.commands import RELU, RELU_PROBLEM
from tests.helpers.terminals import on_terminal, read_until
from theorycalc.running.terminal import progress

pytestmark = pytest.mark.slow

P = PROBLEM = RELU_PROBLEM
CLEAN = {k: v for k, v in os.environ.items() if k not in ("COLUMNS", "NO_COLOR")} | {"TERM": "xterm"}
NUMBER = r"\d+\.\d+(?:e-?\d+)?"


def watched(arguments: list[str], columns: int = 80, **environment: str) -> str:
    """Return what a command shows on a terminal, its stderr apart."""
    command = [sys.executable, "-m", "theorycalc", *arguments]
    options = {"columns": columns, "env": CLEAN | environment, "stderr": subprocess.DEVNULL}
    with on_terminal(command, "stdout", **options) as (process, master):
        text = read_until(master).decode().replace("\r\n", "\n")
        assert process.wait() == 0
    return text


def piped(arguments: list[str], **environment: str) -> str:
    command = [sys.executable, "-m", "theorycalc", *arguments]
    return subprocess.run(
        command, capture_output=True, encoding="utf-8", check=True, env=os.environ | environment
    ).stdout


def test_a_line_that_counts_is_wiped_at_the_end(monkeypatch):
    screen = io.StringIO()
    monkeypatch.setattr(screen, "isatty", lambda: True)
    monkeypatch.setattr(sys, "stderr", screen)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("theorycalc.running.terminal._PATIENCE", -1.0)
    assert list(progress(iter("ab"), 2, "counting", arrive_finished=True)) == ["a", "b"]
    assert screen.getvalue().startswith("\rcounting: 1/2, about 0 s left \033[K")
    assert screen.getvalue().endswith("\r\033[K")


def test_a_terminal_gets_a_bold_title_and_dim_notes():
    lines = watched(["staircase", *RELU]).splitlines()
    assert re.fullmatch(r"\033\[1mThe theorem's limit.*\033\[0m", lines[0])
    assert lines[2].split()[5:] == ["0", "0"]
    assert any(re.fullmatch(r"\033\[2m  note .*\033\[0m", line) for line in lines)


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_wanted(environment):
    assert "\033" not in watched(["staircase", *RELU, "--ell", "1"], **environment)


def test_a_pipe_gets_neither_colour_nor_fewer_digits():
    text = piped(["staircase", *RELU, "--ell", "2"], COLUMNS="80", FORCE_COLOR="1")
    assert "\033" not in text
    for prediction in tc.staircase(PROBLEM, 2).predictions:
        assert repr(prediction.test_gain) in text


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        (["predict", *RELU, "--ell", "2"], lambda: [tc.predict(PROBLEM, ell=2).m1_slope]),
        (["predict", *RELU, "--ell", "1", "--ridge", "1,2"], lambda: tc.predict(P, ell=1, ridge=[1, 2]).test_loss),
        (["step", *RELU, "--n", "200", "--eta", "1,5"], lambda: tc.step(PROBLEM, n=200, eta=[1, 5]).test_loss),
        (["spectrum", *RELU, "--n", "2000", "--eta", "30"], lambda: [tc.spectrum(P, n=2000, eta=30).alignments.max()]),
        (["activations"], lambda: [float(tc.activation("mish").c_rest)]),
        (["coefficients", "gelu"], lambda: tc.coefficients("gelu", 12)[[2, 12]]),
    ],
    ids=["predict", "list", "step", "spectrum", "activations", "coefficients"],
)  # fmt: skip
def test_at_80_columns_a_pipe_gets_all_digits(arguments, values):
    text = piped(arguments, COLUMNS="80")
    expected = [repr(float(value)) for value in values()]
    assert [value for value in expected if value not in text] == []


@pytest.mark.parametrize("columns", [80, 120])
def test_the_list_of_activations_fits_the_terminal(columns):
    lines = watched(["activations"], columns, NO_COLOR="1").splitlines()
    assert columns - 1 <= max(map(len, lines)) <= columns
    assert len(piped(["activations"]).splitlines()) == len(lines) - 1  # the note on what was cut


def test_a_narrow_terminal_loses_no_digits():
    """A line that is too long is wrapped by the terminal; nothing is cut."""
    wide, narrow = (watched(["predict", *RELU, "--ell", "2"], columns) for columns in (200, 20))
    assert wide == narrow
    assert f"{tc.predict(PROBLEM, ell=2).test_gain:.6g}" in narrow
    numbers = re.findall(NUMBER, watched(["step", *RELU, "--n", "200", "--eta", "1,5"], 20))
    gains = tc.step(PROBLEM, n=200, eta=[1, 5]).test_gain
    assert {f"{gain:.6g}" for gain in gains} <= set(numbers)


def test_long_tables_are_shortened_for_a_person_and_whole_in_a_pipe():
    many = ["step", *RELU, "--n", "200", "--method", "pencil", "--eta", "0.01:0.1:70"]
    assert "  … 10 more" in watched(many)
    text = piped(many)
    assert len([line for line in text.splitlines() if line.startswith("  0.")]) == 70
    assert "more" not in text


def test_a_computation_shows_its_seconds_and_ctrl_c_ends_it_with_a_line():
    command = [sys.executable, "-m", "theorycalc", "coefficients", "tanh(x + 1)", "-k", "200", "--digits", "50000"]
    with on_terminal(command, "stdout", "stderr", env=CLEAN) as (process, master):
        seen = read_until(master, b"computing: ")
        process.send_signal(signal.SIGINT)
        text = (seen + read_until(master)).decode().replace("\r\n", "\n")
        assert process.wait() == 130
    assert not re.search(r"computing: [01] s", text)
    assert text.endswith("\r\033[Ktheorycalc: interrupted\n")
    assert "Traceback" not in text
