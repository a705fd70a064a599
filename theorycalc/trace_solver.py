"""traces(): m_1, m_2 and their slopes alone, for arrays in float64 or with proven digits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import flint
import numpy as np

from theorycalc.errors import checked_call
from theorycalc.exact import Exact
from theorycalc.numbers import FLOATS, ball
from theorycalc.points import exact_points, float_points, map_exact, map_floats
from theorycalc.prediction import check_digits
from theorycalc.theory.evaluation import Point, ball_traces, float_traces, until_proven
from theorycalc.theory.ridgeless import Case, case_of, ridgeless


@dataclass(frozen=True)
class TraceResult:
    """m_1, m_2, ∂m_1/∂λ and ∂m_2/∂λ, and what they are worth."""

    m1: Any
    m2: Any
    m1_slope: Any
    m2_slope: Any
    guarantee: str  # "rounded" or "enclosed"
    digits: int | None


@checked_call
def traces(*, phi: Any, psi: Any, ridge: Any, c1: Any, c_rest: Any, digits: int | None = None) -> TraceResult:
    """Solve for m_1, m_2 (theory section 3); every argument may be an array.

    >>> result = traces(phi="1/2", psi="2/3", ridge="1/10", c1="1/2", c_rest="3/10")
    >>> round(result.m1, 6), round(result.m2, 6)
    (4.360048, 2.220996)
    >>> print(traces(phi="1/2", psi="2/3", ridge="1/10", c1="1/2", c_rest="3/10", digits=40).m1)
    4.360048
    """
    parameters = {"phi": phi, "psi": psi, "ridge": ridge, "c1": c1, "c_rest": c_rest}
    if digits is None:
        values = map_floats(_float_traces, float_points(parameters), 4)
        return TraceResult(*values, guarantee="rounded", digits=None)
    check_digits(digits)
    values = map_exact(lambda *point: _ball_traces(point, digits), exact_points(parameters), 4, digits)
    return TraceResult(*values, guarantee="enclosed", digits=digits)


def _float_traces(phi: Any, psi: Any, ridge: Any, c1: Any, c_rest: Any) -> Sequence[Any]:
    without = ridge == 0
    if not np.any(without):
        return float_traces(Point(phi, psi, ridge, 0), c1, c_rest)[:4]
    full = np.broadcast_arrays(phi, psi, ridge, c1, c_rest)
    out = [np.empty(full[0].shape) for _ in range(4)]
    case = np.where(full[2] == 0, case_of(FLOATS, full[0], full[1], full[4] == 0), -1)
    for which in np.unique(case):
        chosen = case == which
        some = [x[chosen] for x in full]
        if which < 0:
            values: Sequence[Any] = _float_traces(*some)
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                values = ridgeless(FLOATS, Case(which), some[0], some[1], some[3], some[4])[0]
        for target, value in zip(out, values, strict=False):
            target[chosen] = value
    return out


def _ball_traces(point: Sequence[Exact], digits: int) -> list[flint.arb]:
    phi, psi, ridge, c1, c_rest = point

    def attempt(bits: int) -> Sequence[flint.arb]:
        balls = Point(ball(phi), ball(psi), ball(ridge), ball(Fraction(0)))
        return ball_traces((phi, psi, ridge), balls, ball(c1), ball(c_rest), c_rest, bits)[0][:4]

    return until_proven(attempt, digits)
