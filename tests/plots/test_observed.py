"""Observed means with their error bars, and comparisons with theory."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import stdtr

import theorycalc as tc
from tests.helpers.drawn import ALPHAS, PROBLEM, artist, legend, texts
from theorycalc import plots
from theorycalc.plots.observed import bands
from theorycalc.results.quantities import COMPARED


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


def test_a_comparison_shows_every_z_and_fills_what_differs(run):
    theories = [tc.predict(PROBLEM, ell=1), tc.step(PROBLEM, n=100, alpha=ALPHAS)]
    comparison = tc.compare(run, theories, quantities=COMPARED, level=0.5)
    figure = comparison.plot()
    drawn = [z for number in (1, 2) for z in artist(figure, f"z:{number}").get_xdata()]
    assert sorted(drawn) == sorted(row["z"] for row in comparison.rows)
    assert comparison.differing
    filled = [z for one in figure.findobj(lambda one: "differs" in str(one.get_gid())) for z in one.get_xdata()]
    assert sorted(filled) == sorted(row["z"] for row in comparison.differing)
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels[:2] == ["$\\ell$ = 1", "finite step (dressed)"]


def test_the_band_is_that_of_the_verdict(run):
    """A row agrees if and only if its z lies in the band that is drawn."""
    limits = [tc.predict(PROBLEM, ell=ell) for ell in (1, 2, 4)]
    comparison = tc.compare(run, limits, quantities=COMPARED, level=0.5)
    patch = artist(comparison.plot(), "band")
    edge = patch.get_patch_transform().transform_path(patch.get_path()).vertices[:, 0].max()
    outside = [abs(row["z"]) > edge for row in comparison.rows]
    assert 0 < sum(outside) < len(outside)
    assert outside == [row in comparison.differing for row in comparison.rows]


def test_an_interrupted_run_has_a_band_for_each_number_of_draws(run):
    fewer = tc.compare(replace(run, records=run.records[:-1]), tc.predict(PROBLEM, ell=1))
    widths = bands(fewer)
    assert len(widths) == 2
    for count, width in zip((3, 2), widths, strict=True):
        assert 2 * stdtr(count - 1, -width) == pytest.approx(fewer.level / fewer.looks, rel=1e-9)
    figure = fewer.plot()
    assert artist(figure, "band")
    assert artist(figure, "band:2").get_label() == f"agreement, |z| < {widths[1]:.1f}"


def test_an_infinite_z_is_an_arrow_at_the_edge(run):
    row = tc.compare(run, tc.predict(PROBLEM, ell=1)).rows[0]
    rows = (
        row | {"z": -math.inf, "p": 0.0, "standard_error": 0.0, "judged": True},
        row | {"quantity": "test_gain", "z": 1.0, "p": 0.4, "judged": True},
    )
    top = tc.Comparison(rows, 0.01, ()).plot().axes[0]
    arrow = artist(top, "z:1:infinite")
    assert arrow.get_marker() == "<"
    assert arrow.get_xdata()[0] == top.get_xlim()[0]
