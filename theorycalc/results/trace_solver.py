"""traces(): m_1, m_2 and their slopes on their own, for arrays in float64 or with proven digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import flint
import numpy as np

from theorycalc.model.inputs import Inputs, InputsLike, read_inputs
from theorycalc.model.points import exact_points, float_points, map_exact, map_floats
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.balls import ball
from theorycalc.numbers.exact import Exact, NumbersLike, Value, check_digits, is_zero, spell
from theorycalc.results.base import Points, argument
from theorycalc.results.prediction import Overrides
from theorycalc.results.quantities import worth
from theorycalc.results.table import Row, Table, column
from theorycalc.running.budget import more_for, one_budget
from theorycalc.theory.checks import check_exact_inputs, linear_without_ridge
from theorycalc.theory.covariance import InputSpectrum, float_spectrum, in_balls, spectrum_of
from theorycalc.theory.solver import ball_limits, ball_traces, float_limits, float_traces, until_proven

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TRACES = ("m1", "m2", "m1_slope", "m2_slope")


@dataclass(frozen=True, repr=False, eq=False)
class TraceResult(Points):
    """m_1, m_2, ∂m_1/∂λ and ∂m_2/∂λ with their guarantee."""

    kind: ClassVar[str] = "traces"

    parameters: Overrides  # φ, ψ, λ, c_1 and c_{>1}
    m1: Value
    m2: Value
    m1_slope: Value
    m2_slope: Value
    guarantee: str  # "rounded" or "enclosed"
    digits: int | None
    inputs: Inputs | None = None

    def _table(self, full: bool) -> Table:
        title, quality = "m_1, m_2 and their slopes", worth(self.guarantee, self.digits)
        title += "" if self.inputs is None else f" of inputs {self.inputs.words}"
        if self.size == 1:
            return Table(f"{title} ({quality})", self._columns(), None, full)
        varying = [name for name, x in self.parameters.items() if isinstance(x, np.ndarray) and x.size > 1]
        seen = tuple(map(column, (*varying, *_TRACES)))
        return Table(f"{title} at {self.size} points ({quality})", self._columns(), seen, full)

    def _arguments(self) -> Row:
        return {name: argument(value, self.digits is not None) for name, value in self.parameters.items()}

    def _quantities(self) -> Row:
        return {name: getattr(self, name) for name in _TRACES}

    def _inputs(self) -> Row:
        given = {name: spell(value) for name, value in self.parameters.items() if not isinstance(value, np.ndarray)}
        return given if self.inputs is None else given | {"inputs": str(self.inputs)}


@checked_call
@one_budget()
def traces(
    *,
    phi: NumbersLike,
    psi: NumbersLike,
    ridge: NumbersLike,
    c1: NumbersLike,
    c_rest: NumbersLike,
    inputs: InputsLike | None = None,
    digits: int | None = None,
) -> TraceResult:
    """Solve for the traces m_1 and m_2 and their slopes in λ; all but ``inputs`` and ``digits`` may be arrays.

    See docs/theory/traces.md and, for inputs with a covariance, docs/theory/inputs.md#the-equations.

    Returns
    -------
    TraceResult
        m_1, m_2, ∂m_1/∂λ and ∂m_2/∂λ: floats, arrays, or numbers whose digits are proven.

    Raises
    ------
    TheoryError
        An argument is out of its range, or is inexact where digits are to be proven.

    >>> result = traces(phi="1/2", psi="2/3", ridge="1/10", c1="1/2", c_rest="3/10")
    >>> round(result.m1, 6), round(result.m2, 6)
    (4.360048, 2.220996)
    >>> print(traces(phi="1/2", psi="2/3", ridge="1/10", c1="1/2", c_rest="3/10", digits=40).m1)
    4.360047975747133082156591943109209864131
    >>> round(traces(phi="1/2", psi="2/3", ridge="1/10", c1="1/2", c_rest="3/10", inputs="two_level(9, 1/4)").m2, 6)
    1.638153
    """
    given = {"phi": phi, "psi": psi, "ridge": ridge, "c1": c1, "c_rest": c_rest}
    known = read_inputs(inputs)
    if digits is None:
        points = float_points(given)
        _check_linear(known, ridge=points[2], c_rest=points[4])
        spectrum = None if known is None else float_spectrum(known)
        values = map_floats(lambda *point: _float_traces(point, spectrum), points, len(_TRACES))
    else:
        digits = more_for(check_digits(digits))
        check_exact_inputs(known)
        points = exact_points(given)
        _check_linear(known, ridge=points[2], c_rest=points[4])
        values = map_exact(lambda *point: _ball_traces(point, known, digits), points, len(_TRACES), digits)
    parameters, found = dict(zip(given, points, strict=True)), dict(zip(_TRACES, values, strict=True))
    quality = "rounded" if digits is None else "enclosed"
    return TraceResult(parameters, **found, guarantee=quality, digits=digits, inputs=known)


def _check_linear(inputs: Inputs | None, ridge: object, c_rest: object) -> None:
    if inputs is not None and np.any((np.asarray(ridge) == 0) & (np.asarray(c_rest) == 0)):
        raise linear_without_ridge()


def _float_traces(
    point: Sequence[NDArray[np.float64]], spectrum: InputSpectrum | None
) -> Sequence[NDArray[np.float64]]:
    phi, psi, ridge, c1, c_rest = point
    if np.all(ridge > 0):
        return float_traces(phi, psi, ridge, c1, c_rest, spectrum)[:4]
    with np.errstate(divide="ignore", invalid="ignore"):
        return float_limits(*point, spectrum=spectrum)[0][:4]


def _ball_traces(point: Sequence[Exact], inputs: Inputs | None, digits: int) -> list[flint.arb]:
    *sizes, c1, c_rest = point

    def attempt(bits: int) -> Sequence[flint.arb]:
        spectrum = None if inputs is None else spectrum_of(in_balls(inputs))
        if not sizes[2]:
            return ball_limits(sizes[:2], ball(c1), ball(c_rest), is_zero(c_rest), spectrum, bits)[0][:4]
        return ball_traces(sizes, ball(c1), ball(c_rest), bits, spectrum)[:4]

    return until_proven(attempt, digits)
