"""Axes that the user gives, and their cycle of colours."""

from __future__ import annotations

import numpy as np
import pytest
from cycler import cycler
from matplotlib import rc_context, rcParams
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, artist


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
