"""Scaling of the simulator: two worker processes against one, and ten thousand tiny replicates under Dask.

``python -m benchmarks.scaling`` writes docs/scaling.md; some five minutes.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path

import numpy as np
from distributed import Client

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import machine, rotation
from tests.helpers.processes import PATIENCE, started

PAGE = DOCS / "scaling.md"
PROBLEM = tc.Problem("tanh(x + 1)", "H1 + H2/sqrt(2)", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
ROUNDS = 3
TARGET = 1.7
SIZES = ((1000, 48), (2000, 12))  # n and replicates
TINY = 10_000


def workers_lines() -> tuple[float, list[str]]:
    """Time one worker and two alternately; return the least ratio, and the text of the page."""
    load = os.getloadavg()[0]
    rows, found = [], []
    for n, replicates in SIZES:
        simulated = partial(tc.simulate, PROBLEM, n=n, alpha=0.2, replicates=replicates)
        works = {count: partial(simulated, workers=count) for count in (1, 2)}
        one, two = rotation(works, ROUNDS).values()
        ratios = [a / b for a, b in zip(one, two, strict=True)]
        middle = [statistics.median(times) for times in (one, two, ratios)]
        found.append(middle[2])
        shown = "{:.1f} s | {:.1f} s | **{:.2f}**".format(*middle)
        rows.append((n, replicates, shown, f"{min(ratios):.2f} – {max(ratios):.2f}", TARGET))
    head = "n | replicates | one | two | times faster | rounds | target"
    return min(found), [*table(head, rows), "", f"The load was {load:.1f} before."]


@contextmanager
def cluster():
    """A scheduler and two workers, each a process of its own, as on a cluster."""
    with tempfile.TemporaryDirectory() as folder:
        place = ["--scheduler-file", f"{folder}/scheduler.json"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
        python = [sys.executable, "-m"]
        scheduler = [*python, "distributed.cli.dask_scheduler", "--port", "0", "--no-dashboard", *place]
        workers = [*python, "distributed.cli.dask_worker", "--nworkers", "2", "--nthreads", "1", *place]
        with (
            started(scheduler, **quiet),
            started(workers, **quiet),
            Client(scheduler_file=f"{folder}/scheduler.json", timeout=PATIENCE) as client,
        ):
            client.wait_for_workers(2)
            yield client


def scheduler_state(dask_scheduler=None) -> tuple[int, int]:
    """Resident bytes and number of tasks of the scheduler; runs there."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(dask_scheduler.tasks)


def tiny_replicates() -> list[str]:
    """Time and the scheduler's memory of very many replicates that take no time."""
    samples: list[tuple[int, int]] = []
    with cluster() as client:
        executor = client.get_executor(pure=False)
        tc.simulate(PROBLEM, n=10, alpha=0.2, replicates=500, executor=executor)  # everything is loaded now
        done = threading.Event()

        def watch() -> None:
            while not done.wait(0.5):
                samples.append(client.run_on_scheduler(scheduler_state))

        before, _ = client.run_on_scheduler(scheduler_state)
        watcher = threading.Thread(target=watch)
        watcher.start()
        start = time.perf_counter()
        run = tc.simulate(PROBLEM, n=10, alpha=0.2, replicates=TINY, executor=executor)
        elapsed = time.perf_counter() - start
        done.set()
        watcher.join()
    assert run.complete
    memory = [size for size, _ in samples]
    tasks = max(count for _, count in samples)
    _, middle, last = map(np.median, np.array_split(memory, 3))
    mib = 2**20
    return [
        f"{TINY} replicates of n = 10 on two workers: {elapsed:.0f} s, {1000 * elapsed / TINY:.1f} ms each.",
        f"The scheduler never knew more than {tasks} tasks. Its memory was {before / mib:.0f} MiB before and",
        f"{max(memory) / mib:.0f} MiB at most; from the second third of the run to the last it grew by",
        f"{(last - middle) / mib:.1f} MiB.",
    ]


def main() -> None:
    """Run everything, and write the page."""
    least, lines = workers_lines()
    write_between(PAGE, "workers", lines)
    lines = [*tiny_replicates(), "", f"{machine()} distributed is {version('distributed')}."]
    write_between(PAGE, "tiny", lines)
    raise SystemExit(f"below target: {least}" if least < TARGET else 0)


if __name__ == "__main__":
    main()
