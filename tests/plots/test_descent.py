"""Double descent peaks at as many neurons as samples."""

from __future__ import annotations

import numpy as np
import pytest

import theorycalc as tc
from tests.helpers.drawn import LOSSES, PROBLEM, artist, heights
from theorycalc import plots


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
