"""Every result draws itself into given axes, in a given style, by the user's rcParams, with artists that have names."""

from __future__ import annotations

import re

import numpy as np
import pytest
from cycler import cycler
from matplotlib import rc_context
from matplotlib.colors import to_hex
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, artist, simulated
from theorycalc import plots
from theorycalc.plots.alpha import SHOWN
from theorycalc.plots.figure import HouseFigure

LINES = np.linspace(0.02, 0.48, 7)


@pytest.fixture(scope="module")
def results():
    """Return the plot method of a result of every kind, by its name, and the gid of a main artist of it."""
    run = simulated()
    stairs = tc.staircase(PROBLEM, 3)
    over = {"ell": 2, "ridge": "1e-2:10:5:log"}
    size = {"n": 100, "alpha": 0.4}
    spectrum, weights = tc.spectrum(PROBLEM, **size), tc.weight_spectrum(PROBLEM, **size)
    curve, literal = tc.step(PROBLEM, n=100, alpha=LINES), tc.staircase(PROBLEM, SHOWN, network="literal")
    return {
        "prediction": (tc.predict(PROBLEM, ell=2).plot, "test_loss"),
        "predictions": (tc.predict(PROBLEM, ell=2, ridge=[0.1, 1, 10]).plot, "test_loss"),
        "staircase": (stairs.plot, "test_gain"),
        "step": (tc.step(PROBLEM, n=200, alpha=0.3).plot, "test_loss"),
        "steps": (tc.step(PROBLEM, n=200, alpha=LINES).plot, "test_gain:n=200"),
        "error rates": (
            tc.error_rate(tc.Problem("tanh", "sign(x)", 1, 1, 1), ell=1, ridge=[0.1, 1, 10]).plot,
            "error_rate",
        ),
        "spectrum": (lambda *ax, **how: spectrum.plot(*ax, run=run, **how), "density"),
        "weights": (lambda *ax, **how: weights.plot(*ax, run=run, **how), "density"),
        "comparison": (tc.compare(run, tc.predict(PROBLEM, ell=1)).plot, "z:1"),
        "run": (run.plot, "test_loss:1"),
        "sweep": (tc.sweep(PROBLEM, over).plot, "test_gain"),
        "best": (tc.best_ridge(PROBLEM, n=100, alpha=0.3).plot, "test_loss"),
        "traces": (tc.traces(phi=0.5, psi=0.7, ridge=[0.1, 1, 10], c1=0.5, c_rest=0.3).plot, "m1"),
        "activation": (tc.activation("relu").plot, "coefficients:positive"),
        "sizes": (
            lambda *ax, **how: plots.gain_against_alpha(
                PROBLEM, steps=curve, literal=literal, run=run, ax=ax[0] if ax else None, **how
            ),
            "test_gain:n=100",
        ),
        "descent": (
            lambda *ax, **how: plots.double_descent(PROBLEM, ax=ax[0] if ax else None, **how),
            "test_loss:ridge=1",
        ),
    }


LINED = [
    "prediction",
    "predictions",
    "staircase",
    "step",
    "spectrum",
    "weights",
    "sweep",
    "best",
    "traces",
    "activation",
]
PANELLED = {"steps": 2, "comparison": 2, "run": 3, "sizes": 2, "descent": 3}
NAMES = [*LINED, *PANELLED]


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
