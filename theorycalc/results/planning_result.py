"""The best choice that a search has found: a ridge, a step, or both."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from theorycalc.model.problem import Problem
from theorycalc.results.base import Result
from theorycalc.results.quantities import INPUTS
from theorycalc.results.step_result import FiniteStep
from theorycalc.results.table import Row, Table, columns_of
from theorycalc.results.values import Plain, shown

_CHOICES = {"ridge": "ridge", "eta": "step"}


class Search(NamedTuple):
    """Where a function is least, whether that is at the edge, and its values on the grid."""

    place: float
    at_edge: bool
    grid: NDArray[np.float64]
    values: NDArray[np.float64]


@dataclass(frozen=True, repr=False, eq=False)
class Best(Result):
    """A choice that minimises the predicted test loss; ``at_edge`` says that the range searched ended there."""

    kind: ClassVar[str] = "best"
    dimension: ClassVar[str | None] = None

    ridge: float
    alpha: float
    eta: float
    test_loss: float
    test_gain: float
    train_gain: float
    at_edge: bool
    larger_hurts: bool | None  # of a step: whether larger ones make the test loss worse again
    searched: tuple[float, float]
    chosen: tuple[str, ...]  # "ridge", "eta" or both, that first over whose values the losses are
    step: FiniteStep  # at the choice, with all its losses
    grid: tuple[float, ...]  # the values tried first, from which the search went on
    losses: tuple[float, ...]  # their test losses

    @property
    def over(self) -> str:
        """The parameter over whose values the losses are: "ridge" or "eta"."""
        return self.chosen[0]

    @property
    def problem(self) -> Problem:
        """The problem with its sizes."""
        return self.step.problem

    @property
    def n(self) -> int:
        """The number of samples."""
        return self.step.sizes.n

    @property
    def notes(self) -> tuple[str, ...]:
        """How the numbers were made, and what to mind."""
        return self.step.notes

    @property
    def guarantee(self) -> str:
        """How good the arithmetic is: "rounded" (float64) or "estimated" (from estimated c_k)."""
        return self.step.guarantee

    @property
    def rows(self) -> tuple[dict[str, Plain], ...]:
        """One dictionary: the row of the step at the choice, with ``at_edge`` and ``larger_hurts``."""
        (row,) = self.step.rows
        return (row | {"alpha": self.alpha, "at_edge": self.at_edge, "larger_hurts": self.larger_hurts},)

    def table(self, full: bool = False) -> Table:
        """Return the table that ``repr`` shows; ``full``, with all digits."""
        shown_step = self.step.table(full)
        symbol = INPUTS[self.over].symbol
        low, high = (shown(edge, full) for edge in self.searched)
        ends = "the minimum is at the edge of it" if self.at_edge else "the minimum is inside"
        hurts = {True: "a larger step is worse", False: "no larger step in the range is worse", None: None}
        words = [f"searched {symbol} from {low} to {high}: {ends}", hurts[self.larger_hurts]]
        names = " and ".join(_CHOICES[name] for name in self.chosen)
        values = ", ".join(f"{INPUTS[name].symbol} = {shown(getattr(self, name), full)}" for name in self.chosen)
        title = f"Best {names}, {values}. {shown_step.title}"
        remarks = (*filter(None, words), *shown_step.remarks)
        return replace(shown_step, title=title, data=columns_of(self.rows), remarks=remarks)

    def _inputs(self) -> Row:
        return self.step._inputs()

    def _details(self) -> Row:
        return {"over": self.over, "chosen": list(self.chosen), "searched": list(self.searched)}


def best_of(
    found: FiniteStep, chosen: tuple[str, ...], search: Search, hurts: bool | None, searched: tuple[float, float]
) -> Best:
    """Return a step as the best that a search has found."""
    eta = float(found.eta)
    return Best(
        ridge=float(found.ridge),
        alpha=math.log(eta) / math.log(found.sizes.n) if eta > 0 else -math.inf,
        eta=eta,
        test_loss=float(found.test_loss),
        test_gain=float(found.test_gain),
        train_gain=float(found.train_gain),
        at_edge=search.at_edge,
        larger_hurts=hurts,
        searched=searched,
        chosen=chosen,
        step=found,
        grid=tuple(np.exp(search.grid).tolist()),
        losses=tuple(np.asarray(search.values, dtype=float).tolist()),
    )
