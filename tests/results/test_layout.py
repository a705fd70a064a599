"""How results look: what the first line says, the order of the lines, and the numbers in them."""

from __future__ import annotations

import csv
import io
import json

import pytest

import theorycalc as tc
from tests.helpers.commands import RELU, run
from tests.helpers.problems import EXAMPLE as PROBLEM
from tests.helpers.results import SIZES, made
from theorycalc.cli.output import styled
from theorycalc.results.layout import latex_display, latex_number
from theorycalc.results.quantities import QUANTITIES, TRAINING
from theorycalc.results.step_result import FINITE_SIZE


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("prediction", "The theorem's limit n → ∞, ℓ = 2, spikes K = {1, 2} (rounded: float64)"),
        ("prediction, literal", "The limit n → ∞ of literal networks, ℓ = 2, α = 0.3, spikes K = {1, 2} (rounded"),
        ("prediction, many", "The theorem's limit n → ∞ at 6 points"),
        ("prediction, proven", "The theorem's limit n → ∞ at 2 points (enclosed: 40 digits proven)"),
        ("staircase", "The theorem's limit n → ∞ in every window ℓ"),
        ("step", "One step of the literal network, n = 120, d = 60, N = 90: η = 4.20489 = n^0.3, λ = 0.1 (dressed"),
        ("step, many", "Steps of a network whose step is on the labels alone, n = 120, d = 60, N = 90 (dressed"),
        ("spectrum", "Spectrum of F₀F₀ᵀ/n, before any step"),
        (
            "spectrum, step",
            "Spectrum of FFᵀ/n after one step of the literal network, n = 500, d = 250, N = 2500: η",
        ),
        ("weights", "Singular values of the weights W₀, before any step"),
        (
            "weights, step",
            "Singular values of the weights W after one step of the literal network, n = 500, d = 250, N",
        ),
        ("sweep", "Sweep of 2 × 2 = 4 points: the theorem's limits n → ∞, 2 without a value"),
    ],
)
def test_the_first_line_says_which_theory_it_is(name, title):
    assert repr(made(name)).startswith(title)


def test_the_slides_are_said_in_the_first_line():
    assert repr(tc.predict(PROBLEM, ell=2, as_printed=True)).startswith(
        "The limit n → ∞ with Λ_ℓ as the slides print it"
    )


def test_losses_come_first_and_notes_last():
    found = made("prediction")
    _, *lines = repr(found).splitlines()
    words = [line.split()[0] for line in lines]
    symbols = [quantity.symbol.replace("_ℓ", "_2") for quantity in QUANTITIES.values()]
    assert words[: len(symbols)] == symbols
    assert lines[0].split()[1] == f"{found.test_loss_initial:.6g}"
    rest = words[len(symbols) :]
    assert rest == sorted(rest)  # conditions, then notes
    assert "condition FAILS: the teacher is Lipschitz" in repr(found)
    assert "training loss after the step (ridge objective, penalty included)" in repr(found)
    assert "training error after the step (without the penalty)" in repr(found)
    for name in ("prediction, many", "step, many", "staircase"):
        assert TRAINING in repr(made(name))


def test_a_failing_condition_is_not_dimmed(monkeypatch):
    monkeypatch.setattr("theorycalc.cli.output.for_a_terminal", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    unsure = tc.Problem(tc.Activation.from_moments("1/2", "3/10"), "H1 + H2/2", "1/2", "2/3", "1/10")
    lines = styled(repr(tc.predict(unsure, ell=2))).splitlines()
    assert "  condition FAILS: the teacher is Lipschitz" in lines
    assert any(line.startswith("\033[2m  condition assumed: ") for line in lines)
    assert any(line.startswith("\033[2m  note ") for line in lines)
    failed = styled(repr(tc.step(PROBLEM, **SIZES, eta=20, method="pencil"))).splitlines()
    assert any(line.startswith("  NOT CONVERGED: ") for line in failed)
    html = tc.predict(unsure, ell=2)._repr_html_()
    assert "<strong>condition FAILS: the teacher is Lipschitz</strong>" in html
    assert "<li>condition assumed: c<sub>k</sub> ≠ 0 for all k ≤ ℓ = 2</li>" in html


def test_a_finite_step_says_how_far_its_losses_are_off():
    for name in ("step", "step, many", "step, proven"):
        assert repr(made(name)).count(FINITE_SIZE) == 1
        assert FINITE_SIZE in made(name).notes
        assert FINITE_SIZE in made(name)._repr_html_()
    few = tc.step(PROBLEM, n=99, eta=5)
    warning = "n = 99 is small: known terms of order 1/n are included; at n = 225 networks"
    assert repr(few).count(warning) == len([note for note in few.notes if note.startswith(warning)]) == 1
    assert FINITE_SIZE not in few.notes
    assert "limit n → ∞ of such networks, ℓ = 2: test loss" in repr(made("step"))
    assert "order 1/n" in tc.FiniteStep.__doc__


@pytest.mark.parametrize("arguments", [["--ell", "1"], ["--ell", "1,2"], ["--ell", "1", "--ridge", "0.1,1"]])
def test_the_command_line_has_the_same_layout_for_one_and_for_many(capsys, arguments):
    data = json.loads(run(capsys, "predict", *RELU, *arguments, "--json")[1])
    problem = tc.Problem("relu", "H1 + H2/2", "1/2", "2/3", "0.1")
    one = tc.predict(problem, ell=1).to_dict()
    assert list(data) == list(one)
    assert list(data["rows"][0]) == list(one["rows"][0])
    assert data["rows"][0]["test_gain"] == pytest.approx(one["rows"][0]["test_gain"], rel=1e-14)
    assert len(data["rows"]) == (1 if arguments == ["--ell", "1"] else 2)
    read = list(csv.DictReader(io.StringIO(run(capsys, "predict", *RELU, *arguments, "--csv")[1])))
    assert [list(row) for row in read] == [list(row) for row in data["rows"]]
    assert [float(row["test_gain"]) for row in read] == [row["test_gain"] for row in data["rows"]]


@pytest.mark.parametrize(
    ("text", "latex"), [("0.25", "0.25"), ("2e+30", r"2\cdot 10^{30}"), ("−∞", r"-\infty"), ("∞", r"\infty")]
)
def test_numbers_are_written_as_latex_writes_them(text, latex):
    assert latex_number(text) == latex


def test_equations_stand_below_each_other():
    first, *lines, last = latex_display(["a &= 1", "b &= 2"]).splitlines()
    assert (first, last) == (r"$$\begin{aligned}", r"\end{aligned}$$")
    assert lines == [r"a &= 1 \\", "b &= 2"]
