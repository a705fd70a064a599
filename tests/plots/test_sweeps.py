"""Sweeps of one, two and three axes draw the numbers that they hold."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, artist, legend


def test_one_axis_of_a_sweep_is_a_curve_in_rising_order():
    found = tc.sweep(PROBLEM, {"ell": 2, "ridge": [10, 0.01, 1]})
    figure = found.plot(quantity="test_loss")
    line = artist(figure, "test_loss")
    assert list(line.get_xdata()) == [0.01, 1, 10]
    np.testing.assert_array_equal(line.get_ydata(), found["test_loss"][0][[1, 2, 0]])
    assert figure.axes[0].get_xscale() == "log"
    assert figure.axes[0].get_title(loc="left").splitlines()[1].startswith(r"$\ell$ = 2, $\phi$ = 0.5, $\psi$ = 0.6667")
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
    assert (axes.get_xlabel(), axes.get_ylabel()) == (
        r"$\lambda$, ridge (weight decay)",
        r"$\phi$ = $d$/$n$, inputs per sample",
    )
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
