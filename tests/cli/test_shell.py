"""The command in a shell: pipes that close, disks that are full, and letters that are missing."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.commands import MOMENTS, run

QUICK = f"predict {' '.join(MOMENTS)} --ridge 0.1 --ell 1"  # needs neither sympy nor scipy


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    line = command.replace("theorycalc", f"{shlex.quote(sys.executable)} -m theorycalc")
    return subprocess.run(
        ["bash", "-c", line], capture_output=True, encoding="utf-8", env=os.environ | environment, check=False
    )


@pytest.mark.slow
def test_the_module_runs_and_answers_as_main_does(capsys):
    arguments = ["coefficients", "relu", "-k", "4"]
    assert shell(f"theorycalc {' '.join(arguments)}").stdout == run(capsys, *arguments)[1]


@pytest.mark.slow
def test_a_reader_that_goes_away_is_no_traceback():
    done = shell(f"theorycalc {QUICK} | true; exit ${{PIPESTATUS[0]}}")  # it has gone before there is an answer
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_an_answer_that_cannot_be_written_is_said():
    done = shell(f"theorycalc {QUICK} > /dev/full")
    assert (done.returncode, done.stderr) == (
        2,
        "theorycalc: error: the answer cannot be written: No space left on device\n",
    )
    done = shell("theorycalc nothing 2> /dev/full")
    assert (done.returncode, done.stdout) == (2, "")
    done = shell("theorycalc nothing 2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    done = shell(f"theorycalc {QUICK} >&-")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_a_terminal_without_greek_letters(capsys):
    done = shell("theorycalc staircase --activation relu --teacher H1 --ell 1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert "The theorem's limit n ? ? in every window ?" in done.stdout


@pytest.mark.slow
def test_json_has_letters_as_letters_or_as_escapes_and_never_loses_them():
    command = "theorycalc staircase --activation relu --teacher H1 --ell 1 --json"
    plain, escaped = shell(command), shell(command, PYTHONIOENCODING="ascii")
    assert "ℓ" in plain.stdout
    assert "\\u" not in plain.stdout
    assert escaped.stdout.isascii()
    assert json.loads(escaped.stdout) == json.loads(plain.stdout)


@pytest.mark.slow
def test_errors_have_letters_as_letters():
    done = shell("theorycalc coefficients 'φ(x) + 漢$'")
    assert done.stderr.splitlines() == [
        "theorycalc: error: 'φ' (Greek small letter phi) is not understood", "  φ(x) + 漢$", "  ^",
    ]  # fmt: skip
