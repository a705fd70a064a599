"""Lists and ranges of numbers as text: 0.1,0.2 and 0.05:0.45:9 and 1e-3:10:9:log."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Context
from fractions import Fraction

from theorycalc.errors import ArgumentError, DomainError, spelled
from theorycalc.numbers.exact import parse_number

_MOST_VALUES = 10_000


def read_numbers(text: str, name: str) -> list[Fraction]:
    """Return the numbers in a list 0.1,0.2 and in ranges: 0.05:0.45:9 is evenly spaced, 1e-3:10:9:log geometrically.

    All are exact; the values inside a geometric range are rounded to 15 digits.

    >>> read_numbers("0.1:0.3:3,1/2", "alpha")
    [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)]
    >>> [str(ridge) for ridge in read_numbers("1e-2:1:3:log", "ridge")]
    ['1/100', '1/10', '1']
    """
    values: list[Fraction] = []
    for item in text.split(","):
        values += _range(item, name) if ":" in item else [parse_number(item, name)]
        if len(values) > _MOST_VALUES:  # before the rest is read: a long list of ranges could fill the memory
            reason = f"{name} has {len(values)} values or more; {_MOST_VALUES} are read at a time"
            raise ArgumentError(reason, argument=name)
    return values


def _range(item: str, name: str) -> list[Fraction]:
    low, high, *rest = item.split(":")
    if len(rest) not in (1, 2) or rest[1:] not in ([], ["log"]):
        reason = f"{spelled(name, item)} is not a range; write it as first:last:count, such as 0.05:0.45:9"
        raise ArgumentError(f"{reason}, or as first:last:count:log, such as 1e-3:10:9:log", argument=name)
    count = _count(rest[0])
    if count is None or not 2 <= count <= _MOST_VALUES:
        reason = f"{spelled(name, item)}: the third part of a range is the number of values, from 2 to {_MOST_VALUES}"
        raise DomainError(reason, argument=name)
    first, last = parse_number(low, name), parse_number(high, name)
    if rest[1:]:
        if first <= 0 or last <= 0:
            reason = f"{spelled(name, item)}: both ends of a geometric range must be positive"
            raise ArgumentError(reason, argument=name)
        return [first, *_between(first, last, count - 1), last]
    return [first + (last - first) * i / (count - 1) for i in range(count)]


def _count(text: str) -> int | None:
    """Return the whole number that text such as 9 or 1e3 stands for, or None."""
    try:
        number = parse_number(text)
    except DomainError:
        return None
    return int(number) if number.denominator == 1 else None


def _between(first: Fraction, last: Fraction, steps: int) -> Iterator[Fraction]:
    """Yield first^(1−i/steps) · last^(i/steps) for i = 1, …, steps − 1, rounded to 15 digits."""
    context, shown = Context(prec=40), Context(prec=15)
    start, ratio = (context.divide(x.numerator, x.denominator) for x in (first, last / first))
    for i in range(1, steps):
        value = context.multiply(start, context.power(ratio, context.divide(i, steps)))
        yield Fraction(shown.plus(value))
