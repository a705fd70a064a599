"""How fast the explorer's page follows its sliders: ``python -m benchmarks.explorer``.

The table goes into docs/explorer.md, and so do the pictures, which ``python -m benchmarks.explorer pictures`` takes
alone.  Whether it grows is measured by ``make load``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import machine
from tests.helpers.explorer import browsing, running, settled
from tests.helpers.processes import PATIENCE

PAGE = DOCS / "explorer.md"
MOVES = 20
AIM = 150  # milliseconds of a quick answer
SHARE = 0.95  # of the quick answers that should be as fast

#: Slider, its places from the first to the last move, and the number that belongs to the quick answer.
SLIDERS = {
    "phi": (-0.5, 0.5, "test-limit-gain"),
    "psi": (-0.5, 0.5, "test-limit-gain"),
    "ridge": (-3.0, 1.0, "test-limit-gain"),
    "noise": (0.1, 1.5, "test-limit-gain"),
    "alpha": (0.2, 0.45, "at-alpha"),
    "n": (2.5, 4.5, "at-sizes"),
}

# Time from the input event to the frame after which the change is on the screen: the quick answer, the finite step and
# the curve.  Several sliders may move at once.
MOVE = """
async ([places, quick]) => {
  const seen = (id) => document.getElementById(id).textContent;
  const old = [seen(quick), seen("test-finite-gain")];
  const start = performance.now();
  const frame = () => new Promise(requestAnimationFrame);
  for (const [name, place] of Object.entries(places)) {
    const slider = document.getElementById(`${name}-slider`);
    slider.value = place;
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
  const times = [null, null, null];
  while (times.includes(null)) {
    await frame();
    const time = performance.now() - start;
    if (time > 20000) throw new Error(`${JSON.stringify(places)}: nothing changed`);
    if (times[0] === null && seen(quick) !== old[0]) times[0] = time;
    if (times[0] === null) continue;
    const old_step = seen("test-finite-gain") === old[1] || document.querySelector("td.stale");
    if (times[1] === null && !old_step) times[1] = time;
    if (times[2] === null && document.querySelector("#gain .curve:not(.stale)")) times[2] = time;
  }
  return times;
}
"""


@contextmanager
def opened(fields: dict[str, str]) -> Iterator[tuple[Any, Any]]:
    """Give the page of an explorer in a browser, once its curves are drawn, and the explorer."""
    with running() as explorer, browsing() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(explorer.opening(fields))
        page.locator("#gain .curve:not(.stale)").first.wait_for(state="attached")
        yield page, explorer


def latencies(page: Any, explorer: Any) -> dict[str, list[list[float]]]:
    """Return, for each slider, the times of the quick answer, of the finite step and of the curve; and CPU times."""
    found = {}
    for name, (first, last, quick) in SLIDERS.items():
        page.evaluate(MOVE, [{name: first}, quick])  # a leap to where the moves begin
        before = busy(explorer)
        places = [first + (last - first) * i / MOVES for i in range(1, MOVES + 1)]
        moves = [page.evaluate(MOVE, [{name: place}, quick]) for place in places]
        found[name] = [*map(list, zip(*moves, strict=True)), [(busy(explorer) - before) / MOVES]]
        page.locator("#reset").click()
        page.wait_for_timeout(1500)
    return found


def busy(explorer: Any) -> float:
    """Return the milliseconds of processor time that the quick worker has used."""
    text = Path(f"/proc/{explorer.lanes['quick']._process.pid}/stat").read_text(encoding="utf-8")
    user, system = text.rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) * 1e3 / os.sysconf("SC_CLK_TCK")


def pictures() -> None:
    """Take the pictures of docs/explorer.md: the page as it opens, and a phone's in dark colours with an error."""
    with running() as explorer, browsing() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1000})
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(explorer.opening({}))
        settled(page)
        page.locator("#initialisation option").first.wait_for(state="attached")
        page.screenshot(path=DOCS / "images" / "explorer.png")
        page = browser.new_page(viewport={"width": 390, "height": 780}, color_scheme="dark")
        page.set_default_timeout(1000 * PATIENCE)
        page.goto(explorer.opening({"activation": "tanh(x) + rellu(x)"}))
        page.locator("#activation-error code").wait_for()
        page.screenshot(path=DOCS / "images" / "explorer_phone.png")


def main() -> None:
    pictures()
    if sys.argv[1:] == ["pictures"]:
        return
    load = os.getloadavg()[0]
    with opened({}) as (page, explorer):
        found = latencies(page, explorer)
    quick = [time for columns in found.values() for time in columns[0]]
    share = sum(time < AIM for time in quick) / len(quick)
    rows = []
    for name, (*columns, cpu) in found.items():
        seen = ("{:.0f} / {:.0f}".format(*np.quantile(times, (0.5, 0.95))) for times in columns)
        rows.append("{} | {} | {:.0f} | {} | {}".format(name, next(seen), cpu[0], *seen))
    head = "slider | limits, losses, spectrum | of it, processor time | finite step at α | curve against α"
    said = f"{share:.0%} of the {len(quick)} quick answers came within {AIM} ms; the load was {load:.1f} before."
    write_between(PAGE, "speed", [*table(head, rows), "", said, "", machine()])
    raise SystemExit(f"{share:.0%} within {AIM} ms, not {SHARE:.0%}" if share < SHARE else 0)


if __name__ == "__main__":
    main()
