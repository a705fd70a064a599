"""The sheet of a problem: what stands on it, and that no text of a user gets out of its place."""

from __future__ import annotations

import os
import re
import shutil
from html.parser import HTMLParser

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import PAPER as PROBLEM
from tests.helpers.problems import problem as example
from tests.helpers.processes import finished
from tests.helpers.typesetters import missing
from theorycalc.documents.blocks import Display, Heading, TableBlock
from theorycalc.documents.tex import escaped, find_engine

HOSTILE = "\\input{/etc/passwd} $x$ & %# <script>alert(1)</script> \"'> é中\n\x07"
PROBLEMS = {
    "relu": PROBLEM,
    "gaussian": tc.Problem("gelu", "H1 + H2/2", "1/2", "2/3", "1/10", first_layer="gaussian"),
    "no polynomial": tc.Problem("tanh(x + 1)", "sin(x) + x**2", "3/2", "2/3", "1"),
    "odd": tc.Problem("erf", "H1 + H3/3", "1/2", "2/3", "1/100", step_samples="1/2"),
    "gaps": tc.Problem("x + x**4/9", ["1", "1/2", "0", "1/5"], "1/2", "2/3", "1/10", second_layer="sign"),
    "moments": tc.Problem(tc.Activation.from_moments("1/2", "3/10"), ["1", "1/2", "1/3"], "1/2", "2/3", "1/10"),
    "ridgeless": tc.Problem("relu", ["1", "1/2"], "1/2", "2/3", 0),
    "sizes": tc.Problem("gelu", "H1 + H2/2", n=900, d=300, N=600, ridge="1/100", step_samples=450),
}
LITERAL = [name for name in PROBLEMS if name != "moments"]  # of which Var σ' is not known


def sheets(ell):
    """Return a sheet of every problem by the theorem, and of those that have one by the limit of literal networks."""
    theorem = [tc.sheet(problem, ell=ell) for problem in PROBLEMS.values()]
    return theorem + [tc.sheet(PROBLEMS[name], ell=ell, network="literal") for name in LITERAL]


