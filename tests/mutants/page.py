"""The tables of docs/mutants.md: the score, every mutant of every formula, and those of the rest; and the survivors."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.pages import DOCS, table, write_between
from tests.mutants.generated import SEED, Change, every
from tests.mutants.running import Outcome

#: Mutants that no test kills, read one by one: (function, kind) → how many are drawn, their class, and the reason.
SURVIVORS: dict[tuple[str, str], tuple[int, str, str]] = {
    ("H", "whole number + 1"): (1, "equivalent", "the coefficient of x^(k+1) in H_k is 0"),
    ("xi", "- to +"): (1, "equivalent", "p + i is odd where p − i is"),
    ("overlaps_at", "dropped term"): (1, "equivalent", "rounding alone keeps off the pole"),
    ("_refined", "- to +"): (1, "only speed", "the rule is refined to its finest, which changes nothing"),
    ("bulk_transform", "- to +"): (1, "only speed", "Newton's step leads out, and the map alone to the same root"),
    ("own_output", "whole number + 1"): (1, "equivalent", "two equal points, of which the first is taken"),
    ("factors", "* to /"): (1, "equivalent", "other weights give another basis γ of the same functions"),
    ("mid_of", "dropped term"): (1, "equivalent", "the unit of the lower half cancels"),
    ("mid_of", "whole number + 1"): (1, "equivalent", "the unit of the lower half cancels"),
    ("forms_of", "dropped sign"): (1, "equivalent", "the forms of the shapes of ‖x‖² are square matrices"),
    ("dressed_outliers", "* to /"): (1, "equivalent", "a tolerance of the search, below what is compared"),
    ("_rough", "/ to *"): (1, "only speed", "the root is found with balls where floats would do"),
    ("_edge", "whole number + 1"): (1, "only speed", "into how many parts an interval is cut"),
    ("tail_integral", "* to /"): (1, "only speed", "a larger bound, which is still one"),
    ("_z_level", "swapped arguments"): (1, "equivalent", "the distance of two answers is symmetric"),
    ("_until_accurate", "dropped term"): (1, "only speed", "spare bits save another attempt"),
    ("Case", "whole number + 1"): (1, "equivalent", "the number of a case is a name"),
    ("_bits_at", "+ to -"): (1, "only speed", "with too few bits a ball is wider, and is asked for again"),
    ("_drops", "dropped term"): (1, "equivalent", "an end of the search moves by 1e-12 of itself"),
    ("best_strip", "whole number + 1"): (1, "only speed", "which strips are tried"),
    ("_roots", "* to /"): (1, "equivalent", "the curve is scaled to c_{>1}² + c_1² = 1"),
    ("_blocks", "whole number + 1"): (1, "equivalent", "an entry that is no series is 0"),
    ("product", "* to /"): (1, "only speed", "how long a product may be before the quadrature is taken"),
    ("_until_accurate", "whole number + 1"): (1, "equivalent", "one bit fewer, of the spare ones"),
    ("shape_directions", "power + 1"): (1, "equivalent", "a polynomial times τ spans the same"),
    ("_approximate", "* to /"): (1, "endless", "the loop that doubles the bits never ends"),
}
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
        rows = []
        for one in sorted(chosen, key=lambda result: (str(result.formula), result.change)):
            change = one.shown.replace("|", "\\|")
            rows.append((one.formula or one.change.module, one.change.kind, f"`` {change} ``", _killer(one)))
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
