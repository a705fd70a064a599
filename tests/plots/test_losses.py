"""Figures show the numbers that were computed, and no run of another problem."""

from __future__ import annotations

import json

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import LOSSES, PROBLEM, artist, heights, texts
from theorycalc import plots


def test_a_prediction_shows_its_losses_and_gains():
    found = tc.predict(PROBLEM, ell=2)
    figure = found.plot()
    shown = " ".join(texts(figure))
    for name in LOSSES:
        for when in (name, f"{name}_initial"):
            assert artist(figure, when).get_xdata()[0] == getattr(found, when)
            assert artist(figure, f"{when}:label").get_text() == f"{getattr(found, when):.4g}"
    assert rf"gain $\Lambda$ = {found.test_gain:.4g}" in shown
    assert rf"gain $\Delta$ = {found.train_gain:.4g}" in shown
    assert r"noise $\sigma_\varepsilon^2$ = 0.25" in shown
    assert artist(figure, "noise").get_xdata()[0] == 0.25
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert rows == ["test loss", "training loss,\nwith penalty", "training error,\nno penalty"]


@pytest.mark.parametrize("how", [{}, {"ridge": "1e-5", "psi": "1/4"}, {"ridge": 0, "psi": "1/4"}])
def test_the_numbers_of_a_prediction_stand_clear_of_the_names_of_its_rows(how):
    """Without a penalty, training errors come near 0, where the names begin."""
    figure = tc.predict(PROBLEM, ell=2, **how).plot()
    figure.draw_without_rendering()
    renderer = figure._get_renderer()
    names = max(label.get_window_extent(renderer).x1 for label in figure.axes[0].get_yticklabels())
    for text in figure.axes[0].texts:
        assert not text.get_text() or text.get_window_extent(renderer).x0 > names


def test_a_list_of_ridges_is_drawn_in_rising_order():
    ridges = np.array([10.0, 0.01, 1.0, 0.1])
    axes = tc.predict(PROBLEM, ell=2, ridge=ridges).plot().axes[0]
    after = tc.predict(PROBLEM, ell=2, ridge=np.sort(ridges)).test_loss
    np.testing.assert_array_equal(heights(axes, "test_loss"), after)
    assert axes.get_xscale() == "log"
    assert axes.get_ylim()[0] == 0
    assert tc.predict(PROBLEM, ell=2, noise=[0, 0.5]).plot().axes[0].get_xscale() == "linear"


def test_curves_of_training_loss_and_training_error_are_told_apart():
    found = tc.predict(PROBLEM, ell=2, ridge=np.geomspace(0.01, 10, 7))
    figure = found.plot()
    looks = set()
    for name, words in zip(LOSSES, ("test loss", "training loss", "training error"), strict=True):
        solid, dashed = artist(figure, name), artist(figure, f"{name}_initial")
        np.testing.assert_array_equal(solid.get_ydata(), getattr(found, name))
        np.testing.assert_array_equal(dashed.get_ydata(), getattr(found, f"{name}_initial"))
        assert (solid.is_dashed(), dashed.is_dashed()) == (False, True)
        assert (solid.get_color(), solid.get_marker()) == (dashed.get_color(), dashed.get_marker())
        assert artist(figure, f"{name}:label").get_text().endswith(words)
        looks |= {solid.get_color(), solid.get_marker()}
    assert len(looks) == 6
    assert figure.axes[0].get_ylabel() == "loss or error (training loss\nwith penalty, error without)"
    shaded = [one.get_gid() for one in figure.axes[0].collections]
    assert shaded == ["test_gain", "train_gain"]  # an error has no gain


def test_proven_digits_are_drawn_too():
    exact = tc.predict(PROBLEM, ell=2, digits=30)
    assert rf"gain $\Lambda$ = {float(exact.test_gain):.4g}" in texts(exact.plot())


@pytest.mark.slow
def test_finite_steps_draw_what_varies():
    alphas = np.array([0.3, 0.1, 0.2])
    found = tc.step(PROBLEM, n=200, alpha=alphas, ridge=1)
    axes = found.plot().axes[0]
    np.testing.assert_array_equal(heights(axes, "test_gain:n=200"), found.test_gain[[1, 2, 0]])
    of_networks = tc.predict(PROBLEM, ell=1, ridge=1, network="literal")
    assert heights(axes, "test_gain:literal")[0] == of_networks.test_gain
    assert not axes.findobj(lambda one: one.get_gid() == "test_gain:limit")
    over = [tc.step(PROBLEM, n=200, **how).plot() for how in ({"eta": [1, 2]}, {"eta": 2, "ridge": [1, 2]})]
    words = [r"$\eta$, size of the step (learning rate)", r"$\lambda$, ridge (weight decay)"]
    assert [figure.axes[0].get_xlabel() for figure in over] == words
    with pytest.raises(tc.ArgumentError, match=r"array of shape \(2, 3\)"):
        tc.step(PROBLEM, n=200, alpha=alphas, ridge=[[1], [2]]).plot()


