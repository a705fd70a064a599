"""Examples run, and the README tells the truth."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.figures import SCRIPTS
from theorycalc.demo import staircase_demo

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_examples_run(script):
    done = subprocess.run([sys.executable, script], capture_output=True, encoding="utf-8", check=True)
    assert len(done.stdout) > 100


def test_the_readme_shows_what_the_demo_prints():
    table = re.search(r"```text\n(.*?)```", README, re.DOTALL).group(1)
    assert table.strip("\n") in staircase_demo()


def test_the_code_of_the_readme_runs():
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL).group(1)
    shown = re.search(r"p\.test_gain, p\.test_loss +# (\(.*\))", code).group(1)
    script = code + "\nprint((p.test_gain, p.test_loss))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, encoding="utf-8", check=True)
    assert done.stdout.splitlines()[-1] == shown


def test_the_commands_of_the_readme_run(tmp_path):
    commands = [shlex.split(line) for line in re.findall(r"^(theorycalc .*)$", README, re.MULTILINE)]
    assert len(commands) == 8
    assert commands.pop() == ["theorycalc", "explore"]  # serves until it is ended: tests/test_explore_page.py
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", *command], capture_output=True, encoding="utf-8", check=True, cwd=tmp_path
        )
        assert len(done.stdout) > 100 or command[1] == "report"
    assert {path.name for path in tmp_path.iterdir()} == {"staircase.svg", "grid.csv", "report.html"}


def test_the_readme_is_short():
    assert len(README.splitlines()) < 150