class Page(HTMLParser):
    """Collects the tags of a page, and refuses one that does not close what it opened."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag not in ("meta", "mspace", "br"):
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("sheet", sheets(3), ids=lambda sheet: sheet.title)
def test_the_page_is_whole_and_asks_nothing_of_any_server(sheet):
    page = Page(sheet.html)
    tags = {tag for tag, _ in page.tags}
    assert "math" in tags
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form"}
    for tag, attributes in page.tags:
        assert not {"src", "href", "onclick", "onload", "style"} & set(attributes), tag
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")


@pytest.mark.slow
def test_no_command_of_latex_is_left_in_the_mathematics():
    for sheet in sheets(4):
        assert not re.search(r"<m[ion][^>]*>[^<]*\\", sheet.html)


def test_the_sheet_says_what_the_prediction_says():
    sheet = tc.sheet(PROBLEM, ell=3, digits=30)
    tex = sheet.tex.replace(r"\hspace{0pt}", "")
    found = tc.predict(PROBLEM, ell=3, digits=30)
    for value in (found.m1, found.train_gain, found.test_gain, found.test_loss, found.train_error):
        assert str(value) in sheet.html
        assert str(value) in tex
    for section in ("Setting", "Conditions", "Coefficients", "Formulas", "Values", "Staircase"):
        assert f"<h2>{section}</h2>" in sheet.html
        assert rf"\section*{{{section}}}" in sheet.tex
    assert sheet.html.count("<td>fails</td>") == sum(c.holds is False for c in found.conditions) == 3
    assert "30 digits proven" in sheet.tex
    assert r"\frac{256}{13005} m_1 + \frac{16}{255} m_2" in sheet.tex
    for ell in range(4):
        assert f"{tc.predict(PROBLEM, ell=ell).test_gain:.6g}" in tex


def plain(tex: str) -> str:
    """Return LaTeX with its line ends and the breaks of long numbers taken out."""
    return tex.replace(r"\hspace{0pt}", "").replace("\n", " ")


@pytest.mark.parametrize("gradient", ["residual", "labels"])
def test_the_sheet_of_literal_networks_has_their_formulas_and_numbers(gradient):
    problem = PROBLEMS["sizes"]
    sheet = tc.sheet(problem, ell=2, network="literal", gradient=gradient)
    tex, found = plain(sheet.tex), tc.predict(problem, ell=2, digits=20, network="literal", gradient=gradient)
    for value in (found.kappa, found.train_gain, found.test_loss, found.train_error):
        assert str(value) in tex
    for step in range(3):
        assert f"{tc.predict(problem, ell=step, network='literal', gradient=gradient).test_gain:.6g}" in tex
    step = "the residual" if gradient == "residual" else "the labels alone"
    assert f"Theory: the limit of networks whose step is on {step}" in tex
    assert (r"\tilde{\kappa}" in tex) is (gradient == "residual")
    assert r"\tau &= \frac{v}{c_1^{2}" in tex
    assert r"$\operatorname{Var} \sigma'(Z)$ &" in tex


def test_the_setting_says_theory_batches_and_sizes():
    tex = plain(tc.sheet(PROBLEMS["sizes"], ell=2).tex)
    assert "Theory: the theorem: $\\Delta_{\\ell}$ as the paper prints it" in tex
    assert tex.count("as the paper prints it") == 1
    assert "The gradient step and the ridge fit use separate batches" in tex
    rows = {row[0][0].latex: row[2][0].latex for row in rows_of(tc.sheet(PROBLEMS["sizes"], ell=2).blocks, "Setting")}
    assert {name: rows[name] for name in ("n", "d", "N", "n_0")} == {"n": "900", "d": "300", "N": "600", "n_0": "450"}
    ratios = {row[0][0].latex for row in rows_of(tc.sheet(PROBLEM, ell=2).blocks, "Setting")}
    assert not {"n", "d", "N", "n_0"} & ratios


def test_every_training_loss_says_which_it_is():
    rows = rows_of(tc.sheet(PROBLEM, ell=2).blocks, "Values")
    said = {row[0][0].latex: "".join(row[1]) for row in rows if any("training" in str(piece) for piece in row[1])}
    assert {"L_{\\mathrm{tr}}(F)", "E_{\\mathrm{tr}}(F)", "\\Delta_{2}"} < set(said)
    for symbol, words in said.items():
        assert ("(without the penalty)" if symbol.startswith("E") else "(ridge objective, penalty included)") in words


@pytest.mark.parametrize("make", [lambda: tc.sheet(PROBLEM, ell=1), lambda: tc.Report("A <report>", "<p>1 < 2</p>")])
def test_a_notebook_keeps_its_own_style(make):
    """The page stands in a frame: no style and no element of it is part of the notebook's page."""
    document = make()
    shown = Page(document._repr_html_())
    ((tag, attributes),) = shown.tags
    assert (tag, attributes["srcdoc"], attributes["title"]) == ("iframe", document.html, document.title)
    assert attributes["sandbox"] is None  # nothing in it runs


def test_at_ridge_zero_no_formula_claims_what_its_limit_is_not():
    """λm_1 is 0 · ∞ there: to put λ = 0 in would print Δ_3 = 0 above a value that is not 0."""
    tex = tc.sheet(PROBLEMS["ridgeless"], ell=3).tex
    assert tc.predict(PROBLEMS["ridgeless"], ell=3).train_gain > 0.01
    assert r"\Delta_{3} &= 0" not in tex
    assert "their limits as" in tex
    assert r"\kappa &= \frac{7}{4}" in tex


def test_a_teacher_in_floats_is_shown_whole():
    sheet = tc.sheet(tc.Problem("relu", [1.5, "1/2", 0, -0.25], 0.5, "2/3", 0.1), ell=2, digits=None)
    assert r"1.5 H_{1}(x) + \frac{1}{2} H_{2}(x) - 0.25 H_{4}(x)" in sheet.tex


def rows_of(blocks, title):
    """Return the rows of the table under a heading."""
    place = next(i for i, block in enumerate(blocks) if isinstance(block, Heading) and block.text == title)
    return next(block for block in blocks[place:] if isinstance(block, TableBlock)).rows


def test_every_number_stands_in_its_place():
    problem = example("exp(x/3)", ["1", "1/2", "1/7"], noise="1/4", step_samples="3/5")
    blocks = tc.sheet(problem, ell=3).blocks
    setting = {row[0][0].latex: row[2][0].latex for row in rows_of(blocks, "Setting")[2:]}
    fractions = {r"\phi": "12", r"\psi": "23", r"\lambda": "1 10", r"\sigma_{\varepsilon}": "14", "n_0/n": "35"}
    assert {key: re.findall(r"\d+", value) for key, value in setting.items()} == {
        key: value.split() if " " in value else list(value) for key, value in fractions.items()
    }
    for (name, *cells), ell in zip(rows_of(blocks, "Staircase"), [0, 1, 2, 3, "inf"], strict=True):
        found = tc.predict(problem, ell=ell)
        wanted = (found.train_gain, found.test_gain, found.train_loss, found.train_error, found.test_loss)
        assert [float(cell[0].text) for cell in cells] == pytest.approx(wanted, rel=1e-5), name
    for row, condition in zip(rows_of(blocks, "Conditions"), tc.predict(problem, ell=3).conditions, strict=True):
        assert row[1] == ({True: "holds", False: "fails", None: "is assumed"}[condition.holds],)
    numbers = [block for block in blocks if isinstance(block, Display)][-1].statement
    values = {str(line.left): line.right for line in numbers}
    found = tc.predict(problem, ell=3)
    assert float(values["kappa"]) == pytest.approx(found.kappa)
    assert float(values["rho**2"]) == pytest.approx(found.rho**2)


