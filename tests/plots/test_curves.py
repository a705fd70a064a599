"""Curves over one parameter: error rates, traces and a scaling law."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import artist

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


def test_traces_are_drawn_over_the_parameter_that_varies():
    where = {"phi": "1/2", "psi": "2/3", "c1": "1/2", "c_rest": "3/10"}
    found = tc.traces(ridge=[10, 0.01, 1], **where)
    figure = found.plot()
    for name in ("m1", "m2"):
        assert list(artist(figure, name).get_ydata()) == list(getattr(found, name)[[1, 2, 0]])
    assert figure.axes[0].get_title(loc="left") == r"$\phi$ = 0.5, $\psi$ = 0.6667, $c_1$ = 0.5, $c_{>1}$ = 0.3"
    with pytest.raises(tc.ArgumentError, match=r"over a list of one parameter; these are of shape \(\)$"):
        tc.traces(ridge=1, **where).plot()
    with pytest.raises(tc.ArgumentError, match=r"shape \(2, 2\) over ridge"):
        tc.traces(ridge=[[1, 2], [3, 4]], **where).plot()
    assert "parameters" not in repr(found)


def test_curves_before_and_after_share_axes():
    problem = tc.Problem("tanh", "H1", n=10**6, d=900, N=10**6, ridge="1e-6", inputs="power(1/5, 1)")
    before, after = (tc.scaling_law(problem, "n", [50, 100, 200], ell=ell) for ell in (0, 1))
    axes = before.plot().axes[0]
    after.plot(ax=axes)
    curves = {line.get_gid(): line for line in axes.lines}
    assert np.array_equal(curves["excess:0"].get_ydata(), before.excess)
    assert np.array_equal(curves["excess:1"].get_ydata(), after.excess)
    assert curves["excess:0"].get_color() != curves["excess:1"].get_color()
    assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")


def test_the_known_exponent_is_a_line():
    problem = tc.Problem("x", "H1", n=10**9, d=300, N=10**9, ridge="1e-12", inputs="power(3/2, 2)")
    axes = tc.scaling_law(problem, "n", [10, 20, 40]).plot().axes[0]
    x, y = axes.lines[1].get_data()
    assert np.allclose(np.diff(np.log(y)) / np.diff(np.log(x)), -1)
