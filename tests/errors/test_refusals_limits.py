"""Limits that are lowered here, or failures that are made, so that a test meets them at once."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import threading

import pytest
import sympy as sp

import theorycalc as tc
from tests.helpers.problems import problem
from tests.helpers.processes import PATIENCE, wait_until
from theorycalc.cli.output import draw_picture
from theorycalc.documents import tex as files
from theorycalc.documents.report import _compared
from theorycalc.documents.sections import simulation
from theorycalc.explorer.workers import Lane
from theorycalc.functions import algebra
from theorycalc.hermite import closed_terms, legendre
from theorycalc.plots.alpha import limits_of
from theorycalc.plots.stairs import draw_limits
from theorycalc.plots.style import house_style, panels
from theorycalc.running import terminal
from theorycalc.running.files import read_json


@pytest.mark.parametrize(
    ("module", "limit", "formula"),
    [
        (closed_terms, "_HIGHEST_DEGREE", "x**6*sin(3*x/2)"),
        (closed_terms, "_MOST_PARTS", "sin(x/3)*cosh(x/5)*sin(x/7)"),
        (closed_terms, "_MOST_PARTS", "(sin(x/3) + cosh(x/5))*(sin(x/7) + cosh(x/9))"),
        (algebra, "_MOST_IRRATIONAL_TERMS", "(sqrt(2)*x + sqrt(3) + pi)*(x + sqrt(5) + e)*(x + pi)"),
        (algebra, "_MOST_TERMS", "(x + tanh(x))*(sin(x) + 3*cos(x))"),
    ],
)
def test_what_is_too_large_for_one_way_is_computed_by_another(module, limit, formula, monkeypatch):
    found = tc.activation(formula).coefficients(3)
    monkeypatch.setattr(module, limit, 3)
    for cached in _caches():
        cached.cache_clear()
    assert tc.activation(formula).coefficients(3) == pytest.approx(found, rel=1e-12, abs=1e-14)


def _caches():
    modules = [m for name, m in sys.modules.items() if name.startswith("theorycalc.")]
    return {f for m in modules for f in vars(m).values() if callable(getattr(f, "cache_clear", None))}


def test_two_progress_lines_are_not_mixed(monkeypatch, capsys):
    monkeypatch.setattr(terminal, "_PATIENCE", 0.01)
    monkeypatch.setattr(terminal, "_REFRESH", 0.01)
    done = threading.Event()
    threading.Timer(0.1, done.set).start()
    terminal._counting.set()
    try:
        terminal._tick("computing", done)
    finally:
        terminal._counting.clear()
    assert capsys.readouterr().err == ""


def test_json_beyond_memory(monkeypatch):
    def full(*_, **__):
        raise MemoryError

    monkeypatch.setattr(json, "loads", full)
    with pytest.raises(tc.DomainError, match="it does not fit into memory"):
        read_json("[]")


class Full(io.FileIO):
    def read(self, size=-1):
        raise MemoryError


def test_a_run_beyond_memory(tmp_path, monkeypatch):
    path = tmp_path / "run.json"
    path.write_text("[]")
    monkeypatch.setattr("theorycalc.simulation.run.open", Full, raising=False)
    with pytest.raises(tc.DomainError, match="has 2 bytes, which do not fit into memory"):
        tc.load_run(path)


def test_latex_that_does_not_end(tmp_path, monkeypatch):
    def waits(command, **options):
        raise subprocess.TimeoutExpired(command, options["timeout"])

    monkeypatch.setattr(files, "find_engine", lambda: "pdflatex")
    monkeypatch.setattr(subprocess, "run", waits)
    with pytest.raises(tc.TheoryError, match=r"pdflatex did not finish within .* s; save a .tex file and compile it"):
        files.write_pdf(tmp_path / "sheet.pdf", "")


@pytest.mark.slow
def test_a_picture_without_standard_error(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "stderr", None)
    draw_picture(lambda: tc.activation("tanh").plot(k=3), str(tmp_path / "tanh.svg"))
    assert (tmp_path / "tanh.svg").read_text(encoding="utf-8").lstrip().startswith("<?xml")


def test_no_command_is_given_for_what_cannot_be_typed():
    root = sp.sqrt(2)
    assert tc.Activation.from_moments(root, 1).options() is None
    assert tc.Teacher([root]).typed() is None


def test_a_run_given_by_its_step_is_compared_with_no_limit():
    case = problem(activation="tanh")
    run = tc.simulate(case, n=40, eta=2, replicates=3)
    comparison = _compared(case, run)
    assert {row["theory"] for row in comparison.rows} == {"finite step (dressed)"}
    assert "Against the expectation at this size" in str(simulation(run, comparison))


def test_limits_without_a_ceiling_are_drawn():
    teacher = tc.Teacher.from_moments(["1", "1/2"], second_moment=5)  # without a covariance, which ell="inf" needs
    limits, ceiling, missing = limits_of(problem(activation="tanh(x + 1)", teacher=teacher))
    assert (list(limits), ceiling, missing) == ([1, 2], None, "no limit is known for $\\ell$ ≥ 3")
    with house_style():
        _, (axes,) = panels(height=2.0)
        draw_limits(axes, {ell: float(limit.test_gain) for ell, limit in limits.items()}, ceiling)
    (steps,) = axes.lines
    assert len(steps.get_xdata()) == 6  # two windows, each with a gap after it
    assert not axes.texts


def test_closing_tells_the_pages_that_wait_in_line():
    lane = Lane(seconds=PATIENCE, grace=1)
    found = []

    def ask(page):
        found.append(lane.ask(page, "finite", {"activation": "sin(exp(x)) + x"}))

    threads = [threading.Thread(target=ask, args=(page,)) for page in ("one", "two")]
    for thread in threads:
        thread.start()
    wait_until(lambda: lane._running and lane._waiting)
    lane.close()
    for thread in threads:
        thread.join()
    assert all("the explorer has ended" in str(answer) for answer in found)


def test_digits_of_what_could_only_be_estimated(monkeypatch):
    monkeypatch.setattr(legendre, "cells_of", lambda *_: None)
    with pytest.raises(tc.PrecisionError, match="c1 is an estimate, so digits of it cannot be proven"):
        tc.predict(problem(activation="softsign(x - 2/7)"), ell=1, digits=10)


def test_opposite_teachers_of_one_sign_lose_the_same():
    positive, negative = (
        tc.step(problem(activation="tanh", teacher=teacher, noise=0), n=100, alpha="1/5")
        for teacher in ("exp(x/2)", "-exp(x/2)")
    )
    assert positive.converged
    assert float(positive.test_loss) == pytest.approx(float(negative.test_loss), rel=1e-7)
