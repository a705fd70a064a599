"""The gain against α: curves, limits, windows and simulated points."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import ALPHAS, PROBLEM, artist, texts
from theorycalc import plots
from theorycalc.plots.style import COLOURS


@pytest.mark.slow
def test_gain_against_alpha_has_curves_limits_windows_and_points(run):
    figure = plots.gain_against_alpha(PROBLEM, n=[1000], run=run)
    for axes, name in zip(figure.axes, ("test_gain", "train_gain"), strict=True):
        for i, n in enumerate((1000, 100)):  # the run's own size is added
            curve = artist(axes, f"{name}:n={n}")
            assert curve.get_color() == COLOURS[i]
            again = tc.step(PROBLEM, n=n, alpha=np.asarray(curve.get_xdata()))
            np.testing.assert_array_equal(curve.get_ydata(), getattr(again, name))
        steps = np.reshape(artist(axes, f"{name}:limit").get_xydata(), (-1, 3, 2))  # two ends and a gap
        for ell in (1, 2, 5):
            level = getattr(tc.predict(PROBLEM, ell=ell), name)
            assert [tuple(end) for end in steps[ell - 1, :2]] == [(float(x), level) for x in tc.window_bounds(ell)]
        patch = artist(axes, "window:2")
        span = patch.get_patch_transform().transform_path(patch.get_path()).vertices[:, 0]
        assert (span.min(), span.max()) == pytest.approx((1 / 4, 1 / 3))
        points, _, (bars,) = axes.containers[0]
        np.testing.assert_allclose(np.asarray(points.get_xdata(), dtype=float), ALPHAS, rtol=1e-12)
        assert list(points.get_ydata()) == [row[name] for row in run.rows]
        lengths = [segment[1, 1] - segment[0, 1] for segment in bars.get_segments()]
        np.testing.assert_allclose(lengths, [2 * row[f"{name}_se"] for row in run.rows])


@pytest.mark.slow
def test_limits_that_are_not_known_are_said_to_be_missing():
    known = tc.Activation.from_callable(
        np.tanh, derivative=lambda x: 1 - np.tanh(x) ** 2
    )  # nothing shows that its c_2 is zero
    case = tc.Problem(known, "H1", "1/2", "2/3", "1/10")
    figure = tc.step(tc.Problem("tanh", "H1", "1/2", "2/3", "1/10"), n=200, alpha=[0.1, 0.2]).plot()
    assert not [text for text in texts(figure) if "no limit" in text]
    figure = plots.gain_against_alpha(case, n=200)
    assert "limit of each window (theorem);\nno limit is known for $\\ell$ ≥ 2" in texts(figure)
