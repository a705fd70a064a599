"""Figures of pools: curves show the numbers of the losses, points those of the splits, maps those of gains."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

import theorycalc as tc
from tests.helpers.pools import law

F, Y = law(10).draw(300, np.random.default_rng(0))
POOL = tc.features(F, Y)


def lines(figure):
    return {line.get_gid(): line for line in figure.axes[0].get_lines() if line.get_gid()}


def test_curves_over_n_and_over_the_ridge():
    found = POOL.losses([20, 50, 100], [0.01, 0.1])
    drawn = lines(found.plot())
    np.testing.assert_array_equal(drawn["test_loss:ridge=0.01"].get_ydata(), found.test_loss[:, 0])
    one = POOL.losses(50, [0.01, 0.1, 1.0])
    figure = one.plot()
    np.testing.assert_array_equal(lines(figure)["test_loss"].get_ydata(), one.test_loss)
    assert figure.axes[0].get_xlabel() == r"$\lambda$, ridge (weight decay)"
    best = POOL.best_ridge([20, 50])
    np.testing.assert_array_equal(lines(best.plot())["test_loss"].get_ydata(), best.test_loss)


def test_splits_are_points():
    found = POOL.compare(F, Y, [20, 50], [0.01, 0.1], draws=3)
    observed = [row["observed"] for row in found.rows if row["quantity"] == "test_loss" and row["ridge"] == 0.1]
    np.testing.assert_array_equal(lines(found.plot())["observed:0.1"].get_ydata(), observed)
    assert "observed:None" in lines(POOL.compare(F, Y, 20, [0.01, 0.1], draws=3).plot())


@pytest.mark.slow
def test_a_pool_draws_its_best_ridges_and_three_others():
    drawn = lines(POOL.plot())
    curve = POOL.learning_curve()
    np.testing.assert_allclose(drawn["test_loss"].get_ydata(), curve.test_loss)
    assert sum(gid.startswith("test_loss:ridge=") for gid in drawn) == 3


def test_refusals():
    with pytest.raises(tc.ArgumentError, match="told apart"):
        POOL.losses([20, 50], np.geomspace(0.01, 1, 9)).plot()
    with pytest.raises(tc.DomainError, match="infinite"):
        POOL.losses([11, 50], 0).plot()


LAW = law(N=20)
SIZES, RIDGES = [200, 30, 1000], [0.01, 1.0, 0.1, 10.0]


@pytest.fixture(scope="module")
def pools():
    F, y = LAW.draw(300, np.random.default_rng(1))
    noisy = np.column_stack([F, 5 * np.random.default_rng(2).standard_normal((300, 20))])
    return tc.features(F[:, :8], y), tc.features(noisy, y)


def by_gid(axes, gid):
    (found,) = [artist for artist in axes.get_children() if artist.get_gid() == gid]
    return found


def test_a_map_and_curves_at_the_best_ridge(pools):
    gain = tc.feature_gain(*pools, SIZES, RIDGES)
    figure = gain.plot()
    axes, curves, bar = figure.axes
    mesh = by_gid(axes, "test_gain")
    expected = gain.test_gain[np.ix_(np.argsort(SIZES), np.argsort(RIDGES))].T
    np.testing.assert_array_equal(np.asarray(mesh.get_array()).reshape(expected.shape), expected)
    assert mesh.norm.vmin == -mesh.norm.vmax
    assert bar.get_ylim() == (min(0, expected.min()), expected.max())
    assert expected.min() < 0 < expected.max()
    assert by_gid(axes, "zero")
    for name in ("ridge", "ridge_initial"):
        np.testing.assert_array_equal(by_gid(axes, name).get_ydata(), getattr(gain.best, name))
    np.testing.assert_array_equal(by_gid(curves, "test_loss").get_ydata(), gain.best.test_loss[np.argsort(SIZES)])
    assert curves.get_ylim()[0] == 0


def test_no_line_of_zero_where_everything_gains(pools):
    F, y = LAW.draw(300, np.random.default_rng(1))
    gain = tc.feature_gain(pools[0], tc.features(F, y), [100, 300], [0.01, 0.1])
    axes = gain.plot().axes[0]
    assert not [artist for artist in axes.get_children() if artist.get_gid() == "zero"]


@pytest.mark.parametrize(
    ("n", "ridge", "label", "title"),
    [
        (SIZES, 0.1, r"$n$, points of the fit", r"ridge fits at $\lambda$ = 0.1"),
        (SIZES, None, r"$n$, points of the fit", r"ridge fits at the best $\lambda$ of each"),
        (100, RIDGES, r"$\lambda$, ridge (weight decay)", r"ridge fits on $n$ = 100 points"),
        (100, 0.1, r"$\lambda$, ridge (weight decay)", r"ridge fits on $n$ = 100 points"),
        ([100], [0.1, 0.2], r"$\lambda$, ridge (weight decay)", r"ridge fits on $n$ = 100 points"),
    ],
)
def test_curves(pools, n, ridge, label, title):
    gain = tc.feature_gain(*pools, n, ridge)
    (axes,) = gain.plot(linewidth=3).axes
    assert axes.get_xlabel() == label
    assert axes.get_title(loc="left") == title
    places = np.ravel(gain.n if "points" in label else gain.ridge)
    for name in ("test_loss", "test_loss_initial"):
        line = by_gid(axes, name)
        assert line.get_linewidth() == 3
        np.testing.assert_array_equal(line.get_ydata(), np.ravel(getattr(gain, name))[np.argsort(places)])


def test_into_given_axes(pools):
    figure = Figure(layout="constrained")
    first, second = figure.subplots(1, 2)
    gain = tc.feature_gain(*pools, SIZES, RIDGES)
    gain.plot(first, vmin=-1, vmax=1)
    assert by_gid(first, "test_gain").norm.vmax == 1
    assert not second.get_lines()
    gain.plot([first, second], cmap="viridis")
    assert len(second.get_lines()) == 2
