"""Signals that end a command: one sentence, its own status, nothing lost, and no worker left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

import pytest

from tests.helpers.processes import members, started, wait_until

pytestmark = pytest.mark.slow

SWEEP = [
    "sweep", "--activation", "tanh(x + 1)", "--teacher", "H1 + H2/2", "--phi", "1/2", "--psi", "2/3", "--noise", "0.5",
    "--n", "100", "--alpha", "0.1,0.2,0.3", "--ridge", "1e-3:10:2000:log", "--resume", "--output", "grid.csv",
]  # fmt: skip
KEPT = r"theorycalc: interrupted; \d+ of 6000 points are in grid\.csv\.part; --resume continues\n"
ENDING = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
in_its_workers_too = pytest.mark.parametrize("strike", [os.kill, os.killpg], ids=["itself", "its group"])


def sweeping(folder, *shell: str, workers: int = 2):
    command = [*shell, sys.executable, "-m", "theorycalc", *SWEEP, "--workers", str(workers)]
    return started(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")


def workers_of(process) -> list[int]:
    return [pid for pid, words in members(process.pid) if "spawn_main" in words]


@in_its_workers_too
@pytest.mark.parametrize("blow", ENDING)
@pytest.mark.parametrize("moment", ["workers start", "workers work"])
def test_a_sweep_with_workers_ends_with_a_sentence(tmp_path, blow, strike, moment):
    """Twice, as somebody does who is in a hurry, or a system that shuts down."""
    part = tmp_path / "grid.csv.part"
    with sweeping(tmp_path) as process:
        wait_until(lambda: workers_of(process), process)
        if moment == "workers work":
            wait_until(lambda: part.stat().st_size > 1000, process)
        for _ in range(2):
            strike(process.pid, blow)
        out, words = process.communicate()
        wait_until(lambda: not members(process.pid))  # Python's own tracker of resources ends after it
    assert (process.returncode, out) == (128 + blow, "")
    assert re.fullmatch(KEPT, words)


@pytest.mark.parametrize("blow", [signal.SIGINT, signal.SIGHUP])
def test_what_is_ignored_stays_ignored_by_workers_too(tmp_path, blow):
    """As in the background of a script, or after nohup."""
    name, part = blow.name.removeprefix("SIG"), tmp_path / "grid.csv.part"
    with sweeping(tmp_path, "bash", "-c", f'trap "" {name}; exec "$@"', "bash") as process:
        wait_until(lambda: len(workers_of(process)) == 2, process)
        before = workers_of(process)
        os.killpg(process.pid, blow)  # while they start
        wait_until(lambda: part.stat().st_size > 1000, process)
        os.killpg(process.pid, blow)
        wait_until(lambda: part.stat().st_size > 20_000, process)
        assert set(workers_of(process)) == set(before)
        process.terminate()
        _, words = process.communicate()
        wait_until(lambda: not members(process.pid))  # Python's own tracker of resources ends after it
    assert process.returncode == 128 + signal.SIGTERM
    assert re.fullmatch(KEPT, words)


def test_a_killed_explorer_leaves_no_worker_that_computes():
    command = [sys.executable, "-m", "theorycalc", "explore", "--no-browser"]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_until(lambda: workers_of(process), process)
        process.kill()
        process.wait()
        wait_until(lambda: not members(process.pid))


@pytest.mark.parametrize("blow", ENDING)
def test_a_signal_ends_the_explorer(blow):
    command = [sys.executable, "-m", "theorycalc", "explore", "--no-browser"]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "The explorer is at\n"
        os.killpg(process.pid, blow)
        out, err = process.communicate()
        wait_until(lambda: not members(process.pid))  # Python's own tracker of resources ends after it
    assert err == ""
    assert process.returncode == 0
    assert out.endswith("The explorer has ended.\n")
