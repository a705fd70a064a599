"""Runs, sweeps, best choices and traces draw the numbers that they hold."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

import theorycalc as tc
from tests.helpers.drawn import ALPHAS, PROBLEM, simulated
from tests.helpers.problems import problem

run = pytest.fixture(scope="module")(simulated)
RIDGES = [0.01, 0.1, 1.0]


def artist(figure, gid):
    (found,) = figure.findobj(lambda one: one.get_gid() == gid)
    return found


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


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
    assert figure.axes[0].get_title(loc="left").endswith("n = 100, d = 50, N = 75, 3 draws ± s.e.")


def test_a_run_of_one_step_is_drawn_over_its_ridges():
    run = tc.simulate(PROBLEM, n=40, eta=2, ridge=RIDGES[::-1], replicates=2)
    figure = run.plot()
    assert figure.axes[-1].get_xlabel() == "λ, ridge (weight decay)"
    assert figure.axes[0].get_xscale() == "log"
    seen = {row["ridge"]: row["test_loss"] for row in run.rows}
    assert list(artist(figure, "test_loss:1").get_xdata()) == RIDGES
    assert list(artist(figure, "test_loss:1").get_ydata()) == [seen[ridge] for ridge in RIDGES]


def test_a_run_has_a_curve_for_each_model_and_each_value_of_the_other():
    both = ("network", "gaussian")
    run = tc.simulate(PROBLEM, n=40, eta=[2, 5], ridge=RIDGES, equivalent=both, ell=1, replicates=2)
    figure = run.plot()
    assert legend(figure)[1:] == [f"{model}, η = {eta}" for eta in (2, 5) for model in both]
    rows = [row for row in run.rows if row["eta"] == 5 and row["model"] == "gaussian"]
    assert list(artist(figure, "test_loss:4").get_ydata()) == [row["test_loss"] for row in rows]
    assert legend(tc.simulate(PROBLEM, n=40, eta=[2, 5], ridge=[0.1, 1], replicates=2).plot())[1:] == [
        "λ = 0.1",
        "λ = 1",
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


def test_one_axis_of_a_sweep_is_a_curve_in_rising_order():
    found = tc.sweep(PROBLEM, {"ell": 2, "ridge": [10, 0.01, 1]})
    figure = found.plot(quantity="test_loss")
    line = artist(figure, "test_loss")
    assert list(line.get_xdata()) == [0.01, 1, 10]
    np.testing.assert_array_equal(line.get_ydata(), found["test_loss"][0][[1, 2, 0]])
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[0].get_title(loc="left").splitlines()[1].startswith(r"$\ell$ = 2, φ = 0.5, ψ = 0.6667")
    assert artist(found.plot(), "test_gain").get_ydata()[0] == found["test_gain"][0, 1]


def test_a_sweep_draws_the_training_error():
    found = tc.sweep(PROBLEM, {"ell": 2, "ridge": [0.01, 1, 10]}, quantities=["train_loss", "train_error"])
    figure = found.plot(quantity="train_error")
    np.testing.assert_array_equal(artist(figure, "train_error").get_ydata(), found["train_error"][0])
    assert figure.axes[0].get_ylabel() == "training error, no penalty"
    steps = tc.sweep(PROBLEM, {"n": 100, "alpha": [0.1, 0.3], "ridge": [0.1, 1]}, quantities=["train_error"])
    np.testing.assert_array_equal(artist(steps.plot(), "train_error").get_array(), steps["train_error"][0])


def test_names_have_a_curve_each():
    found = tc.sweep(PROBLEM, {"activation": ["relu", "gelu"], "ell": 2, "ridge": "1e-2:10:5:log"})
    figure = found.plot()
    for number in range(2):
        np.testing.assert_array_equal(
            artist(figure, f"test_gain:{number + 1}").get_ydata(), found["test_gain"][number, 0]
        )
    assert legend(figure) == ["activation = relu", "activation = gelu"]
    assert figure.axes[0].get_title(loc="left").startswith("teacher ")


def test_an_axis_of_names_alone_has_points():
    figure = tc.sweep(PROBLEM, {"ell": ["inf", 1, 2], "ridge": 1}).plot()
    assert [text.get_text() for text in figure.axes[0].get_xticklabels()] == ["1", "2", "∞"]
    assert artist(figure, "test_gain").get_linestyle() == "None"


def test_two_axes_are_a_heat_map_with_a_colour_bar():
    phis, ridges = np.array([0.2, 0.5, 0.8]), np.geomspace(1e-2, 10, 4)
    found = tc.sweep(PROBLEM, {"ell": 2, "phi": phis, "ridge": ridges})
    figure = found.plot(quantity="test_loss")
    axes, bar = figure.axes
    mesh = artist(figure, "test_loss")
    np.testing.assert_array_equal(np.ravel(mesh.get_array()), np.ravel(found["test_loss"][0]))
    corners = mesh.get_coordinates()
    np.testing.assert_allclose(corners[0, :, 0], np.exp(np.log(1e-2) + (np.arange(5) - 0.5) * np.log(10)))
    np.testing.assert_allclose(corners[:, 0, 1], [0.05, 0.35, 0.65, 0.95])
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("λ, ridge (weight decay)", "φ = d/n, inputs per sample")
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "linear")
    assert bar.get_ylabel() == "test loss"
    assert bar.get_gid() == "test_loss:colours"
    assert not mesh.get_rasterized()
    assert mesh.get_cmap().name == "cividis"


def test_the_style_of_a_heat_map_is_that_of_its_mesh():
    found = tc.sweep(PROBLEM, {"ell": 2, "phi": [0.2, 0.5], "ridge": [0.1, 1]})
    mesh = artist(found.plot(cmap="magma", vmin=0.0, vmax=2.0), "test_gain")
    assert (mesh.get_cmap().name, mesh.get_clim()) == ("magma", (0.0, 2.0))
    with pytest.raises(tc.ArgumentError, match="cmap='brightest' is refused by matplotlib"):
        found.plot(cmap="brightest")
    with pytest.raises(tc.ArgumentError, match="no argument 'marker', and a matplotlib QuadMesh no such property"):
        found.plot(marker="o")


def test_a_wide_quantity_has_a_logarithmic_scale_of_colours():
    found = tc.sweep(PROBLEM, {"ell": 1, "psi": [0.1, 0.5, 2], "ridge": [1e-6, 1]})
    assert np.ptp(np.log10(found["test_loss"])) > 1
    assert isinstance(artist(found.plot(quantity="test_loss"), "test_loss").norm, LogNorm)


def test_a_large_heat_map_is_a_picture():
    found = tc.sweep(PROBLEM, {"ell": 1, "phi": "0.1:2:60", "ridge": "0.1:2:60"})
    assert artist(found.plot(), "test_gain").get_rasterized()


def test_a_third_axis_has_panels_with_one_scale():
    found = tc.sweep(PROBLEM, {"phi": [0.2, 0.5], "ell": [2, 1], "ridge": [0.1, 1, 3]})
    figure = found.plot()
    meshes = figure.findobj(lambda one: one.get_gid() == "test_gain")
    assert len(meshes) == 2
    assert [axes.get_title(loc="left") for axes in figure.axes[:2]] == [r"$\ell$ = 1", r"$\ell$ = 2"]
    for ell, mesh in zip((1, 2), meshes, strict=True):
        np.testing.assert_array_equal(mesh.get_array(), found["test_gain"][:, [2, 1].index(ell), :])
        assert mesh.get_clim() == (found["test_gain"].min(), found["test_gain"].max())
    assert len(figure.axes) == 3  # and the colour bar
    pair = Figure().subplots(1, 2)
    assert found.plot(pair) is pair[0].figure
    four = tc.sweep(PROBLEM, {"activation": ["relu", "gelu"], "ell": [1, 2, 3, 4], "ridge": [0.1, 1, 3]}).plot()
    assert [axes.get_title(loc="left") for axes in four.axes] == ["activation = relu", "activation = gelu"]


def test_more_axes_are_refused_with_the_way_out():
    over = {"phi": "0.1:1:5", "psi": "0.1:1:5", "ridge": "0.1:1:5", "ell": [1, 2]}
    found = tc.sweep(PROBLEM, over)
    with pytest.raises(tc.ArgumentError, match=re.escape("say where the others stay, such as at={'ell': 1}")):
        found.plot()
    figure = found.plot(at={"ell": 2, "psi": "0.1"})
    np.testing.assert_array_equal(artist(figure, "test_gain").get_array(), found["test_gain"][:, 0, :, 1])
    three = tc.sweep(PROBLEM, {"phi": "0.1:1:5", "psi": "0.1:1:5", "ridge": "0.1:1:5", "ell": 1})
    with pytest.raises(tc.ArgumentError, match=r"varies along phi \(5 values\), psi \(5 values\), ridge \(5 values\)"):
        three.plot()


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"quantity": "gain"}, "'gain' is not in this sweep, which has train_gain"),
        ({"at": {"psi": 1}}, "at: the sweep has no axis 'psi'; it has activation, ell, ridge"),
        ({"at": {"ridge": 2}}, "at: ridge=2 is not in the sweep; it has 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, …"),
        ({"at": {"activation": "tanh"}}, "at: activation='tanh' is not in the sweep; it has relu, gelu"),
        ({"at": {"activation": "relu", "ell": "inf", "ridge": "1/10"}}, "the sweep has one point"),
    ],
)
def test_what_a_sweep_does_not_have_is_refused(how, message):
    over = {"activation": ["relu", "gelu"], "ell": ["inf", 1], "ridge": "0.1:0.7:7"}
    with pytest.raises(tc.ArgumentError, match=re.escape(message)):
        tc.sweep(PROBLEM, over).plot(**how)


def test_points_without_a_value_are_left_out_and_counted():
    found = tc.sweep(PROBLEM, {"alpha": [0.1, 0.25, 0.3], "ridge": [0.1, 1]})  # 1/4 is between two windows
    figure = found.plot()
    assert artist(figure, "test_gain").get_array().mask.sum() == 2
    assert "2 points have no value" in figure.axes[0].get_title(loc="left")
    peak = tc.sweep(tc.Problem("relu", "H1", 1, 1, 0), {"ell": 1, "psi": [0.5, 1]})  # infinite at N = n
    assert math.isinf(peak["test_loss"][0, 1])
    assert "1 point has no value" in peak.plot(quantity="test_loss").axes[0].get_title(loc="left")
    alone = tc.sweep(tc.Problem("relu", "H1", 1, 1, 0), {"ell": [1, 2]}, quantities=["test_loss"])
    with pytest.raises(tc.DomainError, match="no point of the sweep has a finite test_loss"):
        alone.plot()


@pytest.mark.slow
def test_the_best_ridge_is_marked_on_the_curve_that_was_searched():
    best = tc.best_ridge(PROBLEM, n=100, alpha=0.3)
    figure = best.plot()
    line, star = artist(figure, "test_loss"), artist(figure, "best")
    np.testing.assert_allclose(line.get_ydata(), tc.step(PROBLEM, n=100, alpha=0.3, ridge=list(best.grid)).test_loss)
    assert list(line.get_xdata()) == list(best.grid)
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (best.ridge, best.test_loss)
    assert best.test_loss <= min(best.losses)
    assert "grid" not in repr(best)
    assert legend(figure)[1] == f"least: λ = {best.ridge:.4g}, test loss = {best.test_loss:.4g}"


@pytest.mark.slow
def test_the_best_step_is_marked_even_if_it_is_none():
    best = tc.best_step(PROBLEM, n=100)
    figure = best.plot()
    assert figure.axes[0].get_xlabel() == "η, size of the step (learning rate)"
    assert artist(figure, "best").get_xdata()[0] == best.eta
    none = tc.best_step(tc.Problem("1e-8*tanh(x)", "H1", "1/2", "2/3", "1/10"), n=100)
    assert none.eta == 0
    level = artist(none.plot(), "best")
    assert list(level.get_ydata()) == [none.test_loss] * 2
    edge = tc.best_ridge(problem("tanh", "H1", noise="100"), n=50, eta=1)
    assert legend(edge.plot())[1].endswith("at the edge of the range")


def test_traces_are_drawn_over_the_parameter_that_varies():
    where = {"phi": "1/2", "psi": "2/3", "c1": "1/2", "c_rest": "3/10"}
    found = tc.traces(ridge=[10, 0.01, 1], **where)
    figure = found.plot()
    for name in ("m1", "m2"):
        assert list(artist(figure, name).get_ydata()) == list(getattr(found, name)[[1, 2, 0]])
    assert figure.axes[0].get_title(loc="left") == "φ = 0.5, ψ = 0.6667, $c_1$ = 0.5, $c_{>1}$ = 0.3"
    with pytest.raises(tc.ArgumentError, match=r"over a list of one parameter; these are of shape \(\)$"):
        tc.traces(ridge=1, **where).plot()
    with pytest.raises(tc.ArgumentError, match=r"shape \(2, 2\) over ridge"):
        tc.traces(ridge=[[1, 2], [3, 4]], **where).plot()
    assert "parameters" not in repr(found)
