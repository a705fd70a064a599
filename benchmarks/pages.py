"""Measured tables inside pages that are written by hand: a run replaces its own table and nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
END = "<!-- end -->\n"


def write_between(page: Path, what: str, lines: Iterable[str]) -> None:
    """Put the lines between ``<!-- what -->`` and the next ``<!-- end -->``; without these marks it is an error."""
    text, mark = page.read_text(encoding="utf-8"), f"<!-- {what} -->\n"
    start = text.index(mark) + len(mark)
    end = text.index(END, start)
    measured = "\n".join(["", *lines, "", ""])
    page.write_text(text[:start] + measured + text[end:], encoding="utf-8")
