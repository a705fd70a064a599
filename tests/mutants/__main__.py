"""``python -m tests.mutants``: run all mutants and write docs/mutants.md; fails if one survives unexplained.

``--minutes 7`` stops after so long, and the next call goes on from there; names of formulas run only theirs, and write
no page.
"""

from __future__ import annotations

import argparse
import sys
import time

from docs._handbook import FORMULAS
from tests.helpers.checks import all_checks
from tests.mutants.generated import Change, judges, sample
from tests.mutants.page import Result, with_reasons, write_page
from tests.mutants.running import CPU_SECONDS, Journal, Laboratory, Outcome, laboratory


def check_baseline(found: Laboratory, journal: Journal, selection: list[str]) -> None:
    """Refuse to go on unless tests pass on unchanged code: those of a selection that were not asked before."""
    marked = selection[0].startswith("--checks")
    names = sorted({f"--checks={name}" for check in all_checks() for name in check.formulas}) if marked else []
    for file in selection:
        key = f"{file}, {'marked' if marked else 'all'}"
        if file.startswith("tests/") and key not in journal.passed:
            baseline = found.run([*names, file], cpu_seconds=10 * CPU_SECONDS)
            if baseline.verdict != "survived":
                raise SystemExit(f"the tests do not pass on unchanged code: {baseline.verdict}, {baseline.detail}")
            journal.passed.append(key)
            journal.keep()


def outcome_of(found: Laboratory, journal: Journal, formula: str | None, change: Change) -> Outcome:
    """Return what becomes of a mutant: as it is remembered, or as one run after another finds."""
    key = "|".join(map(str, (formula, *change[:4])))
    if key not in journal.outcomes:
        _, text = change.texts()
        for number, selection in enumerate(judges(change, formula)):
            check_baseline(found, journal, selection)
            outcome = found.run_changed(change.module, text, selection)._replace(judge=number)
            if outcome.verdict == "killed":
                break
        journal.outcomes[key] = outcome
        journal.keep()
    return journal.outcomes[key]


def main(arguments: list[str]) -> int:
    """Run, and say what is left."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    parser.add_argument("formulas", nargs="*", metavar="formula", help="of the handbook, or rest; all unless given")
    parser.add_argument("--minutes", type=float, default=float("inf"), help="stop after so many minutes")
    options = parser.parse_args(arguments)
    if unknown := set(options.formulas) - {*FORMULAS, "rest"}:
        parser.error(f"the handbook has no formula {', '.join(sorted(unknown))}")
    end = time.monotonic() + 60 * options.minutes
    chosen = [None if name == "rest" else name for name in options.formulas] or [*FORMULAS, None]
    mutants = [(formula, change) for formula in chosen for change in sample(formula)]
    journal, results = Journal(), []
    with laboratory(journal.durations) as found:
        for formula, change in mutants:
            if time.monotonic() > end:
                break
            results.append(Result(formula, change, change.shown(), outcome_of(found, journal, formula, change)))
    results, unneeded = with_reasons(results)
    left = [result for result in results if result.outcome.verdict != "killed" and not result.reason]
    for result in left:
        print(f"{result.outcome.verdict}: {result.formula} {result.change}: {result.shown} ({result.outcome.detail})")
    killed = sum(result.outcome.verdict == "killed" for result in results)
    print(f"{killed} of {len(results)} killed, {len(mutants) - len(results)} not yet run")
    if options.formulas:
        return 1 if left else 0
    write_page(results)
    if len(results) < len(mutants):
        return 2
    print("".join(f"a reason that nothing needs: {reason}\n" for reason in unneeded), end="")
    return 1 if left or unneeded else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
