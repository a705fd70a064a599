"""The value of a tree as a ball, on a complex box, and on an interval of x.

Intervals show that a denominator stays away from 0, that tanh, 1/(1 + x²) or e^{−|x|} stay bounded, and how large a
root is next to its zero.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import flint
from flint import arb

from theorycalc.functions.primitives import Ball, BallFunction, Primitive, off_cut
from theorycalc.functions.tree import Branch, Constant, Interpretation, Rational, Tree, Variable, is_constant
from theorycalc.numbers.balls import ball_precision, nearest_float
from theorycalc.numbers.systems import BALLS
from theorycalc.running.budget import check

_PRECISIONS = (64, 256, 1024)
_FLOAT_BITS = 128
_INTERVAL_BITS = 64
_MOST_BOXES = 300
_INFINITY = arb.pos_inf()


class _Balls(Interpretation[Ball]):
    """Arb at the current precision: real balls, and complex boxes, where a finite value proves analyticity."""

    def rational(self, value: Fraction) -> flint.arb:
        return BALLS.rational(value)

    def constant(self, name: str) -> flint.arb:
        return arb.pi() if name == "pi" else arb.const_e()

    def power(self, exponent: Fraction) -> BallFunction:
        """Return the function that raises to an exponent; fractional ones need a base ≥ 0, or a box off its cut."""
        if exponent.denominator == 1:
            whole = exponent.numerator
            return (lambda z: z**whole) if whole >= 0 else (lambda z: 1 / z**-whole)
        ratio = BALLS.rational(exponent)

        def power(z: Ball) -> Ball:
            if isinstance(z, arb):
                return z.sqrt() ** exponent.numerator if exponent.denominator == 2 else z**ratio
            return (off_cut(z).log() * ratio).exp()

        return power

    def function(self, row: Primitive) -> BallFunction:
        return row.ball

    def where(self, condition: Ball, strict: bool, then: Branch[Ball], otherwise: Branch[Ball]) -> Ball:
        """Return the branch that the condition chooses, or both branches joined if it is undecided on the ball."""
        if condition > 0 or (condition >= 0 and not strict):
            return then()
        if condition < 0 or (condition <= 0 and strict):
            return otherwise()
        return then().union(otherwise())  # pragma: no cover - pieces() resolves where() first

    def compiled(self, tree: Tree) -> BallFunction:
        function = super().compiled(tree)
        if isinstance(tree, Variable | Rational | Constant) or not is_constant(tree):
            return function
        value = function(None)
        return lambda x: value


BALL = _Balls()
#: A tree as a function of real balls and complex boxes; its constants have the current precision.
compiled = BALL.compiled


def ball_of(tree: Tree, x: flint.arb | None = None) -> flint.arb:
    """Return an enclosure of the tree's value at the ball ``x``, at the current precision.

    It is not finite where the value is not shown to be.

    >>> with ball_precision(64):
    ...     print(ball_of(Constant("pi")).str(5))
    [3.1416 +/- 7.35e-6]
    """
    value: flint.arb = compiled(tree)(arb.nan() if x is None else x)
    return value


def float_of(tree: Tree) -> float:
    """Return the float64 nearest to a tree without x.

    >>> float_of(Constant("pi"))
    3.141592653589793
    """
    with ball_precision(_FLOAT_BITS):
        return nearest_float(ball_of(tree), "a constant")


def constant_sign(tree: Tree, x: Fraction | None = None) -> int | None:
    """Return the sign −1, 0 or 1 of a tree without x, or of a tree at a point ``x``, or None if it is undecided.

    >>> from theorycalc.functions.grammar import parse
    >>> constant_sign(parse("pi - 22/7")), constant_sign(parse("sin(pi)"))
    (-1, None)
    """
    if isinstance(tree, Rational):
        return (tree.value > 0) - (tree.value < 0)
    for bits in _PRECISIONS:
        with ball_precision(bits):
            value = ball_of(tree, None if x is None else BALLS.rational(x))
            if value > 0:
                return 1
            if value < 0:
                return -1
            if value.is_exact() and value == 0:
                return 0  # pragma: no cover - no known formula reaches it
    return None


@dataclass(frozen=True)
class Interval:
    """All numbers from ``low`` to ``high``; each end is an exact number, or exactly ∞ or −∞.

    The sum of two intervals contains every sum of their numbers, and the product every product.
    """

    low: flint.arb
    high: flint.arb

    @classmethod
    def outward(cls, low: flint.arb, high: flint.arb) -> Interval:
        """Return the interval from the lower end of one ball to the upper end of another."""
        if low.is_nan() or high.is_nan():
            return WHOLE
        # A value that overflows is a ball without bounds, of no sign: as an end it is infinite, away from the interval.
        below = low.lower() if low.is_finite() else (_INFINITY if low > 0 else -_INFINITY)
        above = high.upper() if high.is_finite() else (-_INFINITY if high < 0 else _INFINITY)
        return cls(below, above)

    def is_bounded(self) -> bool:
        """Return True if both ends are finite."""
        return bool(self.low.is_finite() and self.high.is_finite())

    def magnitude(self) -> flint.arb:
        """Return the largest absolute value in the interval."""
        return abs(self.low).max(abs(self.high))

    def distance_from_zero(self) -> flint.arb:
        """Return the smallest absolute value in the interval, 0 if it contains 0."""
        if self.low > 0:
            return self.low
        return -self.high if self.high < 0 else arb(0)

    def absolute(self) -> Interval:
        """Return the interval of absolute values."""
        return Interval(self.distance_from_zero(), self.magnitude())

    def __add__(self, other: Interval) -> Interval:
        return Interval.outward(self.low + other.low, self.high + other.high)

    def __mul__(self, other: Interval) -> Interval:
        ends = [_times(a, b) for a in (self.low, self.high) for b in (other.low, other.high)]
        return Interval.outward(functools.reduce(arb.min, ends), functools.reduce(arb.max, ends))


WHOLE = Interval(-_INFINITY, _INFINITY)


def _times(a: flint.arb, b: flint.arb) -> flint.arb:
    # The product of the end 0 with an infinite end is 0: the infinite end itself is never a value.
    return arb(0) if a == 0 or b == 0 else a * b


class _Intervals(Interpretation[Interval]):
    """Intervals that contain every value; the whole line where a tree may be undefined."""

    def __init__(self, is_real: bool) -> None:
        self._is_real = is_real  # so that no base of a root is negative

    def rational(self, value: Fraction) -> Interval:
        ball = BALL.rational(value)
        return Interval.outward(ball, ball)

    def constant(self, name: str) -> Interval:
        ball = BALL.constant(name)
        return Interval.outward(ball, ball)

    def power(self, exponent: Fraction) -> Callable[[Interval], Interval]:
        if exponent < 0:
            raised = self.power(-exponent)
            return lambda base: _reciprocal(raised(base))
        if exponent.denominator != 1:
            return functools.partial(self._root, exponent)
        even = exponent.numerator % 2 == 0
        return lambda base: _monotone(BALL.power(exponent), base.absolute() if even else base)

    def _root(self, exponent: Fraction, base: Interval) -> Interval:
        if base.low < 0 and not self._is_real:
            return WHOLE
        return _monotone(BALL.power(exponent), Interval(base.low.max(arb(0)), base.high.max(arb(0))))

    def function(self, row: Primitive) -> Callable[[Interval], Interval]:
        return functools.partial(_range_of_primitive, row)

    def where(self, condition: Interval, strict: bool, then: Branch[Interval], otherwise: Branch[Interval]) -> Interval:
        if condition.low > 0 or condition.high < 0:
            return then() if condition.low > 0 else otherwise()
        a, b = then(), otherwise()
        return Interval(a.low.min(b.low), a.high.max(b.high))


def _monotone(power: BallFunction, base: Interval) -> Interval:
    low, high = (end if not end.is_finite() or end == 0 else power(end) for end in (base.low, base.high))
    return Interval.outward(low, high)


def _reciprocal(values: Interval) -> Interval:
    if values.low > 0 or values.high < 0:
        low, high = (1 / end if end.is_finite() else arb(0) for end in (values.high, values.low))
        return Interval.outward(low, high)
    return Interval(arb(0), _INFINITY) if values.low >= 0 else WHOLE


def _range_of_primitive(row: Primitive, u: Interval) -> Interval:
    """Return the range of a primitive on an interval: from its ends where the primitive is monotone, else by a ball."""
    least, most = map(arb, row.values)
    if not row.monotone:  # sin and cos
        found = row.ball(u.low.union(u.high)) if u.is_bounded() else arb.nan()
        low = high = found
    else:
        if row.parity == "even":
            u = u.absolute()
        begin, end = row.domain
        if not u.high > begin or (end < math.inf and not (u.low > begin and u.high < end)):  # undefined, or a pole
            return WHOLE
        limits = (least, most) if row.monotone > 0 else (most, least)
        low, high = (_at(row, point, limits) for point in (u.low, u.high)[:: row.monotone])
    values = Interval.outward(low, high)
    return Interval(values.low.max(least), values.high.min(most))


def _at(row: Primitive, point: flint.arb, limits: tuple[flint.arb, flint.arb]) -> flint.arb:
    """Return the value at a point, or the limit at an infinite end or where the domain begins."""
    if not point.is_finite():
        return limits[point > 0]
    return row.ball(point) if point > row.domain[0] else limits[0]


_INTERVALS = {is_real: _Intervals(is_real) for is_real in (False, True)}


def range_of(tree: Tree, x: Interval, is_real: bool = False) -> Interval:
    """Return an interval that contains the tree's values for all x of an interval, at the current precision.

    Where the tree may be undefined that is the whole line, unless the tree is known to be real for these x.

    >>> from theorycalc.functions.grammar import parse
    >>> values = range_of(parse("tanh"), beyond(1, arb(3)))
    >>> print(values.low.str(5, radius=False), values.high)
    0.99505 1.00000000000000
    """
    return _INTERVALS[is_real].compiled(tree)(x)


def beyond(side: int, start: flint.arb) -> Interval:
    """Return side·x ≥ start as an interval, for side ±1.

    >>> print(beyond(-1, arb(2)).high)
    -2.00000000000000
    """
    return Interval(start.lower(), _INFINITY) if side > 0 else Interval(-_INFINITY, (-start).upper())


def proven_sign(tree: Tree, x: Interval) -> int | None:
    """Return 1 if the tree is shown to be positive on the whole interval, −1 if negative, and None otherwise.

    >>> from theorycalc.functions.grammar import parse
    >>> proven_sign(parse("1 + x**2 + sin(x)"), WHOLE), proven_sign(parse("x"), WHOLE)
    (1, None)
    """
    sign = 0
    with ball_precision(_INTERVAL_BITS):
        values = _INTERVALS[False].compiled(tree)
        cuts = [x.low, *(c for c in map(arb, (-8, 0, 8)) if x.low < c < x.high), x.high]
        boxes = [Interval(a, b) for a, b in itertools.pairwise(cuts)]
        for _ in range(_MOST_BOXES):
            if not boxes:
                return sign
            check()
            box = boxes.pop()
            found = values(box)
            if found.low > 0 or found.high < 0:
                here = 1 if found.low > 0 else -1
                if sign and sign != here:
                    return None  # pragma: no cover - no known formula reaches it
                sign = here
            else:
                middle = _middle(box)
                boxes += [Interval(box.low, middle), Interval(middle, box.high)]
    return None


def _middle(box: Interval) -> flint.arb:
    """Return a point inside an interval; towards infinity the distances double."""
    if not box.low.is_finite():
        return (2 * box.high - 8).mid()
    if not box.high.is_finite():
        return (2 * box.low + 8).mid()
    return ((box.low + box.high) / 2).mid()
