"""Solving the balance of :mod:`theorycalc.theory.traces`: algorithms, no formula.

Newton's method started above the root comes down to it monotonically, because G is
increasing and convex there: there is no bracket to keep and no case that fails.
"""

from __future__ import annotations

import flint

from theorycalc.errors import PrecisionError, spelled
from theorycalc.numbers.balls import ball_precision
from theorycalc.numbers.systems import BALLS, FLOATS, SCALARS, Number, NumberSystem
from theorycalc.theory.traces import Balance, balance, start

_SMALL_STEP = 1e-8  # a smaller relative step leaves an error below its square: rounding
_MOST_STEPS = 100  # about 7 are needed
_FIRST_BITS = 49  # what the float64 root is good to
_FEW_BITS = 400  # up to here a lower precision saves nothing
_FLOAT_RANGE = 1e60


def solve_floats(equation: Balance) -> Number:
    """Return the root of the balance in float64, for all points of the arrays at once.

    >>> float(solve_floats(Balance(gap=0.0, room=1.0, excess=0.0, phi=1.0, a=1.0, b=1.0, wide=True)))
    0.5187900636758842
    """
    return _newton(FLOATS, equation)


def _newton(ns: NumberSystem, equation: Balance) -> Number:
    y = start(ns, equation)
    for _ in range(_MOST_STEPS):
        value, slope = balance(y, equation)
        step = value / slope
        y = y - step
        if ns.all(step <= _SMALL_STEP * y):
            return y
    raise PrecisionError(  # pragma: no cover - no known problem reaches it
        f"m_1 did not settle; use {spelled('digits')} for this problem"
    )


def enclose_root(equation: Balance, bits: int) -> flint.arb:
    """Return a ball around the root of the balance, proven by one interval Newton step.

    Newton's map sends the ball Y strictly into itself, so G has exactly one zero in Y,
    for every value of the coefficients within their balls; and G has one positive zero.
    The step also doubles the digits, so that Y need only be half as narrow as the result.
    """
    y, right = _approximate(equation, bits // 2 - 8)
    value, _ = balance(y, equation)
    radius = y / (1 << right)
    for _ in range(4):
        candidate = flint.arb(y, radius)
        _, slope = balance(candidate, equation)
        image: flint.arb = y - value / slope
        if slope > 0 and candidate.contains_interior(image):
            return image
        radius *= 2**16
    return flint.arb.nan()  # the coefficients are too wide: more bits are needed


def _approximate(equation: Balance, bits: int) -> tuple[flint.arb, int]:
    """Newton's method at a precision that doubles with the digits that are right."""
    y, right = flint.arb(_rough(equation)), _FIRST_BITS
    while right < bits:
        right = min(2 * right - 3, bits)
        if bits < _FEW_BITS:
            value, slope = balance(y, equation)
            y = (y - value / slope).mid()
        else:
            with ball_precision(right + 12):
                value, slope = balance(y, _rounded(equation))
                y = (y - value / slope).mid()
    return y, right


def _rough(equation: Balance) -> float | flint.arb:
    """Return the root to about float64 precision, by floats where their range allows it."""
    gap, room, excess, phi, a, b = floats = [float(x.mid()) for x in equation[:-1]]
    zeros = [x == 0 for x in equation[:-1]]
    if all(is_zero or 1 / _FLOAT_RANGE < abs(x) < _FLOAT_RANGE for x, is_zero in zip(floats, zeros, strict=True)):
        return float(_newton(SCALARS, Balance(gap, room, excess, phi, a, b, equation.wide)))
    with ball_precision(64):
        root: flint.arb = _newton(BALLS, _rounded(equation))
        return root.mid()


def _rounded(equation: Balance) -> Balance:
    """Return the midpoints of the coefficients, rounded to the current precision."""
    gap, room, excess, phi, a, b = ((+x).mid() for x in equation[:-1])
    return Balance(gap, room, excess, phi, a, b, equation.wide)
