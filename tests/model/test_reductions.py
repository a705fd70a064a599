"""Labels that keep a share of their teacher, and steps of networks with other scales."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

import theorycalc as tc
from theorycalc.model.reductions import fidelity, unit_step


def problem(**options: object) -> tc.Problem:
    return tc.Problem("relu", "H1 + H2/2 + 1", "1/2", "2/3", "1/10", **options)


def test_a_label_keeps_its_share():
    assert fidelity(Fraction(3, 10), Fraction(1, 10)) == Fraction(7, 10) * Fraction(4, 5)
    assert problem(corrupt_step=1).step_fidelity == 0
    assert problem(flip_fit=1).fit_fidelity == -1


def test_a_step_in_two_scales_is_one_of_unit_scales():
    """A gradient step of f(x) = a·tanh(Wx) with rows and a of other lengths, by numbers."""
    rng, (g_w, g_a, eta) = np.random.default_rng(0), (1.7, 0.6, 0.9)
    x, y, rows, a = rng.standard_normal((5, 3)), rng.standard_normal(5), rng.standard_normal((4, 3)), np.ones(4) / 2

    def moved(W: np.ndarray, second: np.ndarray, scale: float, step: float) -> np.ndarray:
        slopes = scale / np.cosh(scale * x @ W.T) ** 2
        return W + step * (y[:, None] * slopes * second).T @ x / len(x)

    unit = moved(rows, a, g_w, eta * float(unit_step(1, g_w, g_a)))
    np.testing.assert_allclose(moved(g_w * rows, g_a * a, 1.0, eta), g_w * unit, rtol=1e-12)
