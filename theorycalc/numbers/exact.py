"""Reading numbers as users write them for a parameter.

``int``, ``Fraction``, ``Decimal``, decimal or rational text (``"0.1"``, ``"1/10"``, ``"1e-3"``) and exact sympy numbers
are kept exact; a binary float stays a float, good for float64 results and refused where digits are to be proven.
"""

from __future__ import annotations

import abc
import contextlib
import math
import re
import sys
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Protocol, TypeAlias, TypeVar

from theorycalc.errors import ArgumentError, DomainError, PrecisionError, given, spelled

if TYPE_CHECKING:
    import flint
    import mpmath
    import numpy as np
    import numpy.typing as npt
    import sympy

T = TypeVar("T")


class EnclosedNumber(abc.ABC):
    """A real number that can be enclosed in arbitrarily small balls."""

    @abc.abstractmethod
    def enclosure(self, digits: int) -> flint.arb:
        """Return a ball around the number, with a relative radius below 10^−digits unless the number is 0."""

    @property
    @abc.abstractmethod
    def is_proven(self) -> bool:
        """True if the enclosures are proofs, not estimates."""

    @abc.abstractmethod
    def sign(self) -> int:
        """Return −1, 0 or 1; raise an error if the sign cannot be decided."""

    def __float__(self) -> float:
        return float(self.enclosure(20).mid())

    def __str__(self) -> str:
        return repr(float(self))


class HasArray(Protocol):
    """An array of numpy or of another library, or a numpy number."""

    def __array__(self) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
        """Return the data as a numpy array."""


#: An exact number, or a binary float.
Exact: TypeAlias = "Fraction | float | sympy.Expr | EnclosedNumber"
#: The same without numbers that are only enclosed: one may compute with it.
Scalar: TypeAlias = "Fraction | float | sympy.Expr"
#: A number as a user may write it; :func:`read` makes it Exact.
NumberLike: TypeAlias = "int | float | str | Fraction | Decimal | sympy.Expr | EnclosedNumber | HasArray"
#: One number or many as a user may write them: arrays, lists, lists of lists.
NumbersLike: TypeAlias = "NumberLike | Sequence[NumbersLike]"
Floats: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.float64]]"
Objects: TypeAlias = "np.ndarray[tuple[int, ...], np.dtype[np.object_]]"
ArrayLike: TypeAlias = "npt.ArrayLike"
#: One number or many as formulas take them.
PointLike: TypeAlias = "Exact | Floats | Objects"
#: One number or many as results hold them: floats, or numbers of mpmath with proven digits.
Value: TypeAlias = "float | Floats | mpmath.mpf | Objects"
#: Hermite coefficients c_0, c_1, … in float64, with proven digits, or in closed form.
Coefficients: TypeAlias = "Floats | list[mpmath.mpf] | list[sympy.Expr]"

_NUMBER = re.compile(
    r"\s*(?P<sign>[+-]?)\s*"
    r"(?P<whole>\d*)(?:\.(?P<decimals>\d*))?(?:[eE](?P<exponent>[+-]?\d{1,5}))?"
    r"(?:\s*/\s*(?P<denominator>\d+))?\s*",
    re.ASCII,
)
_MOST_DIGITS = 4000  # of a numerator or denominator; CPython refuses to print more than 4300
_MOST_PROVEN = 1_000_000
_MOST_BITS = int(_MOST_DIGITS * math.log2(10))


def parse_number(text: str, name: str = "number") -> Fraction:
    """Return the exact value of text in decimal or rational form.

    >>> parse_number("1e-3"), parse_number("-2/6")
    (Fraction(1, 1000), Fraction(-1, 3))
    """
    if len(text) > _MOST_DIGITS:
        reason = f"{name} has {len(text)} characters; numbers are read up to {_MOST_DIGITS} digits"
        raise DomainError(reason, argument=name)
    match = _NUMBER.fullmatch(text)
    if match is None or not (match["whole"] or match["decimals"]):
        raise DomainError(f"{spelled(name, text)} is not a number; write it as 1/10, 0.1 or 1e-3", argument=name)
    exponent = int(match["exponent"] or 0)
    decimals = match["decimals"] or ""
    numerator, denominator = int(match["sign"] + match["whole"] + decimals), int(match["denominator"] or 1)
    if denominator == 0:
        raise DomainError(f"{spelled(name, text)} divides by zero", argument=name)
    shift = exponent - len(decimals)
    return _bounded(Fraction(numerator * 10 ** max(shift, 0), denominator * 10 ** max(-shift, 0)), name)


