"""Measured tables inside pages that are written by hand: a run replaces its own tables and nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

DOCS = Path(__file__).parents[1] / "docs"
END = "<!-- end -->\n"


def table(head: str, rows: Iterable[str | Iterable[object]]) -> list[str]:
    """Return the lines of a Markdown table; its head, and rows that are text, have bars between their cells."""
    texts = [row if isinstance(row, str) else " | ".join(map(str, row)) for row in rows]
    return [f"| {head} |", "|" + "---|" * (head.count("|") + 1), *(f"| {text} |" for text in texts)]


def beside(theory: float, mean: float, error: float) -> tuple[str, str, str]:
    """Return cells of a row: a theory, the observed mean with its standard error, and their distance in such errors."""
    return f"{theory:.4f}", f"{mean:.4f} ± {error:.4f}", f"{(mean - theory) / error:+.1f}"


def agreement(z: Iterable[float]) -> tuple[int, int, float, float]:
    """Return how many distances are within three standard errors, of how many, their root mean square, the largest."""
    sizes = [abs(float(one)) for one in z]
    rms = (sum(size**2 for size in sizes) / len(sizes)) ** 0.5
    return sum(size < 3 for size in sizes), len(sizes), rms, max(sizes)


AGREEMENT = " | cells | within 3 standard errors | rms z | mean z"


def agreement_row(label: str, z: Iterable[float]) -> tuple[str, ...]:
    """Return a row of a table whose head ends with AGREEMENT."""
    found = list(z)
    if not found:
        return label, "0", "–", "–", "–"
    within, count, rms, _ = agreement(found)
    return label, str(count), f"{within / count:.1%}", f"{rms:.2f}", f"{sum(found) / count:+.2f}"


def write_rows(page: Path, what: str, head: str, rows: Iterable[Sequence[str]], order: Iterable[str]) -> None:
    """Put rows into a table, instead of earlier ones that begin with the same two cells, by the order of the first."""
    before = (line.strip("| ").split(" | ") for line in read_between(page, what)[2:])
    by_name = {tuple(row[:2]): row for row in (*before, *rows)}
    places = {name: place for place, name in enumerate(order)}
    kept = [row for row in by_name.values() if row[0] in places]
    write_between(page, what, table(head, sorted(kept, key=lambda row: places[row[0]])))


def read_between(page: Path, what: str) -> list[str]:
    """Return the lines between ``<!-- what -->`` and the next ``<!-- end -->``."""
    return page.read_text(encoding="utf-8").split(f"<!-- {what} -->\n")[1].split(END)[0].strip("\n").split("\n")


def write_between(page: Path, what: str, lines: Iterable[str]) -> None:
    """Print the lines, and put them between ``<!-- what -->`` and the next ``<!-- end -->``, which must be there."""
    measured = "\n".join(["", *lines, "", ""])
    print(measured, flush=True)
    text, mark = page.read_text(encoding="utf-8"), f"<!-- {what} -->\n"
    start = text.index(mark) + len(mark)
    page.write_text(text[:start] + measured + text[text.index(END, start) :], encoding="utf-8")
