"""Activations that are given by numbers: c_1 and c_{>1}, or the coefficients of a polynomial (theory section 2)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import factorial
from typing import Any

from theorycalc.activations.present import check_indices, read_indices
from theorycalc.errors import DomainError
from theorycalc.exact import as_numpy, is_negative, is_zero, read


def fields_of_moments(c1: Any, c_rest: Any, present: Iterable[int] | None) -> dict[str, Any]:
    """Return the fields of an activation known by its moments, checked against each other.

    >>> fields_of_moments("1/2", 0, None)["present"]
    (1,)
    """
    first, rest = read(c1, "c1"), read(c_rest, "c_rest")
    if is_negative(rest):
        raise DomainError(f"c_rest={c_rest} is negative; c_{{>1}} is a root: give it as it is, not its square")
    known = None if present is None else read_indices(present)
    if is_zero(rest):  # nothing but the linear part
        known = (() if is_zero(first) else (1,)) if known is None else known
    if known is not None:
        check_indices(known, linear=not is_zero(first), rest=not is_zero(rest))
    c2 = Fraction(0) if known is not None and 2 not in known else None
    name = f"moments(c1={c1}, c_rest={c_rest})"
    return {"c1": first, "c_rest": rest, "present": known, "c2": c2, "name": name}


def fields_of_coefficients(coefficients: Any) -> dict[str, Any]:
    """Return the fields of the polynomial activation c_1 H_1 + c_2 H_2 + ….

    >>> fields_of_coefficients(["1", "1/2"])["c_rest"]
    sqrt(2)/2
    """
    coefficients = as_numpy(coefficients, "coefficients")
    if (
        isinstance(coefficients, (str, bytes))
        or getattr(coefficients, "ndim", 1) != 1
        or not isinstance(coefficients, Iterable)
    ):
        raise DomainError(f"coefficients={coefficients!r} is not a list of c_1, c_2, …")
    values = [read(c, f"c_{k}") for k, c in enumerate(coefficients, start=1)]
    if not values:
        raise DomainError("coefficients is empty; give c_1, c_2, …")
    import sympy

    exact: list[Any] = [
        sympy.Rational(*c.as_integer_ratio()) if isinstance(c, (Fraction, float)) else c for c in values
    ]
    squared = sum((factorial(k) * c**2 for k, c in enumerate(exact[1:], start=2)), sympy.Integer(0))
    rest: Any = sympy.sqrt(squared)
    if any(isinstance(c, float) for c in values):
        rest = float(rest)
    known = tuple(k for k, c in enumerate(values, start=1) if not is_zero(c))
    c2 = values[1] if len(values) > 1 else read(0, "c_2")
    shown = ", ".join(str(c) for c in values)
    return {"c1": values[0], "c_rest": rest, "present": known, "c2": c2, "name": f"hermite({shown})"}
