"""Ranges: an interval that contains every value of a tree over an interval of x.

Ends are floats, rounded outward; ±∞ are ends like others.
"""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import flint

from theorycalc.functions.constants import BALL_FUNCTIONS, ball_of, power_ball
from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable, Where
from theorycalc.numbers.balls import ball_precision

_INF = math.inf
_LARGE = 2.0**1000
_BITS = 64
_MOST_BOXES = 300


class Interval(NamedTuple):
    """All numbers from ``low`` to ``high``."""

    low: float
    high: float


WHOLE = Interval(-_INF, _INF)

#: Limits of the monotone primitives at −∞ and ∞.
_MONOTONE = {
    "exp": (0.0, _INF),
    "sinh": (-_INF, _INF),
    "tanh": (-1.0, 1.0),
    "atan": (-1.5707963267948968, 1.5707963267948968),
    "asinh": (-_INF, _INF),
    "erf": (-1.0, 1.0),
    "erfc": (2.0, 0.0),
    "sigmoid": (0.0, 1.0),
    "softplus": (0.0, _INF),
    "sign": (-1.0, 1.0),
    "step": (0.0, 1.0),
}


def range_of(tree: Tree, x: Interval) -> Interval:
    """Return an interval that contains the tree's values for all x of an interval; WHOLE where it may be undefined.

    >>> from theorycalc.functions.grammar import parse
    >>> range_of(parse("1 + x**2"), WHOLE).low > 0.99
    True
    """
    with ball_precision(_BITS):
        return _range(tree, x)


def _range(tree: Tree, x: Interval) -> Interval:
    match tree:
        case Variable():
            return x
        case Rational() | Constant():
            return _outward(ball_of(tree))
        case Sum(terms):
            total = Interval(0.0, 0.0)
            for term in terms:
                total = _plus(total, _range(term, x))
            return total
        case Product(factors):
            result = Interval(1.0, 1.0)
            for factor in factors:
                result = _times(result, _range(factor, x))
            return result
        case Power(base, exponent):
            return _power(_range(base, x), tree) if exponent else Interval(1.0, 1.0)
        case Call(function, argument):
            return _call(function, _range(argument, x))
        case Where(left, comparison, right, then, otherwise):  # pragma: no branch - no other kind of tree
            difference = _plus(_range(left, x), _times(Interval(-1.0, -1.0), _range(right, x)))
            upward = comparison in (">", ">=")
            if difference.low > 0:
                return _range(then if upward else otherwise, x)
            if difference.high < 0:
                return _range(otherwise if upward else then, x)
            a, b = _range(then, x), _range(otherwise, x)
            return Interval(min(a.low, b.low), max(a.high, b.high))


def _outward(value: flint.arb) -> Interval:
    if not value.is_finite():
        return WHOLE
    return Interval(_down(_float_below(value.lower())), _up(-_float_below(-value.upper())))


def _float_below(value: flint.arb) -> float:
    """Return a float that is not above an exact number, up to the rounding that follows."""
    if abs(value) > flint.arb(2) ** 1000:
        return _LARGE if value > 0 else -_INF
    return float(value)


def _down(value: float) -> float:
    # An end at +∞ came from overflow: the largest float is still below it.
    return math.nextafter(value, -_INF)


def _up(value: float) -> float:
    return math.nextafter(value, _INF)


def _plus(a: Interval, b: Interval) -> Interval:
    low, high = a.low + b.low, a.high + b.high
    exact = 0.0 in (a.low, b.low), 0.0 in (a.high, b.high)  # adding zero rounds nothing
    return Interval(low if exact[0] else _down(low), high if exact[1] else _up(high))


def _times(a: Interval, b: Interval) -> Interval:
    if (1.0, 1.0) in (a, b):  # exact
        return b if a == (1.0, 1.0) else a
    ends = [0.0 if 0.0 in (p, q) else p * q for p in a for q in b]
    low, high = min(ends), max(ends)
    return Interval(low if low == 0 and a.low >= 0 and b.low >= 0 else _down(low), _up(high))


