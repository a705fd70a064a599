"""How a comparison is shown: its verdict in words, and which columns of its rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from theorycalc.comparison.judging import FEWEST_DRAWS, ComparedRow, sensitivity
from theorycalc.results.quantities import QUANTITIES, TRAINING, with_error
from theorycalc.results.table import Column, Row, Table, column, columns_of
from theorycalc.simulation.run import step_text

if TYPE_CHECKING:
    from theorycalc.comparison.compare import Comparison

_MOST_SHOWN = 48


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
    share = f"{_two_digits(median)} % of the {QUANTITIES[name].heading}"
    return f"A deviation of {share}{steps} would have shown nine times in ten."


def _two_digits(percent: float) -> str:
    return f"{float(f'{percent:.2g}'):g}"  # 140, where .2g alone writes 1.4e+02


def comparison_table(comparison: Comparison, full: bool = False) -> Table:
    """Return the verdict with the rows that it is about; ``full``, every row with all digits."""
    rows, hidden = comparison.rows, 0 if full else max(len(comparison.rows) - _MOST_SHOWN, 0)
    if hidden:
        rows = tuple(sorted(rows, key=lambda row: row["p"])[:_MOST_SHOWN])
    more = (f"{hidden} rows that agree better are not shown",) if hidden else ()
    differing = comparison.differing
    seen = (
        column("theory"),
        Column("step", step_text),
        column("model"),
        column("ridge"),
        Column("quantity", lambda row, full: QUANTITIES[str(row["quantity"])].heading),
        column("predicted", spec=".4g"),
        Column("observed", _observed),
        column("z", spec="+.1f"),
        Column("", lambda row, full: "differs" if row in differing else "" if row["judged"] else "not judged"),
    )
    which = (TRAINING,) if any(str(row["quantity"]).startswith("train_") for row in rows) else ()
    return Table(verdict_text(comparison), columns_of(rows), seen, full, which, notes=(*comparison.notes, *more))


def _observed(row: Row, full: bool) -> str:
    mean, error = row["observed"], row["standard_error"]
    assert isinstance(mean, float)
    assert isinstance(error, float)
    return with_error(mean, error, full)


def comparison_rows(seen: Iterable[Row], comparison: Comparison | None) -> list[Row]:
    """Return one row for each quantity observed, in the columns of a comparison; empty where theory says nothing."""
    theory: dict[tuple[object, ...], list[Row]] = {}
    for row in () if comparison is None else comparison.rows:
        theory.setdefault((row["cell"], row["model"], row["ridge"], row["quantity"]), []).append(row)
    rows: list[Row] = []
    for observed in seen:
        for name in (name for name in observed if f"{name}_se" in observed):
            place = observed["cell"], observed["model"], observed["ridge"], name
            numbers = {"quantity": name, "observed": observed[name], "standard_error": observed[f"{name}_se"]}
            bare = {key: observed.get(key) for key in ComparedRow.__annotations__} | numbers
            rows += theory.get(place, [bare])
    return rows
