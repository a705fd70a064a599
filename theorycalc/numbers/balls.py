"""Arb balls: their precision, how a number becomes one, and what becomes of it.

Arb's precision is a global of its library: :class:`ball_precision` holds a lock while it is set, so that
threads cannot disturb one another's proofs.
"""

from __future__ import annotations

import math
import threading
from fractions import Fraction
from typing import TYPE_CHECKING

import flint

from theorycalc.errors import DomainError, spelled
from theorycalc.numbers.exact import EnclosedNumber, Exact
from theorycalc.numbers.systems import BALLS

if TYPE_CHECKING:
    import mpmath

_BITS_PER_DIGIT = 3.3219280948873626  # log2(10), rounded up
_FLOAT_BITS = 64  # relative accuracy of a ball that is as good as its float
_FLOAT_EXPONENTS = 1000  # powers of two, up and down, between which a float neither overflows nor loses bits
_precision_lock = threading.RLock()


def bits_for(digits: int) -> int:
    """Return the number of bits that hold ``digits`` decimal digits.

    >>> bits_for(50)
    167
    """
    return int(digits * _BITS_PER_DIGIT) + 1


class ball_precision:  # noqa: N801 - used as a verb: with ball_precision(bits): ...
    """Work with balls of ``bits`` bits; other threads wait."""

    def __init__(self, bits: int) -> None:
        self._bits = bits

    def __enter__(self) -> None:
        _precision_lock.acquire()
        self._before = flint.ctx.prec
        flint.ctx.prec = self._bits

    def __exit__(self, *exception: object) -> None:
        flint.ctx.prec = self._before
        _precision_lock.release()


def ball(value: Exact) -> flint.arb:
    """Return an enclosure of an exact number at the current precision.

    A float is taken as the binary number it is; who must refuse it does so before.

    >>> with ball_precision(64):
    ...     print(ball(Fraction(1, 3)).str(10))
    [0.3333333333 +/- 3.34e-11]
    """
    if isinstance(value, Fraction):
        return BALLS.rational(value)
    if isinstance(value, float):
        return flint.arb(value)
    if isinstance(value, EnclosedNumber):
        return value.enclosure(int(flint.ctx.prec / _BITS_PER_DIGIT) + 1)
    from theorycalc.numbers.symbolic_balls import enclose

    return enclose(value)


def nearest_float(enclosure: flint.arb, name: str) -> float:
    """Return the float64 nearest to the midpoint of a ball; what is too small for float64 is 0."""
    try:
        result = float(enclosure.mid())
    except OverflowError:  # pragma: no cover - python-flint makes it inf now
        result = math.inf
    if not math.isfinite(result):
        raise _beyond(enclosure, name)
    return result


def _beyond(enclosure: flint.arb, name: str) -> DomainError:
    return DomainError(
        f"{name} = {enclosure.str(5)} is beyond the range of float64; use {spelled('digits')}", argument=name
    )


def float_of(value: Exact, name: str, tiny_is_zero: bool = False) -> float:
    """Return the float64 nearest to an exact number: the precision is raised until that is certain enough.

    What is not zero does not become zero, unless it may: a number too small for float64 is refused, as one too large.

    >>> float_of(Fraction(1, 10**400), "ridge")
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: ridge = [1.0000e-400 +/- 3e-409] is beyond the range of float64; use digits=
    """
    if isinstance(value, float):
        return value
    if isinstance(value, Fraction):
        size = value.numerator.bit_length() - value.denominator.bit_length()
        if -_FLOAT_EXPONENTS < size < _FLOAT_EXPONENTS:
            return value.numerator / value.denominator  # Python rounds a quotient of whole numbers once
    for bits in (128, 1024, 8192):
        with ball_precision(bits):
            enclosure = ball(value)
            if enclosure.rel_accuracy_bits() > _FLOAT_BITS:
                result = nearest_float(enclosure, name)
                if not result and enclosure != 0 and not tiny_is_zero:
                    raise _beyond(enclosure, name)
                return result
    raise DomainError(  # pragma: no cover - refused when it is read
        f"{name} = {value} cannot be told from zero with {bits} bits; write it more simply", argument=name
    )


def to_mpf(enclosure: flint.arb, context: mpmath.MPContext) -> mpmath.mpf:
    """Return the midpoint of a ball as an mpf of the context."""
    if not enclosure.is_finite():
        return context.inf if enclosure > 0 else -context.inf
    odd, exponent = enclosure.mid().man_exp()
    mantissa = int(odd)
    # mpmath's own form of a number: sign, odd mantissa, exponent, bits.
    return context.make_mpf((int(mantissa < 0), abs(mantissa), int(exponent), mantissa.bit_length()))