def test_the_spectrum_has_density_histogram_and_outliers(run):
    found = tc.spectrum(PROBLEM, n=100, alpha=0.4)
    axes = found.plot(run=run).axes[0]
    bulk = artist(axes, "density")
    z = np.asarray(bulk.get_xdata())
    assert axes.get_xscale() == "log"
    np.testing.assert_allclose(bulk.get_ydata(), z * found.density(z), rtol=1e-12)
    assert list(artist(axes, "outliers").get_xdata()) == list(found.outliers)
    assert set(artist(axes, "edge").get_xdata()) == {found.edge_after}
    assert min(artist(axes, "simulated:outliers").get_xdata()) > found.edge_after > found.edges[-1][1]
    values, edges, _ = artist(axes, "simulated").get_data()
    mass = float(np.sum(values * np.diff(np.log(edges))))
    taken = [record["spectrum"]["quantiles"] for record in run.records if record["alpha"] == 0.4]
    inside = np.mean([edges[0] <= x <= edges[-1] for row in taken for x in row])
    assert mass == pytest.approx(inside, abs=1e-12)
    assert 0.5 < mass < 1  # a quarter is 0
    rug = artist(axes, "simulated:outliers")
    assert max(rug.get_xdata()) == max(record["spectrum"]["top"][0] for record in run.records if record["alpha"] == 0.4)


def test_a_spectrum_that_stays_away_from_zero_has_a_linear_axis():
    wide = tc.Problem("relu", "H1", phi="1/2", psi=10, ridge=1)
    found = tc.spectrum(wide)
    assert found.edges[0][0] > found.edges[-1][1] / 30
    axes = found.plot().axes[0]
    line = artist(axes, "density")
    assert axes.get_xscale() == "linear"
    np.testing.assert_allclose(line.get_ydata(), found.density(np.asarray(line.get_xdata())))


@pytest.mark.slow
def test_runs_of_other_problems_are_not_drawn(run):
    other = tc.Problem("relu", "H1 + H2/2 + H3/6", "1/2", "2/3", "1/10")
    with pytest.raises(tc.ArgumentError, match="noise is 0 and 1/2"):
        plots.gain_against_alpha(other, run=run)
    with pytest.raises(tc.ArgumentError, match="different problems: activation"):
        tc.spectrum(tc.Problem("tanh", "H1", "1/2", "2/3", "1/10"), n=100, alpha=0.4).plot(run=run)
    with pytest.raises(tc.ArgumentError, match="spectrum is of n = 102"):
        tc.spectrum(PROBLEM, n=102, alpha=0.4).plot(run=run)
    with pytest.raises(tc.ArgumentError, match="no finished replicate of the step"):
        tc.spectrum(PROBLEM, n=100, alpha=0.2).plot(run=run)
    plain = tc.simulate(PROBLEM, n=60, alpha=0.1, replicates=2)
    with pytest.raises(tc.ArgumentError, match="simulate with spectrum=True"):
        tc.spectrum(PROBLEM, n=60, alpha=0.1).plot(run=plain)
    with pytest.raises(tc.ArgumentError, match="must be a Run"):
        tc.spectrum(PROBLEM).plot(run="run.json")
    with pytest.raises(tc.ArgumentError, match="must be a Run"):
        plots.gain_against_alpha(PROBLEM, run="run.json")
    with pytest.raises(tc.ArgumentError, match="nothing to draw"):
        plots.gain_against_alpha(PROBLEM, run=tc.simulate(PROBLEM, n=60, eta=0, replicates=2))


def test_eigenvalues_from_a_damaged_file_are_refused(run, tmp_path):
    data = run.to_dict()
    data = json.loads(json.dumps(data))
    data["records"][0]["spectrum"]["quantiles_initial"][3] = "many"
    (tmp_path / "run.json").write_text(json.dumps(data))
    with pytest.raises(tc.ArgumentError, match="replicate 0 of the run has no quantiles_initial"):
        tc.spectrum(PROBLEM).plot(run=tc.load_run(tmp_path / "run.json"))


@pytest.mark.parametrize("over", ["alpha", "eta"])
def test_steps_have_a_band_of_single_runs(over):
    """One standard deviation on both sides of each curve, in any order of the steps; the pencil has none."""
    places = {"alpha": [0.3, 0.1, 0.4], "eta": [5.0, 1.0, 9.0]}[over]
    found = tc.step(PROBLEM, n=100, **{over: places})
    names = {"alpha": ("test_gain", "train_gain"), "eta": ("test_loss", "train_loss")}[over]
    figure = found.plot()
    bands = {band.get_gid(): band for axes in figure.axes for band in axes.collections if band.get_gid()}
    order = np.argsort(places)
    for name in names:
        heights = bands[f"{name}:spread"].get_paths()[0].vertices[:, 1]
        value, spread = np.asarray(getattr(found, name))[order], np.asarray(getattr(found.spread, name))[order]
        for edge in (*(value - spread), *(value + spread)):
            assert np.abs(heights - edge).min() < 1e-12
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()].count("± one standard deviation of a single run") == 1
    pencil = tc.step(PROBLEM, n=100, method="pencil", **{over: places}).plot()
    assert not [band for axes in pencil.axes for band in axes.collections if str(band.get_gid()).endswith(":spread")]
