"""How fast the explorer's page follows its sliders, and whether it grows: writes the table of docs/explorer.md.

python -m tests.benchmarks.explorer
"""

from __future__ import annotations

import os
import re
import statistics
from pathlib import Path
from typing import Any

from tests.explorer import browsing, running

PAGE = Path(__file__).parents[2] / "docs" / "explorer.md"
MOVES = 20
UPDATES = 1000
WARM = 300  # updates before memory is looked at: caches are bounded, but must fill first

#: Slider, its places from the first to the last move, and the number that belongs to the quick answer.
SLIDERS = {
    "phi": (-0.5, 0.5, "test-limit-gain"),
    "psi": (-0.5, 0.5, "test-limit-gain"),
    "ridge": (-3.0, 1.0, "test-limit-gain"),
    "noise": (0.1, 1.5, "test-limit-gain"),
    "alpha": (0.2, 0.45, "at-alpha"),
    "n": (2.5, 4.5, "summary-note"),
}

# Time from the input event to the frame after which the change is on the screen.
MOVE = """
async ([name, value, quick]) => {
  const slider = document.getElementById(`${name}-slider`);
  const seen = (id) => document.getElementById(id).textContent;
  const old = [seen(quick), seen("test-finite-gain")];
  const start = performance.now();
  const frame = () => new Promise(requestAnimationFrame);
  slider.value = value;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const times = [null, null, null];
  while (times.includes(null)) {
    await frame();
    const time = performance.now() - start;
    if (time > 20000) throw new Error(`${name} = ${value}: nothing changed`);
    if (times[0] === null && seen(quick) !== old[0]) times[0] = time;
    if (times[0] === null) continue;
    const old_step = seen("test-finite-gain") === old[1] || document.querySelector("td.stale");
    if (times[1] === null && !old_step) times[1] = time;
    if (times[2] === null && document.querySelector("#gain .curve:not(.stale)")) times[2] = time;
  }
  return times;
}
"""

# Many moves as fast as they are answered.
UPDATE = """
async ([count]) => {
  const slider = document.getElementById("phi-slider");
  const seen = () => document.getElementById("test-limit-gain").textContent;
  for (let i = 0; i < count; i++) {
    const old = seen();
    slider.value = -0.5 + ((i * 37) % 100) / 100;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    while (seen() === old) await new Promise((done) => setTimeout(done, 2));
  }
}
"""


def latencies(page: Any, explorer: Any) -> dict[str, list[list[float]]]:
    """Return, for each slider, the times of the quick answer, of the finite step and of the curve; and CPU times."""
    found = {}
    for name, (first, last, quick) in SLIDERS.items():
        page.evaluate(MOVE, [name, first, quick])  # a leap to where the moves begin
        before = busy(explorer)
        moves = [page.evaluate(MOVE, [name, first + (last - first) * i / MOVES, quick]) for i in range(1, MOVES + 1)]
        found[name] = [*map(list, zip(*moves, strict=True)), [(busy(explorer) - before) / MOVES]]
        page.locator("#reset").click()
        page.wait_for_timeout(1500)
    return found


def memory(page: Any, explorer: Any) -> dict[str, float]:
    """Return megabytes: of the page's objects after collection, and resident of server and workers."""
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.collectGarbage")
    heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1e6
    nodes = session.send("Memory.getDOMCounters")["nodes"]
    session.detach()
    workers = {
        f"{name} worker {lane._process.pid}": resident(lane._process.pid)
        for name, lane in explorer.lanes.items()
        if lane._process is not None
    }
    page_and_server = {
        "objects of the page": heap,
        "nodes of the page (number)": nodes,
        "server": resident(os.getpid()),
    }
    return page_and_server | workers


def busy(explorer: Any) -> float:
    """Return the milliseconds of processor time that the quick worker has used."""
    text = Path(f"/proc/{explorer.lanes['quick']._process.pid}/stat").read_text(encoding="utf-8")
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1e3 / os.sysconf("SC_CLK_TCK")


def resident(pid: int) -> float:
    match = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    assert match is not None
    return int(match[1]) / 1e3


def quantile(times: list[float], share: float) -> float:
    return statistics.quantiles(times, n=100, method="inclusive")[round(share * 100) - 1]


def table(found: dict[str, list[list[float]]], load: float) -> list[str]:
    lines = [
        "| slider | limits, losses, spectrum | of it, processor time | finite step at α | curve against α |",
        "|---|---|---|---|---|",
    ]
    for name, (*columns, cpu) in found.items():
        quick, finite, curve = (f"{statistics.median(times):.0f} / {quantile(times, 0.95):.0f}" for times in columns)
        lines.append(f"| {name} | {quick} | {cpu[0]:.0f} | {finite} | {curve} |")
    first = [time for columns in found.values() for time in columns[0]]
    share = sum(time < 150 for time in first) / len(first)
    lines += ["", f"{share:.0%} of the {len(first)} quick answers came within 150 ms (two cores, load {load:.1f})."]
    return lines


def growth(before: dict[str, float], after: dict[str, float]) -> list[str]:
    """Return what grew; a worker that was replaced in between is another process, and has no row of two numbers."""
    lines = [f"| MB after | {WARM} updates | {WARM + UPDATES} updates |", "|---|---|---|"]
    for name in before | after:
        cells = [f"{found[name]:.1f}" if name in found else "–" for found in (before, after)]
        lines.append(f"| {re.sub(r' [0-9]+$', '', name)} | " + " | ".join(cells) + " |")
    return lines


def main() -> None:
    with running() as explorer, browsing() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(explorer.opening({}))
        page.locator("#gain .curve:not(.stale)").first.wait_for(state="attached")
        found = latencies(page, explorer)
        lines = table(found, os.getloadavg()[0])
        print("\n".join(lines), flush=True)
        page.evaluate(UPDATE, [WARM])
        before = memory(page, explorer)
        page.evaluate(UPDATE, [UPDATES])
        after = memory(page, explorer)
    print("\n".join(growth(before, after)))
    lines += ["", *growth(before, after)]
    text = PAGE.read_text(encoding="utf-8")
    marks = "<!-- measured -->\n", "<!-- end -->\n"
    start, end = (text.index(mark) for mark in marks)
    PAGE.write_text(text[: start + len(marks[0])] + "\n".join(lines) + "\n" + text[end:], encoding="utf-8")


if __name__ == "__main__":
    main()
