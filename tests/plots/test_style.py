"""The house style, which gives way to the user's rcParams."""

from __future__ import annotations

from matplotlib import rc_context, rcParams

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, artist
from theorycalc.plots.figure import rendered
from theorycalc.plots.style import COLOURS, HOUSE


def test_what_the_user_did_not_set_is_the_house_style():
    with rc_context({"lines.linewidth": 5}):
        found = tc.predict(PROBLEM, ell=2, ridge=[1, 2]).plot()
        line = artist(found, "test_loss")
        assert (line.get_linewidth(), line.get_color()) == (5, COLOURS[0])
        assert found.axes[0].xaxis.label.get_fontname() == "STIXGeneral"
        assert not found.axes[0].spines["top"].get_visible()


def test_a_font_of_the_user_stays_in_the_file():
    with rc_context({"font.family": ["DejaVu Serif"]}):
        figure = tc.predict(PROBLEM, ell=2).plot()
        assert figure.axes[0].xaxis.label.get_fontname() == "DejaVu Serif"
        source = rendered(figure, "svg").decode()
    assert 'id="DejaVuSerif-' in source
    assert "STIX" not in source


def test_the_size_of_the_user_is_kept():
    with rc_context({"figure.figsize": (8.0, 5.0)}):
        assert list(tc.staircase(PROBLEM, 2).plot().get_size_inches()) == [8.0, 5.0]


def test_house_style_is_no_default():
    """A house value that equals matplotlib's could not be told from one that nobody set.

    Letters as outlines are matplotlib's, too: they are the house's so that a figure keeps them when it is saved.
    """
    from matplotlib import rcParamsDefault

    with rc_context(HOUSE):
        assert [name for name in HOUSE if rcParams[name] == rcParamsDefault[name]] == ["svg.fonttype"]


def test_the_style_leaves_matplotlib_as_it_was():
    import matplotlib

    before = dict(matplotlib.rcParams)
    with tc.plots.house_style():
        assert matplotlib.rcParams["svg.fonttype"] == "path"
    assert dict(matplotlib.rcParams) == before


def test_figures_of_the_user_have_the_house_style():
    from matplotlib import pyplot

    with rc_context({"font.size": 20.0}), tc.plots.house_style():
        figure, axes = pyplot.subplots()
        assert axes.plot([1, 2])[0].get_color() == COLOURS[0]
        assert axes.set_title("title").get_fontsize() == HOUSE["font.size"]
        pyplot.close(figure)


def test_a_figure_has_paper_of_its_own_for_dark_pages():
    """White with a margin in the house style; with matplotlib's dark style, black with white letters."""
    from matplotlib import style

    light = tc.activation("relu").plot()
    light.draw_without_rendering()
    box, (width, height) = light.get_tightbbox(), light.get_size_inches()
    assert min(box.x0, box.y0, width - box.x1, height - box.y1) > 0.04
    with style.context("dark_background"):
        dark = tc.activation("relu").plot()
    source = rendered(light, "svg").decode()
    assert source.index("fill: #ffffff") < source.index("axes_1")  # the paper, before all else
    assert dark.get_facecolor() == (0, 0, 0, 1)
    assert "fill: #ffffff" in rendered(dark, "svg").decode()  # letters
