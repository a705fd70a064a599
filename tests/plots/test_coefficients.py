"""Coefficients: their size, sign and zeros."""

from __future__ import annotations

import math

import numpy as np
import pytest

import theorycalc as tc


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
