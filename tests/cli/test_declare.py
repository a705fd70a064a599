"""--help: its examples work, every command has one, and it fits the terminal."""

from __future__ import annotations

import re
import shlex
import signal
import socket
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.commands import run
from tests.helpers.pools import law
from tests.helpers.processes import started
from tests.helpers.searches import searched_once
from theorycalc.cli import COMMANDS, main, parser
from theorycalc.cli.parsing import commands_of

_once = pytest.fixture(autouse=True, scope="module")(searched_once)


def help_of(name: str) -> str:
    return commands_of(parser())[name].format_help()


def examples_of(text: str) -> list[list[str]]:
    """Return the commands that a help text shows, without the remarks beside them."""
    lines = re.findall(r"^  (theorycalc .*)$", re.sub(r" \\\n *", " ", text), re.MULTILINE)
    return [shlex.split(line.partition("  ")[0]) for line in lines]


EXAMPLES = [(name, i) for name in COMMANDS for i in range(len(examples_of(help_of(name))))]


@pytest.mark.slow
@pytest.mark.parametrize(("name", "number"), EXAMPLES)
def test_every_example_of_help_works(capsys, name, number, tmp_path, monkeypatch):
    """As it is shown, but for the size of a simulation, and a port that may be taken."""
    monkeypatch.chdir(tmp_path)
    example = " ".join(map(shlex.quote, examples_of(help_of(name))[number]))
    example = example.replace("--n 1000 --d 500 --N 750", "--n 60 --d 30 --N 45")
    if name == "explore":
        with socket.create_server(("127.0.0.1", 0)) as free:
            example = re.sub(r"--port \d+", f"--port {free.getsockname()[1]}", example)
        assert "http://127.0.0.1:" in served(shlex.split(example))
        return
    if name == "compare":
        _observed(tmp_path)
    if name == "features":
        F, y = law(N=20).draw(1500, np.random.default_rng(0))
        np.savez(tmp_path / "features.npz", features=F, labels=y)
    code, out, err = run(capsys, *shlex.split(example)[1:])
    assert code in ((0, 1, 3) if name in ("simulate", "compare") else (0,)), err
    assert out
    plotted = re.search(r"--plot (\S+)", example)
    assert err == ("" if plotted is None else f"wrote {plotted[1]}\n")
    saved = plotted or re.search(r"(?:-o|--output) (\S+)", example)
    assert saved is None or (tmp_path / saved[1]).stat().st_size > 100


def _observed(folder: Path) -> None:
    """Write the files that the examples of ``compare`` read."""
    (folder / "measured.csv").write_text("eta,test_loss,test_loss_se,replicates\n20,0.146,0.004,12\n", encoding="utf-8")
    problem = tc.Problem("tanh", "sin(x)", n=40, d=20, N=30, ridge="1/10")
    tc.simulate(problem, alpha=0.1, replicates=2).save(folder / "run.json")


def test_every_command_has_an_example_and_help_says_the_exit_codes():
    assert {name for name, _ in EXAMPLES} == set(COMMANDS)
    text = parser().format_help()
    assert [*map(" ".join, examples_of(text))] == [
        "theorycalc demo",
        "theorycalc step --activation tanh --teacher sin(x) --n 900 --d 300 --N 600 --ridge 0.01 --noise 0.1 --eta 20",
        "theorycalc staircase --activation relu --teacher H1 + H2/2",
        "theorycalc activations",
    ]
    assert main(["staircase", "--activation", "relu", "--teacher", "H1 + H2/2", "--ell", "1"]) == 0
    assert "Exit status: 0, it worked; 1, theory and observation differ; 3, too few draws to tell; 2, bad input" in text


def test_help_fits_a_narrow_terminal(monkeypatch):
    for width in (60, 100):
        monkeypatch.setenv("COLUMNS", str(width))
        options = help_of("simulate").partition("the problem:")[2].partition("examples:")[0]
        assert max(map(len, options.splitlines())) <= width
    monkeypatch.setenv("COLUMNS", "many")
    assert "--teacher" in help_of("simulate")


def served(example: list[str]) -> str:
    """Return what a command that serves until it is ended prints first; Ctrl-C must end it well."""
    command = [sys.executable, "-u", "-m", *example, *([] if "--no-browser" in example else ["--no-browser"])]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8") as process:
        assert process.stdout is not None
        seen = process.stdout.readline() + process.stdout.readline()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
    assert (process.returncode, err) == (0, "")
    return seen
