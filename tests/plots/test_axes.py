"""Every result draws itself into given axes, in a given style, by the user's rcParams, with artists that have names."""

from __future__ import annotations

import re

import numpy as np
import pytest
from cycler import cycler
from matplotlib import rc_context, rcParams
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, simulated
from theorycalc import plots
from theorycalc.plots.figure import HouseFigure, rendered
from theorycalc.plots.style import COLOURS, HOUSE

LINES = np.linspace(0.02, 0.48, 7)


@pytest.fixture(scope="module")
def results():
    """Return the plot method of a result of every kind, by its name, and the gid of a main artist of it."""
    run = simulated()
    stairs = tc.staircase(PROBLEM, 3)
    over = {"ell": 2, "ridge": "1e-2:10:5:log"}
    return {
        "prediction": (tc.predict(PROBLEM, ell=2).plot, "test_loss"),
        "predictions": (tc.predict(PROBLEM, ell=2, ridge=[0.1, 1, 10]).plot, "test_loss"),
        "staircase": (stairs.plot, "test_gain"),
        "step": (tc.step(PROBLEM, n=200, alpha=0.3).plot, "test_loss"),
        "steps": (tc.step(PROBLEM, n=200, alpha=LINES).plot, "test_gain:n=200"),
        "spectrum": (lambda *ax, **how: tc.spectrum(PROBLEM, n=100, alpha=0.4).plot(*ax, run=run, **how), "density"),
        "comparison": (tc.compare(run, tc.predict(PROBLEM, ell=1)).plot, "z:1"),
        "run": (run.plot, "test_loss:1"),
        "sweep": (tc.sweep(PROBLEM, over).plot, "test_gain"),
        "best": (tc.best_ridge(PROBLEM, n=100, alpha=0.3).plot, "test_loss"),
        "traces": (tc.traces(phi=0.5, psi=0.7, ridge=[0.1, 1, 10], c1=0.5, c_rest=0.3).plot, "m1"),
        "activation": (tc.activation("relu").plot, "coefficients:positive"),
        "sizes": (
            lambda *ax, **how: plots.gain_against_alpha(PROBLEM, n=100, run=run, ax=ax[0] if ax else None, **how),
            "test_gain:n=100",
        ),
        "descent": (
            lambda *ax, **how: plots.double_descent(PROBLEM, ax=ax[0] if ax else None, **how),
            "test_loss:ridge=1",
        ),
    }


LINED = ["prediction", "predictions", "staircase", "step", "spectrum", "sweep", "best", "traces", "activation"]
PANELLED = {"steps": 2, "comparison": 2, "run": 3, "sizes": 2, "descent": 3}
NAMES = [*LINED, *PANELLED]


def artist(figure, gid):
    (found,) = figure.findobj(lambda one: one.get_gid() == gid)
    return found


