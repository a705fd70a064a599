"""The phase diagram: the smallest window that is enough."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.drawn import PROBLEM
from theorycalc import plots
from theorycalc.plots.phases import gained_shares, smallest_windows


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
