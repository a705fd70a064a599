"""The README tells the truth: its code, its calls, its commands, and the numbers that it quotes."""

from __future__ import annotations

import operator
import re

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.docs_code import ROOT, run_command
from tests.helpers.pools import law
from tests.helpers.searches import searched_once

pytestmark = pytest.mark.slow
_once = pytest.fixture(autouse=True, scope="module")(searched_once)

README = (ROOT / "README.md").read_text(encoding="utf-8")
CHOICES = (ROOT / "docs" / "which_function.md").read_text(encoding="utf-8")
#: Calls in the tables of both pages: in full, or with … for what depends on the reader.
CALLS = sorted(set(re.findall(r"`(?:\w+ = )?(tc\.[\w.]+\([^`]*\)[\w.]*)`", README + CHOICES)))
FULL = [call for call in CALLS if "…" not in call]


def test_the_code_runs_and_gives_the_numbers_beside_it(capsys):
    code = "\n".join(re.findall(r"```python\n(.*?)```", README, re.DOTALL))
    shown = re.search(r"p\.test_gain, p\.test_loss +# (\(.*\))", code)[1]
    literal = re.search(r'network="literal"\)\.test_gain +# ([\d.]+):', code)[1]
    best = re.search(r"η = ([\d.]+), λ = ([\d.]+)", code).groups()
    ends = ["print((p.test_gain, p.test_loss))", 'print(tc.predict(problem, ell=2, network="literal").test_gain)']
    search, rest = re.findall(r"^tc\.best\(network\).*\n", code, re.MULTILINE), re.sub(r"\ntc\.best\(.*", "", code)
    assert len(search) == 1
    names = {"__name__": "readme"}
    exec("\n".join([rest, *ends]), names)
    printed = capsys.readouterr().out.splitlines()
    assert printed[-2:] == [shown, literal]
    assert "{:.1f} {:.2f}".format(*least_loss(names["network"], *map(float, best))) == " ".join(best)
    before, after = re.search(r"print\(f\"test loss.* # ([\d.]+), ([\d.]+)", code).groups()
    assert printed[0] == f"test loss {before} before the step, {after} after it"
    assert printed[1].split()[-1] == re.search(r"spread.* # ([\d.]+)", code)[1]


def least_loss(network, eta, ridge):
    """Return η and λ of the least test loss, by Newton's method from two numbers nearby.

    The search of ``tc.best`` itself takes half a minute; a notebook makes it for a network of this kind.
    """
    away = 0.02 * np.arange(-1, 2)
    place = np.log([eta, ridge])
    for _ in range(2):
        steps, ridges = (np.exp(x + away) for x in place)
        loss = np.asarray(tc.step(network, eta=steps[:, None], ridge=ridges).test_loss)
        slopes = np.array([loss[2, 1] - loss[0, 1], loss[1, 2] - loss[1, 0]]) / 2
        mixed = (loss[2, 2] - loss[2, 0] - loss[0, 2] + loss[0, 0]) / 4
        bends = [loss[2, 1] - 2 * loss[1, 1] + loss[0, 1], loss[1, 2] - 2 * loss[1, 1] + loss[1, 0]]
        place = place - 0.02 * np.linalg.solve([[bends[0], mixed], [mixed, bends[1]]], slopes)
    return np.exp(place)


def test_every_call_of_the_tables_runs(monkeypatch, tmp_path):
    """Those of the README and of the page on functions, with the problems that the page describes."""
    monkeypatch.chdir(tmp_path)
    F, y = law(N=20).draw(500, np.random.default_rng(0))
    sizes = {"n": 300, "d": 100, "N": 200, "ridge": "0.01", "noise": "0.1"}
    network = tc.Problem("tanh", teacher="sin(x)", **sizes)
    limit = tc.Problem("tanh", teacher="sin(x)", phi="1/3", psi="1/2", ridge="0.01", noise="0.1")
    small = tc.simulate(network, eta=20, replicates=4, seed=0)
    (tmp_path / "runs.csv").write_text(
        "eta,test_loss_initial,test_loss\n" + "20,0.2,0.15\n20,0.21,0.16\n20,0.19,0.15\n"
    )
    names = {"tc": tc, "np": np, "network": network, "limit": limit, "problem": limit, "run": small, "F": F, "y": y}
    monkeypatch.setattr(tc, "simulate", lambda *_, **__: small, raising=False)
    assert len(FULL) > 20
    for call in FULL:
        assert eval(call, dict(names)) is not None, call  # text of our own pages


def test_names_with_open_arguments_exist():
    names = set(re.findall(r"`tc\.([\w.]+\w)", README + CHOICES))
    assert len(names) > 20
    for name in names:
        assert operator.attrgetter(name)(tc) is not None


@pytest.mark.parametrize("options", re.findall(r"\| `(\w+=[^`|]*)`(?:, `(\w+=[^`|]*)`)?[; ]", CHOICES))
def test_options_of_the_tables_describe_a_network(options):
    given = {"teacher": "sin(x)"}
    for option in filter(None, options):
        given |= eval(f"dict({option})")  # text of our own page
    network = tc.Problem("relu", **given, n=300, d=100, N=200, ridge="0.1", noise="0.1")
    assert network.options or given["teacher"] != "sin(x)"
    assert tc.step(network, eta=2).test_loss > 0


def test_its_commands_run(tmp_path):
    commands = re.findall(r"^(theorycalc .*)$", README, re.MULTILINE)
    assert len(commands) == 5
    assert commands.pop() == "theorycalc explore"  # serves until it is ended: tests/explorer/test_page.py
    for command in commands:
        status, printed = run_command(command, tmp_path)
        assert status == 0, printed
        assert len(printed) > 100 or command.startswith("theorycalc report")
    assert {path.name for path in tmp_path.iterdir()} == {"report.html"}


@pytest.mark.parametrize(
    ("page", "row", "quoted"),
    [
        ("errata.md", r"λ = 1/10: Λ_1 \| ([\d.]+) ± ([\d.]+) \| ([\d.]+) .*? \| ([\d.]+) ", (2, 2, 2, 2)),
        ("errata.md", r"λ = 1/10: L_te\(F₀\) \| .*? \| ([\d.]+) ", (2,)),
        ("errata.md", r"fit of degree 2, n = 1600 \| ([\d.]+) ± ([\d.]+) \| 0.0000 .*? \| ([\d.]+) ", (3, 3, 3)),
        ("finite_step_checks.md", r"dressed features \| (\d+) \| ([\d.]+)%", (0, 1)),
        ("finite_step_checks.md", r"limits n → ∞ \| \d+ \| ([\d.]+)%", (0,)),
    ],
)
def test_numbers_that_it_quotes_are_on_their_pages(page, row, quoted):
    """Each as rounded there: the page has it, and the README names the page."""
    found = re.search(row, (ROOT / "docs" / page).read_text(encoding="utf-8")).groups()
    new = README[README.index("## What is new here") : README.index("## What it cannot do")]
    assert f"docs/{page}" in new
    for number, digits in zip(found, quoted, strict=True):
        assert re.search(rf"(?<![\d.]){re.escape(f'{float(number):.{digits}f}')}(?!\d)", new), number


def test_it_is_short():
    assert len(README.splitlines()) <= 130
