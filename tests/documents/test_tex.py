"""Documents in LaTeX: every character, and files that compile."""

from __future__ import annotations

import re
import shutil

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import PAPER as PROBLEM
from tests.helpers.processes import finished
from tests.helpers.sheets import EVERY_SHEET, HOSTILE, LITERAL, PROBLEMS, sheet_of
from tests.helpers.typesetters import missing
from theorycalc.documents.tex import escaped, find_engine


@pytest.mark.parametrize("name", [r"x_{\input /etc/hostname }", "x^{$&#}", "x_(%)", r"x_{~\relax}"])
def test_a_name_that_looks_like_an_index_commands_nothing(name, tmp_path):
    """Notes make mathematics of c_1 and k^{−3/2}; a name among their words could have read a file into the PDF."""
    activation = tc.Activation.from_callable(lambda x: np.tanh(x) + np.cos(x), name=name)
    sheet = tc.sheet(tc.Problem(activation, ["1"], "1/2", "2/3", "1/10"), ell=1, digits=None)
    assert f"the activation {escaped(name)} was centred" in sheet.tex
    if find_engine() is None:
        missing("a LaTeX", "apt-get install texlive-latex-base")
    sheet.save(tmp_path / "sheet.pdf")


def test_every_character_becomes_latex_that_prints_it():
    text = "".join(map(chr, range(0x20, 0x2FF))) + "ℓ≠…中"
    shown = escaped(text)
    assert shown.isascii()
    assert "[U+4E2D]" in shown
    assert r"$\ell$$\neq$\dots{}" in shown


@pytest.mark.slow
@EVERY_SHEET
def test_latex_compiles_the_sheet(name, network, tmp_path):
    sheet = sheet_of(name, network, 3)
    if find_engine() is None:
        missing("a LaTeX", "apt-get install texlive-latex-base")
    assert "[U+" not in sheet.tex, "a letter that the fonts lack"
    path = sheet.save(tmp_path / "sheet.pdf")
    assert path.read_bytes().startswith(b"%PDF")
    assert [file.name for file in tmp_path.iterdir()] == ["sheet.pdf"]


def test_latex_compiles_hostile_names_and_thousands_of_digits(tmp_path):
    if find_engine() is None:
        missing("a LaTeX", "apt-get install texlive-latex-base")
    activation = tc.Activation.from_callable(np.tanh, name=HOSTILE)
    tc.sheet(tc.Problem(activation, ["1"], "1/2", "2/3", "1/10"), ell=1, digits=None).save(tmp_path / "hostile.pdf")
    tc.sheet(PROBLEM, ell=2, digits=2000).save(tmp_path / "long.pdf")
    assert len(list(tmp_path.iterdir())) == 2


TEACHER = [f"1/{k}" for k in range(1, 41)]
LONG = {
    "digits": (PROBLEM, 2, 3000),
    "some digits": (PROBLEM, 2, 190),
    "windows": (tc.Problem("exp(x/2)", TEACHER, "1/2", "2/3", "1/10"), 40, 20),
    "gaussian": (tc.Problem("gelu", TEACHER[:12], "1/2", "2/3", "1/10", first_layer="gaussian"), 12, 20),
}


@pytest.mark.slow
@pytest.mark.parametrize("network", ["theorem", "literal"])
@pytest.mark.parametrize("name", [*LITERAL, *LONG])
def test_nothing_runs_off_the_page(name, network, tmp_path):
    """LaTeX does not complain of a table longer than a page: it prints beyond the paper's edge."""
    if shutil.which("pdflatex") is None:
        missing("pdflatex", "apt-get install texlive-latex-base")
    problem, ell, digits = LONG.get(name) or (PROBLEMS[name], 3, 20)
    (tmp_path / "sheet.tex").write_text(
        tc.sheet(problem, ell=ell, digits=digits, network=network).tex, encoding="utf-8"
    )
    command = ["pdflatex", "-interaction=nonstopmode", "-no-shell-escape", "sheet.tex"]
    done = finished(command, cwd=tmp_path, encoding="latin-1")
    assert done.returncode == 0, done.stdout[-3000:]
    too_much = [float(points) for points in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt too", done.stdout)]
    assert max(too_much, default=0) < 30, done.stdout[-3000:]  # points; the margin is 72 wide


def test_without_latex_the_error_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(tc.ArgumentError, match=r"a PDF needs LaTeX.*save a \.tex or \.html file"):
        tc.sheet(PROBLEM, ell=1).save(tmp_path / "sheet.pdf")


def test_a_failing_latex_is_reported_with_its_complaint(tmp_path, monkeypatch):
    engine = tmp_path / "pdflatex"
    engine.write_text("#!/bin/sh\necho '! Undefined control sequence.'\nexit 1\n")
    engine.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin:/usr/bin")
    with pytest.raises(tc.TheoryError, match="pdflatex failed: Undefined control sequence"):
        tc.sheet(PROBLEM, ell=1).save(tmp_path / "sheet.pdf")
