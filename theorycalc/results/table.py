"""Tables: numbers as text, rows as aligned text, HTML or CSV, and one Table for everything that a result shows."""

from __future__ import annotations

import csv
import html
import io
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from theorycalc.results.quantities import COLUMNS, QUANTITIES
from theorycalc.running.letters import width

MOST_LINES = 60  # of a table that a person reads
_LETTER = r"A-Za-z\u0370-\u03ff"  # Latin and Greek
_SUBSCRIPT = re.compile(rf"(?<![A-Za-z_])([{_LETTER}])_(?:\{{([^{{}}]+)\}}|(⋆?(?:\d+|[{_LETTER}ℓ]+|∞)|⋆))")


@dataclass(frozen=True)
class Table:
    """A table with its title, the remarks on all of it, the conditions that do not hold, and notes."""

    title: str
    rows: Sequence[Sequence[str]]
    headed: bool = False  # the first row has the headings
    remarks: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()  # such as "FAILS: the teacher is Lipschitz"
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """Return the table as a person reads it in a terminal.

        >>> print(Table("A loss", [["L_te(F)", "0.5"]], conditions=("FAILS: c_1 ≠ 0",), notes=("rounded",)).text())
        A loss
          L_te(F)  0.5
          condition FAILS: c_1 ≠ 0
          note  rounded
        """
        lines = [self.title, aligned(self.rows), *(f"  {remark}" for remark in self.remarks)]
        lines += [f"  condition {condition}" for condition in self.conditions]
        return "\n".join([*lines, *(f"  note  {note}" for note in self.notes)])

    def html(self) -> str:
        """Return the table as a notebook shows it.

        >>> Table("A loss", [["L_te(F)", "0.5"]]).html()
        '<table><caption>A loss</caption><tr><td>L<sub>te</sub>(F)</td><td>0.5</td></tr></table>'
        """
        items = [html_symbol(remark) for remark in self.remarks]
        for condition in self.conditions:
            words = f"condition {html_symbol(condition)}"
            items.append(f"<strong>{words}</strong>" if condition.startswith("FAILS") else words)
        items += map(html_symbol, self.notes)
        lines = [
            "".join(f"<{tag}>{html_symbol(cell)}</{tag}>" for cell in row)
            for i, row in enumerate(self.rows)
            for tag in ("th" if self.headed and i == 0 else "td",)
        ]
        table = "".join(f"<tr>{line}</tr>" for line in lines)
        listed = "".join(f"<li>{item}</li>" for item in items)
        below = f"<ul>{listed}</ul>" if listed else ""
        return f"<table><caption>{html_symbol(self.title)}</caption>{table}</table>{below}"


def vertical(row: Mapping[str, Any], full: bool = False, ell: Any = None) -> list[list[str]]:
    """Return the quantities of one point, a line each: symbol, value, words; losses first.

    >>> vertical({"test_gain": 0.25, "test_loss": 0.5}, ell=2)
    [['L_te(F)', '0.5', 'test loss after the step'], ['Λ_2', '0.25', 'test loss gained']]
    """
    index = "" if ell is None else f"_{shown(ell)}"
    return [
        [quantity.symbol.replace("_ℓ", index), shown(row[name], full), quantity.words]
        for name, quantity in QUANTITIES.items()
        if name in row
    ]


def horizontal(names: Sequence[str], rows: Iterable[Mapping[str, Any]], full: bool = False) -> list[list[str]]:
    """Return some columns of many points, their headings first.

    >>> horizontal(["ell", "test_gain"], [{"ell": math.inf, "test_gain": 0.25}])
    [['ℓ', 'test gain'], ['∞', '0.25']]
    """
    return [[COLUMNS[name].heading for name in names], *([shown(row[name], full) for name in names] for row in rows)]


def html_symbol(text: str) -> str:
    """Return text as HTML in which the index of a letter is a subscript.

    >>> html_symbol("L_te(F) < m_1²"), html_symbol("c_{>1}"), html_symbol("second_layer")
    ('L<sub>te</sub>(F) &lt; m<sub>1</sub>²', 'c<sub>&gt;1</sub>', 'second_layer')
    """
    found, end = [], 0
    for match in _SUBSCRIPT.finditer(text):
        found += [html.escape(text[end : match.start()]), match[1], f"<sub>{html.escape(match[2] or match[3])}</sub>"]
        end = match.end()
    return "".join([*found, html.escape(text[end:])])


def aligned(rows: Sequence[Sequence[str]], indent: str = "  ") -> str:
    """Return rows of text with their columns aligned to the left.

    >>> print(aligned([["a", "1"], ["long", "2"]]))
      a     1
      long  2
    """
    widths = [max(width(row[i]) for row in rows) for i in range(len(rows[0]))]
    padded = ([cell + " " * (room - width(cell)) for cell, room in zip(row, widths, strict=True)] for row in rows)
    return "\n".join((indent + "  ".join(row)).rstrip() for row in padded)


def number_text(value: Any) -> str:
    """Return a number in full.

    >>> number_text(0.1), number_text(math.inf)
    ('0.1', 'inf')
    """
    if isinstance(value, float):
        return repr(float(value))
    return value if isinstance(value, str) else str(value).replace("+inf", "inf")


def shown(value: Any, full: bool = False, spec: str = ".6g") -> str:
    """Return a number as a person wants it: a float rounded, or in full; proven digits all; a dash for nothing.

    >>> shown(1 / 3), shown(1 / 3, full=True), shown(None), shown("0.33333333"), shown(math.inf)
    ('0.333333', '0.3333333333333333', '–', '0.33333333', '∞')
    """
    if value is None:
        return "–"
    whole = full or isinstance(value, str) or is_proven(value)
    text = number_text(value) if whole else format(float(value), spec)
    return {"inf": "∞", "-inf": "−∞"}.get(text, text)


def is_proven(value: Any) -> bool:
    """Say whether a number is an mpf, which carries proven digits.

    >>> is_proven(0.5)
    False
    """
    return hasattr(value, "_mpf_")


def number_data(value: Any) -> Any:
    """Return a number, or an array of them, as JSON can carry it: infinity and proven digits as text.

    >>> number_data(0.5), number_data(math.inf), number_data(None), number_data([1, math.inf])
    (0.5, 'inf', None, [1, 'inf'])
    """
    if isinstance(value, (list, tuple)) or getattr(value, "shape", ()) != ():
        return [number_data(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else number_text(float(value))
    return value if value is None or isinstance(value, (int, str)) else number_text(value)


def csv_text(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV, the names first; every number in full, and nothing for None.

    >>> print(csv_text([{"ell": 1, "gain": 0.1}, {"ell": 2, "gain": None}]))
    ell,gain
    1,0.1
    2,
    """
    listed = list(rows)
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    names = list(dict.fromkeys(name for row in listed for name in row))
    writer.writerow(names)
    for row in listed:
        cells = (row.get(name) for name in names)
        writer.writerow(["" if cell is None else number_text(cell) for cell in cells])
    return buffer.getvalue().rstrip("\n")


def worth(result: Any) -> str:
    """Return in words what the numbers of a result are worth, by its ``guarantee`` and its ``digits``."""
    if result.guarantee == "enclosed":
        return f"enclosed: {result.digits} digits proven"
    if result.guarantee == "estimated":
        return "estimated: float64, from estimated coefficients"
    return "rounded: float64"
