"""Figures are vectors with readable labels, and look the same each time."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import rc_context

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, simulated, stairs
from theorycalc import plots
from theorycalc.cli.output import draw_picture
from theorycalc.documents.sections import attempted
from theorycalc.documents.sections import stairs as stairs_part
from theorycalc.plots.figure import inline, rendered
from theorycalc.plots.labels import spread
from theorycalc.plots.style import house_style

run = pytest.fixture(scope="module")(simulated)


@pytest.fixture(scope="module")
def figures(run):
    return [
        tc.predict(PROBLEM, ell=2).plot(),
        tc.predict(PROBLEM, ell=2, ridge=[0.01, 0.1, 1]).plot(),
        run.plot(),
        plots.staircase_figure(stairs(PROBLEM)),
        plots.gain_against_alpha(PROBLEM, run=run),
        tc.spectrum(PROBLEM, n=100, alpha=0.4).plot(run=run),
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
def test_the_same_figure_is_the_same_file(tmp_path):
    """A figure keeps the look it was made in, whatever matplotlib is told afterwards."""

    def files(figure):
        return [plots.save(figure, tmp_path / f"figure.{kind}").read_bytes() for kind in ("svg", "pdf", "png")]

    first = files(tc.predict(PROBLEM, ell=2).plot())
    again = tc.predict(PROBLEM, ell=2).plot()
    with rc_context({"font.size": 30, "svg.fonttype": "none", "xtick.color": "red"}):
        assert files(again) == first
    assert first[0].startswith(b"<?xml")
    assert first[1].startswith(b"%PDF")
    assert first[2].startswith(b"\x89PNG")


@pytest.mark.slow
def test_our_own_files_are_in_the_house_style(tmp_path):
    """Reports and --plot do not depend on the rcParams of the process."""
    found = tc.predict(PROBLEM, ell=2)

    def files():
        draw_picture(found.plot, str(tmp_path / "figure.svg"))
        (pictures,) = attempted("The staircase", lambda: stairs_part(PROBLEM, 2))
        return (tmp_path / "figure.svg").read_bytes(), rendered(pictures.pictures[0].figure, "svg")

    first = files()
    with rc_context({"font.size": 30, "svg.fonttype": "none", "axes.grid": True, "figure.figsize": (9, 9)}):
        assert files() == first


@pytest.mark.slow
def test_threads_draw_the_same():
    def drawn(_):
        return [rendered(one.plot(), "svg") for one in (tc.activation("relu"), tc.predict(PROBLEM, ell=2))]

    with ThreadPoolExecutor(4) as pool:
        assert len(set(map(tuple, pool.map(drawn, range(6))))) == 1


def test_notebooks_show_vectors():
    assert "<svg" in tc.predict(PROBLEM, ell=2).plot()._repr_svg_()


def test_the_style_leaves_matplotlib_as_it_was():
    import matplotlib

    before = dict(matplotlib.rcParams)
    with house_style():
        assert matplotlib.rcParams["svg.fonttype"] == "path"
    assert dict(matplotlib.rcParams) == before


@given(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=6))
def test_labels_are_spread_in_their_order(wanted):
    gap = 0.1
    places = spread(wanted, gap)
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    heights = [places[i] for i in order]
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(heights))
    assert min(heights) >= 0
    assert max(heights) <= 1 + 1e-9


@pytest.mark.slow
def test_files_fetch_nothing(figures):
    for figure in figures:
        assert not re.findall(r"(?:href|src|url\()[=\"'(]*https?:", rendered(figure, "svg").decode())


@pytest.mark.slow
def test_figures_of_one_page_do_not_share_ids():
    pages = [inline(tc.activation("relu").plot(), f"f{i}-", "coefficients of a < b") for i in range(2)]
    first, second = pages
    ids = [set(re.findall(r' id="([^"]*)"', page)) for page in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for page, own in zip((first, second), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]*)\)", page)) | set(re.findall(r'href="#([^"]*)"', page)) == own
        assert ElementTree.fromstring(page)[0].text == "coefficients of a < b"
