"""The two kinds of numbers closed forms are computed with: sympy expressions, and rationals and Arb balls.

Both keep rationals exact, so that a zero which the structure makes is a zero.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol, Self, TypeAlias, TypeVar

import sympy
from flint import acb, arb, fmpq

from theorycalc.functions.enclosures import compiled
from theorycalc.functions.tree import Rational, Tree


class Arithmetic(Protocol):
    """What the recurrences do with a number, beside others of its kind and integers."""

    # ruff: noqa: D102 - the names say it
    def __add__(self, other: Self | int, /) -> Self: ...
    def __radd__(self, other: int, /) -> Self: ...
    def __sub__(self, other: Self | int, /) -> Self: ...
    def __rsub__(self, other: int, /) -> Self: ...
    def __mul__(self, other: Self | int, /) -> Self: ...
    def __rmul__(self, other: int, /) -> Self: ...
    def __truediv__(self, other: Self | int, /) -> Self: ...
    def __rtruediv__(self, other: int, /) -> Self: ...
    def __neg__(self) -> Self: ...


N = TypeVar("N", bound=Arithmetic)


class ClosedNumbers(Protocol[N]):
    """What the recurrences need besides arithmetic."""

    def rational(self, value: Fraction) -> N: ...
    def constant(self, tree: Tree) -> N: ...
    def pi(self) -> N: ...
    def exp(self, x: N) -> N: ...
    def sqrt(self, x: N) -> N: ...
    def erf(self, x: N) -> N: ...
    def erfc(self, x: N) -> N: ...
    def complex(self, real: N, imaginary: N) -> N: ...
    def real(self, x: N) -> N: ...
    def tidy(self, x: N) -> N: ...
    def is_positive(self, x: N) -> bool: ...
    @property
    def has_complex_erf(self) -> bool: ...


def is_zero(number: object) -> bool:
    """Say whether a number is certainly zero: of a ball, == 0 is "certainly" and != 0 "certainly not".

    >>> is_zero(fmpq(0)), is_zero(arb(0, 1))
    (True, False)
    """
    return bool(number == 0)


#: A rational, a real ball or a complex one: operations among them give the widest of their kinds.
Enclosed: TypeAlias = fmpq | arb | acb


class _Balls:
    has_complex_erf = True

    def rational(self, value: Fraction) -> fmpq:
        return fmpq(value.numerator, value.denominator)

    def constant(self, tree: Tree) -> Enclosed:
        return self.rational(tree.value) if isinstance(tree, Rational) else compiled(tree)(arb(0))

    def pi(self) -> arb:
        return arb.pi()

    def exp(self, x: Enclosed) -> Enclosed:
        return _flexible(x).exp()

    def sqrt(self, x: Enclosed) -> Enclosed:
        return _flexible(x).sqrt()

    def erf(self, x: Enclosed) -> Enclosed:
        return _flexible(x).erf()

    def erfc(self, x: Enclosed) -> Enclosed:
        return _flexible(x).erfc()

    def complex(self, real: fmpq | arb, imaginary: fmpq | arb) -> acb:
        return acb(arb(real), arb(imaginary))

    def real(self, x: Enclosed) -> arb:
        return x.real if isinstance(x, acb) else arb(x)

    def tidy(self, x: Enclosed) -> Enclosed:
        return x

    def is_positive(self, x: fmpq | arb) -> bool:
        return bool(x > 0)


def _flexible(x: Enclosed) -> arb | acb:
    return x if isinstance(x, acb) else arb(x)


class _Symbols:
    has_complex_erf = False  # erf of a complex number is not what a reader calls closed

    def rational(self, value: Fraction) -> sympy.Expr:
        return sympy.Rational(value.numerator, value.denominator)

    def constant(self, tree: Tree) -> sympy.Expr:
        if isinstance(tree, Rational):
            return self.rational(tree.value)
        from theorycalc.functions.evaluate import to_sympy

        return sympy.expand(to_sympy(tree))

    def pi(self) -> sympy.Expr:
        return sympy.pi

    def exp(self, x: sympy.Expr) -> sympy.Expr:
        return sympy.exp(x)

    def sqrt(self, x: sympy.Expr) -> sympy.Expr:
        return sympy.sqrt(x)

    def erf(self, x: sympy.Expr) -> sympy.Expr:
        return sympy.erf(x)

    def erfc(self, x: sympy.Expr) -> sympy.Expr:
        return sympy.erfc(x)

    def complex(self, real: sympy.Expr, imaginary: sympy.Expr) -> sympy.Expr:
        return real + sympy.I * imaginary

    def real(self, x: sympy.Expr) -> sympy.Expr:
        return x.as_real_imag()[0] if x.has(sympy.I) else x

    def tidy(self, x: sympy.Expr) -> sympy.Expr:
        return x if x.is_Rational else sympy.expand(x)

    def is_positive(self, x: sympy.Expr) -> bool:
        return bool(x > 0)


CLOSED_BALLS: ClosedNumbers[Any] = _Balls()  # no type is closed under what a union of three kinds does
CLOSED_SYMBOLS: ClosedNumbers[sympy.Expr] = _Symbols()
