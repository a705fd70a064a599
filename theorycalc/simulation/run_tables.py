"""How a run is shown: as a table, and in a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

from theorycalc.results.table import aligned, number_text, shown

if TYPE_CHECKING:
    from theorycalc.simulation.run import Run

#: quantity and its heading
_COLUMNS = (
    ("train_gain", "train gain"),
    ("test_gain", "test gain"),
    ("train_loss", "train loss"),
    ("train_error", "train error"),
    ("test_loss", "test loss"),
)
_WHICH = "train loss and gain: training loss, penalty included; train error: training error, without the penalty"


def with_error(value: float, error: float | None, full: bool = False) -> str:
    """Return a mean with its standard error, to two digits of the latter, or in full.

    >>> with_error(0.123456, 0.0042), with_error(12.5, None), with_error(0.123456, 0.0042, full=True)
    ('0.1235 ± 0.0042', '12.5', '0.123456 ± 0.0042')
    """
    if full:
        return number_text(value) if error is None else f"{number_text(value)} ± {number_text(error)}"
    if not error:
        return f"{value:.4g}"
    decimals = max(0, 1 - int(f"{error:e}".partition("e")[2]))
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def step_text(row: dict[str, Any], full: bool = False) -> str:
    """Return the step of a row: its α where it has one, else its η.

    >>> step_text({"alpha": 0.1, "eta": 2.0}), step_text({"alpha": None, "eta": 2.0})
    ('α = 0.1', 'η = 2')
    """
    return f"η = {shown(row['eta'], full)}" if row["alpha"] is None else f"α = {shown(row['alpha'], full)}"


def _title(run: Run) -> str:
    s = run.settings
    extent = f"{run.finished} of {s.replicates} replicates"
    state = "" if run.complete else " (incomplete)"
    return f"Run of n = {s.n}, d = {s.d}, N = {s.N}, seed {s.seed}: {extent}{state}, mean ± standard error"


def _table(run: Run, full: bool = False) -> list[list[str]]:
    rows = [["step", "model", "λ", "draws", *(heading for _, heading in _COLUMNS)]]
    for row in run.rows:
        values = [with_error(row[name], row[f"{name}_se"], full) for name, _ in _COLUMNS]
        rows.append([step_text(row, full), row["model"], shown(row["ridge"], full), str(row["replicates"]), *values])
    return rows


def run_text(run: Run, full: bool = False) -> str:
    """Return the table a person reads, or one with all digits."""
    lines = [_title(run), aligned(_table(run, full)), f"  {_WHICH}"]
    return "\n".join([*lines, *(f"  note  {note}" for note in run.notes)])


def run_html(run: Run) -> str:
    """Return the table a notebook shows."""
    return table_html(_title(run), _table(run), (_WHICH, *run.notes))


def table_html(title: str, rows: list[list[str]], notes: tuple[str, ...]) -> str:
    """Return rows of text, the first of them headings, as an HTML table with notes under it.

    >>> table_html("a < b", [["x"], ["1"]], ())
    '<table><caption>a &lt; b</caption><tr><th>x</th></tr><tr><td>1</td></tr></table>'
    """
    heads, *body = rows
    lines = ["".join(f"<th>{html.escape(cell)}</th>" for cell in heads)]
    lines += ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in body]
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    listed = "".join(f"<li>{html.escape(note)}</li>" for note in notes)
    return f"<table><caption>{html.escape(title)}</caption>{table}</table>" + (f"<ul>{listed}</ul>" if listed else "")
