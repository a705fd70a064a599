"""Which c_k are not zero, as a user lists them."""

from __future__ import annotations

from collections.abc import Iterable

from theorycalc.errors import DomainError


def read_indices(present: Iterable[int]) -> tuple[int, ...]:
    """Return the indices sorted, each a whole number k ≥ 1.

    >>> read_indices([4, 1, 2])
    (1, 2, 4)
    """
    try:
        indices = sorted(set(present))
    except TypeError:
        raise DomainError(f"present={present!r} is not a list of indices such as (1, 2, 4)") from None
    for k in indices:
        if isinstance(k, bool) or not isinstance(k, int) or k < 1:
            raise DomainError(f"present={present!r}: {k!r} is not an index k ≥ 1 (an activation is centred, c_0 = 0)")
    return tuple(indices)


def check_indices(present: tuple[int, ...], linear: bool, rest: bool) -> None:
    """Refuse a list that contradicts c_1 (``linear``: it is not zero) or c_{>1} (``rest``)."""
    if linear != (1 in present):
        raise DomainError(f"present={present} contradicts c1: c_1 is {'not ' if linear else ''}zero")
    if rest != any(k > 1 for k in present):
        raise DomainError(f"present={present} contradicts c_rest: c_{{>1}} is {'not ' if rest else ''}zero")
