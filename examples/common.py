"""What every example shares: a small size for a quick look, a folder for its figure, and how results are printed."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from scipy.special import stdtr

import theorycalc as tc

#: The two gains, and how an axis names them.
GAINS = {"test_gain": "test loss gained, Λ", "train_gain": "training loss gained, Δ"}


class Options(NamedTuple):
    """How large the example is, and where its files go."""

    small: bool
    output: Path


def options(description: str | None) -> Options:
    """Read ``--small`` and ``--output FOLDER`` from the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--small", action="store_true", help="seconds instead of minutes: smaller, noisier")
    parser.add_argument("--output", type=Path, default=Path(), metavar="FOLDER", help="where files go (default: here)")
    chosen = parser.parse_args()
    try:
        chosen.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--output {chosen.output}: {error.strerror}")
    return Options(chosen.small, chosen.output)


class Look(NamedTuple):
    """One look at theory and simulation: a mean with its standard error, and what was predicted."""

    name: str
    observed: float
    error: float
    predicted: float
    draws: int

    @property
    def z(self) -> float:
        """How many standard errors the mean lies above the prediction."""
        return (self.observed - self.predicted) / self.error

    @property
    def p(self) -> float:
        """The probability of so large a |z| if the prediction is right: Student's t, as the error is estimated."""
        return 2 * float(stdtr(self.draws - 1, -abs(self.z)))


def looks_of(comparison: tc.Comparison, quantity: str) -> list[Look]:
    """Return the looks of a comparison at one quantity, such as "test_gain", named by their steps."""
    return [
        Look(f"α = {row['alpha']:g}", row["observed"], row["standard_error"], row["predicted"], row["replicates"])
        for row in comparison.rows
        if row["quantity"] == quantity
    ]


def draw_looks(axes: Any, places: Sequence[float], looks: Sequence[Look], **how: Any) -> None:
    """Draw simulated means as points with error bars of one standard error."""
    style = {"mec": "white", "mew": 0.5, "elinewidth": 0.9, "zorder": 6}
    axes.errorbar(places, [look.observed for look in looks], [look.error for look in looks], **(style | how))


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows of text as columns, the first one to the left and the others to the right."""
    lines = [tuple(titles), *(tuple(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    cells = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in lines]
    return "\n".join("  ".join(row).rstrip() for row in cells)


def looks_table(looks: Iterable[Look], quantity: str, theory: str) -> str:
    """Return looks as a table: draws, mean ± standard error, prediction and z."""
    rows = [
        (x.name, str(x.draws), f"{x.observed:.4f} ± {x.error:.4f}", f"{x.predicted:.4f}", f"{x.z:+.1f}") for x in looks
    ]
    return table((quantity, "draws", "simulated ± s.e.", theory, "z"), rows)


def verdict(looks: Sequence[Look], theory: str, level: float = 0.01) -> str:
    """Say in a sentence how many looks differ from a theory, all of them accounted for (Bonferroni)."""
    worst = max(looks, key=lambda look: abs(look.z))
    differing = [look for look in looks if look.p * len(looks) < level]
    farthest = f"the largest |z| is {abs(worst.z):.1f} ({worst.name})"
    if not differing:
        return f"None of {len(looks)} looks differs from {theory} at the {level:.0%} level; {farthest}."
    return f"{len(differing)} of {len(looks)} looks differ from {theory} at the {level:.0%} level; {farthest}."
