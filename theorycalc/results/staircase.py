"""staircase(): the gains of every window ℓ = 0, 1, 2, … of one problem, and their ceiling ℓ → ∞.

See docs/theory/training_gain.md#the-staircase-and-its-ceiling.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.model.enclosed import HIGHEST_INDEX
from theorycalc.model.enums import NetworkKind
from theorycalc.model.figures import draw
from theorycalc.model.problem import Problem, check_problem
from theorycalc.model.requirements import Condition
from theorycalc.model.signatures import checked_call
from theorycalc.model.spikes import read_ell
from theorycalc.numbers.exact import is_array, listed, whole
from theorycalc.results.base import Result
from theorycalc.results.prediction import Prediction, Window, predict, unmet_conditions, which_limit
from theorycalc.results.quantities import AFTER, CLEAN_AFTER, TRAINING, Plain, worth
from theorycalc.results.table import Column, Row, Table, column
from theorycalc.running.budget import one_budget
from theorycalc.running.terminal import progress

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from theorycalc.results.step_result import FiniteStep

_BAR = 24  # letters of the longest bar


@dataclass(frozen=True, repr=False, eq=False)
class Staircase(Result):
    """The gains of each window: predictions for ℓ = 0, 1, … or a list of ℓ, and for ℓ = ∞ if that limit exists."""

    kind: ClassVar[str] = "staircase"
    dimension: ClassVar[str | None] = "ell"

    problem: Problem
    predictions: tuple[Prediction, ...]
    ceiling: Prediction | None
    notes: tuple[str, ...]

    @property
    def rows(self) -> tuple[dict[str, Plain], ...]:
        """The rows of the predictions, one for each ℓ; the last is that of the ceiling, if there is one."""
        return tuple(row for prediction in self._steps for row in prediction.rows)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """Every condition of the theorems with its state, for the last finite ℓ."""
        return self.predictions[-1].conditions

    @property
    def guarantee(self) -> str:
        """The arithmetic guarantee: "rounded" (float64), "enclosed" (proven by balls) or "estimated"."""
        return self.predictions[0].guarantee

    @property
    def digits(self) -> int | None:
        """The number of proven digits."""
        return self.predictions[0].digits

    @property
    def _steps(self) -> tuple[Prediction, ...]:
        return self.predictions if self.ceiling is None else (*self.predictions, self.ceiling)

    def _inputs(self) -> Row:
        return self.predictions[0]._inputs()

    def _table(self, full: bool) -> Table:
        first, last = self.predictions[0], self.predictions[-1]
        title = f"{which_limit(first)} in every window ℓ of the step ({worth(first.guarantee, first.digits)})"
        data = self._columns()
        clean = (name for name in CLEAN_AFTER if name in data)
        seen = *map(column, ("ell", "spikes", *AFTER, *clean)), self._bars()
        return Table(title, data, seen, full, (TRAINING,), unmet_conditions(last), self.notes)

    def _bars(self) -> Column:
        """Return the column of bars, the longest for the largest test gain."""
        gains: dict[object, float] = {p.ell: float(p.test_gain) for p in self._steps}
        largest = max(gains.values())

        def bar(row: Row, full: bool) -> str:
            gain = gains[row["ell"]]
            share = float(gain == largest) if math.isinf(largest) else gain / (largest or 1.0)
            return "█" * round(_BAR * share)

        return Column("share of the largest test gain", bar)

    def plot(
        self, ax: object = None, *, step: FiniteStep | None = None, literal: Staircase | None = None, **style: object
    ) -> Figure:
        """Draw the gains against ℓ with their ceiling, and return the matplotlib figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Axes to draw into.
        step : FiniteStep, optional
            A finite step of several α, drawn as a curve.
        literal : Staircase, optional
            The limits of literal networks, ``tc.staircase(problem, network="literal")``, drawn dash-dotted.
        style : optional
            Properties of the stairs.
        """
        return draw(self, ax=ax, step=step, literal=literal, **style)


@checked_call
@one_budget()
def staircase(
    problem: Problem,
    ell: Window | Sequence[Window] = 6,
    *,
    digits: int | None = None,
    network: str = NetworkKind.THEOREM,
    gradient: str | None = None,
) -> Staircase:
    """Predict the gains for ℓ = 0, …, ``ell``, and for ℓ = ∞ if that limit exists.

    Parameters
    ----------
    ell : int or sequence, default 6
        The last ℓ ≥ 0, or a list of ℓ to predict alone: ``[1, 2, 4]``, or ``[1, 2, "inf"]`` with the ceiling.
    gradient : {"residual", "labels"}, optional
        As in :func:`predict`.

    Returns
    -------
    Staircase
        One prediction for each ℓ, and that of ℓ = ∞ as ``ceiling``.

    >>> problem = Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", noise="1/2")
    >>> stairs = staircase(problem, 2)
    >>> [round(p.test_gain, 6) for p in stairs.predictions], round(stairs.ceiling.test_gain, 6)
    ([0.0, 0.241765, 0.44187], 0.541923)
    >>> [row["ell"] for row in staircase(problem, ell=[1, 4]).rows]
    [1, 4]
    """
    check_problem(problem, "staircase")
    ells, has_ceiling = _windows(ell)

    def predicted(window: Window) -> Prediction:
        return predict(problem, ell=window, digits=digits, network=network, gradient=gradient)

    predictions = tuple(map(predicted, progress(ells, len(ells), "predicting")))
    notes = predictions[-1].notes
    if has_ceiling is False:
        return Staircase(problem, predictions, None, notes)
    try:
        ceiling = predicted("inf")
    except (DomainError, PrecisionError) as error:
        if has_ceiling:
            raise
        return Staircase(problem, predictions, None, (*notes, f"no ceiling ℓ = ∞: {error}"))
    return Staircase(problem, predictions, ceiling, tuple(dict.fromkeys((*notes, *ceiling.notes))))


def _windows(ell: Window | Sequence[Window]) -> tuple[list[int], bool | None]:
    """Return the finite ℓ in increasing order, and whether ℓ = ∞ is requested, or None if its existence decides."""
    if not is_array(ell, "ell"):
        wanted = f"the last ℓ, a whole number from 0 to {HIGHEST_INDEX}, or a list such as [1, 2, 'inf']"
        last = whole(ell, "ell", wanted, 0, HIGHEST_INDEX, typed=True)
        return list(range(last + 1)), None
    asked = {read_ell(each) for each in listed(ell, "ell")}
    finite = sorted(int(each) for each in asked if each != math.inf)
    if not finite or finite[-1] > HIGHEST_INDEX:
        reason = f"{spelled('ell', ell)}: a staircase needs at least one finite ℓ, and none above {HIGHEST_INDEX}"
        raise DomainError(reason, argument="ell")
    return finite, math.inf in asked
