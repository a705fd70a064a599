"""Numbers of twice the length of float64, for arrays: the unevaluated sum of a float and what it leaves over.

For the few places where a result may vanish although its terms do not, so that float64 would keep no digit of it.
The error of one operation is some 1e-32 of its result (Dekker 1971; Hida, Li and Bailey 2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from theorycalc.numbers.systems import Truth, horner

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: One number, or an array of them.
FloatOrFloats: TypeAlias = "float | NDArray[np.float64]"
Operand: TypeAlias = "Doubled | FloatOrFloats"

_SPLITTER = 2.0**27 + 1  # cuts the 53 bits of a float into halves whose products are exact


@dataclass(frozen=True, eq=False)
class Doubled:
    """``high + low``, where ``high`` is the sum rounded to float64.

    >>> third = Doubled(1.0) / 3
    >>> third.high, third.low
    (0.3333333333333333, 1.850371707708594e-17)
    >>> (3 * third - 1).high
    0.0
    """

    high: FloatOrFloats
    low: FloatOrFloats = 0.0

    __array_ufunc__ = None  # numpy then leaves array ∘ Doubled to us

    def __add__(self, other: Operand) -> Doubled:
        other = _lifted(other)
        high, left = _sum(self.high, other.high)
        low, rest = _sum(self.low, other.low)
        high, left = _sum(high, left + low)
        return Doubled(*_sum(high, left + rest))

    def __neg__(self) -> Doubled:
        return Doubled(-self.high, -self.low)

    def __sub__(self, other: Operand) -> Doubled:
        return self + -_lifted(other)

    def __rsub__(self, other: Operand) -> Doubled:
        return _lifted(other) + -self

    def __mul__(self, other: Operand) -> Doubled:
        other = _lifted(other)
        high, left = _product(self.high, other.high)
        return Doubled(*_sum(high, left + (self.high * other.low + self.low * other.high)))

    def __truediv__(self, other: Operand) -> Doubled:
        other = _lifted(other)
        first = self.high / other.high
        rest = self - other * first
        second = rest.high / other.high
        third = (rest - other * second).high / other.high
        return Doubled(*_sum(first, second)) + Doubled(third)

    def __pow__(self, exponent: int) -> Doubled:
        result = self
        for _ in range(exponent - 1):
            result = result * self
        return result

    def __le__(self, other: Doubled) -> Truth:
        return self.high <= other.high

    __radd__ = __add__
    __rmul__ = __mul__


def _lifted(value: Operand) -> Doubled:
    return value if isinstance(value, Doubled) else Doubled(value)


def _sum(x: FloatOrFloats, y: FloatOrFloats) -> tuple[FloatOrFloats, FloatOrFloats]:
    """Return the rounded sum and its rounding error, which is a float (Knuth)."""
    total = x + y
    part = total - x
    return total, (x - (total - part)) + (y - part)


def _product(x: FloatOrFloats, y: FloatOrFloats) -> tuple[FloatOrFloats, FloatOrFloats]:
    """Return the rounded product and its rounding error, which is a float (Dekker)."""
    total = x * y
    x_high, x_low = _halves(x)
    y_high, y_low = _halves(y)
    return total, ((x_high * y_high - total) + x_high * y_low + x_low * y_high) + x_low * y_low


def _halves(x: FloatOrFloats) -> tuple[FloatOrFloats, FloatOrFloats]:
    wide = _SPLITTER * x
    high = wide - (wide - x)
    return high, x - high


class _Doubles:
    """What polynomials ask of a number system."""

    rounds = True
    polynomial = staticmethod(horner)

    def where(self, condition: Truth, x: Doubled, y: Doubled) -> Doubled:
        return Doubled(np.where(condition, x.high, y.high)[()], np.where(condition, x.low, y.low)[()])


DOUBLES = _Doubles()
