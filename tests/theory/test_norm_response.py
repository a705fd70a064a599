"""What rows of fluctuating length do to the answers after a step, by a difference.

See docs/theory/dressed.md#gaussian-first-layer.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.helpers.problems import problem
from theorycalc.theory.dressed.neurons import Resolution, network_after, step_of


@pytest.mark.checks("norm_response")
def test_a_longer_row_scales_its_own_part_only():
    """‖w_i‖ = 1 + δ makes s_u² = (1 + δ)² + u²v, the noise of the step being what it was: the slope of μ_0 at δ = 0."""
    case = problem("tanh(x + 1)", "H1 + H2/2", first_layer="gaussian")
    step = step_of(case, 750, "labels", isotropic=True)
    network = network_after(step, np.array([20.0]), Resolution())
    u, h = network.u[0][:, None], network.h
    z, weights = np.polynomial.hermite_e.hermegauss(120)
    center = step.case.c1 * np.sqrt(step.case.kappa) * u * h

    def mean(delta):
        scale = np.sqrt((1 + delta) ** 2 + step.spread * u**2)
        return np.tanh(scale[:, :, None] * z + center[:, :, None] + 1) @ weights / weights.sum()

    slope = (mean(1e-4) - mean(-1e-4)) / 2e-4
    own = (network.kept / network.scale)[0][:, None] ** 2
    found = network.quadratic[0] * own / np.sqrt(network.h_weights)
    near = (np.abs(network.a * np.sqrt(750)) < 3)[:, None] & (np.abs(h) < 3)
    assert network.scale.max() > 1.2  # or the difference would say nothing of s_u
    assert np.abs(found - slope)[near].max() < 1e-6
