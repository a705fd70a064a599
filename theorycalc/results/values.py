"""The numbers of results: their types, and how each is written for people, in files and in JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import SupportsFloat, TypeAlias

#: What a row has: numbers and texts of plain Python, or None for nothing.
Plain: TypeAlias = "int | float | str | bool | None"


def number_text(value: object) -> str:
    """Return a number in full.

    >>> number_text(0.1), number_text(math.inf)
    ('0.1', 'inf')
    """
    if isinstance(value, float):
        return repr(float(value))
    return value if isinstance(value, str) else str(value).replace("+inf", "inf")


def shown(value: object, full: bool = False, spec: str = ".6g") -> str:
    """Return a number as a person wants it: a float rounded, or in full; proven digits all; a dash for nothing.

    >>> shown(1 / 3), shown(1 / 3, full=True), shown(None), shown("0.33333333"), shown(math.inf)
    ('0.333333', '0.3333333333333333', '–', '0.33333333', '∞')
    """
    if value is None:
        return "–"
    if full or is_proven(value) or not isinstance(value, SupportsFloat):
        text = number_text(value)
    else:
        text = format(float(value), spec)
    return {"inf": "∞", "-inf": "−∞"}.get(text, text)


def is_proven(value: object) -> bool:
    """Say whether a number is an mpf, which carries proven digits.

    >>> is_proven(0.5)
    False
    """
    return hasattr(value, "_mpf_")


def number_data(value: object) -> object:
    """Return a number, or numbers in lists and tables, as JSON can carry them: infinity and proven digits as text.

    >>> number_data(0.5), number_data(math.inf), number_data(None), number_data([1, math.inf])
    (0.5, 'inf', None, [1, 'inf'])
    """
    if isinstance(value, Mapping):
        return {name: number_data(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)) or (isinstance(value, Iterable) and getattr(value, "shape", ()) != ()):
        return [number_data(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else number_text(float(value))
    return value if value is None or isinstance(value, (int, str)) else number_text(value)


def with_error(value: float, error: float | None, full: bool = False) -> str:
    """Return a mean with its standard error, to two digits of the latter, or in full.

    >>> with_error(0.123456, 0.0042), with_error(12.5, None), with_error(0.123456, 0.0042, full=True)
    ('0.1235 ± 0.0042', '12.5', '0.123456 ± 0.0042')
    """
    if full:
        return number_text(value) if error is None else f"{number_text(value)} ± {number_text(error)}"
    if not error:
        return f"{value:.4g}"
    decimals = max(0, 1 - int(f"{error:e}".partition("e")[2]))
    return f"{value:.{decimals}f} ± {error:.{decimals}f}"


def worth(guarantee: str | None, digits: int | None) -> str:
    """Return in words what numbers are worth.

    >>> worth("enclosed", 40), worth("rounded", None)
    ('enclosed: 40 digits proven', 'rounded: float64')
    """
    if guarantee == "enclosed":
        return f"enclosed: {digits} digits proven"
    return "estimated: float64, from estimated coefficients" if guarantee == "estimated" else "rounded: float64"


def latex_number(text: str) -> str:
    r"""Return a number that was written for people as LaTeX writes it.

    >>> latex_number("1.5e-07"), latex_number("−∞")
    ('1.5\\cdot 10^{-7}', '-\\infty')
    """
    mantissa, e, exponent = text.partition("e")
    found = rf"{mantissa}\cdot 10^{{{int(exponent)}}}" if e else text
    return found.replace("−", "-").replace("∞", r"\infty")
