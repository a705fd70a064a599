"""What the copy buttons give: code that prints the numbers of the page."""

from __future__ import annotations

import csv
import io
import shlex
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theorycalc.cli import main
from theorycalc.explorer.answers import answer
from theorycalc.explorer.copied import command_of, python_of
from theorycalc.explorer.fields import FIELDS, case_of

PLACES = [
    {},
    {"teacher": "1, -1/2", "phi": "2"},
    {"teacher": "-H1 + H2", "activation": "-x + relu(x)", "noise": "0"},
    {"first_layer": "gaussian", "gradient": "labels", "step_samples": "1/2", "alpha": "0.1"},
    {"gradient": "labels", "second_layer": "sign", "ridge": "1/50"},
    {"activation": "sign(x) + x"},
    {"alpha": "1/4"},
    {"ridge": "0"},
    {"ridge": "0", "alpha": "1/2"},
]


def printed(text: str) -> list[list[float]]:
    return [[float(item) for item in line.split()] for line in text.strip().splitlines()]


def initial(found: dict) -> dict:
    """The losses before any step, which are shown where there is no limit."""
    return found["staircase"]["theorem"]["steps"][0]


@pytest.mark.slow
@pytest.mark.parametrize("fields", PLACES)
def test_copied_python_and_command_give_the_numbers_of_the_page(fields, capsys):
    found = answer("now", fields)
    names = ("train_gain", "test_gain", "train_loss", "train_error", "test_loss")
    finite = answer("finite", fields)
    limits = list(found["limit"].values()) or [initial(found)]
    shown = [[step[name] for name in names] for step in (*limits, finite) if "refused" not in step]
    script = found["python"] + finite.get("python", "")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    commands = []
    for line in (found["command"] + finite.get("command", "")).splitlines():
        program, *arguments = shlex.split(line)
        assert program == "theorycalc"
        assert main([*arguments, "--csv"]) == 0
        [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
        commands.append({name: float(row[name]) for name in names if name in row})
    # The last bits of a finite step depend on the threads of BLAS.
    assert [pytest.approx(row, rel=1e-10) for row in shown] == printed(run.stdout)
    for row, command in zip(shown, commands, strict=True):
        assert command.keys() >= {"train_gain", "test_gain", "train_loss", "test_loss"}
        expected = dict(zip(names, row, strict=True))
        assert command == {name: pytest.approx(expected[name], rel=1e-10) for name in command}


@pytest.mark.slow
@given(st.text(max_size=40), st.text(max_size=40))
def test_copied_text_quotes_whatever_was_typed(activation, phi):
    texts = {**FIELDS, "activation": activation, "phi": phi}
    assert f"    {activation!r},\n" in python_of(texts, 10, ("theorem",))
    compile(python_of(texts, 10, ("theorem", "literal", "network")), "copied", "exec")
    words = shlex.split(command_of(texts, 10, ("theorem",)))
    assert activation in words or f"--activation={activation}" in words


def test_copied_calls_give_the_gradient_only_to_networks():
    texts = {**FIELDS, "gradient": "labels"}
    theorem, literal, network = (
        line for line in python_of(texts, 10, ("theorem", "literal", "network")).splitlines() if "(problem, " in line
    )
    assert "gradient" not in theorem
    assert literal.endswith("network='literal', gradient='labels')")
    assert network.endswith("gradient='labels')")
    assert "gradient" not in python_of(texts, 10, ("theorem",))
    assert "--gradient" not in command_of(texts, 10, ("theorem",))
    assert command_of(texts, 10, ("network",)).endswith("--gradient labels\n")
    assert "gradient" not in python_of(FIELDS, 10, ("literal", "network"))  # the default anyway


def test_options_of_the_problem_are_typed_as_they_are_read():
    texts = {**FIELDS, "intercept": "yes", "centred": "no", "corrupt_fit": "3/10", "first_scale": "1/sqrt(3)"}
    problem = case_of(texts).problem
    assert (problem.intercept, problem.centred, problem.corrupt_fit) == (True, False, Fraction(3, 10))
    assert "--intercept --no-centred --first-scale '1/sqrt(3)' --corrupt-fit 3/10" in command_of(
        texts, 10, ("network",)
    )
    made: dict[str, object] = {}
    exec(python_of(texts, 10, ()).split("#")[0], made)
    assert made["problem"] == problem


SIGNS = {"activation": "tanh", "teacher": "sign(x)", "noise": "0", "n": "150", "alpha": "1/10", "flip_fit": "1/10"}


@pytest.mark.slow
@pytest.mark.parametrize("fields", [{}, {"alpha": "1/4"}, {"gradient": "labels"}, {"ridge": "0"}])
def test_error_rates_and_clean_losses_that_are_shown_are_copied(fields, capsys):
    fields = SIGNS | fields
    found, finite = answer("now", fields), answer("finite", fields)
    rates = {"before": found["rates"]["before"]} if not found["limit"] else found["rates"] | {"network": finite["rate"]}
    limits = found["limit"] or {"before": initial(found)}
    steps = limits | ({} if "refused" in finite else {"network": finite})
    if "refused" not in finite:
        rates |= {"network": finite["rate"]}
    expected = []
    for name, values in steps.items():
        expected.append([values["train_gain"], values["test_gain"], values["train_loss"]])
        expected[-1] += [values["train_error"], values["test_loss"], values["test_loss_clean"]]
        if "error_rate" in rates.get(name, {}):
            expected.append([rates[name]["error_rate"]])
    script = found["python"] + finite.get("python", "")
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert printed(run.stdout) == [pytest.approx(row, rel=1e-10) for row in expected]
    copied = []
    for line in (found["command"] + finite.get("command", "")).splitlines():
        words = shlex.split(line)[1:]
        assert main([*words, "--csv"]) == 0
        [row] = csv.DictReader(io.StringIO(capsys.readouterr().out))
        copied += [float(row["error_rate"])] if words[0] == "error-rate" else []
    assert copied == [pytest.approx(row[0], rel=1e-10) for row in expected if len(row) == 1]


def test_every_option_is_copied():
    """A field that differs from its first value stands in the script and in the command."""
    others = {
        "activation": "tanh", "teacher": "H1", "phi": "1/3", "psi": "1/5", "ridge": "1/7", "noise": "1/9",
        "first_layer": "gaussian", "second_layer": "sign", "intercept": "yes", "centred": "no", "centred_labels": "no",
        "first_scale": "2", "second_scale": "3", "biases": "0:1/2, 1:1/2", "inputs": "two_level(9, 1/4)", "steps": "2",
        "corrupt_step": "1/11", "corrupt_fit": "1/12", "flip_step": "1/13", "flip_fit": "1/14", "step_samples": "1/2",
        "gradient": "labels", "n": "777", "alpha": "2/9",
    }  # fmt: skip
    assert others.keys() == FIELDS.keys() - {"eta"}  # which takes the place of α
    texts = FIELDS | others
    script, line = python_of(texts, 777, ("network",)), command_of(texts, 777, ("network",))
    for name, text in others.items():
        value = {"yes": "True", "no": "False"}.get(text, text)
        assert value in script, name
        flag = name.replace("_", "-")
        assert (f"--no-{flag}" if text == "no" else f"--{flag}") in line, name
        assert text in ("yes", "no") or shlex.quote(text) in line, name


@pytest.mark.slow
def test_a_learning_rate_is_copied_as_it_was_typed():
    """Finite steps take η itself, and limits the window that n^α = η is in."""
    fields = {"eta": "21/2", "n": "500"}
    texts = FIELDS | fields
    steps = ("theorem", "literal", "network")
    run = subprocess.run(
        [sys.executable, "-c", python_of(texts, 500, steps)], capture_output=True, text=True, check=True
    )
    shown = [float(line.split()[4]) for line in run.stdout.splitlines()]
    limits = answer("now", fields)["limit"]
    expected = [*(limits[name]["test_loss"] for name in steps[:2]), answer("finite", fields)["test_loss"]]
    assert shown == [pytest.approx(value, rel=1e-12) for value in expected]
    assert python_of(texts, 500, steps).splitlines()[-2] == "network = tc.step(problem, n=500, eta='21/2')"
    lines = command_of(texts, 500, steps).splitlines()
    assert [line.split(" --")[-1] for line in lines[::2]] == ["ell 4", "eta 21/2"]
    assert not any("alpha" in line for line in lines)
    assert "eta='21/2', replicates=3)" in answer("simulate", fields | {"n": "40", "draws": 3})["python"]


@pytest.mark.slow
@pytest.mark.parametrize("ridge", ["1/10", "0"])
def test_a_simulation_is_copied(ridge, capsys):
    fields = {"n": "40", "ridge": ridge}
    found = answer("simulate", fields | {"draws": 3})
    run = subprocess.run(
        [sys.executable, "-c", answer("now", fields)["python"] + found["python"]],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "40" in run.stdout
    assert ("Too few draws to tell: 3" if "theory" in found else "3 of 3 replicates") in run.stdout
    assert main([*shlex.split(found["command"])[1:], "--json"]) in (0, 3)
    assert str(found["rows"][0]["observed"]) in capsys.readouterr().out
