"""Error rates against simulated networks, with standard errors.

``python -m benchmarks.error_rates`` writes its table and its counts into docs/theory/error_rate.md.  Gains are judged:
rates before the step, and so all rates, are predicted for n → ∞.
"""

from __future__ import annotations

from typing import NamedTuple

import theorycalc as tc
from benchmarks.pages import DOCS, agreement, table, write_between
from theorycalc.results.layout import with_error

PAGE = DOCS / "theory" / "error_rate.md"
STEPS = (0.0, 0.2, 0.4)
DRAWS = 40
TEST_SAMPLES = 3000
_SIZES = {"n": 600, "d": 300, "N": 450}


class Cell(NamedTuple):
    """One network: its activation, its teacher, and the share of labels that are flipped in the step and in the fit."""

    activation: str
    teacher: str
    flip: str

    @property
    def problem(self) -> tc.Problem:
        """The problem of the cell."""
        flips = {"flip_step": self.flip, "flip_fit": self.flip}
        return tc.Problem(self.activation, self.teacher, **_SIZES, ridge="1/10", **flips)


CELLS = (
    *(Cell(activation, "sign(x)", flip) for activation in ("tanh", "relu", "erf(x)") for flip in ("0", "1/5")),
    *(Cell(activation, "sign(H1 + H2/2)", "0") for activation in ("tanh(x + 1)", "relu")),
)


class Seen(NamedTuple):
    """One step of a cell: the texts of its row, and z of its gain."""

    row: tuple[str, ...]
    z: float


def measured(cell: Cell, seed: int, draws: int = DRAWS) -> list[Seen]:
    """Return the rates of simulated networks after every step, beside the theory."""
    problem = cell.problem
    run = tc.simulate(problem, alpha=STEPS, replicates=draws, seed=seed, test_samples=TEST_SAMPLES)
    found = tc.compare(run, tc.error_rate(problem, alpha=STEPS), quantities="error_rate_gain")
    seen = []
    for alpha in STEPS:
        here = {str(row["quantity"]): row for row in found.rows if row["alpha"] == alpha}
        texts = [
            f"{with_error(row['observed'], row['standard_error'])}; {row['predicted']:.4f}"
            for row in (here[name] for name in ("error_rate_initial", "error_rate", "error_rate_gain"))
        ]
        start = (cell.activation, cell.teacher.replace("|", ""), cell.flip, f"{alpha:g}")
        seen.append(Seen((*start, *texts), float(here["error_rate_gain"]["z"])))
    return seen


def run() -> None:
    """Measure all cells, and write the page."""
    seen = [one for number, cell in enumerate(CELLS) for one in measured(cell, seed=100 + number)]
    head = "σ | teacher | flipped | α | before | after | gained"
    write_between(PAGE, "measured", table(head, (one.row for one in seen)))
    within, count, scale, _ = agreement(one.z for one in seen)
    worst = max((one.z for one in seen), key=abs)
    text = f"Of {count} gains {within} are within three standard errors; rms z is {scale:.2f}, the worst {worst:.1f}."
    write_between(PAGE, "counts", [text])


if __name__ == "__main__":
    run()
