"""A run that tells theories apart, and a tiny one."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.compared import LINEAR


@pytest.fixture(scope="session")
def run():
    return tc.simulate(LINEAR, n=600, alpha=[0.4, 0.5], ridge=["1/10", 1], replicates=30, seed=1, gradient="labels")


@pytest.fixture(scope="session")
def tiny():
    return tc.simulate(LINEAR, n=20, alpha=[0.1, 0.3], replicates=3)
