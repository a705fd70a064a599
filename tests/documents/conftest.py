"""A report, a simulation, and a report of it: each takes a second, and no test changes it."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.problems import EXAMPLE


@pytest.fixture(scope="session")
def made():
    return tc.report(EXAMPLE, n=200, alpha="3/10")


@pytest.fixture(scope="session")
def run():
    return tc.simulate(EXAMPLE, n=100, alpha=[0.3, 0.1], replicates=4, seed=0, spectrum=True)


@pytest.fixture(scope="session")
def simulated(run):
    return tc.report(EXAMPLE, run=run)
