"""Settings shared by all tests."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", max_examples=60, deadline=None, derandomize=True)
settings.register_profile("hour", max_examples=3_500, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

DATA = Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def reference_gains() -> list[dict]:
    """Sixty problems with values of an independent program, to 45 digits or more."""
    return json.loads((DATA / "reference_gains.json").read_text(encoding="utf-8"))


def pytest_configure(config: pytest.Config) -> None:
    """Let a test say which formulas of the handbook it checks."""
    config.addinivalue_line("markers", "checks(*names): the formulas that the test checks, by their names")
