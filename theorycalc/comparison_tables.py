"""How a comparison is shown: as a table, and in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from theorycalc.simulation.show import step_text, table_html, with_error
from theorycalc.tables import ROWS, aligned

if TYPE_CHECKING:
    from theorycalc.comparison import Comparison

_MOST_SHOWN = 48
_SYMBOLS = {name: symbol.replace("_ℓ", "") for name, symbol, *_ in ROWS}


def verdict_text(comparison: Comparison) -> str:
    """Return the verdict in one line, with the level and the number of looks."""
    worst = comparison.worst
    largest = f"the largest |z| is {abs(worst['z']):.1f}, p = {worst['p']:.2g}"
    looks = f"{comparison.looks} looks at level {comparison.level:g}"
    if comparison.agrees:
        return f"Theory and simulation agree: none of {looks} differs ({largest})."
    return f"Theory and simulation differ in {len(comparison.differing)} of {looks} ({largest})."


def _table(comparison: Comparison) -> list[list[str]]:
    rows = comparison.rows
    if len(rows) > _MOST_SHOWN:
        rows = tuple(sorted(rows, key=lambda row: row["p"])[:_MOST_SHOWN])
    heads = ["theory", "step", "model", "λ", "quantity", "predicted", "observed", "z", ""]
    return [heads, *(_cells(row, row in comparison.differing) for row in rows)]


def _cells(row: dict[str, Any], differs: bool) -> list[str]:
    return [
        row["theory"],
        step_text(row),
        row["model"],
        f"{row['ridge']:.6g}",
        _SYMBOLS[row["quantity"]],
        f"{row['predicted']:.4g}",
        with_error(row["observed"], row["standard_error"]),
        f"{row['z']:+.1f}",
        "differs" if differs else "",
    ]


def _notes(comparison: Comparison) -> tuple[str, ...]:
    hidden = comparison.looks - _MOST_SHOWN
    return comparison.notes + ((f"{hidden} rows that agree better are not shown",) if hidden > 0 else ())


def comparison_text(comparison: Comparison) -> str:
    """Return the table a person reads."""
    notes = (f"  note  {note}" for note in _notes(comparison))
    return "\n".join([verdict_text(comparison), aligned(_table(comparison)), *notes])


def comparison_html(comparison: Comparison) -> str:
    """Return the table a notebook shows."""
    return table_html(verdict_text(comparison), _table(comparison), _notes(comparison))
