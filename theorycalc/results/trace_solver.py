"""traces(): m_1, m_2 and their slopes alone, for arrays in float64 or with proven digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import flint
import numpy as np

from theorycalc.errors import checked_call
from theorycalc.model.documented import documented
from theorycalc.model.points import exact_points, float_points, map_exact, map_floats
from theorycalc.numbers.balls import ball
from theorycalc.numbers.exact import Exact, check_digits, is_zero, spell
from theorycalc.results.base import Points, argument
from theorycalc.results.table import MOST_LINES, Table, horizontal, vertical, worth
from theorycalc.theory.engines import ball_limits, ball_traces, float_limits, float_traces, until_proven

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_TRACES = ("m1", "m2", "m1_slope", "m2_slope")


@dataclass(frozen=True, repr=False, eq=False)
class TraceResult(Points):
    """m_1, m_2, ∂m_1/∂λ and ∂m_2/∂λ, and what they are worth."""

    kind: ClassVar[str] = "traces"

    parameters: dict[str, Any]  # φ, ψ, λ, c_1 and c_{>1}
    m1: Any
    m2: Any
    m1_slope: Any
    m2_slope: Any
    guarantee: str  # "rounded" or "enclosed"
    digits: int | None

    def plot(self, ax: Any = None, **style: Any) -> Figure:
        """Draw m_1 and m_2 over the parameter that was given as a list, and return the matplotlib figure.

        ``ax`` is an Axes to draw into; ``style`` are properties of the curves.
        """
        from theorycalc.plots.drawing import draw

        return draw(self, ax=ax, **style)

    def table(self, full: bool = False) -> Table:
        """Return the table that ``repr`` shows; ``full``, with every row and all digits."""
        if self.size == 1:
            return Table(f"m_1, m_2 and their slopes ({worth(self)})", vertical(self.rows[0], full))
        varying = [name for name, value in self.parameters.items() if np.size(value) > 1]
        most = self.size if full else MOST_LINES
        remarks = (f"… {self.size - most} more",) if self.size > most else ()
        title = f"m_1, m_2 and their slopes at {self.size} points ({worth(self)})"
        return Table(title, horizontal([*varying, *_TRACES], self.first(most), full), True, remarks)

    def _arguments(self) -> dict[str, Any]:
        return {name: argument(value, self.digits is not None) for name, value in self.parameters.items()}

    def _quantities(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _TRACES}

    def _inputs(self) -> dict[str, Any]:
        return {name: spell(value) for name, value in self.parameters.items() if np.ndim(value) == 0}


@documented
@checked_call
def traces(*, phi: Any, psi: Any, ridge: Any, c1: Any, c_rest: Any, digits: int | None = None) -> TraceResult:
    """Solve for m_1, m_2 (docs/theory/traces.md); every argument may be an array.

    >>> result = traces(phi="1/2", psi="2/3", ridge="1/10", c1="1/2", c_rest="3/10")
    >>> round(result.m1, 6), round(result.m2, 6)
    (4.360048, 2.220996)
    >>> print(traces(phi="1/2", psi="2/3", ridge="1/10", c1="1/2", c_rest="3/10", digits=40).m1)
    4.360047975747133082156591943109209864131
    """
    given = {"phi": phi, "psi": psi, "ridge": ridge, "c1": c1, "c_rest": c_rest}
    if digits is None:
        points = float_points(given)
        values = map_floats(_float_traces, points, len(_TRACES))
    else:
        digits = check_digits(digits)
        points = exact_points(given)
        values = map_exact(lambda *point: _ball_traces(point, digits), points, len(_TRACES), digits)
    inputs, found = dict(zip(given, points, strict=True)), dict(zip(_TRACES, values, strict=True))
    return TraceResult(inputs, **found, guarantee="rounded" if digits is None else "enclosed", digits=digits)


def _float_traces(phi: Any, psi: Any, ridge: Any, c1: Any, c_rest: Any) -> Sequence[Any]:
    if np.all(ridge > 0):
        return float_traces(phi, psi, ridge, c1, c_rest)[:4]
    with np.errstate(divide="ignore", invalid="ignore"):
        return float_limits(phi, psi, ridge, c1, c_rest)[0][:4]


def _ball_traces(point: Sequence[Exact], digits: int) -> list[flint.arb]:
    *sizes, c1, c_rest = point

    def attempt(bits: int) -> Sequence[flint.arb]:
        if not sizes[2]:
            return ball_limits(sizes[:2], ball(c1), ball(c_rest), is_zero(c_rest))[0][:4]
        return ball_traces(sizes, ball(c1), ball(c_rest), bits)[:4]

    return until_proven(attempt, digits)
