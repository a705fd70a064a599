"""The commands sheet and latex."""

from __future__ import annotations

import json

import pytest

import theorycalc as tc
from theorycalc.cli import main

ARGUMENTS = ["--activation", "relu", "--teacher", "H1 + H2/sqrt(2)", "--phi", "1/2", "--psi", "2/3", "--ridge", "0.1"]


def test_the_command_writes_the_sheet(tmp_path, capsys):
    path = tmp_path / "sheet.html"
    assert main(["sheet", *ARGUMENTS, "--ell", "2", "-o", str(path)]) == 0
    assert capsys.readouterr().out == f"wrote {path}\n"
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert main(["sheet", *ARGUMENTS, "--ell", "2", "--digits", "none"]) == 0
    assert capsys.readouterr().out.startswith(r"\documentclass")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["sheet", *ARGUMENTS, "--ell", "2", "-o", "sheet.odt"], "ends in '.odt'"),
        (["sheet", *ARGUMENTS, "--ell", "two"], "--ell two"),
        (["sheet", *ARGUMENTS, "--ell", "2", "--digits", "lots"], "digits"),
        (["sheet", *ARGUMENTS, "--ell", "2", "--network", "mine"], "--network mine is not known"),
        (["sheet", *ARGUMENTS, "--ell", "2", "--gradient", "residual"], "the theorem's step is on the labels"),
        (["latex", *ARGUMENTS], "need their window; give --ell"),
        (["latex", *ARGUMENTS, "--ell", "2", "--spikes", "1"], "are for a formula"),
        (["latex", *ARGUMENTS, "--ell", "2", "--csv"], "--csv is for the list of names"),
        (["latex", "Delta", *ARGUMENTS, "--ell", "2", "--spikes", "1"], "give --spikes or a problem"),
        (["latex", "Delta", *ARGUMENTS, "--ell", "2", "--digits", "9"], "leave out the name, or --digits"),
        (["latex", "Delta", "--ell", "2", "--phi", "1"], "a problem needs --teacher and --activation"),
        (["latex", "--network", "literal"], "which formula?"),
        (["latex", "Delta"], "needs its index"),
        (["latex", "Gamma", "--ell", "2"], "name='Gamma' is not known"),
        (["latex", "Delta", "--ell", "2", "--spikes", "1,b"], "spikes"),
        (["latex", "window", "--ell", "0"], "--ell 0"),
        (["latex", "H", "--ell", "99999999999999999999"], "k="),
    ],
)
def test_bad_input_on_the_command_line(arguments, words, capsys):
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert words in captured.err
    assert "Traceback" not in captured.err


def test_the_latex_command(capsys):
    assert main(["latex", "Delta", "--ell", "3"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == tc.latex(tc.symbolic.formula("Delta", 3))
    assert main(["latex", "Delta", "--ell", "3", "--unfold", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert r"\Delta_{3}" in shown["latex"]
    assert (shown["name"], shown["ell"]) == ("Delta", 3)
    literal = ["--network", "literal", "--gradient", "labels"]
    assert main(["latex", "Delta", "--ell", "3", *literal]) == 0
    wanted = tc.symbolic.formula("Delta", 3, network="literal", gradient="labels")
    assert capsys.readouterr().out.rstrip("\n") == tc.latex(wanted)
    assert main(["latex"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in ("Delta", "Lambda", "trace_equations", "Omega_inverse"))


def test_the_latex_command_takes_a_problem(capsys):
    """ReLU has K = {1, 2} at ℓ = 3: its formulas are those, with its values."""
    problem = tc.Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10")
    assert main(["latex", *ARGUMENTS, "--ell", "3", "--network", "literal", "--digits", "25"]) == 0
    shown = capsys.readouterr().out.rstrip("\n")
    assert shown == tc.latex(problem, ell=3, network="literal", digits=25)
    assert str(tc.predict(problem, ell=3, network="literal", digits=25).test_gain) in shown
    assert main(["latex", "Delta", *ARGUMENTS, "--ell", "3"]) == 0
    assert capsys.readouterr().out.rstrip("\n") == tc.latex(tc.symbolic.formula("Delta", 3, spikes=(1, 2)))
    sizes = ["--n", "900", "--d", "450", "--N", "675"]
    assert main(["latex", *ARGUMENTS[:4], *sizes, "--ridge", "0.1", "--ell", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["name"], told["network"], told["latex"]) == (None, "theorem", tc.latex(problem, ell=3))


def test_the_sheet_command_takes_a_network(capsys):
    assert main(["sheet", *ARGUMENTS, "--ell", "2", "--network", "literal", "--gradient", "labels"]) == 0
    assert "whose step is on the labels alone" in capsys.readouterr().out.replace("\n", " ")


def test_the_example_of_the_command_needs_no_sizes(tmp_path, capsys):
    path = tmp_path / "sheet.tex"
    assert main(["sheet", "--activation", "relu", "--teacher", "H1 + H2/sqrt(2)", "--ell", "3", "-o", str(path)]) == 0
    assert r"$\psi$ & inputs per neuron, d/N & $\frac{2}{3}$" in path.read_text(encoding="utf-8")
