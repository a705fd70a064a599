"""Arb balls: their precision, their conversion from exact numbers, and their conversion to floats and mpf.

Arb's precision is a global of its library: :class:`ball_precision` holds a lock while it is set, so that
threads cannot disturb one another's proofs.
"""

from __future__ import annotations

import copyreg
import functools
import math
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

import flint

from theorycalc.errors import DomainError, PrecisionError, about, spelled
from theorycalc.numbers.exact import EnclosedNumber, Exact

if TYPE_CHECKING:
    import mpmath
    import sympy

_BITS_PER_DIGIT = 3.3219280948873626  # log2(10), rounded up
_FLOAT_BITS = 64  # relative accuracy of a ball that is as good as its float
_FLOAT_EXPONENTS = 1000  # powers of two, up and down, between which a float neither overflows nor loses bits
_precision_lock = threading.RLock()

#: sympy's constants, by their names, and their Arb counterparts.
_CONSTANTS = {
    "pi": flint.arb.pi,
    "E": flint.arb.const_e,
    "EulerGamma": flint.arb.const_euler,
    "Catalan": flint.arb.const_catalan,
}
#: sympy's functions of one number that Arb has under the same name.
_FUNCTIONS = ("exp", "log", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "erf", "erfc", "gamma")


def enclosed_zero(
    function: Callable[[flint.arb], tuple[flint.arb, flint.arb]], near: flint.arb, bits: int
) -> flint.arb:
    """Return a ball around the only zero of an increasing function, whose value and slope ``function`` returns.

    ``near`` is right to about ``bits`` bits.  Newton's map sends a ball around it strictly into itself, so it has
    exactly one zero there, for every value of the function within its balls.  The step also doubles the digits.

    >>> with ball_precision(100):
    ...     root = enclosed_zero(lambda x: (x * x - 2, 2 * x), flint.arb(1.4142135), 20)
    >>> root.contains(flint.arb(2).sqrt())
    True
    """
    value, _ = function(near)
    radius = near / (1 << bits)
    for _ in range(4):
        candidate = flint.arb(near, radius)
        _, slope = function(candidate)
        image: flint.arb = near - value / slope
        if slope > 0 and candidate.contains_interior(image):
            return image
        radius *= 2**16
    return flint.arb.nan()  # the coefficients are too wide: more bits are needed


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

    A float is taken as the binary number it is; callers that must refuse floats do so before.

    >>> with ball_precision(64):
    ...     print(ball(Fraction(1, 3)).str(10))
    [0.3333333333 +/- 3.34e-11]
    """
    if isinstance(value, Fraction):
        return flint.arb(flint.fmpq(value.numerator, value.denominator))
    if isinstance(value, float):
        return flint.arb(value)
    if isinstance(value, EnclosedNumber):
        return value.enclosure(int(flint.ctx.prec / _BITS_PER_DIGIT) + 1)
    return enclosed(value)


def enclosed(expression: sympy.Expr, values: Mapping[sympy.Symbol, flint.arb] | None = None) -> flint.arb:
    """Return a ball around an exact sympy number, or around an expression in symbols with these ``values``.

    Only constants and functions with a proven Arb counterpart are known; the error bounds of ``evalf`` are heuristic.

    >>> import sympy
    >>> x = sympy.Symbol("x")
    >>> enclosed(x**2 + sympy.sqrt(4), {x: flint.arb(3)}).contains(flint.arb(11))
    True
    """
    if values and expression in values:
        return values[expression]
    if expression.is_Rational:
        return flint.arb(flint.fmpq(int(expression.p), int(expression.q)))
    name = type(expression).__name__ if expression.args else str(expression)
    if name in _CONSTANTS:
        return _CONSTANTS[name]()
    parts = [enclosed(part, values) for part in expression.args]
    if expression.is_Add:
        return sum(parts, flint.arb(0))
    if expression.is_Mul:
        return math.prod(parts, start=flint.arb(1))
    if expression.is_Pow:
        return _power(parts[0], expression.args[1], parts[1])
    if name == "Abs":
        return abs(parts[0])
    if name not in _FUNCTIONS or len(parts) != 1:
        raise DomainError(f"{expression} cannot be enclosed: {name} is not among the known functions")
    result: flint.arb = getattr(parts[0], name)()
    return result


def _power(base: flint.arb, exponent: sympy.Expr, enclosed: flint.arb) -> flint.arb:
    """Return a power; whole exponents and square roots allow a base whose ball contains 0."""
    if exponent.is_Integer:
        return base ** int(exponent)
    if exponent.is_Rational and exponent.q == 2 and abs(exponent.p) == 1:
        return base.sqrt() if exponent.p > 0 else base.rsqrt()
    return base**enclosed


def nearest_float(enclosure: flint.arb, name: str) -> float:
    """Return the float64 nearest to the midpoint of a ball, or 0 if that is too small; an error uses ``name``."""
    try:
        result = float(enclosure.mid())
    except OverflowError:  # pragma: no cover - python-flint makes it inf now
        result = math.inf
    if not math.isfinite(result):
        raise _beyond(enclosure, name)
    return result


def _beyond(enclosure: flint.arb, name: str) -> DomainError:
    return DomainError(f"{name} = {enclosure.str(5)} is beyond the range of float64; use {spelled('digits')}")


def float_of(value: Exact, name: str, tiny_is_zero: bool = False) -> float:
    """Return the float64 nearest to an exact number, at a precision raised until that is certain enough.

    A number too large for float64 is refused, and one too small, too, unless ``tiny_is_zero``.

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
    with about(name):
        for bits in (128, 1024, 8192):
            with ball_precision(bits):
                enclosure = ball(value)
                if enclosure.rel_accuracy_bits() > _FLOAT_BITS:
                    result = nearest_float(enclosure, name)
                    if not result and enclosure != 0 and not tiny_is_zero:
                        raise _beyond(enclosure, name)
                    return result
        raise DomainError(  # pragma: no cover - refused when it is read
            f"{name} = {value} cannot be told from zero with {bits} bits; write it more simply"
        )


