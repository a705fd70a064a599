"""Figures of pools: curves show the numbers of the losses, points those of the splits."""

from __future__ import annotations

import numpy as np
import pytest

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
