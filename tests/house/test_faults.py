"""A little of every fault; ``python -m tests.faults`` does it at length."""

from __future__ import annotations

import os
import sys

import pytest

from tests.faults import COMMANDS, FAULTS, do
from tests.helpers.processes import finished

pytestmark = pytest.mark.slow

STRIKES = {
    "Ctrl-C": "stopped",
    "the process is killed": "stopped",
    "a worker is killed": "killed",
    "two processes": "refused",
    "the disk": "was full",
    "every reading of a clock": "killed and resumed",
}


def may_mount() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", FAULTS)
def test_in_the_end_it_is_as_if_nothing_had_happened(name, command):
    if name.startswith("the disk") and not may_mount() and not os.environ.get("THEORYCALC_REQUIRE_FAULTS"):
        pytest.skip("only root mounts a small disk")
    happened = do(name, command, times=1, seed=0)
    assert happened[next(STRIKES[begin] for begin in STRIKES if name.startswith(begin))] >= 1


@pytest.mark.parametrize("arguments", [["activations"], ["demo"]])
def test_an_output_that_is_full_is_said_without_a_traceback(arguments):
    with open("/dev/full", "w") as full:
        done = finished([sys.executable, "-m", "theorycalc", *arguments], stdout=full)
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr
