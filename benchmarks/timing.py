"""Time two ways of doing the same work in turn, in one run, so that their ratio means something; and show ratios."""

from __future__ import annotations

import os
import platform
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import mpmath

from benchmarks.pages import table
from theorycalc.simulation.replicate import replicate
from theorycalc.simulation.settings import Settings


@dataclass(frozen=True)
class Ratio:
    """Baseline time over our time, per unit of work: the median of the rounds, and their spread."""

    name: str
    baseline: str
    median: float
    lowest: float
    highest: float
    ours_us: float
    target: float | None = 1.0  # None: nothing was promised
    remark: str = ""  # what the baseline's results are worth, or why it is ahead

    def __str__(self) -> str:
        return f"{self.name}: {short(self.median)}× faster than {self.baseline} (rounds {self.spread}) {self.remark}"

    @property
    def spread(self) -> str:
        """The lowest and the highest of the rounds."""
        return f"{short(self.lowest)} – {short(self.highest)}"

    @property
    def aim(self) -> str:
        """The target, if there is one."""
        return "–" if self.target is None else f"{self.target:.3g}"


def short(value: float) -> str:
    """Write a number with three digits, or as many as it has before the point."""
    return f"{value:.0f}" if value >= 100 else f"{value:#.3g}"


def forget() -> None:
    """Empty every cache of the package, so that nothing is measured that was computed before."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == "theorycalc":
            for found in list(vars(module).values()):
                if hasattr(found, "cache_clear") and found.__module__.partition(".")[0] == "theorycalc":
                    found.cache_clear()


def seconds(work: Callable[[], object], clock: Callable[[], float] = time.perf_counter) -> float:
    """Return the time of one call, by default on the wall."""
    start = clock()
    work()
    return clock() - start


def rotation(works: Mapping[Any, Callable[[], object]], rounds: int, **clock: Any) -> dict[Any, list[float]]:
    """Time each in turn, round by round."""
    found = [{name: seconds(work, **clock) for name, work in works.items()} for _ in range(rounds)]
    return {name: [times[name] for times in found] for name in works}


def ratio_of(name: str, baseline: str, ours: Iterable[float], theirs: Iterable[float], **told: Any) -> Ratio:
    """Return the ratio of times a unit that were measured in the same rounds, and print it."""
    ours = list(ours)
    ratios = sorted(their_time / our_time for our_time, their_time in zip(ours, theirs, strict=True))
    middle, ours_us = statistics.median(ratios), statistics.median(ours) * 1e6
    found = Ratio(name, baseline, middle, ratios[0], ratios[-1], ours_us, **told)
    print(found, flush=True)
    return found


def against_networks(
    name: str, works: Mapping[str, Callable[[], object]], settings: Settings, draws: int, target: float
) -> list[Ratio]:
    """Return ratios of as many draws as tell a number to 1 %, one of which is timed, to works that predict it."""
    network = partial(replicate, settings, 0)
    times = rotation({**works, "network": network}, rounds=3)
    drawn = [draws * taken for taken in times["network"]]
    baseline = f"simulating at n = {settings.n}, {draws} draws for 1 %"
    return [ratio_of(f"{name}, {words}", baseline, times[words], drawn, target=target) for words in works]


def ratio(
    name: str,
    baseline: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    units: tuple[int, int] = (1, 1),
    rounds: int = 7,
    **told: Any,
) -> Ratio:
    """Time both, turn and turn about, after one unmeasured call of each: a first call may import things.

    ``units`` of work are done by ours and by theirs in a call; ``told`` are a target and a remark.
    """
    times = rotation({"ours": ours, "theirs": theirs}, rounds + 1)
    per_unit = ([t / n for t in found[1:]] for n, found in zip(units, times.values(), strict=True))
    return ratio_of(name, baseline, *per_unit, **told)


def ratio_table(ratios: Iterable[Ratio], unit: str = "µs") -> list[str]:
    """Return the rows that a page shows, with their head."""
    scale = {"µs": 1.0, "s": 1e-6}[unit]
    return table(
        f"work | baseline | baseline / ours | rounds | target | ours, {unit} | remark",
        (
            f"{r.name} | {r.baseline} | **{short(r.median)}** | {r.spread} | {r.aim} | {short(scale * r.ours_us)} "
            f"| {r.remark}"
            for r in ratios
        ),
    )


def end(ratios: Iterable[Ratio]) -> NoReturn:
    """End the program: with an error where a target is missed."""
    missed = [f"{r.name} against {r.baseline}" for r in ratios if r.target is not None and r.median < r.target]
    raise SystemExit(f"below target: {missed}" if missed else 0)


def machine() -> str:
    """Return a description of the machine: processor, cores, Python and the packages that matter."""
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", cpuinfo.read_text(encoding="utf-8")) if cpuinfo.exists() else None
    processor = found[1].strip() if found else platform.machine()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "sympy", "mpmath", "python-flint"))
    return (
        f"{processor}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}; "
        f"mpmath's backend is {mpmath.libmp.BACKEND}."
    )
