"""Figures are vectors with readable labels, and look the same each time."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, legends_of, overlaps, stairs, symbols_in_words
from theorycalc import plots
from theorycalc.plots.figure import rendered

OPTIONS = {"first_layer": "gaussian", "intercept": True, "centred": False, "first_scale": "6/5", "corrupt_fit": "1/10"}
BUILT = tc.Problem("tanh(x + 1)", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10", noise="1/2", **OPTIONS)


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
        tc.spectrum(PROBLEM, n=300, eta=20).plot(),  # two outliers near each other
        tc.spectrum(BUILT, n=300, eta=60, gradient="labels").plot(),
        tc.step(PROBLEM, n=300, alpha=[0.1, 0.2, 0.3]).plot(),
        tc.step(BUILT, n=300, eta=[1, 5, 20], gradient="labels").plot(),
        tc.step(PROBLEM, n=300, eta=5).plot(),
        tc.best_ridge(PROBLEM, n=300, eta=5).plot(),
        tc.error_rate(tc.Problem("tanh", "sign(x)", 1, 1, 1), ell=1, ridge=[0.1, 1, 10]).plot(),
        tc.traces(phi="1/2", psi="2/3", ridge=[0.1, 1, 10], c1="1/2", c_rest="3/10").plot(),
    ]


@pytest.fixture(scope="module")
def sources(figures):
    """Return the content of the file of each figure."""
    return [rendered(figure, "svg").decode() for figure in figures]


@pytest.mark.slow
def test_every_figure_is_vectors_with_its_letters(figures, sources):
    for figure, source in zip(figures, sources, strict=True):
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
def test_nothing_is_written_over_anything_else(figures):
    for figure in figures:
        assert overlaps(figure) == []


def test_overlaps_are_noticed():
    figure = tc.predict(PROBLEM, ell=2, ridge=[0.01, 0.1, 1]).plot()
    figure.axes[0].text(0.0, 0.5, figure.axes[0].get_title("left"), transform=figure.axes[0].transAxes)
    figure.axes[0].annotate("another", (0.2, 0.5), xycoords="axes fraction")
    figure.axes[0].legend(loc="upper center", title="a legend\nover the curves\nand more of them")
    assert len(legends_of(figure)) == 2
    found = overlaps(figure)
    assert ("legend", figure.axes[0].get_ylabel()) in found
    assert any("another" in pair for pair in found)


@pytest.mark.slow
def test_symbols_have_one_face(figures, sources):
    """All by matplotlib's mathematics, in italics of the typeface of the words."""
    for figure, source in zip(figures, sources, strict=True):
        assert symbols_in_words(figure) == []
        names = re.findall(r'id="([A-Za-z]+)-', source)
        assert {name for name in names if name[0].isupper()} <= {"STIXGeneral", "STIXNonUnicode"}


@pytest.mark.slow
def test_titles_name_the_options():
    title = tc.spectrum(BUILT, n=300, eta=60, gradient="labels").plot().axes[0].get_title("left")
    assert title.splitlines() == [
        "tanh($x$ + 1), teacher $H_{1}$ + $H_{2}$/2",
        r"gaussian first layer, intercept, $\sigma$ not centred,",
        "$g_w$ = 6/5, $p_f$ = 1/10",
        r"$n$ = 300, $\eta$ = 60, step on the labels; 0.25 of all are 0",
    ]


@pytest.mark.slow
def test_files_fetch_nothing(sources):
    for source in sources:
        assert not re.findall(r"(?:href|src|url\()[=\"'(]*https?:", source)
