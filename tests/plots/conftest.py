"""One simulation, which many figures show."""

from __future__ import annotations

import pytest

from tests.helpers.drawn import simulated

run = pytest.fixture(scope="session")(simulated)
