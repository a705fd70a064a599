"""The two kinds of numbers closed forms are computed with: sympy expressions, and rationals and Arb balls.

Both keep rationals exact, so that a zero which the structure makes is a zero.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Protocol

import flint
import sympy
from flint import acb, arb, fmpq

from theorycalc.functions.tree import Number, Tree
from theorycalc.hermite.boxes import compiled


class ClosedNumbers(Protocol):
    """What the recurrences need besides arithmetic."""

    # ruff: noqa: D102 - the names say it
    def rational(self, value: Fraction) -> Any: ...
    def constant(self, tree: Tree) -> Any: ...
    def pi(self) -> Any: ...
    def exp(self, x: Any) -> Any: ...
    def sqrt(self, x: Any) -> Any: ...
    def erf(self, x: Any) -> Any: ...
    def erfc(self, x: Any) -> Any: ...
    def complex(self, real: Any, imaginary: Any) -> Any: ...
    def real(self, x: Any) -> Any: ...
    def tidy(self, x: Any) -> Any: ...
    def is_positive(self, x: Any) -> bool: ...
    @property
    def has_complex_erf(self) -> bool: ...


class _Balls:
    has_complex_erf = True

    def rational(self, value: Fraction) -> flint.fmpq:
        return fmpq(value.numerator, value.denominator)

    def constant(self, tree: Tree) -> Any:
        return self.rational(tree.value) if isinstance(tree, Number) else compiled(tree)(arb(0))

    def pi(self) -> flint.arb:
        return arb.pi()

    def exp(self, x: Any) -> Any:
        return _flexible(x).exp()

    def sqrt(self, x: Any) -> Any:
        return _flexible(x).sqrt()

    def erf(self, x: Any) -> Any:
        return _flexible(x).erf()

    def erfc(self, x: Any) -> Any:
        return _flexible(x).erfc()

    def complex(self, real: Any, imaginary: Any) -> flint.acb:
        return acb(arb(real), arb(imaginary))

    def real(self, x: Any) -> flint.arb:
        return x.real if isinstance(x, acb) else arb(x)

    def tidy(self, x: Any) -> Any:
        return x

    def is_positive(self, x: Any) -> bool:
        return bool(x > 0)


def _flexible(x: Any) -> Any:
    return x if isinstance(x, acb) else arb(x)


class _Symbols:
    has_complex_erf = False  # erf of a complex number is not what a reader calls closed

    def rational(self, value: Fraction) -> sympy.Expr:
        return sympy.Rational(value.numerator, value.denominator)

    def constant(self, tree: Tree) -> sympy.Expr:
        if isinstance(tree, Number):
            return self.rational(tree.value)
        from theorycalc.functions.to_sympy import to_sympy

        return sympy.expand(to_sympy(tree))

    def pi(self) -> sympy.Expr:
        return sympy.pi

    def exp(self, x: Any) -> sympy.Expr:
        return sympy.exp(x)

    def sqrt(self, x: Any) -> sympy.Expr:
        return sympy.sqrt(x)

    def erf(self, x: Any) -> sympy.Expr:
        return sympy.erf(x)

    def erfc(self, x: Any) -> sympy.Expr:
        return sympy.erfc(x)

    def complex(self, real: Any, imaginary: Any) -> sympy.Expr:
        return real + sympy.I * imaginary

    def real(self, x: Any) -> sympy.Expr:
        return x.as_real_imag()[0] if x.has(sympy.I) else x

    def tidy(self, x: Any) -> sympy.Expr:
        return x if x.is_Rational else sympy.expand(x)

    def is_positive(self, x: Any) -> bool:
        return bool(x > 0)


CLOSED_BALLS = _Balls()
CLOSED_SYMBOLS = _Symbols()
