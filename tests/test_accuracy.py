"""float64 against proven values at the same binary inputs: the claim is 1e-14 on every output."""

from __future__ import annotations

import warnings

import pytest

from tests.benchmarks.audit import CLAIM, worst_errors


@pytest.mark.parametrize("corners", [False, True])
def test_every_output_is_accurate(corners):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        worst = worst_errors(seed=2024 + corners, problems=1500, corners=corners)
    assert max(error for error, _ in worst.values()) <= CLAIM, worst
