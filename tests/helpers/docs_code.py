"""The code blocks of the pages: found, run as a reader would run them, and compared with what is shown."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from markdown_it import MarkdownIt

from tests.helpers.processes import finished
from theorycalc.cli import main

ROOT = Path(__file__).parents[2]
#: Folders whose pages are made at build time: their code is run where it comes from.
GENERATED = ("docs/api", "docs/examples", "docs/glossary.md", "docs/handbook.md")
PYTHON = ("python", "pycon")
RUNNABLE = (*PYTHON, "sh", "console")  # all else needs a reason why it is only shown
_REASON = re.compile(r"<!-- not run: (.+?) -->\s*\Z", re.DOTALL)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_SHELL = re.compile(r"[|<>$;&]")


class Block(NamedTuple):
    """A fenced block: where it begins, its language and text, and why it is not run, if it says so."""

    page: Path
    line: int
    language: str
    text: str
    reason: str | None


def pages() -> list[Path]:
    """Return every page that people write."""
    found = [ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    return [page for page in found if not str(page.relative_to(ROOT)).startswith(GENERATED)]


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, directives and formulas apart."""
    found, before = [], ""
    for token in MarkdownIt().parse(page.read_text(encoding="utf-8")):
        if token.type == "fence" and not token.info.startswith(("{", "math")):
            reason = _REASON.search(before)
            found.append(Block(page, token.map[0] + 1, token.info.strip(), token.content, reason and reason[1]))
        before = token.content
    return found


def same(found: str, shown: str) -> bool:
    """Compare words exactly, numbers to nine digits, since the last depend on the machine, and proven digits all."""
    if re.sub(r"\s+", " ", _NUMBER.sub("#", found)).strip() != re.sub(r"\s+", " ", _NUMBER.sub("#", shown)).strip():
        return False
    pairs = zip(_NUMBER.findall(found), _NUMBER.findall(shown), strict=True)
    return all(a == b if len(b) > 25 else float(a) == pytest.approx(float(b), rel=1e-9, abs=1e-8) for a, b in pairs)


class Checker(doctest.OutputChecker):
    """Doctest's own judgement (with … for what is left out), or ours."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Return whether what was printed is what is shown."""
        return super().check_output(want, got, optionflags) or same(got, want)


@contextlib.contextmanager
def inside(folder: Path) -> Iterator[None]:
    """Work in another folder."""
    before = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)


def run_python(found: list[Block], folder: Path) -> list[str]:
    """Run the Python of one page in order, in one namespace and an empty folder; return what went wrong.

    A page with a guard for worker processes is run as the script that it describes.
    """
    if any("__main__" in block.text for block in found):
        assert all(block.language == "python" for block in found), "a script has no prompts"
        script = folder / "page.py"
        script.write_text("\n".join(block.text for block in found), encoding="utf-8")
        # Dask warns of a busy machine while it ends: its warnings are not ours
        strict = [] if "distributed" in script.read_text(encoding="utf-8") else ["-W", "error"]
        done = finished([sys.executable, *strict, script], cwd=folder)
        return [done.stderr] if done.returncode else []
    names: dict[str, Any] = {"__name__": "page"}
    wrong = []
    with inside(folder):
        for block in found:
            where = f"{block.page.relative_to(ROOT)}:{block.line}"
            if block.language == "python":
                try:
                    with contextlib.redirect_stdout(io.StringIO()):
                        exec(compile(block.text, where, "exec"), names)
                except Exception:
                    wrong.append(f"{where}\n{traceback.format_exc()}")
                continue
            test = doctest.DocTestParser().get_doctest(block.text, names, where, where, 0)
            runner = doctest.DocTestRunner(Checker(), optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            said = io.StringIO()
            if runner.run(test, out=said.write, clear_globs=False).failed:
                wrong.append(said.getvalue())
            names.update(test.globs)
    return wrong


def commands(block: Block) -> list[tuple[str, str]]:
    """Return each command of a block with what is shown below it; of a plain script, the commands alone."""
    if block.language == "console":
        shown = re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE)
        return [(command, output) for command, output in shown]
    lines = block.text.replace("\\\n", " ").splitlines()
    return [(line, "") for line in lines if line.strip() and not line.startswith("#")]


def run_command(command: str, folder: Path) -> tuple[int, str]:
    """Run a command of ours, in this process where no shell is needed; return its status and all that it prints."""
    words = shlex.split(command, comments=True)
    if words[0] == "theorycalc" and not _SHELL.search(re.sub(r'"[^"]*"', "", command)):
        said = io.StringIO()
        with inside(folder), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            try:
                status = main(words[1:])
            except SystemExit as end:
                status = end.code
        return int(status or 0), said.getvalue()
    line = f'theorycalc() {{ {shlex.quote(sys.executable)} -m theorycalc "$@"; }}; {command}'
    done = finished(["bash", "-c", line], stderr=subprocess.STDOUT, cwd=folder)
    return done.returncode, done.stdout
