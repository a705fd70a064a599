"""``make load``: much work, within stated bounds of memory; writes its tables into docs/sweep.md and docs/explorer.md.

A sweep streams 10^8 points, 1.6 GB in the folder for temporary files.  A page of the explorer is moved a thousand
times, to another state each time; every move waits for all its answers, some ten minutes in all.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks import explorer, sweep
from benchmarks.pages import table, write_between
from benchmarks.timing import machine
from tests.helpers.memory import peak_memory

POINTS = (10**6, 10**8)
MOST_MEMORY = 10.0  # MiB of the large sweep beyond the small one
WARM = 300  # updates before memory is looked at: caches are bounded, but must fill first
UPDATES = 1000
ACTIVATION = "erf"  # whose curves are the fastest: all updates wait for one
PLACES = 100  # of φ: then the ridge moves, too
#: By how much a thousand updates may grow: an answer that is kept is tens of kB, a thousand of them tens of MB.
MOST_GROWTH = {"objects of the page": 1.0, "nodes of the page (number)": 100.0}
MOST_PROCESS_GROWTH = 10.0  # MB


def sweep_load() -> list[str]:
    """Stream few and many points; return the violated bounds."""
    with tempfile.TemporaryDirectory() as folder:
        sizes = {points: sweep.streamed(points, Path(folder)) for points in POINTS}
    write_between(sweep.PAGE, "load", [*sweep.sizes_table(sizes), "", f"{machine()} One process."])
    small, large = (sizes[points]["peak"] for points in POINTS)
    if large <= small + MOST_MEMORY:
        return []
    return [f"{POINTS[1]:.0e} points took {large:.0f} MiB, and {POINTS[0]:.0e} took {small:.0f}"]


def state(i: int) -> dict[str, float]:
    """Return where the sliders stand after update i: 0.01 and 0.02 are the steps of φ and of the ridge."""
    return {"phi": -0.5 + 0.01 * (37 * i % PLACES), "ridge": -2 + 0.02 * (i // PLACES)}


def update(page: Any, numbers: Iterable[int]) -> list[str]:
    """Move the page through these states, all answers awaited; return the states as the page reads them."""
    seen = []
    for i in numbers:
        page.evaluate(explorer.MOVE, [state(i), "test-limit-gain"])
        seen.append(", ".join(page.locator(f"#{name}").input_value() for name in state(i)))
    return seen


def memory(page: Any, server: Any) -> dict[str, float]:
    """Return megabytes: of the page's objects after collection, and of server and workers at most so far.

    Their present memory would depend on what was last freed.
    """
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    nodes = session.send("Memory.getDOMCounters")["nodes"]
    session.detach()
    found = {"objects of the page": heap, "nodes of the page (number)": nodes, "server": peak_memory()}
    workers = {name: lane._process for name, lane in server.lanes.items() if lane._process is not None}
    return found | {f"{name} worker {process.pid}": peak_memory(process.pid) for name, process in workers.items()}


def growth(before: dict[str, float], after: dict[str, float]) -> tuple[list[str], list[str]]:
    """Return the table of both measurements, and the violated bounds; a replaced worker is one."""
    rows, failures = [], []
    for name in before | after:
        cells = [f"{found[name]:.1f}" if name in found else "–" for found in (before, after)]
        label = re.sub(r" [0-9]+$", "", name)
        rows.append((label, *cells))
        if "–" in cells:
            failures.append(f"a {label} was replaced")
        elif after[name] > before[name] + MOST_GROWTH.get(name, MOST_PROCESS_GROWTH):
            failures.append(f"{label} grew from {cells[0]} to {cells[1]}")
    return table(f"MB after | {WARM} updates | {WARM + UPDATES} updates", rows), failures


def explorer_load() -> list[str]:
    """Move the sliders of a page very often; return the violated bounds."""
    with explorer.opened({"activation": ACTIVATION}) as (page, server):
        seen = update(page, range(WARM))
        before = memory(page, server)
        seen += update(page, range(WARM, WARM + UPDATES))
        after = memory(page, server)
    assert len(set(seen)) == WARM + UPDATES, "some states were visited twice"
    lines, failures = growth(before, after)
    write_between(explorer.PAGE, "load", [*lines, "", machine()])
    return failures


def main() -> None:
    """Do both, whatever the first finds."""
    failures = [*sweep_load(), *explorer_load()]
    raise SystemExit(f"out of bounds: {failures}" if failures else 0)


if __name__ == "__main__":
    main()
