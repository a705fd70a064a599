"""Windows are shaded once."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import theorycalc as tc
from tests.helpers.drawn import PROBLEM

LINES = np.linspace(0.02, 0.48, 7)


def test_windows_are_shaded_once():
    axes = Figure().subplots()
    for n in (200, 400):
        tc.step(PROBLEM, n=n, alpha=LINES).plot(axes)
    assert [patch.get_gid() for patch in axes.patches].count("window:1") == 1
    assert len([one for one in axes.lines if str(one.get_gid()).startswith("test_gain:n=")]) == 2
