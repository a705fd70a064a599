"""A little of every fault; ``python -m tests.faults`` does it at length."""

from __future__ import annotations

import os
import random
import subprocess
import sys

import pytest

from tests.faults import COMMANDS, FAULTS

FEW = {
    "Ctrl-C at a random moment": 2,
    "the process is killed at a random moment": 1,
    "a worker is killed, two at work": 1,
    "two processes on one file": 1,
    "the disk is full, and then it is not": 3,
    "every look at a clock is ten years off, or not": 1,
}


def may_mount() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("name", FAULTS)
def test_in_the_end_it_is_as_if_nothing_had_happened(name, command):
    if name.startswith("the disk") and not may_mount() and not os.environ.get("THEORYCALC_REQUIRE_FAULTS"):
        pytest.skip("only root mounts a small disk")
    fault, _ = FAULTS[name]
    happened = fault(command, FEW[name], random.Random(f"test {name} {command}"))
    assert sum(happened.values()) >= FEW[name]


@pytest.mark.parametrize("arguments", [["activations"], ["demo"]])
def test_an_output_that_is_full_is_said_without_a_traceback(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "theorycalc", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    assert done.returncode != 0
    assert "Traceback" not in done.stderr
    assert "No space left" in done.stderr
