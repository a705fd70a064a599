"""How fast the command line starts and the package is imported, against an empty Python and the imports it needs.

``python -m benchmarks.start_up`` prints the ratios and writes docs/start_up.md.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import machine

PAGE = DOCS / "start_up.md"
ROUNDS = 10
TARGET = 2.0
_BASELINE = "import argparse; argparse.ArgumentParser().parse_args([])"

COMMANDS = {
    "an empty Python with the argument parser": [sys.executable, "-c", _BASELINE],
    "theorycalc --help": [str(Path(sys.executable).with_name("theorycalc")), "--help"],
    "python -m theorycalc --help": [sys.executable, "-m", "theorycalc", "--help"],
    "python -m theorycalc staircase --help": [sys.executable, "-m", "theorycalc", "staircase", "--help"],
}

_PROBLEM = "tc.Problem('tanh(x + 1)', 'H1 + H2/2', phi='1/2', psi='2/3', ridge='1/10', noise='1/2')"
IMPORTS = {
    "import numpy": "import numpy",
    "import scipy.optimize": "import scipy.optimize",
    "import sympy": "import sympy",
    "import theorycalc": "import theorycalc",
    "import theorycalc, and a first prediction": f"import theorycalc as tc; tc.predict({_PROBLEM}, ell=2)",
}

#: CPU and wall time of each round, of one command.
Times = list[tuple[float, float]]


def measure(command: list[str]) -> tuple[float, float]:
    """Return the CPU and the wall time of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def measured(commands: dict[str, list[str]]) -> dict[str, Times]:
    """Return the times of every command, measured turn and turn about."""
    for command in commands.values():
        measure(command)  # the first run fills caches
    found: dict[str, Times] = {name: [] for name in commands}
    for name, command in list(commands.items()) * ROUNDS:
        found[name].append(measure(command))
    return found


def row(name: str, times: Times, shown: str) -> list[str]:
    """Return a row of a page: medians, lowest and highest."""
    cells = [f"`{name}`"]
    for column in zip(*times, strict=True):
        cells += [format(statistics.median(column), shown), f"{min(column):{shown}} – {max(column):{shown}}"]
    return cells


def main() -> None:
    """Measure and write the page; fail where the command line is slower than aimed at."""
    found = measured(COMMANDS)
    baseline, *_ = found.values()
    ratios = {
        name: [(c / cpu, w / wall) for (c, w), (cpu, wall) in zip(times, baseline, strict=True)]
        for name, times in list(found.items())[1:]
    }
    rows = [row(name, times, ".2f") for name, times in ratios.items()]
    write_between(PAGE, "commands", table("command | CPU, ratio | rounds | wall, ratio | rounds", rows))
    imported = measured({name: [sys.executable, "-c", code] for name, code in IMPORTS.items()})
    rows = [row(name, [(1e3 * c, 1e3 * w) for c, w in times], ".0f") for name, times in imported.items()]
    lines = table("statement | CPU, ms | rounds | wall, ms | rounds", rows)
    write_between(PAGE, "imports", [*lines, "", machine()])
    missed = [name for name, times in ratios.items() if statistics.median(cpu for cpu, _ in times) > TARGET]
    raise SystemExit(f"above the aim: {missed}" if missed else 0)


if __name__ == "__main__":
    main()
