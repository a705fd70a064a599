"""mpmath as one more number system: an independent way to evaluate the package's formulas, at any precision."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import mpmath

from theorycalc.numbers.balls import mpf_context
from theorycalc.numbers.systems import horner


class Mpf:
    """mpmath numbers of ``digits`` decimal digits, with the operations of a ``NumberSystem``."""

    rounds = True
    maximum = staticmethod(max)
    minimum = staticmethod(min)
    all = staticmethod(bool)
    polynomial = staticmethod(horner)

    def __init__(self, digits: int) -> None:
        self.context = context = mpf_context(digits)
        self.inf, self.pi = context.inf, +context.pi
        self.sqrt, self.rough_cbrt, self.exp = context.sqrt, context.cbrt, context.exp
        self.sinh, self.asin = context.sinh, context.asin

    def rational(self, value: Fraction) -> mpmath.mpf:
        return self.context.mpf(value.numerator) / value.denominator

    def where(self, condition: Any, x: Any, y: Any) -> Any:
        return x if condition else y

    def solve(self, matrix: Sequence[Sequence[Any]], vector: Sequence[Any]) -> list[Any]:
        return list(self.context.lu_solve(self.context.matrix(matrix), self.context.matrix(vector)))
