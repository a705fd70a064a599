"""Figures of one panel: best choices on the curve that was searched, coefficients, and curves over one parameter."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, artist, legend
from tests.helpers.problems import problem


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
    assert legend(figure)[1] == rf"least: $\lambda$ = {best.ridge:.4g}, test loss = {best.test_loss:.4g}"


@pytest.mark.slow
def test_the_best_step_is_marked_even_if_it_is_none():
    best = tc.best_step(PROBLEM, n=100)
    figure = best.plot()
    assert figure.axes[0].get_xlabel() == r"$\eta$, size of the step (learning rate)"
    assert artist(figure, "best").get_xdata()[0] == best.eta
    none = tc.best_step(tc.Problem("1e-8*tanh(x)", "H1", "1/2", "2/3", "1/10"), n=100)
    assert none.eta == 0
    level = artist(none.plot(), "best")
    assert list(level.get_ydata()) == [none.test_loss] * 2
    edge = tc.best_ridge(problem("tanh", "H1", noise="100"), n=50, eta=1)
    assert legend(edge.plot())[1].endswith("at the edge of the range")


def test_coefficients_show_size_sign_and_zeros():
    axes = tc.activation("relu").plot(k=8).axes[0]
    c = tc.coefficients("relu", 8)
    drawn = {line.get_label(): line for line in axes.lines}
    up, down, zero = (drawn[key] for key in ("$c_k > 0$", "$c_k < 0$", "exactly 0"))
    assert list(up.get_xdata()) == [0, 1, 2, 6]
    assert list(down.get_xdata()) == [4, 8]
    assert list(zero.get_xdata()) == [3, 5, 7]
    np.testing.assert_allclose(down.get_ydata(), [-c[4] * math.sqrt(24), -c[8] * math.sqrt(40320)], rtol=1e-13)


def test_estimated_coefficients_are_not_called_zero():
    axes = tc.Activation.from_callable(np.tanh, name="costs $").plot(k=5).axes[0]
    drawn = {line.get_label(): list(line.get_xdata()) for line in axes.lines}
    assert "exactly 0" not in drawn
    assert {2, 4} <= set(drawn["not told from 0"])
    assert axes.get_title(loc="left").startswith(r"costs \$, estimated")
    with pytest.raises(tc.DomainError, match="needs the function"):
        tc.Activation.from_moments("1/2", "1/3").plot()


SIGNS = tc.Problem("tanh", "sign(x)", "1/2", "2/3", "1/10")


def curve(figure, gid):
    (found,) = figure.findobj(lambda one: one.get_gid() == gid)
    return found


def test_over_ridges():
    found = tc.error_rate(SIGNS, ell=1, ridge=[1, 0.01, 0.1])
    figure = found.plot()
    order = np.argsort(found.ridge)
    np.testing.assert_array_equal(curve(figure, "error_rate").get_ydata(), found.error_rate[order])
    np.testing.assert_array_equal(curve(figure, "error_rate_initial").get_ydata(), found.error_rate_initial[order])
    axes = figure.axes[0]
    assert (axes.get_ylabel(), axes.get_xscale()) == ("share of wrong signs", "log")
    assert r"limit $n$ → ∞" in axes.get_title(loc="left")


def test_one_point():
    figure = tc.error_rate(SIGNS, ell=1).plot(color="black")
    assert curve(figure, "error_rate").get_linestyle() == "None"
    assert curve(figure, "error_rate").get_color() == "black"


@pytest.mark.slow
def test_over_steps():
    found = tc.error_rate(SIGNS, n=100, alpha=[0.1, 0.3])
    figure = found.plot()
    np.testing.assert_array_equal(curve(figure, "error_rate").get_xdata(), [0.1, 0.3])
    assert r"$n$ = 100, $\lambda$ = 0.1" in figure.axes[0].get_title(loc="left")
    by_ridge = tc.error_rate(SIGNS, n=100, eta=2, ridge=[0.1, 1]).plot()
    assert r"$\eta$ = 2" in by_ridge.axes[0].get_title(loc="left")
    with pytest.raises(tc.ArgumentError, match="a list of steps or of ridges"):
        tc.error_rate(SIGNS, n=100, eta=[[1], [2]], ridge=[0.1, 1]).plot()


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
