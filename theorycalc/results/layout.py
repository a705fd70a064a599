"""The layout of results as plain data, the same for one point and for many (docs/results.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from theorycalc._version import __version__
from theorycalc.results.table import Row, json_row

if TYPE_CHECKING:
    from theorycalc.results.base import Result


def layout(
    kind: str,
    inputs: Row,
    rows: Sequence[Row],
    *,
    guarantee: str | None = None,
    digits: int | None = None,
    conditions: Sequence[Row] = (),
    notes: Sequence[str] = (),
    **details: object,
) -> dict[str, object]:
    """Return the layout of every result as plain data; the rows come last.

    >>> list(layout("sweep", {}, [], columns=["ell"]))
    ['theorycalc', 'kind', 'inputs', 'guarantee', 'digits', 'conditions', 'notes', 'columns', 'rows']
    """
    return {
        "theorycalc": __version__,
        "kind": kind,
        "inputs": dict(inputs),
        "guarantee": guarantee,
        "digits": digits,
        "conditions": list(conditions),
        "notes": list(notes),
        **details,
        "rows": list(rows),
    }


def joined(results: Sequence[Result]) -> dict[str, object]:
    """Return several results of one problem in the layout of one: all their rows, conditions and notes.

    >>> import theorycalc as tc
    >>> problem = tc.Problem("relu", "H1", "1/2", "2/3", "1/10")
    >>> [row["ell"] for row in joined([tc.predict(problem, ell=1), tc.predict(problem, ell=2)])["rows"]]
    [1, 2]
    """
    return results[0].to_dict() | {
        "conditions": list({row["statement"]: row for result in results for row in conditions_of(result)}.values()),
        "notes": list(dict.fromkeys(note for result in results for note in getattr(result, "notes", ()))),
        "rows": [json_row(row) for result in results for row in result.rows],
    }


def conditions_of(result: Result) -> list[Row]:
    """Return the conditions of a result, if it has any, as plain data."""
    return [{"statement": c.statement, "holds": c.holds} for c in getattr(result, "conditions", ())]
