"""Double descent, and the phase diagram."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.drawn import LOSSES, PROBLEM, artist, heights
from theorycalc import plots
from theorycalc.plots.diagrams import gained_shares, smallest_windows


def test_double_descent_peaks_at_as_many_neurons_as_samples():
    figure = plots.double_descent(PROBLEM, ell=2, ridge=["1e-6", 1])
    for axes, name in zip(figure.axes, LOSSES, strict=True):
        for ridge in ("1e-06", "1"):
            curve = artist(axes, f"{name}:ridge={ridge}")
            x = np.asarray(curve.get_xdata())
            expected = getattr(tc.predict(PROBLEM, ell=2, psi=0.5 / x, ridge=ridge), name)
            np.testing.assert_array_equal(curve.get_ydata(), expected)
    peak = x[np.argmax(heights(figure, "test_loss:ridge=1e-06"))]
    assert peak == pytest.approx(1, rel=0.05)
    with pytest.raises(tc.DomainError, match="needs ridge > 0"):
        plots.double_descent(PROBLEM, ridge=[0, 1])


def test_the_phase_diagram_shows_the_smallest_window_that_is_enough():
    gained = gained_shares(PROBLEM, "1/10")
    phase = smallest_windows(gained, 0.9)
    assert {1, 2, 4, 9} <= set(np.unique(phase))
    assert not {3, 5, 7} & set(np.unique(phase))  # c_3 = c_5 = c_7 = 0: they add nothing
    for ell in (1, 2, 4):
        there = phase == ell
        assert np.all(gained[ell][there] >= 0.9)
        assert ell == 1 or np.all(gained[ell - 1][there] < 0.9)
    figure = plots.phase_diagram(PROBLEM)
    assert [axes.get_title(loc="left") for axes in figure.axes] == [
        r"$\lambda$ = 0.001",
        r"$\lambda$ = 0.1",
        r"$\lambda$ = 10",
    ]
    assert r"$\Lambda_\ell \geq 0.9\,\Lambda_\infty$" in figure.get_suptitle()


@settings(max_examples=60, deadline=None)
@given(*[st.floats(-2, 2)] * 3, st.sampled_from(["relu", "gelu", "tanh(x + 1)", "elu"]))
def test_gains_do_not_fall_with_ell(log_phi, log_psi, log_ridge, name):
    """What the phase diagram says of itself: the largest step is the best."""
    where = {"phi": 10**log_phi, "psi": 10**log_psi, "ridge": 10**log_ridge}
    case = tc.Problem(name, "H1 + H2/2 - H3/3 + H4/5", noise="1/2", **where)
    gains = [tc.predict(case, ell=ell).test_gain for ell in (0, 1, 2, 3, 4, 6, "inf")]
    assert all(after >= before * (1 - 1e-13) for before, after in pairwise(gains))
