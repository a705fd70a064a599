"""The figure of error rates."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc

PROBLEM = tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10")


def curve(figure, gid):
    (found,) = figure.findobj(lambda one: one.get_gid() == gid)
    return found


def test_over_ridges():
    found = tc.error_rate(PROBLEM, ell=1, ridge=[1, 0.01, 0.1])
    figure = found.plot()
    order = np.argsort(found.ridge)
    np.testing.assert_array_equal(curve(figure, "error_rate").get_ydata(), found.error_rate[order])
    np.testing.assert_array_equal(curve(figure, "error_rate_initial").get_ydata(), found.error_rate_initial[order])
    axes = figure.axes[0]
    assert (axes.get_ylabel(), axes.get_xscale()) == ("share of wrong signs", "log")
    assert r"limit $n$ → ∞" in axes.get_title(loc="left")


def test_one_point():
    figure = tc.error_rate(PROBLEM, ell=1).plot(color="black")
    assert curve(figure, "error_rate").get_linestyle() == "None"
    assert curve(figure, "error_rate").get_color() == "black"


@pytest.mark.slow
def test_over_steps():
    found = tc.error_rate(PROBLEM, n=100, alpha=[0.1, 0.3])
    figure = found.plot()
    np.testing.assert_array_equal(curve(figure, "error_rate").get_xdata(), [0.1, 0.3])
    assert r"$n$ = 100, $\lambda$ = 0.1" in figure.axes[0].get_title(loc="left")
    by_ridge = tc.error_rate(PROBLEM, n=100, eta=2, ridge=[0.1, 1]).plot()
    assert r"$\eta$ = 2" in by_ridge.axes[0].get_title(loc="left")
    with pytest.raises(tc.ArgumentError, match="a list of steps or of ridges"):
        tc.error_rate(PROBLEM, n=100, eta=[[1], [2]], ridge=[0.1, 1]).plot()
