"""The staircase: its gains, its ceiling and hollow steps; and windows, shaded once."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

import theorycalc as tc
from tests.helpers.drawn import PROBLEM, artist, heights, stairs, texts
from theorycalc import plots


def test_the_staircase_has_its_gains_ceiling_and_hollow_steps():
    result = stairs(PROBLEM)
    axes = plots.staircase_figure(result).axes[0]
    for name in ("test_gain", "train_gain"):
        assert list(heights(axes, name)) == [getattr(p, name) for p in result.predictions]
        assert artist(axes, name).get_drawstyle() == "steps-mid"
        assert list(artist(axes, f"{name}:nothing").get_xdata()) == [3]  # ReLU has c_3 = 0
        assert heights(axes, f"{name}:ceiling")[0] == getattr(result.ceiling, name)


def test_a_staircase_without_ceiling():
    result = stairs(PROBLEM, 2)
    result.ceiling = None
    assert not [text for text in texts(plots.staircase_figure(result)) if "ceiling" in text]


LINES = np.linspace(0.02, 0.48, 7)


def test_windows_are_shaded_once():
    axes = Figure().subplots()
    for n in (200, 400):
        tc.step(PROBLEM, n=n, alpha=LINES).plot(axes)
    assert [patch.get_gid() for patch in axes.patches].count("window:1") == 1
    assert len([one for one in axes.lines if str(one.get_gid()).startswith("test_gain:n=")]) == 2
