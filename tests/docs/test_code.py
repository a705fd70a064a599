"""Every code block of every page runs, and shows what it prints."""

from __future__ import annotations

import importlib.util
import re
import shlex
import tomllib
from pathlib import Path

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.docs_code import (
    PYTHON,
    ROOT,
    RUNNABLE,
    Block,
    blocks,
    commands,
    pages,
    run_command,
    run_python,
    same,
)
from tests.helpers.pools import law
from tests.helpers.searches import searched_once
from theorycalc.cli import COMMANDS, parser

pytestmark = pytest.mark.slow
_once = pytest.fixture(autouse=True, scope="module")(searched_once)


def possible(block: Block) -> bool:
    """Whether a block needs no torch, which is large and in no extra of the tests, or torch is there."""
    return "import torch" not in block.text or importlib.util.find_spec("torch") is not None


RUN = {page: [block for block in blocks(page) if block.reason is None and possible(block)] for page in pages()}
PAGES = [page for page, run in RUN.items() if any(block.language in PYTHON for block in run)]
CONSOLE = [shown for run in RUN.values() for block in run if block.language == "console" for shown in commands(block)]
SCRIPTS = [block for run in RUN.values() for block in run if block.language == "sh"]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_the_python_of_a_page_runs(page, tmp_path):
    wrong = run_python([block for block in RUN[page] if block.language in PYTHON], tmp_path)
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "assert 1 + 1 == 3"),
        ("pycon", ">>> 1 + 1\n3\n"),
        ("python", "if __name__ == '__main__':\n    raise SystemExit(1)"),
    ],
)
def test_a_page_that_is_wrong_is_noticed(language, text, tmp_path):
    page = Block(ROOT / "docs" / "index.md", 1, language, text, None)
    right = Block(page.page, 1, "python", "import math", None)
    assert len(run_python([right, page], tmp_path)) == 1
    assert run_python([right], tmp_path) == []


@pytest.mark.parametrize(("command", "shown"), CONSOLE, ids=[command.split()[1] for command, _ in CONSOLE])
def test_a_command_prints_what_is_shown(command, shown, tmp_path):
    _, printed = run_command(command, tmp_path)
    assert same(printed, shown), printed


@pytest.mark.parametrize("block", SCRIPTS, ids=lambda block: f"{block.page.name}:{block.line}")
def test_the_commands_of_a_page_run(block, tmp_path):
    """Ours are run; what installs or builds is compared with what there is to install or build."""
    F, y = law(N=20).draw(1500, np.random.default_rng(0))
    np.savez(tmp_path / "features.npz", features=F, labels=y)  # the file that pages take for granted
    for command, _ in commands(block):
        if command.startswith("theorycalc explore"):  # serves until it is ended: tests/explorer/test_page.py
            parser().parse_args(shlex.split(command, comments=True)[1:])
        elif command.startswith(("theorycalc ", 'eval "$(theorycalc ')):
            status, printed = run_command(command, tmp_path)
            assert status == 0, printed
        else:
            check_tool(command)


def check_tool(command: str) -> None:
    """See that a target of make, the extras of pip, notebooks or a module of ours exist."""
    if re.fullmatch(r"python3 -m venv [\w-]+|source [\w-]+/bin/activate", command):
        return  # an environment of the reader's own
    if made := re.match(r"make (\w+)", command):
        assert f"\n{made[1]}:" in (ROOT / "Makefile").read_text(encoding="utf-8"), command
    elif installed := re.match(r"pip (?:install|wheel) [^']*'(?:theorycalc|\.)\[([\w,]+)\]'", command):
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        assert set(installed[1].split(",")) <= set(project["optional-dependencies"]), command
    elif opened := re.fullmatch(r"jupyter lab ([\w/]+)", command):
        assert list((ROOT / opened[1]).glob("*.ipynb")), command
    else:
        module = re.match(r"python -m ((?:tests|benchmarks)[\w.]+)", command)
        assert module, f"{command!r} is neither ours nor known: mark the block <!-- not run: why --> and make it text"
        path = ROOT.joinpath(*module[1].split("."))
        assert path.with_suffix(".py").exists() or (path / "__main__.py").exists(), command


def test_what_is_not_run_says_why_and_is_little():
    every = [block for page in [ROOT / "README.md", *pages()] for block in blocks(page)]
    shown = [block for block in every if block.reason is not None]
    assert [block[:3] for block in every if block.reason is None and block.language not in RUNNABLE] == []
    assert len(shown) <= 10


def test_the_judge_notices():
    assert same("a 0.1234567891 b", "a 0.12345678912 b")
    assert not same("a 0.1234 b", "a 0.1235 b")
    assert not same("a 0.1234", "b 0.1234")
    digits = "0.4025125823503096227128803197002328603368"
    assert not same(digits, digits[:-1] + "9")


def test_a_wrong_page_fails(tmp_path):
    page = ROOT / "docs" / "index.md"
    (other,) = run_python([Block(page, 1, "pycon", ">>> 1 + 1\n3\n", None)], tmp_path)
    assert "Expected:\n    3\nGot:\n    2" in other
    (broken,) = run_python([Block(page, 1, "python", "1 / 0\n", None)], tmp_path)
    assert "docs/index.md:1" in broken
    assert "ZeroDivisionError" in broken


def test_the_page_on_formulas_shows_what_is_written():
    page = (ROOT / "docs" / "formulas.md").read_text(encoding="utf-8")
    shown = re.findall(r"```math\n(.*?)\n```", page, re.DOTALL)
    assert shown == [tc.latex(tc.symbolic.formula("Delta", 3, form=form)) for form in ("matrix", "closed")]


def test_every_command_is_on_its_page():
    page = (ROOT / "docs" / "command_line.md").read_text(encoding="utf-8")
    assert [name for name in COMMANDS if f"\n## {name}\n" not in page and f"[{name}](" not in page] == []
    assert {command.split()[1] for command, _ in CONSOLE} >= {
        "predict",
        "staircase",
        "step",
        "spectrum",
        "weights",
        "simulate",
    }
