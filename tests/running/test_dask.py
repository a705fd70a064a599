"""Replicates on a real Dask cluster, with a worker killed in mid-run."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import contextmanager

import pytest

import theorycalc as tc
from tests.helpers.problems import NETWORK as PROBLEM

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
