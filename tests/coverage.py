"""``make coverage``: run the tests with coverage of branches and write docs/coverage.md.

A line that no test reaches says why, in the source: ``# pragma: no cover - reason``, or ``no branch`` for one whose
branch is never taken.  A line that says nothing fails, and so does one that is run although it says that it is not.
``python -m tests.coverage --report`` writes the page from the data of the run before.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.pages import table, write_between

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "coverage"
PAGE = ROOT / "docs" / "coverage.md"
_EXCUSE = re.compile(r"(.*?) *# pragma: no (?:cover|branch) - (.+)")

#: Tests that measure the program itself, which tracing changes, or that need a browser.
LEFT_OUT = (
    "tests/cli/test_start.py",  # which modules a start imports: tracing imports more
    "tests/explorer/test_page.py",  # in a browser, of pages whose Python the other tests run
)


def measure() -> None:
    """Run the tests, with the processes they start, and put the data together."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.iterdir():
        old.unlink()
    ignored = [f"--ignore={name}" for name in LEFT_OUT]
    workers = ["-n", str(os.cpu_count() or 1)]
    _coverage("run", "-m", "pytest", "-q", *workers, *ignored)
    _coverage("combine", "--quiet")


def _coverage(*arguments: str) -> None:
    done = subprocess.run([sys.executable, "-m", "coverage", *arguments], cwd=ROOT, check=False)
    if done.returncode:
        raise SystemExit(f"coverage {' '.join(arguments)} ended with {done.returncode}")


def found() -> dict[str, Any]:
    """Return the data of the last run, file by file, with all lines that were run."""
    from coverage import CoverageData

    path = FOLDER / "report.json"
    _coverage("json", "--quiet", "-o", str(path))
    files: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["files"]
    lines = CoverageData(str(FOLDER / "data"))
    lines.read()
    return {file: data | {"run": lines.lines(file) or []} for file, data in files.items()}


def wrong_in(file: str, data: dict[str, Any], source: list[str]) -> list[str]:
    """Name each line and branch that was missed and says nothing, and each that was run although it says it is not."""
    missing = set(data["missing_lines"])
    branches = [(a, b) for a, b in data["missing_branches"] if a not in missing and b not in missing]
    excused = [line for line in data["excluded_lines"] if _EXCUSE.match(source[line - 1])]
    stale = [line for line in excused if line in data["run"] and not source[line - 1].lstrip().startswith("if ")]
    return [
        *(f"{file}:{line} is not run" for line in sorted(missing)),
        *(f"{file}:{a} never goes on to line {b}" if b > 0 else f"{file}:{a} never ends there" for a, b in branches),
        *(f"{file}:{line} is run: its excuse must go" for line in stale),
    ]


def excuses(file: str, source: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return the rows of the table of what no test reaches."""
    matches = filter(None, map(_EXCUSE.match, source))
    shown = ((match[1].strip().replace("|", "\\|"), match[2]) for match in matches)
    return [(file.removeprefix("theorycalc/"), f"`{line}`", reason) for line, reason in shown]


def packages(files: dict[str, Any]) -> list[str]:
    """Return the table of totals."""
    names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    sums: dict[str, Counter[str]] = defaultdict(Counter)
    for file, data in files.items():
        for package in (str(Path(file).parent).replace("/", "."), "all"):
            sums[package].update({name: data["summary"][name] for name in names})
    rows = []
    for package in sorted(sums, key=lambda package: (package == "all", package)):
        lines, run, branches, taken = (sums[package][name] for name in names)
        rows.append((package, lines, run, branches, taken, f"{100 * (run + taken) / (lines + branches or 1):.1f} %"))
    return table("package | lines | run | branches | taken | covered", rows)


def main() -> None:
    """Measure unless told not to, write the page, and fail on what is not justified."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", action="store_true", help="only write the page, from the last run")
    if not parser.parse_args().report:
        measure()
    files = found()
    sources = {file: (ROOT / file).read_text(encoding="utf-8").splitlines() for file in sorted(files)}
    wrong = [line for file, source in sources.items() for line in wrong_in(file, files[file], source)]
    rows = [row for file, source in sources.items() for row in excuses(file, source)]
    versions = ", ".join(f"{name} {version(name)}" for name in ("coverage", "pytest"))
    write_between(PAGE, "packages", [*packages(files), "", f"Python {platform.python_version()}, {versions}."])
    write_between(PAGE, "excuses", table("file | line | reason", rows))
    print("\n".join(wrong))
    raise SystemExit(f"{len(wrong)} lines to mend" if wrong else 0)


if __name__ == "__main__":
    main()
