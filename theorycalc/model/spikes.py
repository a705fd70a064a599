"""Which c_k are not zero, as a user lists them, and up to which ℓ they are asked for."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from theorycalc.errors import DomainError, about
from theorycalc.numbers.exact import whole

_LARGEST_ELL = 10**5


def read_indices(present: Iterable[int], name: str = "present") -> tuple[int, ...]:
    """Return the indices sorted, each a whole number k ≥ 1.

    >>> read_indices([4, 1, 2])
    (1, 2, 4)
    """
    try:
        listed = list(present)
    except TypeError:
        raise DomainError(f"{name}={present!r} is not a list of indices such as (1, 2, 4)", argument=name) from None
    wanted = "a list of indices k ≥ 1 (an activation is centred, c_0 = 0)"
    with about(name):
        return tuple(sorted({whole(k, f"{name}: k", wanted) for k in listed}))


def check_indices(present: tuple[int, ...], linear: bool, rest: bool) -> None:
    """Refuse a list that contradicts c_1 (``linear``: it is not zero) or c_{>1} (``rest``)."""
    if linear != (1 in present):
        raise DomainError(
            f"present={present} contradicts c1: c_1 is {'not ' if linear else ''}zero", argument="present"
        )
    if rest != any(k > 1 for k in present):
        raise DomainError(
            f"present={present} contradicts c_rest: c_{{>1}} is {'not ' if rest else ''}zero", argument="present"
        )


def read_ell(ell: Any) -> int | float:
    """Return ℓ as a whole number ≥ 0, or infinity for ``"inf"``.

    >>> read_ell(2), read_ell("inf")
    (2, inf)
    """
    if isinstance(ell, (str, float)) and ell in ("inf", math.inf):
        return math.inf
    return whole(ell, "ell", f"a whole number from 0 to {_LARGEST_ELL}, or 'inf' for the limit", 0, _LARGEST_ELL)
