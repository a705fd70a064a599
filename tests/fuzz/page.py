"""docs/fuzzing.md: what was run, what came of it, and how much of the code the inputs reached."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from pathlib import Path

import coverage

from tests.fuzz.checks import SECONDS
from tests.fuzz.command import LARGEST_NETWORK, PATIENCE, TooLarge
from tests.fuzz.inputs import seeds
from tests.fuzz.targets import MEMORY, load_everything, target, warm_up

_STATES = ("accepted", "refused", "left out", "findings")
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
- **Time** of the processor, while the fuzzer counts branches: {seconds}.
  What is computed from it may take long, as a million digits do: a command is sent Ctrl-C after {patience} s and must
  end well, and an activation whose coefficients take over {proofs} s is left out.
- **Memory**: a fuzzer's process grows by less than {memory} MB over all of its inputs.
- **Values.** The text of an expression is read back as the same tree; numbers agree with Python's own `Fraction`;
  values and coefficients are finite or refused; no answer of the command line has a NaN, and its JSON is strict.

Left out are also requests that start processes, open connections or simulate networks of more than {network} samples.

What was found so far, and is mended: a geometric range between 4000-digit numbers took 15 s, and a list of ranges was
counted after it had been made; the sign of a teacher's constant took six seconds; values were NaN where a product
overflows float64 on the way, and are refused; the spectrum after a step with all labels zero ended with a traceback.
Findings in the table are those of runs before they were mended. False alarms were among them, which are let through
now: fontTools evaluates conditions of its own tables for the font in a picture, and sympy compiles the product of
monomials for as many letters as a formula has; no text of a user is in either.

The inputs are in `tests/fuzz/corpus`, or have a test of their own in tests/test_fuzz.py, which also tries two thousand
fresh ones.

## What the inputs reached

Lines and branches of the code that runs between text and answer, over the seeds and the inputs that the fuzzer kept.
Lines that run when a file is imported, such as tables and the heads of functions, are before the measurement and count
as not reached:

{reached}
"""


def write_page(build: Path, page: Path) -> None:
    """Write the page from what the pieces noted, after replaying the kept inputs under coverage."""
    notes = [json.loads(line) for line in (build / "pieces.jsonl").read_text(encoding="ascii").splitlines()]
    bounds = ", ".join(f"{seconds:g} s for {kind}" for kind, seconds in SECONDS.items() if kind != "activations")
    page.write_text(
        _PAGE.format(
            table=_table(notes),
            seconds=bounds,
            patience=PATIENCE,
            proofs=SECONDS["activations"],
            memory=MEMORY,
            network=LARGEST_NETWORK,
            reached=_reached(build),
        ),
        encoding="utf-8",
    )


def _table(notes: list[dict[str, int | str]]) -> str:
    rows = [
        "| inputs | what they are | run | accepted | refused | left out | findings |",
        "|---|---|---|---|---|---|---|",
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


def _reached(build: Path) -> str:
    """Replay what the fuzzer kept, and return the share of each file that it covers."""
    measured = coverage.Coverage(branch=True, source=["theorycalc"], data_file=None)
    measured.start()
    load_everything()
    for kind in _WHAT:
        warm_up(kind)
        with tempfile.TemporaryDirectory() as folder:
            check = target(kind, Path(folder))
            kept = [
                path.read_bytes().decode("utf-8", "surrogateescape") for path in (build / kind / "reached").glob("*")
            ]
            for text in [*seeds(kind), *kept]:
                try:
                    check(text)
                except TooLarge:
                    continue
    measured.stop()
    rows = ["| file | lines and branches |", "|---|---|"]
    for path in sorted(measured.get_data().measured_files()):
        name = path.rpartition("/theorycalc/")[2]
        if name.startswith(("expressions/", "cli/")) or name in ("exact.py", "ranges.py", "activations/teacher.py"):
            rows.append(f"| {name} | {_share(measured, path):.0f} % |")
    return "\n".join(rows)


def _share(measured: coverage.Coverage, path: str) -> float:
    return measured._analyze(path).numbers.pc_covered
