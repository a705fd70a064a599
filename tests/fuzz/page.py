"""docs/fuzzing.md: what was run, what came of it, and how much of the code the inputs reached."""

from __future__ import annotations

import contextlib
import json
import tempfile
import time
from collections import Counter
from pathlib import Path

import coverage

from tests.fuzz.checks import PROOFS, SECONDS
from tests.fuzz.command import ENDING, LARGEST_LAYER, LARGEST_NETWORK, PATIENCE, READING
from tests.fuzz.guards import Overdue, unwatched
from tests.fuzz.inputs import seeds
from tests.fuzz.targets import GROWTH, MEMORY, load_everything, target, warm_up

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

_PAGE = """\
# Hostile input

Written by `make fuzz`, which mutates inputs for as long as they reach new branches of the code
([atheris](https://github.com/google/atheris), on libFuzzer). It begins with the formulas, examples and hostile texts
that the project has, and knows every name, option and operator. All of it is a million inputs; the table has those
that were run for this page, in one piece or several.

{table}

What is checked of every input, in `tests/fuzz`:

- **Errors** are of one family, `TheoryError`, and those of the grammar show the place; the command line ends with
  status 0, 1, 2 or, after Ctrl-C, 130, and says in one line what was wrong. Warnings count as errors.
- **Nothing is executed.** An audit hook of Python refuses code that is compiled, run or imported, files that are
  written, processes and connections. Command lines may write in an empty folder, and are denied all outside of it.
- **Time** of the processor, while the fuzzer counts branches:
  {seconds}; for a command line {reading} s,
  and as much for each of its values. What is computed from them may take long, as a million digits do: a command is
  sent Ctrl-C after {patience} s, counts as interrupted, and must end well within {ending} s more; an activation whose
  coefficients take over {proofs} s is left out.
- **Memory** that one input may take at its peak:
  {memory}.
  The whole process grows by less than {growth} MB over all of its inputs.
- **Values.** The text of an expression is read back as the same tree; numbers agree with Python's own `Fraction`;
  values and coefficients are finite or refused; no answer of the command line has a NaN, and its JSON is strict.

Left out are also requests that start processes, open connections or simulate networks of more than {network} samples
or {layer} inputs or neurons.

{findings}

What was found so far, and is mended: a geometric range between 4000-digit numbers took 15 s, and a list of ranges was
counted after it had been made; the sign of a teacher's constant took six seconds; values were NaN where a product
overflows float64 on the way, and are refused; the spectrum after a step with all labels zero ended with a traceback;
`x**(-1/10)*x` was written as `x/x**(1/10)`, which is read as another tree; a whole number with a separator behind it,
which Python's int() does not strip, ended with a traceback; `9/-sign` is infinite at the point where it jumps, and was
not refused; the poles of `1/H94` were looked for with intervals, for two seconds, and are found from its roots.
False alarms were among it, which are let through now: fontTools evaluates conditions of its own tables for the font in
a picture, and sympy compiles the product of monomials for as many letters as a formula has (no text of a user is in
either); and the text of a tree may be too large to be read, which is refused.

The inputs are in `tests/fuzz/corpus`, or have a test of their own in tests/house/test_fuzz.py, which also tries two
thousand fresh ones.

## What the inputs reached

Lines and branches of the code that runs between text and answer, over the seeds and the inputs that the fuzzer kept,
shortest first, for {replay:g} s of each kind: {replayed}.
Lines that run when a file is imported, such as tables and the heads of functions, are before the measurement and count
as not reached:

{reached}

## How it was run

{pieces}
"""


