"""The sheet of a problem: what stands on it, and that no text of a user gets out of its place."""

from __future__ import annotations

import os
import re

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.problems import PAPER as PROBLEM
from tests.helpers.sheets import HOSTILE, PROBLEMS, Page, plain


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


def test_at_ridge_zero_no_formula_claims_what_its_limit_is_not():
    """λm_1 is 0 · ∞ there: to put λ = 0 in would print Δ_3 = 0 above a value that is not 0."""
    tex = tc.sheet(PROBLEMS["ridgeless"], ell=3).tex
    assert tc.predict(PROBLEMS["ridgeless"], ell=3).train_gain > 0.01
    assert r"\Delta_{3} &= 0" not in tex
    assert "their limits as" in tex
    assert r"\kappa &= \frac{7}{4}" in tex


def test_text_of_a_user_stays_text():
    activation = tc.Activation.from_callable(np.tanh, name=HOSTILE)
    problem = tc.Problem(activation, ["1"], "1/2", "2/3", "1/10")
    sheet = tc.sheet(problem, ell=1, digits=None)
    assert "<script" not in sheet.html
    Page(sheet.html)
    assert r"\input{" not in sheet.tex
    assert r"\textbackslash{}input" in sheet.tex
    assert sheet.tex.isascii()


def test_estimated_functions_need_to_be_asked_for_without_digits():
    problem = tc.Problem(tc.Activation.from_callable(np.tanh), ["1"], "1/2", "2/3", "1/10")
    law = tc.Problem("tanh", ["1"], "1/2", "2/3", "1/10", intercept=True, biases="normal(1)")
    for known in (problem, law):
        with pytest.raises(tc.PrecisionError, match="take None as digits") as caught:
            tc.sheet(known, ell=1)
        assert caught.value.argument == "digits"
        assert "estimated" in tc.sheet(known, ell=1, digits=None).tex


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
