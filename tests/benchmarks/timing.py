"""Timing two ways of doing the same work in one run, interleaved, so that a ratio means something."""

from __future__ import annotations

import os
import platform
import re
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import mpmath


@dataclass(frozen=True)
class Ratio:
    """Baseline time over our time, per unit of work: the median of the rounds, and their spread."""

    name: str
    baseline: str
    median: float
    lowest: float
    highest: float
    ours_us: float
    target: float

    def __str__(self) -> str:
        spread = f"{self.lowest:.1f} – {self.highest:.1f}"
        return f"{self.name}: {self.median:.1f}× faster than {self.baseline} (rounds {spread})"


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time of one call."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def ratio(
    name: str,
    baseline: str,
    ours: Callable[[], object],
    theirs: Callable[[], object],
    ours_units: int = 1,
    their_units: int = 1,
    rounds: int = 7,
    target: float = 1.0,
) -> Ratio:
    """Time both, turn and turn about, after one unmeasured call of ours."""
    ours()
    pairs = [(seconds(ours) / ours_units, seconds(theirs) / their_units) for _ in range(rounds)]
    ratios = sorted(theirs_time / ours_time for ours_time, theirs_time in pairs)
    ours_us = statistics.median(pair[0] for pair in pairs) * 1e6
    return Ratio(name, baseline, statistics.median(ratios), ratios[0], ratios[-1], ours_us, target)


def machine() -> str:
    """Return what the numbers were measured on: processor, cores, Python and the packages that matter."""
    cpuinfo = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", cpuinfo.read_text(encoding="utf-8")) if cpuinfo.exists() else None
    processor = found[1].strip() if found else platform.machine()
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "sympy", "mpmath", "python-flint"))
    return (
        f"{processor}, {os.cpu_count()} cores; Python {platform.python_version()}, {packages}; "
        f"mpmath's backend is {mpmath.libmp.BACKEND}."
    )
