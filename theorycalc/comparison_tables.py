"""How a comparison is shown: as a table, and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from theorycalc.quantities import QUANTITIES
from theorycalc.simulation.show import step_text, with_error
from theorycalc.tables import Table, shown

if TYPE_CHECKING:
    from theorycalc.comparison import Comparison

_MOST_SHOWN = 48


def verdict_text(comparison: Comparison) -> str:
    """Return the verdict in one line, with the level and the number of looks."""
    worst = comparison.worst
    largest = f"the largest |z| is {abs(worst['z']):.1f}, p = {worst['p']:.2g}"
    looks = f"{comparison.looks} looks at level {comparison.level:g}"
    if comparison.agrees:
        return f"Theory and simulation agree: none of {looks} differs ({largest})."
    return f"Theory and simulation differ in {len(comparison.differing)} of {looks} ({largest})."


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
        QUANTITIES[row["quantity"]].symbol.replace("_ℓ", ""),
        shown(row["predicted"], full, ".4g"),
        with_error(row["observed"], row["standard_error"], full),
        shown(row["z"], full, "+.1f"),
        "differs" if differs else "",
    ]


def comparison_table(comparison: Comparison, full: bool = False) -> Table:
    """Return the verdict with the rows that it is about; ``full``, every row with all digits."""
    hidden = 0 if full else comparison.looks - _MOST_SHOWN
    more = (f"{hidden} rows that agree better are not shown",) if hidden > 0 else ()
    return Table(verdict_text(comparison), _table(comparison, full), True, notes=(*comparison.notes, *more))


_WHERE = ("cell", "alpha", "eta", "model", "ridge", "replicates")


def comparison_rows(summary: list[dict[str, Any]], comparison: Comparison | None) -> list[dict[str, Any]]:
    """Return one row for each quantity observed, with what theory says of it where it says something."""
    theory: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in () if comparison is None else comparison.rows:
        theory.setdefault((row["cell"], row["model"], row["ridge"], row["quantity"]), []).append(row)
    rows = []
    for observed in summary:
        for name in (name for name in observed if f"{name}_se" in observed):
            seen = {key: observed[key] for key in _WHERE} | {
                "quantity": name,
                "observed": observed[name],
                "standard_error": observed[f"{name}_se"],
            }
            found = theory.get((observed["cell"], observed["model"], observed["ridge"], name), [{}])
            rows += [seen | {key: row.get(key) for key in ("theory", "predicted", "z", "p")} for row in found]
    return rows
