"""The tables of docs/mutants.md: the score, every mutant of every formula, and those of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.pages import DOCS, table, write_between
from tests.mutants.generated import SEED, Change, every
from tests.mutants.running import Outcome
from tests.mutants.survivors import SURVIVORS

_ASSERTIONS = ("AssertionError", "Failed")  # of assert, and of pytest.raises


class Result(NamedTuple):
    """A mutant of a formula, or of the rest, its fate, and the reason if it was not killed."""

    formula: str | None
    change: Change
    shown: str
    outcome: Outcome
    reason: str = ""


def with_reasons(results: Iterable[Result]) -> tuple[list[Result], list[str]]:
    """Return the results with the reasons of those that were not killed, and the reasons that none of them needs."""
    left = {key: count for key, (count, _, _) in SURVIVORS.items()}
    found = []
    for result in results:
        key = result.change.function, result.change.kind
        if result.outcome.verdict != "killed" and left.get(key):
            left[key] -= 1
            found.append(result._replace(reason=": ".join(SURVIVORS[key][1:])))
        else:
            found.append(result)
    return found, [f"{function}: {kind}" for (function, kind), count in left.items() if count]


def write_page(results: Sequence[Result], path: Path = DOCS / "mutants.md") -> None:
    """Write both tables into the page: the mutants of formulas, and those of the rest."""
    for name in ("formulas", "rest"):
        chosen = [result for result in results if (result.formula is None) == (name == "rest")]
        rows = [
            (result.formula or result.change.module, result.change.kind, _code(result.shown), _killer(result))
            for result in sorted(chosen, key=lambda result: (str(result.formula), result.change))
        ]
        drawn = f"{len(chosen)} are drawn, with seed {SEED}, of the {len(every())} that there are."
        lines = [f"{drawn} {_score(chosen)}", "", *table("where | kind | change | killed by", rows)]
        write_between(path, name, lines)


def _score(results: Sequence[Result]) -> str:
    kills = [result.outcome for result in results if result.outcome.verdict == "killed"]
    killed, asserted = len(kills), sum(outcome.exception in _ASSERTIONS for outcome in kills)
    first = sum(outcome.judge == 0 for outcome in kills)
    left = [result.reason or "unexplained" for result in results if result.outcome.verdict != "killed"]
    classes = Counter(reason.split(":")[0] for reason in left)
    counted = ", ".join(f"{count} {name}" for name, count in sorted(classes.items())) or "none"
    able = killed + classes["unexplained"]
    return (
        f"{killed} of {len(results)} killed: {asserted} by an assertion, {killed - asserted} by another exception; "
        f"{first} by the tests that were asked first, {killed - first} by the others. Not killed: {counted}. Without "
        f"those that are explained, the score is {killed} of {able}: {100 * killed / max(able, 1):.1f} %."
    )


def _killer(result: Result) -> str:
    outcome = result.outcome
    if outcome.verdict != "killed":
        return f"**{outcome.verdict}**: {result.reason or f'unexplained, {outcome.detail}'}"
    file, _, test = outcome.detail.partition("::")
    name = test.split("[")[0].removeprefix("test_").replace("_", " ")
    exception = "" if outcome.exception in _ASSERTIONS else f" ({outcome.exception})"
    other = ", of another formula" if result.formula and outcome.judge else ""
    return f"`{file.removeprefix('tests/')}`: {name}{exception}{other}"


def _code(text: str) -> str:
    return "`` " + text.replace("|", "\\|") + " ``"
