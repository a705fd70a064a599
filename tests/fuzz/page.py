"""The tables of docs/fuzzing.md: what was run, what came of it, and how much of the code the inputs reached."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

import coverage

from benchmarks.pages import DOCS, table, write_between
from tests.fuzz.checks import MEMORY, SECONDS, load_everything, target, warm_up
from tests.fuzz.command import READING
from tests.fuzz.guards import Overdue, unwatched
from tests.fuzz.inputs import seeds

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
