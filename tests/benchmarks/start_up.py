"""How fast the command line starts: ``theorycalc --help`` against an empty Python with the argument parser.

``python -m tests.benchmarks.start_up`` prints the ratios and writes docs/start_up.md.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "start_up.md"
ROUNDS = 20
TARGET = 2.0
_BASELINE = "import argparse; argparse.ArgumentParser().parse_args([])"

COMMANDS = {
    "an empty Python with the argument parser": [sys.executable, "-c", _BASELINE],
    "theorycalc --help": [str(Path(sys.executable).with_name("theorycalc")), "--help"],
    "python -m theorycalc --help": [sys.executable, "-m", "theorycalc", "--help"],
    "python -m theorycalc staircase --help": [sys.executable, "-m", "theorycalc", "staircase", "--help"],
}

_TEXT = """\
# Start-up

How long the command line takes to say something, against an empty Python that imports argparse and parses nothing.
Median of {rounds} rounds, in each of which every command runs once; CPU time is that of the process, user and system.
Written by `python -m tests.benchmarks.start_up`; the aim is a ratio of CPU times below {target:g}.

| command | CPU, ratio | wall, ratio |
|---|---|---|
{rows}

Little is imported for it: tests/test_cli_start.py lists what must not be, numpy and importlib.metadata among them.
"""


def measure(command: list[str]) -> tuple[float, float]:
    """Return the CPU and the wall time of a process."""
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, command
    process.returncode = 0
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def medians() -> dict[str, tuple[float, float]]:
    """Return the median CPU and wall times of every command, measured turn and turn about."""
    for command in COMMANDS.values():
        measure(command)  # the first run fills caches
    rounds = [{name: measure(command) for name, command in COMMANDS.items()} for _ in range(ROUNDS)]
    return {name: tuple(statistics.median(one[name][i] for one in rounds) for i in (0, 1)) for name in COMMANDS}


def main() -> None:
    """Measure, print and write the page."""
    found = medians()
    (cpu, wall), *_ = found.values()
    lines = [f"| `{name}` | {c / cpu:.2f} | {w / wall:.2f} |" for name, (c, w) in list(found.items())[1:]]
    print("\n".join(lines))
    PAGE.write_text(_TEXT.format(rounds=ROUNDS, target=TARGET, rows="\n".join(lines)), encoding="utf-8")


if __name__ == "__main__":
    main()
