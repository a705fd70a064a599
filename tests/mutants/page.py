"""The page docs/mutants.md: the score, every mutant of the catalogue, and what became of generated ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from tests.mutants.generated import SAMPLE, SEED, every
from tests.mutants.running import CPU_SECONDS, ROOT
from tests.mutants.survivors import SURVIVORS

HEAD = """\
# Mutants: formulas made wrong on purpose

`make mutants` writes this page. A mutant is one change of the code; it is killed when a test fails that is marked as
checking that formula (`@pytest.mark.checks`). Only a failing test counts: code that cannot be imported does not, and a
run of over {limit} s of processor time is counted apart. A test fails by an assertion, or because the code under it
raises: both are counted, and the exception stands in brackets. Before any mutant, the tests must pass on unchanged code
and a wrong κ must be noticed.

"""
_CLASSES = ("equivalent", "only speed")
_ASSERTIONS = ("AssertionError", "Failed")  # of assert, and of pytest.raises


class Result(NamedTuple):
    """A mutant and what became of it; generated ones have no formula."""

    formula: str | None
    file: str
    shown: str
    kind: str
    verdict: str = ""
    detail: str = ""
    exception: str = ""  # of a kill


def is_explained(result: Result) -> bool:
    """Say whether nothing is left to do: killed, or generated and classified."""
    return result.verdict == "killed" or (result.formula is None and _class_of(result) is not None)


def _class_of(result: Result) -> tuple[str, str] | None:
    found = SURVIVORS.get((result.file, result.shown))
    assert found is None or found[0] in _CLASSES, found
    return found


def write_page(results: Sequence[Result]) -> None:
    """Write the page."""
    (ROOT / "docs" / "mutants.md").write_text(page(results), encoding="utf-8")


def page(results: Sequence[Result]) -> str:
    """Return the page."""
    by_hand = [result for result in results if result.formula is not None]
    generated = [result for result in results if result.formula is None]
    return HEAD.format(limit=CPU_SECONDS) + _by_hand(by_hand) + _generated(generated)


def _by_hand(results: Sequence[Result]) -> str:
    formulas = {result.formula for result in results}
    rows = [
        f"| {result.formula} | {result.kind} | {_code(result.shown)} | {_killer(result)} |"
        for result in sorted(results, key=lambda result: str(result.formula))
    ]
    return f"""\
## By hand: every formula of the handbook

{_score(results)} {len(formulas)} formulas.

| formula | kind | change | killed by |
|---|---|---|---|
{chr(10).join(rows)}

"""


def _generated(results: Sequence[Result]) -> str:
    left = sorted(result for result in results if result.verdict != "killed")
    classes = Counter((_class_of(result) or ("unexplained", ""))[0] for result in left)
    files = Counter(result.file for result in results)
    killed = Counter(result.file for result in results if result.verdict == "killed")
    rows = [f"| `{file}` | {killed[file]} of {count} |" for file, count in sorted(files.items())]
    reasons = [": ".join(_class_of(result) or ("unexplained",)) for result in left]
    survivors = [
        f"| `{result.file}` | {_code(result.shown)} | {result.verdict} | {reason} |"
        for result, reason in zip(left, reasons, strict=True)
    ]
    counted = ", ".join(f"{count} {name}" for name, count in sorted(classes.items())) or "none"
    meaningful = len(results) - sum(classes[name] for name in _CLASSES)
    score = sum(killed.values())
    unfinished = f" The sample has {SAMPLE}: the run was ended before the others." if len(results) < SAMPLE else ""
    return f"""\
## Generated: a sample of all changes

Every +, −, ·, /, factor, range and whole number of `theorycalc/theory` and `theorycalc/hermite` is changed by a
program: {len(every())} changes, of which {len(results)} were drawn (seed {SEED}) and run against the tests marked for
the formulas of that function or module, and its doctests.{unfinished} {_score(results)} Not killed: {counted}.
Without those that cannot change a result, the score is {score} of {meaningful}:
{100 * score / max(meaningful, 1):.1f} %.

| file | killed |
|---|---|
{chr(10).join(rows)}

### Not killed

| file | change | outcome | why |
|---|---|---|---|
{chr(10).join(survivors)}
"""


def _score(results: Sequence[Result]) -> str:
    verdicts = Counter(result.verdict for result in results)
    others = ", ".join(f"{count} {name}" for name, count in sorted(verdicts.items()) if name != "killed")
    share = 100 * verdicts["killed"] / max(len(results), 1)
    by_assertion = sum(result.exception in _ASSERTIONS for result in results if result.verdict == "killed")
    kinds = f": {by_assertion} by an assertion, {verdicts['killed'] - by_assertion} by another exception"
    return f"{verdicts['killed']} of {len(results)} killed ({share:.1f} %){kinds}{'; ' + others if others else ''}."


def _killer(result: Result) -> str:
    if result.verdict != "killed":
        return f"**{result.verdict}**: {result.detail}"
    file, _, test = result.detail.partition("::")
    name = test.split("[")[0].removeprefix("test_").replace("_", " ")
    exception = "" if result.exception in _ASSERTIONS else f" ({result.exception})"
    return f"`{file.removeprefix('tests/')}`: {name}{exception}"


def _code(text: str) -> str:
    one_line = " ".join(text.split())
    return "`` " + one_line.replace("|", "\\|") + " ``"