def require_exact(value: Exact, name: str) -> Fraction | sympy.Expr | EnclosedNumber:
    """Return a number for which digits can be proven; refuse a binary float, and say how to write it instead.

    >>> require_exact(0.1, "ridge")
    Traceback (most recent call last):
    ...
    theorycalc.errors.PrecisionError: ridge=0.1 is a binary float, so digits of it cannot be proven; \
write ridge='0.1' for the decimal number, or Fraction(0.1) for the binary one
    """
    if isinstance(value, float):
        raise PrecisionError(
            f"{name}={value!r} is a binary float, so digits of it cannot be proven; "
            f"write {name}={str(value)!r} for the decimal number, or Fraction({value!r}) for the binary one",
            argument=name,
        )
    if isinstance(value, EnclosedNumber):
        if not value.is_proven:
            reason = f"{name} is an estimate, so digits of it cannot be proven; leave {spelled('digits')} out"
            raise PrecisionError(reason, argument=name)
    elif not isinstance(value, Fraction):
        with about(name):
            ball(value)  # refuses functions without a proven enclosure
    return value


def to_mpf(enclosure: flint.arb, digits: int) -> mpmath.mpf:
    """Return the midpoint of a ball as an mpf whose arithmetic keeps ``digits`` digits.

    >>> print(to_mpf(flint.arb(2).sqrt(), 10) ** 2)
    2.0
    """
    context = mpf_context(digits)
    if not enclosure.is_finite():
        return context.inf if enclosure > 0 else -context.inf
    odd, exponent = enclosure.mid().man_exp()
    mantissa = int(odd)
    # mpmath's own form of a number: sign, odd mantissa, exponent, bits.
    return context.make_mpf((int(mantissa < 0), abs(mantissa), int(exponent), mantissa.bit_length()))


def mpf_context(digits: int) -> mpmath.MPContext:
    """Return this thread's mpmath context of ``digits`` decimal digits.

    >>> print(mpf_context(30).sqrt(2))
    1.41421356237309504880168872421
    """
    return _context_of_thread(digits, threading.get_ident())


@functools.lru_cache(maxsize=64)
def _context_of_thread(digits: int, thread: int) -> mpmath.MPContext:
    # mpmath contexts are not thread-safe and take a millisecond to make: one per thread and precision.
    from mpmath import MPContext

    context = MPContext()
    context.dps = digits
    copyreg.pickle(context.mpf, lambda number: (_unpickled, (digits, number._mpf_)))  # its class is not found by a name
    return context


def _unpickled(digits: int, parts: tuple[int, int, int, int]) -> mpmath.mpf:
    """Return a number that belongs to this thread's own context."""
    return mpf_context(digits).make_mpf(parts)
