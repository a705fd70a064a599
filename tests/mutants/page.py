"""The page docs/mutants.md: the score, every mutant of every formula, and those of the rest."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from tests.mutants.generated import SEED, Change, every
from tests.mutants.running import CPU_SECONDS, ROOT, Outcome
from tests.mutants.survivors import SURVIVORS

HEAD = """\
# Mutants: formulas made wrong on purpose

`make mutants` writes this page. A mutant is one change of the code, made by a program: an operator, a term, a factor, a
power, a sign, a comparison, a range, two arguments or a whole number. There are {count}, of which some are drawn (seed
{seed}) for every formula of the handbook, in the functions that it names, and some for the rest of the theory. A mutant
of a formula is killed when a test fails that is marked as checking that formula (`@pytest.mark.checks`) or, since a
function may compute several, another formula of the same function; the page says which. The rest is judged by the tests
that import its module, and then by those of the formulas around it. Only a failing test counts: code that cannot be
imported does not, and a run of over {limit} s of processor time is counted apart. A test fails by an assertion, or
because the code under it raises: both are counted, and the exception stands in brackets. Every test that may kill has
passed on unchanged code.

"""
_ASSERTIONS = ("AssertionError", "Failed")  # of assert, and of pytest.raises


class Result(NamedTuple):
    """A mutant of a formula, or of the rest, what became of it, and why it was not killed."""

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


def write_page(results: Sequence[Result]) -> None:
    """Write the page."""
    (ROOT / "docs" / "mutants.md").write_text(page(results), encoding="utf-8")


def page(results: Sequence[Result]) -> str:
    """Return the page."""
    formulas = [result for result in results if result.formula is not None]
    rest = [result for result in results if result.formula is None]
    head = HEAD.format(count=len(every()), seed=SEED, limit=CPU_SECONDS)
    title = f"The {len({result.formula for result in formulas})} formulas of the handbook"
    return head + _part(title, formulas) + _part("The rest of the theory", rest)


def _part(title: str, results: Sequence[Result]) -> str:
    rows = []
    for result in sorted(results, key=lambda result: (str(result.formula), result.change)):
        where = result.formula or result.change.module
        rows.append(f"| {where} | {result.change.kind} | {_code(result.shown)} | {_killer(result)} |")
    lines = [f"## {title}", "", _score(results), "", "| where | kind | change | killed by |", "|---|---|---|---|"]
    return "\n".join([*lines, *rows, "", ""])


def _score(results: Sequence[Result]) -> str:
    kills = [result.outcome for result in results if result.outcome.verdict == "killed"]
    killed, asserted = len(kills), sum(outcome.exception in _ASSERTIONS for outcome in kills)
    first = sum(outcome.judge == 0 for outcome in kills)
    left = [result.reason or "unexplained" for result in results if result.outcome.verdict != "killed"]
    classes = Counter(reason.split(":")[0] for reason in left)
    counted = ", ".join(f"{count} {name}" for name, count in sorted(classes.items())) or "none"
    able = killed + classes["unexplained"]
    return f"""\
{killed} of {len(results)} killed: {asserted} by an assertion, {killed - asserted} by another exception; {first} by the
tests that were asked first, {killed - first} by the others. Not killed: {counted}. Without those that are
explained, the score is {killed} of {able}: {100 * killed / max(able, 1):.1f} %."""


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
