"""Figures are vectors with readable labels, and look the same each time."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, stairs
from theorycalc import plots
from theorycalc.plots.figure import rendered


@pytest.fixture(scope="module")
def figures(run):
    return [
        tc.predict(PROBLEM, ell=2).plot(),
        tc.predict(PROBLEM, ell=2, ridge=[0.01, 0.1, 1]).plot(),
        run.plot(),
        plots.staircase_figure(stairs(PROBLEM)),
        plots.gain_against_alpha(PROBLEM, run=run),
        tc.spectrum(PROBLEM, n=100, alpha=0.4).plot(run=run),
        tc.weight_spectrum(PROBLEM, n=100, alpha=0.4).plot(run=run),
        tc.activation("relu").plot(),
        plots.double_descent(PROBLEM),
        plots.phase_diagram(PROBLEM, ridge="1/10"),
        tc.compare(run, tc.predict(PROBLEM, ell=1)).plot(),
    ]


@pytest.mark.slow
def test_every_figure_is_vectors_with_its_letters(figures):
    for figure in figures:
        source = rendered(figure, "svg").decode()
        root = ElementTree.fromstring(source)
        outlines = {node.get("id", "") for node in root.iter("{http://www.w3.org/2000/svg}path")}
        assert len([name for name in outlines if name.startswith("STIXGeneral")]) > 10
        assert "<text" not in source
        assert "<image" not in source
        assert "date" not in source
        width, height = figure.get_size_inches()
        assert width == 3.4
        assert height < 6


@pytest.mark.slow
def test_labels_stay_inside_the_figure(figures):
    for figure in figures:
        figure.draw_without_rendering()
        box = figure.get_tightbbox()
        width, height = figure.get_size_inches()
        assert box.x0 > -0.02
        assert box.y0 > -0.02
        assert box.x1 < width + 0.02
        assert box.y1 < height + 0.02


@pytest.mark.slow
def test_files_fetch_nothing(figures):
    for figure in figures:
        assert not re.findall(r"(?:href|src|url\()[=\"'(]*https?:", rendered(figure, "svg").decode())
