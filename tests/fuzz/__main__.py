"""Fuzz with atheris: python -m tests.fuzz does all of it, python -m tests.fuzz KIND --runs N --seed S a piece of it.

What the pieces did is kept in build/fuzz, with the inputs that reached something new, on which the next piece builds;
--page writes docs/fuzzing.md from it. A piece that is run again with the same seed takes the place of the first.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any

import coverage

from benchmarks.pages import DOCS, table, write_between
from benchmarks.timing import machine
from tests.fuzz.checks import MEMORY, SECONDS, load_everything, target, warm_up
from tests.fuzz.command import READING
from tests.fuzz.guards import Overdue, unwatched
from tests.fuzz.inputs import KINDS, seeds, words
from theorycalc import __version__

ROOT = Path(__file__).parents[2]
BUILD = ROOT / "build" / "fuzz"
#: How many inputs of each kind make the million.
RUNS = {"expressions": 500_000, "numbers": 250_000, "ranges": 80_000, "activations": 30_000, "commands": 140_000}
PAGE = DOCS / "fuzzing.md"
_STATES = ("accepted", "refused", "interrupted", "left out", "findings")
_SLACK = 3  # times as long as the fuzzer an input may take while coverage is measured
_REPLAY = 100.0  # seconds of processor time in which the inputs of one kind are replayed, as far as they go
_WHAT = {
    "expressions": "formulas of activations and teachers, read, written and read again",
    "numbers": "numbers such as 1/10 and 1e-3",
    "ranges": "lists and ranges of numbers",
    "activations": "activations and teachers made of text, with their coefficients",
    "commands": "command lines, run in the process",
}
_REACHED = ("functions/*", "cli/*", "numbers/exact.py", "numbers/ranges.py", "model/teacher.py")
_HANG = 60  # seconds after which libFuzzer ends an input that no signal of ours could


def main() -> int:
    """Run the pieces asked for; the exit status is 1 where there was a finding."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("kind", nargs="?", choices=RUNS)
    parser.add_argument("--runs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=0, help="end a kind after so long, however many inputs it had")
    parser.add_argument("--page", action="store_true", help="only write docs/fuzzing.md")
    options = parser.parse_args()
    clean = True
    if not options.page:
        for kind in [options.kind] if options.kind else RUNS:
            clean &= run_piece(kind, options.runs or RUNS[kind], options.seed, options.seconds)
    if options.page or not options.kind:
        write_page(BUILD)
    return 0 if clean else 1


def run_piece(kind: str, runs: int, seed: int, seconds: int) -> bool:
    """Fuzz one kind of input in a process of its own, note what it did, and say whether nothing was found."""
    folder = BUILD / kind
    reached, begin, results = folder / "reached", folder / "seeds", folder / f"piece-{seed}"
    shutil.rmtree(results, ignore_errors=True)
    for path in (reached, begin, results):
        path.mkdir(parents=True, exist_ok=True)
    for text in seeds(kind):
        data = text.encode("utf-8", "surrogateescape")
        (begin / sha256(data).hexdigest()[:16]).write_bytes(data)
    (folder / "words.txt").write_text("\n".join(map(_entry, words(kind))) + "\n", encoding="ascii")
    settings = {"runs": runs, "seed": seed, "dict": folder / "words.txt", "max_len": KINDS[kind], "timeout": _HANG}
    settings |= {"artifact_prefix": f"{results}/ended-", "verbosity": 0, "rss_limit_mb": 0}
    settings |= {"max_total_time": seconds}
    command = [sys.executable, "-m", "tests.fuzz.fuzzer", kind, str(results)]
    start = time.monotonic()
    done = subprocess.run(
        [*command, *(f"-{name}={value}" for name, value in settings.items()), str(reached), str(begin)],
        check=False,
        cwd=ROOT,
    )
    made_by = f"theorycalc {__version__}, atheris {version('atheris')}; {machine()}"
    note = {"kind": kind, "seed": seed, "seconds": round(time.monotonic() - start), "machine": made_by}
    note |= outcome(results, done.returncode)
    (results / "note.json").write_text(json.dumps(note), encoding="ascii")
    print(note)
    return not note["findings"]


def outcome(results: Path, status: int) -> dict[str, int]:
    """Return what became of the inputs of a piece; what ended the whole process is a finding, too."""
    path = results / "tally.json"
    tally = json.loads(path.read_text(encoding="ascii")) if path.exists() else {}
    written = len(list(results.glob("finding-*.txt")))
    return {**tally, "findings": max(tally.get("findings", 0), written) + (status != 0 or not tally)}


def _entry(word: str) -> str:
    """Return a word as libFuzzer's dictionaries have it."""
    letters = word.encode("utf-8", "surrogateescape")
    return '"' + "".join(chr(c) if chr(c).isalnum() and c < 128 else f"\\x{c:02x}" for c in letters) + '"'


def write_page(build: Path) -> None:
    """Write the tables from what the pieces noted, after replaying the kept inputs under coverage."""
    paths = [path for kind in _WHAT for path in sorted((build / kind).glob("piece-*/note.json"))]
    notes = [json.loads(path.read_text(encoding="ascii")) for path in paths]
    write_between(PAGE, "runs", [*_runs(notes), "", findings_text(notes)])
    write_between(PAGE, "reached", _reached(build))
    rows = [(note["kind"], note["seed"], _counted(note).total(), note["seconds"]) for note in notes]
    machines = dict.fromkeys(note["machine"] for note in notes)
    write_between(PAGE, "pieces", [*table("inputs | seed | run | seconds", rows), "", *machines])


def _counted(note: dict[str, Any]) -> Counter[str]:
    return Counter({state: note.get(state, 0) for state in _STATES})


def _runs(notes: list[dict[str, Any]]) -> list[str]:
    """Return the table of the inputs, with the time and the memory that one of them may take."""
    rows, everything = [], Counter[str]()
    for kind, what in _WHAT.items():
        found = sum((_counted(note) for note in notes if note["kind"] == kind), Counter[str]())
        everything += found
        limits = (f"{SECONDS.get(kind, READING):g} s", f"{MEMORY[kind]} MB")
        rows.append((kind, what, *limits, found.total(), *(found[state] for state in _STATES)))
    rows.append(("all", "", "", "", everything.total(), *(everything[state] for state in _STATES)))
    return table(f"inputs | what they are | time | memory | run | {' | '.join(_STATES)}", rows)


def findings_text(notes: list[dict[str, Any]]) -> str:
    """Say what the pieces found, and where it is written."""
    found = {f"`build/fuzz/{note['kind']}/piece-{note['seed']}`": int(note["findings"]) for note in notes}
    if not any(found.values()):
        return "**Nothing was found in these runs.**"
    where = ", ".join(folder for folder, count in found.items() if count)
    return f"**Findings in these runs: {sum(found.values())}.** Their inputs, one for each place, are in {where}."


def _reached(build: Path) -> list[str]:
    """Replay what the fuzzer kept, and return the share of each file that it covers, and how many inputs were run."""
    measured = coverage.Coverage(branch=True, source=["theorycalc"], data_file=None)
    counts = []
    with measured.collect():
        load_everything()
        for kind in _WHAT:
            warm_up(kind)
            kept = [
                path.read_bytes().decode("utf-8", "surrogateescape") for path in (build / kind / "reached").glob("*")
            ]
            with tempfile.TemporaryDirectory() as folder:
                run = replay(kind, [*seeds(kind), *sorted(kept, key=len)], Path(folder), _REPLAY)
            counts.append(f"{run} of {len(seeds(kind)) + len(kept)} {kind}")
    measured.get_data()  # before the report narrows what is looked at
    report = io.StringIO()
    measured.report(file=report, output_format="markdown", include=[f"theorycalc/{name}" for name in _REACHED])
    return [f"Replayed: {', '.join(counts)}.", "", *report.getvalue().splitlines()]


def replay(kind: str, texts: list[str], folder: Path, seconds: float) -> int:
    """Run inputs for what they reach, until the time is over, and return how many; what they do wrong is no news."""
    end = time.process_time() + seconds
    with unwatched(_SLACK):
        check = target(kind, folder)
        for count, text in enumerate(texts):
            if time.process_time() > end:
                return count
            with contextlib.suppress(Exception, Overdue):
                check(text)
    return len(texts)


if __name__ == "__main__":
    sys.exit(main())
