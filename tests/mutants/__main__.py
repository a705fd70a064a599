"""``python -m tests.mutants``: run all mutants and write docs/mutants.md; fails if one survives unexplained.

``--minutes 7`` stops after so long, with a page of what is done; the next call goes on from there.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import NamedTuple

from tests.checks import all_checks
from tests.mutants.catalogue import CATALOGUE
from tests.mutants.generated import sample
from tests.mutants.journal import Journal
from tests.mutants.mutant import changed, path_of
from tests.mutants.page import Result, is_explained, write_page
from tests.mutants.running import ROOT, Laboratory, Outcome, laboratory
from tests.mutants.selection import around, checking

SENTINEL = "theory/gains.py", "return c_star_1**2 + scatter", "return c_star_1**2 - scatter"


class Job(NamedTuple):
    """One mutant, ready to run."""

    key: str
    file: str
    text: str
    selection: list[str]
    result: Result


def jobs() -> Iterator[Job]:
    """Return the catalogue, then the sample of generated ones."""
    for mutant in CATALOGUE:
        text = changed(path_of(ROOT, mutant.file).read_text(encoding="utf-8"), mutant)
        shown = f"{mutant.old.strip()}  →  {mutant.new.strip()}"
        result = Result(mutant.formula, mutant.file, shown, mutant.kind)
        yield Job(f"{mutant.formula}|{mutant.file}|{shown}", mutant.file, text, checking([mutant.formula]), result)
    for change in sample():
        original = path_of(ROOT, change.file).read_text(encoding="utf-8")
        result = Result(None, change.file, change.shown(original), change.kind)
        key = f"generated|{change.file}|{change.start}|{change.end}|{change.new}"
        yield Job(key, change.file, change.applied(original), around(change), result)


def check_the_machine(laboratory: Laboratory, journal: Journal) -> None:
    """Refuse to go on unless the tests pass on unchanged code, and fail on a mutant that everything notices."""
    names = {name for check in all_checks() for name in check.formulas}
    for file in sorted({check.file for check in all_checks()} - set(journal.passed)):
        baseline = laboratory.run([*(f"--checks={name}" for name in names), f"tests/{file}"])
        if baseline.verdict != "survived":
            raise SystemExit(f"the tests do not pass on unchanged code: {baseline.verdict}, {baseline.detail}")
        journal.add_baseline(file, baseline)
    file, old, new = SENTINEL
    wrong = path_of(ROOT, file).read_text(encoding="utf-8").replace(old, new)
    if laboratory.run_changed(file, wrong, checking(["direction"]), journal.durations).verdict != "killed":
        raise SystemExit("a wrong κ was not noticed: the mutated code is not what runs")


def main(arguments: list[str]) -> int:
    """Run, and say what is left."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many minutes")
    end = time.monotonic() + 60 * parser.parse_args(arguments).minutes
    journal, finished, unfinished = Journal(), [], 0
    with laboratory() as found:
        check_the_machine(found, journal)
        for job in jobs():
            if job.key in journal.killed:
                test, exception = journal.killed[job.key]
                outcome = Outcome("killed", test, {}, exception)
            elif time.monotonic() > end:
                unfinished += 1
                if job.key not in journal.left:
                    continue
                outcome = Outcome(*journal.left[job.key], {})
            else:
                outcome = found.run_changed(job.file, job.text, job.selection, journal.durations)
                journal.add(job.key, outcome)
            finished.append(
                job.result._replace(verdict=outcome.verdict, detail=outcome.detail, exception=outcome.exception)
            )
            if outcome.verdict != "killed":
                print(f"{outcome.verdict}: {job.result.formula} {job.file}: {job.result.shown} ({outcome.detail})")
    print(
        f"{sum(result.verdict == 'killed' for result in finished)} of {len(finished)} killed, {unfinished} not yet run"
    )
    write_page(finished)
    if unfinished:
        return 2
    return 0 if all(map(is_explained, finished)) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
