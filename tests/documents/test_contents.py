"""The contents of a sheet: setting, formulas, numbers and conditions."""

from __future__ import annotations

import dataclasses
import re

import pytest

import theorycalc as tc
from tests.helpers.problems import PAPER as PROBLEM
from tests.helpers.problems import problem as example
from tests.helpers.sheets import EVERY_SHEET, PROBLEMS, plain, sheet_of
from theorycalc.documents.blocks import Display, Heading, TableBlock


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


def test_a_teacher_in_floats_is_shown_whole():
    sheet = tc.sheet(tc.Problem("relu", [1.5, "1/2", 0, -0.25], 0.5, "2/3", 0.1), ell=2, digits=None)
    assert r"1.5 H_{1}(x) + \frac{1}{2} H_{2}(x) - 0.25 H_{4}(x)" in sheet.tex


def test_a_teacher_of_several_directions_is_shown_with_what_the_step_sees():
    sheet = tc.sheet(tc.Problem("relu", "t1 + t2 + t1*t2", "1/2", "2/3", "1/10"), ell=2).tex
    assert r"$g(t_{1}, t_{2})$ & teacher & $t_{1} + t_{1} t_{2} + t_{2}$" in sheet
    assert r"$\hat{u}$ & direction that the step sees & $\frac{\sqrt{2}}{2}$, $\frac{\sqrt{2}}{2}$" in sheet
    assert r"energy of the labels that the step sees & $\frac{5}{2}$" in sheet
    assert r"energy of the labels that it does not & $\frac{1}{2}$" in sheet
    kinked = tc.sheet(tc.Problem("relu", "relu(t1) + t2", "1/2", "2/3", "1/10"), ell=1, digits=None).tex
    assert "direction that the step sees & 0.447214, 0.894427" in kinked
    function = tc.Teacher.multi(lambda t: t[..., 0] * (1 + t[..., 1]), directions=2)
    sampled = tc.sheet(tc.Problem("relu", function, "1/2", "2/3", "1/10"), ell=1, digits=None).tex
    assert "teacher & known by quadrature" in sampled


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


@EVERY_SHEET
def test_the_sheet_defines_every_letter_of_its_formulas(name, network):
    display = next(b for b in sheet_of(name, network, 4).blocks if isinstance(b, Display) and b.where)
    lines = (*display.statement, *display.where)
    used = set().union(*(line.right.free_symbols for line in lines)) - {line.left for line in lines}
    given = r"phi|psi|lambda|c_1|c_2|c_rest|c_star|c_star_\d|noise|m_1|m_2|slope_variance"
    assert [symbol.name for symbol in used if not re.fullmatch(given, symbol.name)] == []


@pytest.mark.parametrize(("name", "condition"), [("relu6", "x > 6"), ("hardtanh", "x > 1"), ("hardswish", "x > 3")])
def test_functions_in_pieces_have_conditions_that_can_be_read(name, condition):
    tex = tc.sheet(tc.Problem(name, ["1"], "1/2", "2/3", "1/10"), ell=1).tex
    assert "ITE" not in tex
    assert rf"\text{{for}}\: {condition} \\" in tex


@pytest.mark.slow
def test_a_sheet_of_neurons_with_biases_has_their_formulas_or_says_why_not():
    problem = tc.Problem("tanh", "H1", "1/2", "2/3", "1/10", intercept=True, biases={0: 1, 1: 1})
    sheet = tc.sheet(problem, ell=1)
    assert "cannot be shown" not in sheet.html
    assert r"\mathrm{E}_b\left[ c_{1,b}^{2} \theta_{b} \right]" in sheet.tex
    assert "of a neuron without a bias" in sheet.html
    assert str(tc.predict(problem, ell=1, digits=20).test_gain) in sheet.html
    equal = dataclasses.replace(problem, second_layer="constant")
    assert r"\mathrm{E}_b\left[ c_{2,b} \right]" in tc.sheet(equal, ell=1, network="literal").tex
    apart = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", intercept=True, biases={-1: 1, 1: 1}, second_layer="sign")
    assert "Formulas cannot be shown: network=" in tc.sheet(apart, ell=6, network="literal").html
