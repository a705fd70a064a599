"""How a comparison is shown: as a table, and in a notebook."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from theorycalc.comparison.judging import FEWEST_DRAWS, sensitivity
from theorycalc.results.table import Table, shown
from theorycalc.simulation.run_tables import step_text, with_error

if TYPE_CHECKING:
    from theorycalc.comparison.compare import Comparison

_MOST_SHOWN = 48
QUANTITY_WORDS = {
    "test_gain": "test gain",
    "train_gain": "training gain",
    "test_loss": "test loss",
    "train_loss": "training loss with penalty",
    "train_error": "training error without penalty",
    "test_loss_initial": "test loss before",
    "train_loss_initial": "training loss before, with penalty",
    "train_error_initial": "training error before, without penalty",
}


def verdict_text(comparison: Comparison) -> str:
    """Return the verdict with the level, the number of looks, and what these draws would have shown."""
    worst = comparison.worst
    largest = f"the largest |z| is {abs(worst['z']):.1f}, p = {worst['p']:.2g}"
    looks = f"{comparison.looks} looks at level {comparison.level:g}"
    if comparison.verdict == "too few draws":
        fewest = min(row["replicates"] for row in comparison.judged if row["replicates"] is not None)
        return f"Too few draws to tell: {fewest:g}, and a verdict needs {FEWEST_DRAWS} ({looks}, {largest})."
    if comparison.verdict == "differ":
        return f"Theory and observation differ in {len(comparison.differing)} of {looks} ({largest})."
    return f"Theory and observation agree: none of {looks} differs ({largest}). {_power(comparison)}"


def _power(comparison: Comparison) -> str:
    """Say how large a deviation would have shown: of the test gain, or of whatever was observed."""
    seen = [row["quantity"] for row in comparison.judged]
    name = "test_gain" if "test_gain" in seen else seen[0]
    median, worst = sensitivity(comparison.judged, name)
    steps = "" if median == worst else f" (in the median; {_two_digits(worst)} % at worst)"
    share = f"{_two_digits(median)} % of the {QUANTITY_WORDS[name]}"
    return f"A deviation of {share}{steps} would have shown nine times in ten."


def _two_digits(percent: float) -> str:
    return f"{float(f'{percent:.2g}'):g}"  # 140, where .2g alone writes 1.4e+02


def _table(comparison: Comparison, full: bool = False) -> list[list[str]]:
    rows = comparison.rows
    if len(rows) > _MOST_SHOWN and not full:
        rows = tuple(sorted(rows, key=lambda row: row["p"])[:_MOST_SHOWN])
    heads = ["theory", "step", "model", "λ", "quantity", "predicted", "observed", "z", ""]
    return [heads, *(_cells(row, row in comparison.differing, full) for row in rows)]


def _cells(row: dict[str, Any], differs: bool, full: bool) -> list[str]:
    return [
        row["theory"],
        step_text(row, full),
        row["model"],
        shown(row["ridge"], full),
        QUANTITY_WORDS[row["quantity"]],
        shown(row["predicted"], full, ".4g"),
        with_error(row["observed"], row["standard_error"], full),
        shown(row["z"], full, "+.1f"),
        "differs" if differs else "" if row["judged"] else "not judged",
    ]


def comparison_table(comparison: Comparison, full: bool = False) -> Table:
    """Return the verdict with the rows that it is about; ``full``, every row with all digits."""
    hidden = 0 if full else len(comparison.rows) - _MOST_SHOWN
    more = (f"{hidden} rows that agree better are not shown",) if hidden > 0 else ()
    return Table(verdict_text(comparison), _table(comparison, full), True, notes=(*comparison.notes, *more))


_WHERE = ("cell", "alpha", "eta", "model", "ridge", "replicates")


def comparison_rows(seen: Iterable[dict[str, Any]], comparison: Comparison | None) -> list[dict[str, Any]]:
    """Return one row for each quantity observed, with what theory says of it where it says something."""
    theory: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in () if comparison is None else comparison.rows:
        theory.setdefault((row["cell"], row["model"], row["ridge"], row["quantity"]), []).append(row)
    rows = []
    for observed in seen:
        for name in (name for name in observed if f"{name}_se" in observed):
            where = {key: observed[key] for key in _WHERE} | {
                "quantity": name,
                "observed": observed[name],
                "standard_error": observed[f"{name}_se"],
            }
            found = theory.get((observed["cell"], observed["model"], observed["ridge"], name), [{}])
            rows += [where | {key: row.get(key) for key in ("theory", "predicted", "z", "p")} for row in found]
    return rows