def _bounded(value: Fraction, name: str) -> Fraction:
    """Refuse a number too large or too small even to print."""
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise DomainError(f"{name} has more than {_MOST_DIGITS} digits, the most that are read", argument=name)
    return value


def read(value: object, name: str) -> Exact:
    """Return ``value`` as a ``Fraction``, a finite ``float`` or an exact real sympy number.

    >>> read("1/10", "ridge"), read(0.5, "phi"), read(3, "noise")
    (Fraction(1, 10), 0.5, Fraction(3, 1))
    """
    if isinstance(value, EnclosedNumber):
        return value
    if isinstance(value, Fraction):
        return _bounded(value, name)
    if isinstance(value, str):
        return parse_number(value, name)
    if isinstance(value, bool):
        raise DomainError(f"{name}={value} is a truth value, not a number", argument=name)
    if isinstance(value, int):
        return _bounded(Fraction(value), name)
    if isinstance(value, float):  # numpy.float64 is one, too
        if not math.isfinite(value):
            raise DomainError(f"{name}={value} is not a finite number", argument=name)
        return float(value)
    if isinstance(value, Decimal):
        return parse_number(str(value), name)
    sympy = sys.modules.get("sympy")  # whoever has an expression has it already
    if sympy is not None and isinstance(value, sympy.Expr):
        return _read_sympy(value, name)
    array = numpy_array(value, name)
    if array is not None and array.shape == () and array.dtype.kind in "fiu":  # a number of numpy, or without axes
        return read(float(array) if array.dtype.kind == "f" else int(array), name)
    raise DomainError(
        f"{name}={value!r} of type {type(value).__name__} is not a number that can be read; "
        "give an int, a float, a Fraction, text such as '1/10', or an exact sympy number",
        argument=name,
    )


def numpy_array(value: object, name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]] | None:
    """Return an array of any library (numpy, pandas, polars, xarray, torch) as a numpy array, or None for other values.

    >>> numpy_array([1, 2], "ridge")
    """
    if isinstance(value, (str, int, float, Fraction, list, tuple)) or not hasattr(value, "__array__"):
        return None
    import numpy as np  # whoever has an array has it already

    if isinstance(value, np.ma.MaskedArray):
        raise DomainError(f"{name} is a masked array; fill or drop its masked entries", argument=name)
    try:
        return np.asarray(value)
    except (TypeError, ValueError, RuntimeError) as error:  # a tensor with a gradient, or on another device
        kind = type(value).__name__
        raise DomainError(f"{name} of type {kind} is not an array numpy can read: {error}", argument=name) from None


def as_numpy(value: T, name: str) -> T | np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    """Return an array of any library as a numpy array, and any other value unchanged.

    >>> as_numpy([1, 2], "ridge")
    [1, 2]
    """
    array = numpy_array(value, name)
    return value if array is None else array


def is_array(value: object, name: str) -> bool:
    """Return whether ``value`` is several numbers: a list, a tuple, or an array with at least one axis.

    >>> is_array(("1/2", 3), "ridge"), is_array("1/2", "ridge")
    (True, False)
    """
    array = numpy_array(value, name)
    return isinstance(value, (list, tuple)) if array is None else array.shape != ()


def listed(value: object, name: str) -> list[object]:
    """Return one value, or a list, tuple or one-dimensional array of values, as a non-empty list.

    >>> listed("1/2", "ridge"), listed((1, 2), "ridge")
    (['1/2'], [1, 2])
    """
    array = numpy_array(value, name)
    if array is not None and array.ndim > 1:
        raise ArgumentError(f"{name} is an array of {array.ndim} dimensions; give a list", argument=name)
    items = list(value) if isinstance(value, (list, tuple)) else [value]
    if array is not None and array.ndim == 1:
        items = list(array)
    if not items:
        raise ArgumentError(f"{name} is empty; give at least one value", argument=name)
    return items


