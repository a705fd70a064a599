"""What a ranking of activations gives: a row for each of them, the best first."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from theorycalc.model.problem import Problem
from theorycalc.model.sizes import Sizes
from theorycalc.results.base import Result
from theorycalc.results.quantities import QUANTITIES
from theorycalc.results.table import Column, Row, Table, column, columns_of
from theorycalc.results.values import Plain, number_data

TUNED = ("both", "step", "ridge", "none")
BY = ("test_loss", "test_gain", "train_loss", "train_error", "train_gain")  # gains: the largest first
_EACH = {
    "both": "each at its own best step and ridge",
    "step": "each at its own best step",
    "ridge": "each at its own best ridge",
    "none": "all at one ridge",
}


class Ranked(NamedTuple):
    """One activation: the step and ridge it was given or prefers and what follows, or the reason why nothing does."""

    activation: str
    test_loss: float | None = None
    test_gain: float | None = None
    train_loss: float | None = None
    train_error: float | None = None
    train_gain: float | None = None
    eta: float | None = None
    ridge: float | None = None
    at_edge: bool | None = None  # the range that was searched for the best ended there
    reason: str | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Ranking(Result):
    """Activations in the order of their predicted losses, the best first; those without a value come last."""

    kind: ClassVar[str] = "ranking"

    problem: Problem
    sizes: Sizes | None  # of a finite step
    ell: int | float | None  # of a limit
    network: str
    gradient: str
    tune: str
    by: str
    entries: tuple[Ranked, ...]

    @property
    def rows(self) -> tuple[dict[str, Plain], ...]:
        """One row for each activation, the best first: its rank, losses, gains, step and ridge, or the reason."""
        return tuple(
            {"rank": None if entry.reason else place, **entry._asdict()} for place, entry in enumerate(self.entries, 1)
        )

    @property
    def notes(self) -> tuple[str, ...]:
        """Which activations are not ranked, and why."""
        return tuple(f"{entry.activation} is not ranked: {entry.reason}" for entry in self.entries if entry.reason)

    def table(self, full: bool = False) -> Table:
        """Return the table that ``repr`` shows; ``full``, with all digits."""
        shown = ["activation", "test_loss", "test_gain", *([] if self.by in ("test_loss", "test_gain") else [self.by])]
        shown += [] if self.sizes is None else ["eta"]
        edge = Column("", lambda row, full: "at the edge of the range" if row["at_edge"] else "")
        ranked = [row for row in self.rows if row["rank"] is not None]
        seen = *map(column, ("rank", *shown, "ridge")), edge
        return Table(self.title, columns_of(ranked), seen, full, notes=self.notes)

    @property
    def title(self) -> str:
        """The order, and the network or limit."""
        kind = "in the limit" if self.sizes is None else "after one step at"
        return f"Activations by {QUANTITIES[self.by].heading} {kind} {self.subject}, {self.each}"

    @property
    def subject(self) -> str:
        """The size of the network, or the limit."""
        if self.sizes is None:
            return f"ℓ = {self.ell} ({self.network})"
        n, d, N = self.sizes
        return f"n = {n}, d = {d}, N = {N}" + ("" if self.gradient == "residual" else ", on the labels alone")

    @property
    def each(self) -> str:
        """Which step and ridge an activation has."""
        return _EACH[self.tune]

    def _inputs(self) -> Row:
        chosen = ("activation", "ridge") if self.tune in ("both", "ridge") else ("activation",)
        return {name: value for name, value in self.problem.to_dict().items() if name not in chosen}

    def _details(self) -> Row:
        return {
            "sizes": None if self.sizes is None else self.sizes._asdict(),
            "ell": number_data(self.ell),
            **{name: getattr(self, name) for name in ("network", "gradient", "tune", "by")},
        }