def _power(base: Interval, tree: Power) -> Interval:
    exponent = tree.exponent
    if exponent < 0:
        inner = _power(base, Power(tree.base, -exponent))
        if inner.low <= 0 <= inner.high:
            return Interval(0.0, _INF) if inner.low >= 0 else WHOLE
        return Interval(_down(1 / inner.high), _up(1 / inner.low))
    if exponent.denominator != 1 and base.low < 0:
        return WHOLE
    even = exponent.denominator == 1 and exponent.numerator % 2 == 0
    low, high = base
    if even:
        low, high = (0.0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    return Interval(_end_power(low, tree, 0), _end_power(high, tree, 1))


def _end_power(end: float, tree: Power, side: int) -> float:
    if end == 0 or math.isinf(end):
        return end
    return _outward(power_ball(flint.arb(end), tree.exponent))[side]


def _call(function: str, u: Interval) -> Interval:
    if function in _MONOTONE:
        limits = _MONOTONE[function]
        left, right = (_end(function, end, limits) for end in u)
        low, high = (left, right) if limits[0] < limits[1] else (right, left)
        least, most = min(limits), max(limits)
        return Interval(max(low.low, least), min(high.high, most))
    if function == "abs":
        return Interval(0.0 if u.low <= 0 <= u.high else min(map(abs, u)), max(map(abs, u)))
    if function == "log":
        return Interval(_call_end("log", u.low).low if u.low > 0 else -_INF, _call_end("log", u.high).high)
    if function == "cosh":
        far, near = max(map(abs, u)), 0.0 if u.low <= 0 <= u.high else min(map(abs, u))
        return Interval(max(1.0, _call_end("cosh", near).low), _call_end("cosh", far).high)
    if function == "tan":
        inside = u.low > -1.57 and u.high < 1.57
        return Interval(_call_end("tan", u.low).low, _call_end("tan", u.high).high) if inside else WHOLE
    if u.high - u.low > 6:  # sin and cos
        return Interval(-1.0, 1.0)
    found = _outward(BALL_FUNCTIONS[function](flint.arb(u.low).union(flint.arb(u.high))))
    return Interval(max(-1.0, found.low), min(1.0, found.high))


def _end(function: str, end: float, limits: tuple[float, float]) -> Interval:
    if math.isinf(end):
        limit = limits[end > 0]
        return Interval(limit, limit)
    return _call_end(function, end)


def _call_end(function: str, end: float) -> Interval:
    if math.isinf(end):
        return Interval(end, end)  # log, cosh at ∞
    if function in ("sign", "step"):
        value = math.copysign(1.0, end) if end else 0.0
        return Interval(value, value) if function == "sign" else Interval((1 + value) / 2, (1 + value) / 2)
    return _outward(BALL_FUNCTIONS[function](flint.arb(end)))


def proven_sign(tree: Tree, x: Interval) -> int | None:
    """Return 1 if the tree is shown to be positive on all of the interval, −1 if negative, else None.

    >>> from theorycalc.functions.grammar import parse
    >>> proven_sign(parse("1 + x**2 + sin(x)"), WHOLE), proven_sign(parse("x"), WHOLE)
    (1, None)
    """
    boxes = _first_boxes(x)
    sign = 0
    for _ in range(_MOST_BOXES):
        if not boxes:
            return sign
        box = boxes.pop()
        low, high = range_of(tree, box)
        if low > 0 or high < 0:
            here = 1 if low > 0 else -1
            if sign and sign != here:
                return None  # pragma: no cover - no known formula reaches it
            sign = here
        else:
            boxes += _halves(box)
    return None


def _first_boxes(x: Interval) -> list[Interval]:
    cuts = [x.low, *(c for c in (-8.0, 0.0, 8.0) if x.low < c < x.high), x.high]
    return [Interval(a, b) for a, b in itertools.pairwise(cuts)]


def _halves(box: Interval) -> list[Interval]:
    if math.isinf(box.low):
        middle = 2 * box.high - 8
    elif math.isinf(box.high):
        middle = 2 * box.low + 8
    else:
        middle = box.low / 2 + box.high / 2
    return [Interval(box.low, middle), Interval(middle, box.high)]
