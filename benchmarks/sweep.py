"""Speed and memory of sweeps: against predict() called once for all points of a window, and as grids grow.

``python -m benchmarks.sweep`` writes its tables into docs/sweep.md; ``make load`` goes on to 10^8 points.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import theorycalc as tc
from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import Ratio, end, machine, ratio, ratio_table

PAGE = DOCS / "sweep.md"
PROBLEM = tc.Problem("relu", "H1 + H2/2", phi="1/2", psi="2/3", ridge="1/10", noise="1/2")
QUANTITIES = ("test_gain", "test_loss")
SHAPES = {10**6: (1, 500), 10**7: (10, 500), 10**8: (100, 500)}  # of ψ and φ, beside 2 ℓ and 1000 ridges
FEW = (10**6, 10**7)


def grid(points: int) -> dict[str, object]:
    """Return the axes of a grid of so many points."""
    psi, phi = SHAPES[points]
    return {
        "psi": np.linspace(0.5, 2, psi) if psi > 1 else [0.5],
        "ell": [1, 2],
        "phi": np.linspace(0.1, 2, phi),
        "ridge": np.geomspace(1e-6, 1, 1000),
    }


def predict_all() -> None:
    """The baseline: the 10^6 points in as few calls of predict() as there are ℓ."""
    axes = grid(10**6)
    for ell in axes["ell"]:
        tc.predict(PROBLEM, ell=ell, psi=0.5, phi=axes["phi"][:, None], ridge=axes["ridge"])


def ratios(folder: Path) -> list[Ratio]:
    """Time of the baseline over ours, in memory and into files."""
    baseline = "predict(), one call an ℓ"

    def swept(output: Path | None) -> None:
        tc.sweep(PROBLEM, grid(10**6), quantities=QUANTITIES, output=output)

    works = (("in memory", None, 0.8), ("to .nc", folder / "a.nc", 0.7), ("to .csv", folder / "a.csv", 0.05))
    return [
        ratio(f"10^6 points {name}", baseline, lambda o=output: swept(o), predict_all, (10**6, 10**6), target=target)
        for name, output, target in works
    ]


_CHILD = """
import json, sys, time
import theorycalc as tc
from benchmarks.sweep import PROBLEM, QUANTITIES, grid
from tests.helpers.memory import peak_memory as peak  # ru_maxrss is inherited from the process that started it
tc.predict(PROBLEM, ell=2)
axes = grid(int(sys.argv[1]))
start, busy, before = time.perf_counter(), time.process_time(), peak()
tc.sweep(PROBLEM, axes, quantities=QUANTITIES, output=sys.argv[2])
seconds, cpu = time.perf_counter() - start, time.process_time() - busy
print(json.dumps({"seconds": seconds, "cpu": cpu, "before": before, "peak": peak()}))
"""


def streamed(points: int, folder: Path) -> dict[str, float]:
    """Stream a grid to NetCDF in a process of its own; return its times, and its memory in MiB before and at most."""
    path = folder / "grid.nc"
    command = [sys.executable, "-c", _CHILD, str(points), str(path)]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    found: dict[str, float] = json.loads(done.stdout) | {"bytes": path.stat().st_size}
    path.unlink()
    return found


def sizes_table(sizes: dict[int, dict[str, float]]) -> list[str]:
    """Return the cost of streaming as text of the page."""
    return table(
        "points to .nc, two quantities | MB | wall, s | CPU, s | CPU, µs a point | MiB before | MiB at most",
        (
            f"{points:.0e} | {m['bytes'] / 1e6:.0f} | {m['seconds']:.1f} | {m['cpu']:.1f} "
            f"| {m['cpu'] / points * 1e6:.3f} | {m['before']:.0f} | {m['peak']:.0f}"
            for points, m in sizes.items()
        ),
    )


def main() -> None:
    """Measure, and write the page."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = ratios(folder)
        sizes = {points: streamed(points, folder) for points in FEW}
    write_between(PAGE, "speed", [*ratio_table(found), "", *sizes_table(sizes), "", f"{machine()} One process."])
    end(found)


if __name__ == "__main__":
    main()
