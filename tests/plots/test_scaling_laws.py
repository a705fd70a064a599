"""The figure of a scaling law."""

from __future__ import annotations

import numpy as np

import theorycalc as tc


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