def drawn(axes):
    """Return what was drawn into axes: lines, patches, areas, texts and images, but no spines, ticks and titles."""
    return [*axes.lines, *axes.patches, *axes.collections, *axes.texts, *axes.images]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_result_draws_into_given_axes(results, name):
    plot, gid = results[name]
    figure = Figure(layout="constrained")
    left, right = figure.subplots(1, 2)
    assert plot(left) is figure
    assert figure.axes == [left, right]  # nothing else was made
    assert artist(figure, gid).axes is left
    assert not drawn(right)
    assert left.get_xlabel() or left.get_shared_x_axes().get_siblings(left)
    assert left.get_title()
    figure.draw_without_rendering()


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_without_axes_a_new_figure_is_made(results, name):
    figure = results[name][0]()
    assert isinstance(figure, HouseFigure)
    assert figure.get_size_inches()[0] == 3.4


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_artist_has_a_name(results, name):
    figure = results[name][0]()
    named = [one.get_gid() for axes in figure.axes for one in drawn(axes)]
    assert named
    assert all(re.fullmatch(r"[\w:.=+-]+", str(gid)) for gid in named), named
    bars = [gid for gid in named if gid.endswith(":error")]
    for axes in figure.axes:
        once = [one.get_gid() for one in drawn(axes) if not one.get_gid().endswith(":error")]
        assert len(once) == len(set(once)), once
    assert bool(bars) == any(isinstance(c, ErrorbarContainer) for axes in figure.axes for c in axes.containers)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_style_reaches_the_main_artist(results, name):
    plot, gid = results[name]
    line = artist(plot(color="#123456", lw=3.5, alpha=0.5, zorder=7, label="mine"), gid)
    assert line.get_color() == "#123456"
    assert line.get_linewidth() == 3.5
    assert line.get_alpha() == 0.5
    assert line.get_zorder() == pytest.approx(7, abs=0.2)  # points lie a little above their error bars
    words = line.get_label()
    if words.startswith("_"):  # the label is that of the points and their error bars together
        (container,) = [c for c in line.axes.containers if c.lines[0] is line]
        words = container.get_label()
    assert words.startswith("mine, ")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("style", "message"),
    [
        ({"colour": "red"}, "plot() has no argument 'colour', and a matplotlib Line2D no such property; did you mean"),
        ({"color": "reddish"}, "plot(): color='reddish' is refused by matplotlib: 'reddish' is not a valid value"),
        ({"linestyle": "wavy"}, "plot(): linestyle='wavy' is refused by matplotlib"),
        ({"lw": 1, "linewidth": 2}, "plot(): Got both"),
    ],
)
def test_a_style_that_matplotlib_does_not_know_is_refused(results, name, style, message):
    axes = Figure().subplots()
    with pytest.raises(tc.ArgumentError, match=re.escape(message)):
        results[name][0](axes, **style)
    assert not drawn(axes)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_rcparams_of_the_user_are_seen(results, name):
    """An rcParam that is not matplotlib's default wins over the house style, in our figures as in given axes."""
    plot, gid = results[name]
    user = {"lines.linewidth": 5, "font.size": 13, "axes.prop_cycle": cycler(color=["#aa0000", "#00aa00", "#0000aa"])}
    with rc_context(user):
        for figure in (plot(), plot(Figure().subplots())):
            line = artist(figure, gid)
            assert line.get_linewidth() == 5
            assert to_hex(line.get_color()) in user["axes.prop_cycle"].by_key()["color"]
            label = line.axes.yaxis.label if line.axes.get_ylabel() else line.axes.xaxis.label
            assert label.get_fontsize() == 13
            small = [text.get_fontsize() for text in figure.findobj(lambda one: ":label" in str(one.get_gid()))]
            assert all(size >= 0.8 * 13 for size in small)


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


def test_given_axes_are_drawn_into_by_the_rcparams_alone():
    axes = Figure().subplots()
    tc.predict(PROBLEM, ell=2, ridge=[1, 2]).plot(axes)
    (line,) = [one for one in axes.lines if one.get_gid() == "test_loss"]
    assert line.get_color() == rcParams["axes.prop_cycle"].by_key()["color"][0]
    assert line.get_linewidth() == rcParams["lines.linewidth"]
    assert axes.xaxis.label.get_fontname() == FontProperties().get_name()


def test_a_cycle_of_lines_and_markers_is_followed():
    with rc_context({"axes.prop_cycle": cycler(linestyle=["--", ":"], marker=["x", "+"])}):
        figure = tc.staircase(PROBLEM, 2).plot()
    for gid, line, marker in (("test_gain", "--", "x"), ("train_gain", ":", "+")):
        assert artist(figure, gid).get_linestyle() == line
        assert artist(figure, gid).get_marker() == marker


def test_results_are_laid_over_each_other():
    """The second has other colours, and the axes hold both; what the user has written stays."""
    axes = Figure().subplots()
    axes.set(title="mine", ylabel="loss, mine")
    ridges = np.geomspace(0.1, 10, 5)
    low, high = (tc.predict(PROBLEM, ell=2, noise=noise, ridge=ridges) for noise in (0, 3))
    low.plot(axes, label="quiet")
    high.plot(axes, label="noisy")
    first, second = [one for one in axes.lines if one.get_gid() == "test_loss"]
    assert first.get_color() != second.get_color()
    assert axes.get_ylim()[1] > np.max(high.test_loss) > axes.get_ylim()[0]
    assert (axes.get_title(), axes.get_ylabel()) == ("mine", "loss, mine")
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert {"quiet, test loss", "noisy, test loss, before", "noisy, training error"} <= set(words)


