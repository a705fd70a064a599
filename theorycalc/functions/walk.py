"""One walk of a tree for every number system, and the value of a tree as a ball or on a complex box.

An :class:`Interpretation` says what numbers, powers and functions are in a number system; its ``compiled`` turns a tree
into a function of x.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Generic, TypeVar

import flint
from flint import arb

from theorycalc.functions.primitives import PRIMITIVES, Ball, BallFunction, Primitive, off_cut
from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable, Where, is_constant
from theorycalc.numbers.balls import ball_precision, nearest_float
from theorycalc.numbers.systems import BALLS

V = TypeVar("V")

_PRECISIONS = (64, 256, 1024)
_FLOAT_BITS = 128


class Interpretation(ABC, Generic[V]):
    """What the nodes of a tree are in a number system with values V."""

    @abstractmethod
    def rational(self, value: Fraction) -> V:
        """Return a rational number."""

    @abstractmethod
    def constant(self, name: str) -> V:
        """Return π or e."""

    @abstractmethod
    def power(self, exponent: Fraction) -> Callable[[V], V]:
        """Return the function that raises to an exponent."""

    @abstractmethod
    def function(self, row: Primitive) -> Callable[[V], V]:
        """Return a primitive function."""

    @abstractmethod
    def where(self, condition: V, strict: bool, then: Callable[[], V], otherwise: Callable[[], V]) -> V:
        """Return one of two values, or both joined, by a condition > 0 (or ≥ 0)."""

    def add(self, terms: Sequence[Callable[[V], V]]) -> Callable[[V], V]:
        """Return the sum of two or more functions."""
        return _folded(operator.add, terms)

    def multiply(self, factors: Sequence[Callable[[V], V]]) -> Callable[[V], V]:
        """Return the product of two or more functions."""
        return _folded(operator.mul, factors)

    def compiled(self, tree: Tree) -> Callable[[V], V]:
        """Return the tree as a function of x."""
        match tree:
            case Variable():
                return lambda x: x
            case Rational() | Constant():
                value = self.rational(tree.value) if isinstance(tree, Rational) else self.constant(tree.name)
                return lambda x: value
            case Sum(below) | Product(below):
                parts = [self.compiled(part) for part in below]
                return self.add(parts) if isinstance(tree, Sum) else self.multiply(parts)
            case Power(base, exponent):
                return _composed(self.power(exponent), self.compiled(base))
            case Call(name, argument):
                return _composed(self.function(PRIMITIVES[name]), self.compiled(argument))
            case Where(condition, strict, then, otherwise):  # pragma: no branch - no other kind of tree
                decides, yes, no = map(self.compiled, (condition, then, otherwise))
                return lambda x: self.where(decides(x), strict, lambda: yes(x), lambda: no(x))


def _folded(combine: Callable[[V, V], V], parts: Sequence[Callable[[V], V]]) -> Callable[[V], V]:
    first, *rest = parts

    def value(x: V) -> V:
        total = first(x)
        for part in rest:
            total = combine(total, part(x))
        return total

    return value


def _composed(outer: Callable[[V], V], inner: Callable[[V], V]) -> Callable[[V], V]:
    return lambda x: outer(inner(x))


class _Balls(Interpretation[Ball]):
    """Arb at the current precision: real balls, and complex boxes, on which a finite value proves analyticity."""

    def rational(self, value: Fraction) -> flint.arb:
        return BALLS.rational(value)

    def constant(self, name: str) -> flint.arb:
        return arb.pi() if name == "pi" else arb.const_e()

    def power(self, exponent: Fraction) -> BallFunction:
        return power_of(exponent)

    def function(self, row: Primitive) -> BallFunction:
        return row.ball

    def where(self, condition: Ball, strict: bool, then: Callable[[], Ball], otherwise: Callable[[], Ball]) -> Ball:
        """Join both branches unless the condition is decided on the ball; of a box, only by the pieces."""
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


def compiled(tree: Tree) -> BallFunction:
    """Return the tree as a function of real balls and complex boxes; its constants have the current precision.

    >>> print(compiled(Call("tanh", Variable()))(arb(1)).str(10))
    [0.7615941560 +/- 4.43e-11]
    """
    return BALL.compiled(tree)


def power_of(exponent: Fraction) -> BallFunction:
    """Return the function that raises balls to an exponent; a fractional one needs a base ≥ 0, or a box off its cut.

    >>> print(power_of(Fraction(1, 2))(arb(2)).str(10))
    [1.414213562 +/- 3.74e-10]
    """
    if exponent.denominator == 1:
        whole = exponent.numerator
        return (lambda z: z**whole) if whole >= 0 else (lambda z: 1 / z**-whole)
    ratio = BALLS.rational(exponent)

    def power(z: Ball) -> Ball:
        if isinstance(z, arb):
            return z.sqrt() ** exponent.numerator if exponent.denominator == 2 else z**ratio
        return (off_cut(z).log() * ratio).exp()

    return power


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


def constant_sign(tree: Tree) -> int | None:
    """Return the sign −1, 0 or 1 of a tree without x, or None where it is not decided (it may be zero).

    >>> from theorycalc.functions.grammar import parse
    >>> constant_sign(parse("pi - 22/7")), constant_sign(parse("sin(pi)"))
    (-1, None)
    """
    if isinstance(tree, Rational):
        return (tree.value > 0) - (tree.value < 0)
    for bits in _PRECISIONS:
        with ball_precision(bits):
            value = ball_of(tree)
            if value > 0:
                return 1
            if value < 0:
                return -1
            if value.is_exact() and value == 0:
                return 0  # pragma: no cover - no known formula reaches it
    return None
