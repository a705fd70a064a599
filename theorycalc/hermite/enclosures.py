"""The range of an expression on an interval of the real line whose ends may be infinite.

Structural interval arithmetic, used to see that far out a denominator stays away from 0 and that tanh,
1/(1 + x²) or e^{−|x|} stay bounded, and how large a root is next to its zero.  Where nothing is known the range
is the whole line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import flint
from flint import arb

from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable
from theorycalc.hermite.boxes import FUNCTIONS, compiled

_INFINITY = arb.pos_inf()


@dataclass(frozen=True)
class Range:
    """All values lie between ``low`` and ``high``; each is an exact number, or exactly ∞ or −∞."""

    low: flint.arb
    high: flint.arb

    def is_bounded(self) -> bool:
        """Whether both ends are finite."""
        return bool(self.low.is_finite() and self.high.is_finite())

    def magnitude(self) -> flint.arb:
        """Return the largest absolute value."""
        return abs(self.low).max(abs(self.high))

    def distance_from_zero(self) -> flint.arb:
        """Return the smallest absolute value, 0 if the range may contain 0."""
        if self.low > 0:
            return self.low
        return -self.high if self.high < 0 else arb(0)


_LINE = Range(-_INFINITY, _INFINITY)


def _outward(low: flint.arb, high: flint.arb) -> Range:
    if low.is_nan() or high.is_nan():
        return _LINE
    # A value that overflows is a ball without bounds, of no sign: as an end it is infinite, away from the range.
    below = low.lower() if low.is_finite() else (_INFINITY if low > 0 else -_INFINITY)
    above = high.upper() if high.is_finite() else (-_INFINITY if high < 0 else _INFINITY)
    return Range(below, above)


def beyond(side: int, start: flint.arb) -> Range:
    """Return side·x ≥ start as a range, for side ±1.

    >>> print(beyond(-1, arb(2)).high)
    -2.00000000000000
    """
    return Range(start.lower(), _INFINITY) if side > 0 else Range(-_INFINITY, (-start).upper())


def range_of(tree: Tree, x: Range) -> Range:
    """Return an interval with all values of a tree without Where for x in a range.

    >>> values = range_of(Call("tanh", Variable()), beyond(1, arb(3)))
    >>> print(values.low.str(5, radius=False), values.high)
    0.99505 1.00000000000000
    """
    if isinstance(tree, Variable):
        return x
    if isinstance(tree, Rational | Constant):
        value = compiled(tree)(arb(0))
        return _outward(value, value)
    if isinstance(tree, Sum):
        parts = [range_of(term, x) for term in tree.terms]
        total = parts[0]
        for part in parts[1:]:
            total = _outward(total.low + part.low, total.high + part.high)
        return total
    if isinstance(tree, Product):
        parts = [range_of(factor, x) for factor in tree.factors]
        total = parts[0]
        for part in parts[1:]:
            total = _product(total, part)
        return total
    if isinstance(tree, Power):
        return _power(range_of(tree.base, x), tree.exponent)
    if isinstance(tree, Call):
        return _call(tree.function, range_of(tree.argument, x))
    return _LINE  # pragma: no cover - pieces() resolves where() first


def _product(left: Range, right: Range) -> Range:
    ends = [_times(a, b) for a in (left.low, left.high) for b in (right.low, right.high)]
    low, high = ends[0], ends[0]
    for end in ends[1:]:
        low, high = low.min(end), high.max(end)
    return _outward(low, high)


def _times(a: flint.arb, b: flint.arb) -> flint.arb:
    # The product of the end 0 with an infinite end is 0: the infinite end itself is never a value.
    return arb(0) if a == 0 or b == 0 else a * b


def _power(base: Range, exponent: Fraction) -> Range:
    if exponent < 0:
        positive = _power(base, -exponent)
        if not positive.low > 0 and not positive.high < 0:
            return _LINE
        return _outward(_inverse(positive.high), _inverse(positive.low))
    whole = exponent.denominator == 1
    if not whole:  # roots are taken of what is not negative: that is checked of a function before all else
        base = Range(base.low.max(arb(0)), base.high.max(arb(0)))
    raised = [_raise(end, exponent) for end in (base.low, base.high)]
    if whole and exponent.numerator % 2 == 0:
        low = _raise(base.distance_from_zero(), exponent)
        return _outward(low, raised[0].max(raised[1]))
    return _outward(raised[0], raised[1])


def _inverse(end: flint.arb) -> flint.arb:
    return 1 / end if end.is_finite() else arb(0)


def _raise(end: flint.arb, exponent: Fraction) -> flint.arb:
    if not end.is_finite():
        return _INFINITY if end > 0 or exponent.numerator % 2 == 0 else -_INFINITY
    if exponent.denominator == 1:
        return end**exponent.numerator
    return end ** arb(flint.fmpq(exponent.numerator, exponent.denominator)) if end > 0 else arb(0)


def _half_pi() -> flint.arb:
    return arb.pi() / 2


#: Increasing functions, with their limits at −∞ and +∞.
_INCREASING: dict[str, tuple[Callable[[], flint.arb], Callable[[], flint.arb]]] = {
    "exp": (lambda: arb(0), lambda: _INFINITY),
    "sinh": (lambda: -_INFINITY, lambda: _INFINITY),
    "tanh": (lambda: arb(-1), lambda: arb(1)),
    "atan": (lambda: -_half_pi(), _half_pi),
    "asinh": (lambda: -_INFINITY, lambda: _INFINITY),
    "erf": (lambda: arb(-1), lambda: arb(1)),
    "sigmoid": (lambda: arb(0), lambda: arb(1)),
    "softplus": (lambda: arb(0), lambda: _INFINITY),
}


def _call(name: str, inner: Range) -> Range:
    if name in _INCREASING:
        at_minus, at_plus = _INCREASING[name]
        return _outward(_end(name, inner.low, at_minus, at_plus), _end(name, inner.high, at_minus, at_plus))
    if name in ("sin", "cos"):
        return Range(arb(-1), arb(1))
    if name == "tan" and inner.magnitude() < _half_pi():
        return _outward(inner.low.tan(), inner.high.tan())
    if name == "erfc":
        return _call_decreasing(inner)
    if name == "cosh":
        high = inner.magnitude()
        low = inner.distance_from_zero()
        return _outward(low.cosh() if low.is_finite() else _INFINITY, high.cosh() if high.is_finite() else _INFINITY)
    if name == "log" and inner.low > 0:
        return _outward(inner.low.log(), inner.high.log() if inner.high.is_finite() else _INFINITY)
    return _LINE


def _end(name: str, end: flint.arb, at_minus: Callable[[], flint.arb], at_plus: Callable[[], flint.arb]) -> flint.arb:
    if end.is_finite():
        return arb(FUNCTIONS[name](end))
    return at_plus() if end > 0 else at_minus()


def _call_decreasing(inner: Range) -> Range:
    low = inner.high.erfc() if inner.high.is_finite() else arb(0 if inner.high > 0 else 2)
    high = inner.low.erfc() if inner.low.is_finite() else arb(2 if inner.low < 0 else 0)
    return _outward(low, high)
