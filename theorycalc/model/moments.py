"""Activations that are given by numbers: c_1 and c_{>1}, or the coefficients of a polynomial (theory section 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import factorial
from typing import Any

from theorycalc.errors import DomainError, about
from theorycalc.model.spikes import check_indices, read_indices
from theorycalc.numbers.exact import as_numpy, is_negative, is_zero, read, whole

_HIGHEST_DEGREE = 1000


def fields_of_moments(c1: Any, c_rest: Any, present: Iterable[int] | None) -> dict[str, Any]:
    """Return the fields of an activation known by its moments, checked against each other.

    >>> fields_of_moments("1/2", 0, None)["present"]
    (1,)
    """
    first, rest = read(c1, "c1"), read(c_rest, "c_rest")
    if is_negative(rest):
        raise DomainError(
            f"c_rest={c_rest} is negative; c_{{>1}} is a root: give it as it is, not its square", argument="c_rest"
        )
    known = None if present is None else read_indices(present)
    if is_zero(rest):  # nothing but the linear part
        known = (() if is_zero(first) else (1,)) if known is None else known
    if known is not None:
        check_indices(known, linear=not is_zero(first), rest=not is_zero(rest))
    c2 = Fraction(0) if known is not None and 2 not in known else None
    name = f"moments(c1={c1}, c_rest={c_rest})"
    spread = Fraction(0) if is_zero(rest) else None
    return {"c1": first, "c_rest": rest, "present": known, "c2": c2, "name": name, "slope_variance": spread}


def by_index(given: Mapping[Any, Any], name: str) -> tuple[Any, list[Any]]:
    """Return c_0 and [c_1, c_2, …] of a table {k: c_k}, in which a coefficient that is left out is zero.

    >>> by_index({1: 1, 3: "1/6"}, "teacher")
    (0, [1, 0, '1/6'])
    """
    wanted = f"the index of a coefficient, 0 to {_HIGHEST_DEGREE}, in a table such as {{1: 1, 2: '1/2'}}"
    with about(name):
        found = {whole(k, f"{name}: k", wanted, 0, _HIGHEST_DEGREE): value for k, value in given.items()}
    if not found:
        raise DomainError(f"{name} is empty; give a table of coefficients such as {{1: 1, 2: '1/2'}}", argument=name)
    return found.get(0, 0), [found.get(k, 0) for k in range(1, max(found) + 1)] or [0]


def fields_of_coefficients(coefficients: Any) -> dict[str, Any]:
    """Return the fields of the polynomial activation c_1 H_1 + c_2 H_2 + ….

    >>> fields_of_coefficients(["1", "1/2"])["c_rest"]
    sqrt(2)/2
    """
    mean: Any = 0
    if isinstance(coefficients, Mapping):
        mean, coefficients = by_index(coefficients, "coefficients")
    coefficients = as_numpy(coefficients, "coefficients")
    if (
        isinstance(coefficients, (str, bytes))
        or getattr(coefficients, "ndim", 1) != 1
        or not isinstance(coefficients, Iterable)
    ):
        raise DomainError(f"coefficients={coefficients!r} is not a list of c_1, c_2, …", argument="coefficients")
    with about("coefficients"):
        values = [read(c, f"c_{k}") for k, c in enumerate(coefficients, start=1)]
    if not values:
        raise DomainError("coefficients is empty; give c_1, c_2, …", argument="coefficients")
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
    slope = sum((k * factorial(k) * c**2 for k, c in enumerate(exact[1:], start=2)), sympy.Integer(0))
    spread = float(slope) if any(isinstance(c, float) for c in values) else slope
    known_by = {"c1": values[0], "c_rest": rest, "present": known, "c2": c2, "mean": read(mean, "c_0")}
    return known_by | {"name": f"hermite({shown})", "slope_variance": spread}
