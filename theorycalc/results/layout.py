"""The forms of results: plain data, the same for one point and for many (docs/results.md), and LaTeX."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from theorycalc._version import __version__
from theorycalc.results.quantities import number_text
from theorycalc.results.table import Row, json_row

if TYPE_CHECKING:
    from theorycalc.results.base import Result


def layout(kind: str, inputs: Row, rows: Iterable[Row], **about: object) -> dict[str, object]:
    """Return the layout that all results share, as plain data: inputs, remarks on the numbers, and rows.

    >>> list(layout("sweep", {}, [], columns=["ell"]))
    ['theorycalc', 'kind', 'inputs', 'guarantee', 'digits', 'conditions', 'notes', 'columns', 'rows']
    """
    usual: dict[str, object] = {"guarantee": None, "digits": None, "conditions": [], "notes": []}
    return {"theorycalc": __version__, "kind": kind, "inputs": dict(inputs)} | usual | about | {"rows": list(rows)}


def joined(results: Sequence[Result]) -> dict[str, object]:
    """Return several results of one problem in the layout of a single one, with all their rows, conditions and notes.

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
    """Return the conditions of a result, if any, as plain data."""
    return [{"statement": c.statement, "holds": c.holds} for c in getattr(result, "conditions", ())]


def with_error(value: float, error: float | None, full: bool = False) -> str:
    """Return a mean with its standard error, rounded to two digits of the error or in full.

    >>> with_error(0.123456, 0.0042), with_error(12.5, None), with_error(0.123456, 0.0042, full=True)
    ('0.1235 ± 0.0042', '12.5', '0.123456 ± 0.0042')
    """
    if full:
        return number_text(value) if error is None else f"{number_text(value)} ± {number_text(error)}"
    if not error:
        return f"{value:.4g}"
    decimals = max(0, 1 - int(f"{error:e}".partition("e")[2]))
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def latex_number(text: str) -> str:
    r"""Return a number as shown to people, in LaTeX.

    >>> latex_number("1.5e-07"), latex_number("−∞")
    ('1.5\\cdot 10^{-7}', '-\\infty')
    """
    mantissa, e, exponent = text.partition("e")
    found = rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if e else text
    return found.replace("−", "-").replace("∞", r"\infty")


def latex_display(lines: Iterable[str]) -> str:
    r"""Return equations as a LaTeX display, aligned at their ``&``.

    >>> print(latex_display(["a &= 1", "b &= 2"]))
    $$\begin{aligned}
    a &= 1 \\
    b &= 2
    \end{aligned}$$
    """
    return "$$\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}$$"
