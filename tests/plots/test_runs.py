"""Runs draw their means and standard errors."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import ALPHAS, PROBLEM, artist, legend, texts
from theorycalc import plots


@pytest.mark.slow
def test_an_incomplete_run_says_how_many_draws_it_has(run):
    fewer = replace(run, records=run.records[:-1])
    figure = plots.gain_against_alpha(PROBLEM, run=fewer)
    assert "simulated at $n$ = 100, 2–3 draws ± s.e." in texts(figure)


RIDGES = [0.01, 0.1, 1.0]


def test_a_run_shows_means_and_standard_errors_over_its_steps(run):
    figure = run.plot()
    summary = run.rows
    for axes, name in zip(figure.axes, ("test_loss", "train_loss", "train_error"), strict=True):
        points, _, (bars,) = axes.containers[0]
        assert points.get_gid() == f"{name}:1"
        assert list(points.get_xdata()) == ALPHAS
        assert list(points.get_ydata()) == [row[name] for row in summary]
        lengths = [segment[1, 1] - segment[0, 1] for segment in bars.get_segments()]
        np.testing.assert_allclose(lengths, [2 * row[f"{name}_se"] for row in summary])
        assert list(artist(axes, f"{name}_initial:1").get_ydata()) == [row[f"{name}_initial"] for row in summary]
    assert legend(figure) == ["before the step", "after the step"]
    assert figure.axes[0].get_title(loc="left").endswith(r"$n$ = 100, $d$ = 50, $N$ = 75, 3 draws ± s.e.")


def test_a_run_of_one_step_is_drawn_over_its_ridges():
    run = tc.simulate(PROBLEM, n=40, eta=2, ridge=RIDGES[::-1], replicates=2)
    figure = run.plot()
    assert figure.axes[-1].get_xlabel() == r"$\lambda$, ridge (weight decay)"
    assert figure.axes[0].get_xscale() == "log"
    seen = {row["ridge"]: row["test_loss"] for row in run.rows}
    assert list(artist(figure, "test_loss:1").get_xdata()) == RIDGES
    assert list(artist(figure, "test_loss:1").get_ydata()) == [seen[ridge] for ridge in RIDGES]


def test_a_run_has_a_curve_for_each_model_and_each_value_of_the_other():
    both = ("network", "gaussian")
    run = tc.simulate(PROBLEM, n=40, eta=[2, 5], ridge=RIDGES, equivalent=both, ell=1, replicates=2)
    figure = run.plot()
    assert legend(figure)[1:] == [rf"{model}, $\eta$ = {eta}" for eta in (2, 5) for model in both]
    rows = [row for row in run.rows if row["eta"] == 5 and row["model"] == "gaussian"]
    assert list(artist(figure, "test_loss:4").get_ydata()) == [row["test_loss"] for row in rows]
    assert legend(tc.simulate(PROBLEM, n=40, eta=[2, 5], ridge=[0.1, 1], replicates=2).plot())[1:] == [
        r"$\lambda$ = 0.1",
        r"$\lambda$ = 1",
    ]


@pytest.mark.slow
def test_one_draw_has_no_error_bar(run):
    alone = replace(run, records=run.records[:1]).plot()
    (container,) = alone.axes[0].containers
    assert [len(segment) for segment in container.lines[2][0].get_segments()] == [0]
    assert alone.axes[0].get_title(loc="left").endswith("1 draw")
    assert artist(alone, "test_loss_initial:1").get_marker() == "_"


def test_a_run_of_too_many_curves_or_none_is_refused(run):
    steps, ridges = list(range(1, 8)), [10.0**-k for k in range(7)]
    many = tc.simulate(PROBLEM, n=20, eta=steps, ridge=ridges, replicates=2, test_samples=10)
    with pytest.raises(tc.ArgumentError, match=r"the run has 7 curves, for λ = .*; they can be told apart for up to 6"):
        many.plot()
    with pytest.raises(tc.ArgumentError, match="no finished replicate: there is nothing to draw"):
        replace(run, records=()).plot()
