"""float64 against proven values at the same binary inputs: the claim is 1e-14 on every output."""

from __future__ import annotations

import warnings

import pytest

from tests.benchmarks.audit import CLAIM, errors, worst_errors


@pytest.mark.parametrize("corners", [False, True])
def test_every_output_is_accurate(corners):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        worst = worst_errors(seed=2024 + corners, problems=1500, corners=corners)
    assert max(error for error, _ in worst.values()) <= CLAIM, worst


def test_a_teacher_that_vanishes_at_zero():
    """T(1) = 0 and ρ → 1: evaluated from t = 0 alone, T would lose half the digits."""
    case = {
        "coefficients": None,
        "c1": 1e3, "c_rest": 1e-3, "present": (1, 4), "teacher": [1.0, 2.0, 0.0, -1.0], "phi": 1e-8, "psi": 1e-8,
        "ridge": 1e-8, "noise": 0.0, "initial_output": "neglected", "ell": 4,
        "first_layer": "sphere", "second_layer": "gaussian", "step_samples": None,
    }  # fmt: skip
    assert max(errors(case).values()) <= CLAIM