def test_windows_are_shaded_once():
    axes = Figure().subplots()
    for n in (200, 400):
        tc.step(PROBLEM, n=n, alpha=LINES).plot(axes)
    assert [patch.get_gid() for patch in axes.patches].count("window:1") == 1
    assert len([one for one in axes.lines if str(one.get_gid()).startswith("test_gain:n=")]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("name", PANELLED)
def test_panels_are_drawn_into_as_many_axes(results, name):
    plot, gid = results[name]
    figure = Figure()
    count = PANELLED[name]
    panels = figure.subplots(count, 1)
    assert plot(panels) is figure
    assert all(drawn(axes) for axes in panels)
    assert artist(figure, gid).axes is panels[0]
    message = f"ax has 4 axes, and this figure {count} panels: give one Axes for the first, or {count}"
    with pytest.raises(tc.ArgumentError, match=message):
        plot(Figure().subplots(4))


@pytest.mark.parametrize(
    ("ax", "message"),
    [
        ("axes", "ax must be a matplotlib Axes or a sequence of them, not str"),
        (Figure(), "not Figure"),
        ([], "ax has 0 axes, and this figure 1 panel: give one Axes"),
        (Figure().subplots(1, 2), "ax has 2 axes, and this figure 1 panel"),
    ],
)
def test_what_are_no_axes_is_refused(ax, message):
    with pytest.raises(tc.ArgumentError, match=message):
        tc.predict(PROBLEM, ell=2).plot(ax)


def test_the_figure_of_a_subfigure_is_the_whole_figure():
    figure = Figure()
    axes = figure.subfigures(1, 2)[0].subplots()
    assert tc.predict(PROBLEM, ell=2).plot(axes) is figure


def test_figures_of_the_user_are_saved_too(tmp_path):
    figure = tc.predict(PROBLEM, ell=2).plot(Figure().subplots())
    assert plots.save(figure, tmp_path / "mine.svg").read_bytes().startswith(b"<?xml")


@pytest.mark.slow
def test_legends_leave_the_axes_free(results):
    """In figures of ours a legend stands under the axes, and labels of curves beside them."""
    for name in NAMES:
        figure = results[name][0]()
        assert not any(axes.get_legend() for axes in figure.axes)
        figure.draw_without_rendering()
        renderer = figure._get_renderer()
        for legend in figure.legends:
            box = legend.get_window_extent(renderer)
            assert not any(box.overlaps(axes.get_window_extent(renderer)) for axes in figure.axes), name


def test_under_given_axes_there_is_room_where_a_layout_makes_it(results):
    for layout, inside in (("constrained", False), (None, True)):
        figure = Figure(figsize=(5, 5), layout=layout)
        axes = figure.subplots()
        results["staircase"][0](axes)
        figure.draw_without_rendering()
        renderer = figure._get_renderer()
        box = axes.get_legend().get_window_extent(renderer)
        assert box.overlaps(axes.get_window_extent(renderer)) == inside
        assert box.y0 >= 0


@pytest.mark.slow
def test_every_result_names_activation_and_teacher(results):
    for name in set(NAMES) - {"traces", "activation"}:  # which have no teacher
        figure = results[name][0]()
        title = figure.axes[0].get_title(loc="left")
        assert title.startswith("relu, teacher $H_{1}$ + $H_{2}$/2 + $H_{3}$/6"), name
    assert results["activation"][0]().axes[0].get_title(loc="left").startswith("relu: ")


def test_house_style_is_no_default():
    """A house value that equals matplotlib's could not be told from one that nobody set.

    Letters as outlines are matplotlib's, too: they are the house's so that a figure keeps them when it is saved.
    """
    from matplotlib import rcParamsDefault

    with rc_context(HOUSE):
        assert [name for name in HOUSE if rcParams[name] == rcParamsDefault[name]] == ["svg.fonttype"]
