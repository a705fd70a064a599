"""Settings shared by all tests."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import nullcontext

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.helpers import DATA
from tests.helpers.processes import heed_signals
from theorycalc.running.budget import DEFAULT, allowing

heed_signals()
# threads that wait for each other on a core that is in use make small matrices ten times as slow; children inherit it
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# images of containers forbid to keep bytecode: every process that a test starts would compile the package anew
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

timeless = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}  # a busy machine is no failure
settings.register_profile("ci", max_examples=60, derandomize=True, **timeless)
settings.register_profile("hour", max_examples=3_500, **timeless)
# a mutant is caught by the first example that fails: nobody reads the smallest one
settings.register_profile("mutants", settings.get_profile("ci"), phases=(Phase.explicit, Phase.generate))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


#: Examples in docstrings that search or simulate, and cannot carry a mark.
SLOW_EXAMPLES = (".best", ".best_ridge", ".best_step", ".rank_activations", ".report")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--checks", action="append", metavar="NAME", help="only tests that check this formula of the handbook, or these"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Give tests ten times the usual budget, those of budgets excepted: a slow machine is no failure."""
    with nullcontext() if "budget" in item.path.name else allowing(10 * DEFAULT):
        return (yield)


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.DoctestItem) and item.name.endswith(SLOW_EXAMPLES):
            item.add_marker("slow")
    names = config.getoption("--checks")
    if names is None:
        return
    chosen = [
        item
        for item in items
        if isinstance(item, pytest.DoctestItem)  # of a file that was asked for by its name
        or any(set(names) & set(mark.args) for mark in item.iter_markers("checks"))
    ]
    if not chosen:
        raise pytest.UsageError(f"no test here is marked as checking {' or '.join(names)}")
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = chosen


@pytest.fixture(scope="session")
def reference_gains() -> list[dict]:
    """Sixty problems with values of an independent program, to 45 digits or more."""
    return json.loads((DATA / "reference_gains.json").read_text(encoding="utf-8"))
