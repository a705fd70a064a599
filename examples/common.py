"""Code shared by the examples: a small size for a quick look, a folder for the figure, and tables of results."""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.special import stdtr

import theorycalc as tc

#: The two gains, and how an axis names them.
GAINS = {"test_gain": "test loss gained, Λ", "train_gain": "training loss gained, Δ"}


#: Where Debian's package dataset-fashion-mnist puts 70,000 images of clothes.
FASHION = Path("/usr/share/datasets/fashion-mnist")


class Options(NamedTuple):
    """How large the example is, where its files go, and the data set, where there is a choice."""

    small: bool
    output: Path
    data: str = ""


def options(description: str | None, data: Sequence[str] = ()) -> Options:
    """Read ``--small``, ``--output FOLDER`` and, where there is a choice, ``--data NAME`` from the command line."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("--small", action="store_true", help="seconds instead of minutes: smaller, noisier")
    parser.add_argument("--output", type=Path, default=Path(), metavar="FOLDER", help="where files go (default: here)")
    if data:
        parser.add_argument("--data", choices=data, default=data[0], help=f"the data set (default: {data[0]})")
    chosen = parser.parse_args()
    try:
        chosen.output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"--output {chosen.output}: {error.strerror}")
    return Options(**vars(chosen))


def fashion_mnist() -> tuple[Any, Any]:
    """Return the images of Fashion-MNIST, one in each row, and their classes from 0 to 9."""
    if not FASHION.exists():
        raise SystemExit("--data fashion-mnist needs Debian's package dataset-fashion-mnist")

    def read(kind: str, start: int) -> Any:
        files = [FASHION / f"{part}-{kind}-ubyte.gz" for part in ("train", "t10k")]
        return np.concatenate([np.frombuffer(gzip.decompress(f.read_bytes()), np.uint8, offset=start) for f in files])

    return read("images-idx3", 16).reshape(-1, 784), read("labels-idx1", 8)


class Check(NamedTuple):
    """One comparison of theory and simulation: a mean with its standard error, and the prediction."""

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


def checks_of(comparison: tc.Comparison, quantity: str) -> list[Check]:
    """Return the rows of a comparison for one quantity, such as "test_gain", named by their steps."""
    return [
        Check(f"α = {row['alpha']:g}", row["observed"], row["standard_error"], row["predicted"], row["replicates"])
        for row in comparison.rows
        if row["quantity"] == quantity
    ]


def draw_checks(axes: Any, places: Sequence[float], checks: Sequence[Check], **how: Any) -> None:
    """Draw simulated means as points with error bars of one standard error."""
    style = {"mec": "white", "mew": 0.5, "elinewidth": 0.9, "zorder": 6}
    axes.errorbar(places, [check.observed for check in checks], [check.error for check in checks], **(style | how))


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return rows of text as columns, the first one aligned to the left and the others to the right."""
    lines = [tuple(titles), *(tuple(row) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    cells = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in lines]
    return "\n".join("  ".join(row).rstrip() for row in cells)


def checks_table(checks: Iterable[Check], quantity: str, theory: str) -> str:
    """Return the checks as a table: draws, mean ± standard error, prediction and z."""
    rows = [
        (x.name, str(x.draws), f"{x.observed:.4f} ± {x.error:.4f}", f"{x.predicted:.4f}", f"{x.z:+.1f}") for x in checks
    ]
    return table((quantity, "draws", "simulated ± s.e.", theory, "z"), rows)


def verdict(checks: Sequence[Check], theory: str, level: float = 0.01) -> str:
    """Return a sentence: how many means differ from a theory, corrected for the number of comparisons (Bonferroni)."""
    worst = max(checks, key=lambda check: abs(check.z))
    differing = [check for check in checks if check.p * len(checks) < level]
    farthest = f"the largest |z| is {abs(worst.z):.1f} ({worst.name})"
    if not differing:
        return f"None of {len(checks)} comparisons differs from {theory} at the {level:.0%} level; {farthest}."
    return f"{len(differing)} of {len(checks)} comparisons differ from {theory} at the {level:.0%} level; {farthest}."
