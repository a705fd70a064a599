"""The page on the command line shows what the commands print."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from theorycalc.cli import COMMANDS

PAGE = (Path(__file__).parents[1] / "docs" / "command_line.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
SESSIONS = [shown for block in BLOCKS for shown in re.findall(r"^\$ (.*\n(?:(?!\$ ).*\n)*)", block, re.MULTILINE)]


@pytest.mark.parametrize("session", SESSIONS, ids=lambda session: session.split()[1])
def test_the_page_shows_what_is_printed(session, tmp_path):
    """Words exactly; numbers to nine digits, since the last ones depend on the machine; proven digits all."""
    command, _, shown = session.partition("\n")
    line = f'theorycalc() {{ {shlex.quote(sys.executable)} -m theorycalc "$@"; }}; {command}'
    done = subprocess.run(
        ["bash", "-c", line],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        cwd=tmp_path,
        check=False,
    )
    assert re.sub(" +", " ", NUMBER.sub("#", done.stdout)) == re.sub(" +", " ", NUMBER.sub("#", shown))
    for found, expected in zip(NUMBER.findall(done.stdout), NUMBER.findall(shown), strict=True):
        if len(expected) > 25:
            assert found == expected
        else:
            assert float(found) == pytest.approx(float(expected), rel=1e-9, abs=1e-8)


def test_every_command_is_on_the_page_or_has_a_page_of_its_own():
    assert [name for name in COMMANDS if f"\n## {name}\n" not in PAGE and f"[{name}](" not in PAGE] == []
    assert {session.split()[1] for session in SESSIONS} >= {"predict", "staircase", "step", "spectrum", "simulate"}