def _read_sympy(value: sympy.Expr, name: str) -> Exact:
    import sympy

    if value.is_Rational:
        return Fraction(int(value.p), int(value.q))
    if value.is_Float:
        return read(float(value), name)
    inexact = value.has(sympy.Float, sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)
    if not value.is_number or inexact or value.is_finite is False:
        reason = f"{name}={value} is not an exact finite number (no symbols, floats or infinities)"
        raise DomainError(reason, argument=name)
    if value.is_real is not True:
        raise DomainError(f"{name}={value} is not known to be a real number", argument=name)
    try:
        return value if sign(value) else Fraction(0)
    except TypeError:
        raise DomainError(f"{name}={value}: its sign cannot be decided; write it more simply", argument=name) from None


def read_rational(value: object, name: str) -> Fraction | float:
    """Return ``value`` as :func:`read` does, for parameters that must be compared exactly (φ, ψ, λ, α)."""
    number = read(value, name)
    if isinstance(number, (Fraction, float)):
        return number
    raise DomainError(f"{name}={value} must be rational: write a fraction or a decimal", argument=name)


def sign(value: Exact) -> int:
    """Return −1, 0 or 1; sympy must be able to decide the sign of a sympy number.

    >>> sign(Fraction(-1, 2)), sign(0.0)
    (-1, 0)
    """
    if isinstance(value, (Fraction, float)):
        number: float = value.numerator if isinstance(value, Fraction) else value
        return (number > 0) - (number < 0)
    if isinstance(value, EnclosedNumber):
        return value.sign()
    if value.is_positive or value.is_negative:  # first, by its digits: to simplify takes seconds
        return 1 if value.is_positive else -1
    if value.is_zero or value.equals(0):
        return 0
    return 1 if value > 0 else -1


def is_zero(value: Exact) -> bool:
    """Return whether a number is zero."""
    return sign(value) == 0


def is_negative(value: Exact) -> bool:
    """Return whether a number is negative."""
    return sign(value) < 0


def root(square: Scalar) -> Scalar:
    """Return the square root of a positive number; that of an exact number is exact.

    >>> root(Fraction(4, 9)), root(Fraction(1, 3))
    (Fraction(2, 3), sqrt(3)/3)
    """
    if isinstance(square, Fraction):
        parts = math.isqrt(square.numerator), math.isqrt(square.denominator)
        if (parts[0] ** 2, parts[1] ** 2) == (square.numerator, square.denominator):
            return Fraction(*parts)
    import sympy

    return sympy.sqrt(square)


def spell(value: Exact) -> str | float:
    """Return the number as JSON shows it: a float unchanged, an exact number as text.

    >>> spell(Fraction(1, 10)), spell(0.1)
    ('1/10', 0.1)
    """
    if isinstance(value, EnclosedNumber):
        return float(value)
    return value if isinstance(value, float) else str(value)


def whole(
    value: object,
    name: str,
    what: str = "a positive whole number",
    low: int = 1,
    high: int | None = None,
    typed: bool = False,
) -> int:
    """Return a whole number between bounds, which may be written as a float; ``what`` describes the numbers allowed.

    A large float must equal the whole number that its digits show: 1e16 does, and 1e23 does not.  With ``typed`` a text
    of digits is its number.

    >>> whole(3, "n"), whole(1e4, "n"), whole("2", "ell", typed=True)
    (3, 10000, 2)
    """
    if typed and isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    hint = ""
    number: Exact | None = None
    if isinstance(value, int) and not isinstance(value, bool):
        number = read(value, name)
    elif not isinstance(value, str):
        with contextlib.suppress(DomainError):
            number = read(value, name)
    if isinstance(number, float) and number.is_integer() and Fraction(repr(number)) != int(number):
        hint = f"; this float stands for several whole numbers: write {int(number)}"
    elif isinstance(number, (Fraction, float)) and number == int(number) >= low and (high is None or number <= high):
        return int(number)
    raise DomainError(f"{given(name, value)} must be {what}{hint}", argument=name)


def check_digits(digits: object) -> int:
    """Return the number of digits to prove: a whole number from 1 to a million.

    >>> check_digits(50)
    50
    """
    try:
        return whole(digits, "digits", f"a whole number from 1 to {_MOST_PROVEN}", 1, _MOST_PROVEN)
    except DomainError as error:
        raise PrecisionError(str(error), argument="digits") from None
