"""Replicates and grids on a real Dask cluster: workers and schedulers that die, and workers of another version."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

import theorycalc as tc
from tests.helpers.problems import NETWORK as PROBLEM
from tests.helpers.processes import started, wait_until

pytestmark = pytest.mark.slow

distributed = pytest.importorskip("distributed")

REPLICATES = 60
SIZE = {"n": 120, "alpha": [0.1, 0.3], "replicates": REPLICATES, "seed": 3}


@contextmanager
def cluster(**options):
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50, **options
        ) as made,
        distributed.Client(made) as client,
    ):
        client.wait_for_workers(2)
        yield client


def kill_one_when(client, condition) -> threading.Thread:
    """Send SIGKILL to one worker process as soon as the condition holds."""
    victim = sorted(client.run(os.getpid).values())[0]

    def wait_and_kill():
        while not condition():
            time.sleep(0.01)
        os.kill(victim, signal.SIGKILL)

    thread = threading.Thread(target=wait_and_kill, daemon=True)
    thread.start()
    return thread


def test_a_killed_worker_loses_nothing_and_counts_nothing_twice(tmp_path):
    output = tmp_path / "run.json"
    journal = tmp_path / "run.json.journal"
    lengths = []

    def under_way() -> bool:
        lengths.append(len(journal.read_bytes().splitlines()) if journal.exists() else 0)
        return lengths[-1] > 20

    with cluster() as client:
        before = set(client.run(os.getpid).values())
        killer = kill_one_when(client, under_way)
        run = tc.simulate(PROBLEM, **SIZE, executor=client.get_executor(pure=False), output=output)
        killer.join(10)
        after = set(client.run(os.getpid).values())
    assert 20 < lengths[-1] < 2 * REPLICATES  # it died in mid-run
    assert before != after
    assert [(r["alpha"], r["replicate"]) for r in run.records] == [
        (x, i) for x in (0.1, 0.3) for i in range(REPLICATES)
    ]
    assert run == tc.simulate(PROBLEM, **SIZE)  # to the last bit


def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)


def test_a_task_that_kills_every_worker_is_named(monkeypatch):
    from theorycalc.simulation import experiment

    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as made:
        made.scheduler.allowed_failures = 0
        with distributed.Client(made) as client:
            monkeypatch.setattr(experiment, "replicate", die)
            with pytest.raises(tc.SimulationError, match=r"replicate \d \(seed 0\) failed: KilledWorker") as stop:
                tc.simulate(PROBLEM, n=20, alpha=0.1, replicates=2, executor=client.get_executor(pure=False))
    assert stop.value.run.records == ()


@contextmanager
def apart(folder, *worker: str):
    """Start a scheduler and a worker as commands, as on several machines; yield the scheduler and its address."""
    where = folder / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    module = [sys.executable, "-m", "distributed.cli.dask_"]
    scheduler = [*module[:2], f"{module[2]}scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard"]
    workers = [*module[:2], f"{module[2]}worker", "--nthreads", "1", "--no-nanny", "--no-dashboard", *worker]
    with started([*scheduler, "--scheduler-file", where], **quiet) as first:
        wait_until(where.exists, first)
        with started([*workers, "--scheduler-file", where], **quiet):
            yield first, json.loads(where.read_text())["address"]


def killed_when(process, condition) -> threading.Thread:
    def wait_and_kill():
        wait_until(condition)
        process.kill()

    thread = threading.Thread(target=wait_and_kill)
    thread.start()
    return thread


def test_a_killed_scheduler_is_an_error_and_what_is_finished_is_kept(tmp_path):
    journal = tmp_path / "run.json.journal"
    size = SIZE | {"output": tmp_path / "run.json"}
    with apart(tmp_path) as (scheduler, address), distributed.Client(address) as client:
        killer = killed_when(scheduler, lambda: journal.exists() and journal.read_bytes().count(b"\n") > 5)
        with pytest.raises(tc.SimulationError, match=r"a Dask cluster without its scheduler; \d+ of 60 .* continues"):
            tc.simulate(PROBLEM, **size, executor=client.get_executor(pure=False))
        killer.join()
    assert 5 < len(journal.read_bytes().splitlines()) < 2 * REPLICATES
    assert tc.simulate(PROBLEM, **size, resume=True) == tc.simulate(PROBLEM, **SIZE)


SWEEP = [
    "sweep", "--activation", "tanh(x + 1)", "--teacher", "H1 + H2/2", "--phi", "1/2", "--psi", "2/3", "--n", "100",
    "--alpha", "0.1,0.2,0.3", "--ridge", "1e-3:10:2000:log", "--output", "grid.csv",
]  # fmt: skip


def test_a_sweep_of_a_killed_scheduler_ends_with_a_sentence(tmp_path):
    part = tmp_path / "grid.csv.part"
    with apart(tmp_path) as (scheduler, address):
        command = [sys.executable, "-m", "theorycalc", *SWEEP, "--dask", address]
        with started(command, cwd=tmp_path, stderr=subprocess.PIPE, encoding="utf-8") as process:
            wait_until(lambda: part.exists() and part.stat().st_size > 1000, process)
            scheduler.kill()
            _, words = process.communicate()
    assert process.returncode == 2
    expected = (
        r"theorycalc: error: the executor cancelled its tasks: .*; \d+ of 6000 points are in grid\.csv\.part; .*\n"
    )
    assert re.fullmatch(expected, words)


def test_a_worker_of_another_version_is_refused(tmp_path):
    other = tmp_path / "other.py"
    other.write_text("from theorycalc.running import executors\nexecutors.__version__ = '0.0.1'\n", encoding="utf-8")
    refused = rf"a worker of the executor has theorycalc 0\.0\.1, and this is {tc.__version__}; .*; 0 of "
    with apart(tmp_path, "--preload", str(other)) as (_, address), distributed.Client(address) as client:
        executor = client.get_executor(pure=False)
        with pytest.raises(tc.SimulationError, match=refused):
            tc.simulate(PROBLEM, **SIZE, executor=executor)
        with pytest.raises(tc.SweepError, match=refused):
            tc.sweep(PROBLEM, {"n": 100, "alpha": [0.1, 0.2]}, executor=executor)
