"""Lists and ranges of numbers as text: 0.1,0.2 and 0.05:0.45:9 and 1e-3:10:9:log."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from theorycalc.errors import ArgumentError, DomainError
from theorycalc.exact import parse_number, whole

_MOST_VALUES = 10**6
_MOST_EXACT = 10**4  # values of a range that are kept as fractions; of longer ranges each is rounded once
_FORM = "first:last:count, such as 0.05:0.45:9, or first:last:count:log"


def read_numbers(text: str, name: str) -> list[Fraction | float]:
    """Read numbers, lists and ranges; evenly spaced values are exact, geometric ones (``:log``) are floats.

    >>> read_numbers("1/2,0.1:0.3:3", "alpha")
    [Fraction(1, 2), Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)]
    >>> read_numbers("1e-3:10:5:log", "ridge")
    [0.001, 0.01, 0.1, 1.0, 10.0]
    """
    values: list[Fraction | float] = []
    for item in text.split(","):
        low, *rest = item.split(":")
        if not rest:
            values.append(parse_number(low, name))
            continue
        if len(rest) not in (2, 3) or rest[2:] not in ([], ["log"]):
            raise ArgumentError(f"{name}={item!r} is not a range; write it as {_FORM}")
        what = f"a count from 2 to {_MOST_VALUES}, the third part of a range"
        count = whole(_count(rest[1]), f"the count of {name}={item}", what, 2, _MOST_VALUES)
        ends = parse_number(low, name), parse_number(rest[0], name)
        values += _geometric(*ends, count, f"{name}={item}") if rest[2:] else _even(*ends, count)
    return values


def _count(text: str) -> int | str:
    digits = text.strip()
    return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 20 else text


def _even(first: Fraction, last: Fraction, count: int) -> list[Any]:
    spacing = (last - first) / (count - 1)
    if count <= _MOST_EXACT:
        return [first + spacing * i for i in range(count)]
    bottom = first.denominator * spacing.denominator
    start, rise = first.numerator * spacing.denominator, spacing.numerator * first.denominator
    return [(start + rise * i) / bottom for i in range(count)]  # of whole numbers: each rounded once


def _geometric(first: Fraction, last: Fraction, count: int, what: str) -> list[float]:
    import numpy as np

    if first <= 0 or last <= 0:
        raise DomainError(f"{what}: a geometric range needs positive ends")
    try:
        ends = float(first), float(last)
    except OverflowError:
        raise DomainError(f"{what}: its ends are beyond float64") from None
    if 0.0 in ends:
        raise DomainError(f"{what}: its ends are beyond float64")
    return [float(x) for x in np.geomspace(*ends, count)]