def write_page(build: Path, page: Path) -> None:
    """Write the page from what the pieces noted, after replaying the kept inputs under coverage."""
    paths = [path for kind in _WHAT for path in sorted((build / kind).glob("piece-*/note.json"))]
    notes = [json.loads(path.read_text(encoding="ascii")) for path in paths]
    reached, replayed = _reached(build)
    page.write_text(
        _PAGE.format(
            table=_table(notes),
            seconds=", ".join(f"{seconds:g} s for {kind}" for kind, seconds in SECONDS.items()),
            reading=f"{READING:g}",
            patience=PATIENCE,
            ending=f"{ENDING:g}",
            proofs=f"{PROOFS:g}",
            memory=", ".join(f"{size} MB for {kind}" for kind, size in MEMORY.items()),
            growth=GROWTH,
            network=LARGEST_NETWORK,
            layer=LARGEST_LAYER,
            findings=findings_text(notes),
            replay=_REPLAY,
            replayed=replayed,
            reached=reached,
            pieces=_pieces(notes),
        ),
        encoding="utf-8",
    )


def findings_text(notes: list[dict[str, int | str]]) -> str:
    """Say what the pieces found, and where it is written."""
    found = {f"`build/fuzz/{note['kind']}/piece-{note['seed']}`": int(note["findings"]) for note in notes}
    if not any(found.values()):
        return "**Nothing was found in these runs.**"
    where = ", ".join(folder for folder, count in found.items() if count)
    return f"**Findings in these runs: {sum(found.values())}.** Their inputs, one for each place, are in {where}."


def _pieces(notes: list[dict[str, int | str]]) -> str:
    """Say with which seeds, and on what, the pieces were run."""
    rows = ["| inputs | seed | run | seconds |", "|---|---|---|---|"]
    for note in notes:
        run = sum(int(note.get(state, 0)) for state in _STATES)
        rows.append(f"| {note['kind']} | {note['seed']} | {run} | {note['seconds']} |")
    machines = dict.fromkeys(str(note["machine"]) for note in notes)
    return "\n".join([*rows, "", *machines])


def _table(notes: list[dict[str, int | str]]) -> str:
    rows = [
        f"| inputs | what they are | run | {' | '.join(_STATES)} |",
        "|---|---|---|" + "---|" * len(_STATES),
    ]
    total: Counter[str] = Counter()
    for kind, what in _WHAT.items():
        found: Counter[str] = Counter()
        for note in notes:
            if note["kind"] == kind:
                found.update({state: int(note.get(state, 0)) for state in _STATES})
        total += found
        rows.append(_row(kind, what, found))
    return "\n".join([*rows, _row("all", "", total)])


def _row(kind: str, what: str, found: Counter[str]) -> str:
    return f"| {kind} | {what} | {found.total()} | {' | '.join(str(found[state]) for state in _STATES)} |"


def _reached(build: Path) -> tuple[str, str]:
    """Replay what the fuzzer kept, and return the share of each file that it covers, and how many inputs were run."""
    measured = coverage.Coverage(branch=True, source=["theorycalc"], data_file=None)
    measured.start()
    load_everything()
    counts = []
    for kind in _WHAT:
        warm_up(kind)
        kept = [path.read_bytes().decode("utf-8", "surrogateescape") for path in (build / kind / "reached").glob("*")]
        with tempfile.TemporaryDirectory() as folder:
            run = replay(kind, [*seeds(kind), *sorted(kept, key=len)], Path(folder), _REPLAY)
        counts.append(f"{run} of {len(seeds(kind)) + len(kept)} {kind}")
    measured.stop()
    rows = ["| file | lines and branches |", "|---|---|"]
    for path in sorted(measured.get_data().measured_files()):
        name = path.rpartition("theorycalc/")[2]  # coverage gives relative paths where it is told to
        if name.startswith(("functions/", "cli/")) or name in (
            "numbers/exact.py",
            "numbers/ranges.py",
            "model/teacher.py",
        ):
            rows.append(f"| {name} | {_share(measured, path):.0f} % |")
    return "\n".join(rows), ", ".join(counts)


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


def _share(measured: coverage.Coverage, path: str) -> float:
    return measured._analyze(path).numbers.pc_covered
