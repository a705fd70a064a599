"""``make coverage``: run the tests with coverage of branches and write docs/coverage.md.

Every line that no test reaches must have its reason in tests/coverage_reasons.toml, under the function it stands in and
as often as it stands there; a line without one, and a reason that no line needs any more, fail.
``python -m tests.coverage --report`` writes the page from the data of the run before.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tomllib
from collections import defaultdict
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "build" / "coverage"
REASONS = ROOT / "tests" / "coverage_reasons.toml"
PAGE = ROOT / "docs" / "coverage.md"

#: Tests that measure the program itself, which tracing changes, or that need a browser.
LEFT_OUT = (
    "tests/test_cli_start.py",  # which modules a start imports: tracing imports more
    "tests/test_explore_page.py",  # in a browser, of pages whose Python the other tests run
)


class Hole(NamedTuple):
    """A line that no test runs, or a branch that none takes."""

    file: str
    function: str  # as in Class.method; empty for what stands in none
    line: int
    text: str  # of the line, or of the line that branches
    what: str

    def key(self) -> tuple[str, str, str]:
        """Return what a reason is found by: line numbers change too often."""
        return self.file, self.function, self.text


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
    """Return the data of the last run, file by file."""
    path = FOLDER / "report.json"
    _coverage("json", "--quiet", "-o", str(path))
    files: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))["files"]
    return files


def holes(file: str, data: dict[str, Any]) -> list[Hole]:
    """Name each line that was missed, and each branch missed between lines that were run, from the top."""
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    missing = set(data["missing_lines"])
    found = []
    for function, part in data["functions"].items():
        missed = [(number, "not run") for number in part["missing_lines"]]
        missed += [
            (start, f"never goes on to line {end}" if end > 0 else "never ends here")
            for start, end in part["missing_branches"]
            if start not in missing and end not in missing
        ]
        found += [Hole(file, function, number, lines[number - 1].strip(), what) for number, what in missed]
    return sorted(found, key=lambda hole: hole.line)


def packages(files: dict[str, Any]) -> list[str]:
    """Return the rows of the table of totals."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    names = ("num_statements", "covered_lines", "num_branches", "covered_branches")
    for file, data in files.items():
        for package in (str(Path(file).parent).replace("/", "."), "all"):
            for i, name in enumerate(names):
                sums[package][i] += data["summary"][name]
    order = sorted(sums, key=lambda package: (package == "all", package))
    return [
        f"| {package} | {a} | {b} | {c} | {d} | {100 * (b + d) / (a + c or 1):.1f} % |"
        for package, (a, b, c, d) in ((package, sums[package]) for package in order)
    ]


def judged(all_holes: list[Hole], entries: list[dict[str, Any]]) -> tuple[list[str], list[str]]:
    """Return the rows of the table of holes, and what is wrong with the reasons: each excuses one hole."""
    reasons: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for entry in entries:
        for text in entry["lines"]:
            reasons[entry["file"], entry["function"], text].append(entry["reason"])
    rows, wrong = [], []
    for hole in all_holes:
        left = reasons[hole.key()]
        if not left:
            wrong.append(f"no reason: {hole.file}:{hole.line} {hole.function}: {hole.what}: {hole.text}")
        text = hole.text.replace("|", "\\|")
        rows.append(
            f"| {hole.file.removeprefix('theorycalc/')} | {hole.function} | `{text}` | {hole.what} "
            f"| {left.pop(0) if left else '**none**'} |"
        )
    wrong += [f"a reason that nothing needs: {' '.join(key)}" for key, left in reasons.items() for _ in left]
    return rows, wrong


def page(files: dict[str, Any], rows: list[str]) -> str:
    """Return the page."""
    lines = [
        "# Coverage",
        "",
        "Written by `make coverage`: the tests and doctests run with coverage of branches, in the processes they start",
        "as well. Left out are the tests in a browser, and those of what a start imports, which tracing changes.",
        "",
        "| package | lines | run | branches | taken | covered |",
        "|---|---|---|---|---|---|",
        *packages(files),
        "",
        "What no test reaches, and why. A line without a reason fails `make coverage`, and so does a reason that",
        "nothing needs any more; the reasons are in tests/coverage_reasons.toml.",
        "",
        "| file | function | line | what | reason |",
        "|---|---|---|---|---|",
        *rows,
        "",
        f"Python {platform.python_version()}, coverage {version('coverage')}, pytest {version('pytest')}.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    """Measure unless told not to, write the page, and fail on what is not justified."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--report", action="store_true", help="only write the page, from the last run")
    if not parser.parse_args().report:
        measure()
    files = found()
    entries = tomllib.loads(REASONS.read_text(encoding="utf-8"))["uncovered"]
    rows, wrong = judged([hole for file, data in sorted(files.items()) for hole in holes(file, data)], entries)
    PAGE.write_text(page(files, rows), encoding="utf-8")
    print("\n".join([*packages(files), *wrong]))
    raise SystemExit(f"{len(wrong)} lines or reasons to mend" if wrong else 0)


if __name__ == "__main__":
    main()