@pytest.mark.parametrize("sheet", sheets(4), ids=lambda sheet: sheet.title)
def test_the_sheet_defines_every_letter_of_its_formulas(sheet):
    display = next(b for b in sheet.blocks if isinstance(b, Display) and b.where)
    lines = (*display.statement, *display.where)
    used = set().union(*(line.right.free_symbols for line in lines)) - {line.left for line in lines}
    given = r"phi|psi|lambda|c_1|c_2|c_rest|c_star|c_star_\d|noise|m_1|m_2|slope_variance"
    assert [symbol.name for symbol in used if not re.fullmatch(given, symbol.name)] == []


@pytest.mark.parametrize(("name", "condition"), [("relu6", "x > 6"), ("hardtanh", "x > 1"), ("hardswish", "x > 3")])
def test_functions_in_pieces_have_conditions_that_can_be_read(name, condition):
    tex = tc.sheet(tc.Problem(name, ["1"], "1/2", "2/3", "1/10"), ell=1).tex
    assert "ITE" not in tex
    assert rf"\text{{for}}\: {condition} \\" in tex


def test_text_of_a_user_stays_text():
    activation = tc.Activation.from_callable(np.tanh, name=HOSTILE)
    problem = tc.Problem(activation, ["1"], "1/2", "2/3", "1/10")
    sheet = tc.sheet(problem, ell=1, digits=None)
    assert "<script" not in sheet.html
    Page(sheet.html)
    assert r"\input{" not in sheet.tex
    assert r"\textbackslash{}input" in sheet.tex
    assert sheet.tex.isascii()


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


def test_estimated_functions_need_to_be_asked_for_without_digits():
    problem = tc.Problem(tc.Activation.from_callable(np.tanh), ["1"], "1/2", "2/3", "1/10")
    with pytest.raises(tc.PrecisionError):
        tc.sheet(problem, ell=1)
    assert "estimated" in tc.sheet(problem, ell=1, digits=None).tex


@pytest.mark.slow
@pytest.mark.parametrize("sheet", sheets(3), ids=lambda sheet: sheet.title)
def test_latex_compiles_the_sheet(sheet, tmp_path):
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


@pytest.mark.parametrize("path", ["sheet.doc", "sheet", "missing/sheet.tex", "null\0.tex", "directory.tex"])
def test_bad_paths_are_refused(path, tmp_path):
    (tmp_path / "directory.tex").mkdir()
    with pytest.raises(tc.ArgumentError, match=re.escape(path)):
        tc.sheet(PROBLEM, ell=1).save(tmp_path / path)
    assert [file.name for file in tmp_path.iterdir()] == ["directory.tex"]


@pytest.mark.parametrize("path", [None, 3, b"sheet.tex"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(tc.ArgumentError, match="path must be a text or a Path"):
        tc.sheet(PROBLEM, ell=1).save(path)


@pytest.mark.skipif(os.name == "nt", reason="permissions and links of POSIX")
def test_a_file_keeps_its_permissions_and_a_link_its_place(tmp_path):
    private, link = tmp_path / "private.tex", tmp_path / "link.tex"
    private.write_text("old")
    private.chmod(0o600)
    link.symlink_to(private)
    tc.sheet(PROBLEM, ell=1).save(link)
    assert link.is_symlink()
    assert private.read_text().startswith(r"\documentclass")
    assert private.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("ell", [0, 41, "inf", 2.5, None])
def test_bad_windows_are_refused(ell):
    with pytest.raises(tc.TheoryError, match="ell="):
        tc.sheet(PROBLEM, ell=ell)


def test_spikes_that_merge_are_not_called_missing():
    problem = tc.Problem("softplus", ["1", "1/2"], "1/2", "2/3", "1/10", second_layer="constant")
    assert not any("missing coefficients" in note for note in tc.predict(problem, ell=2).notes)
