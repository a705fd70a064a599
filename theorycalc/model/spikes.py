"""The powers K of the spikes after a step: the k ≤ ℓ with c_k ≠ 0."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from theorycalc.errors import DomainError, about, spelled
from theorycalc.numbers.exact import whole

_LARGEST_ELL = 10**5
_LONGEST = 12  # powers that a list shows; a longer one is shortened
_BEGINNING = 9


@dataclass(frozen=True)
class Spikes:
    """K: the listed powers and, for each parity (1: odd, 0: even) that is given, every power of it.

    >>> Spikes((1, 2)).value, ODD.value
    ((1, 2), 'odd')
    """

    listed: tuple[int, ...]
    endless: tuple[int, ...] = ()

    @classmethod
    def up_to(cls, ell: int) -> Spikes:
        """Return K = {1, …, ℓ}, as the theorem has it.

        >>> Spikes.up_to(3).listed
        (1, 2, 3)
        """
        return cls(tuple(range(1, ell + 1)))

    @classmethod
    def read(cls, value: tuple[int, ...] | str) -> Spikes:
        """Return the spikes that results show as ``value``.

        >>> Spikes.read("1+even") == ONE_AND_EVEN
        True
        """
        if not isinstance(value, str):
            return cls(value)
        return next(spikes for spikes, rule in _RULES.items() if rule.value == value)

    @property
    def value(self) -> tuple[int, ...] | str:
        """The spikes as results show them: the powers, or "all", "odd" or "1+even"."""
        return self.listed if self.is_finite else _RULES[self].value

    @property
    def is_finite(self) -> bool:
        """True if K has only the powers listed."""
        return not self.endless

    @property
    def largest(self) -> int | float:
        """The largest power: 0 if there is none, infinity if they have no end."""
        return max(self.listed, default=0) if self.is_finite else math.inf

    @property
    def has_even(self) -> bool:
        """True if h², h⁴ or another even power is among the spikes."""
        return 0 in self.endless or any(k % 2 == 0 for k in self.listed)

    @property
    def has_gaps(self) -> bool:
        """True where K lacks an even power below its largest even one, or an odd power below its largest odd one.

        >>> Spikes((1, 2, 4, 6)).has_gaps, Spikes((1, 3, 5)).has_gaps, Spikes((1, 4)).has_gaps, ODD.has_gaps
        (False, False, True, False)
        """
        if not self.is_finite:
            return False
        even = [k for k in self.listed if k % 2 == 0]
        odd = [k for k in self.listed if k % 2]
        return even != list(range(2, 2 * len(even) + 1, 2)) or odd != list(range(1, 2 * len(odd), 2))

    def reach(self, parity: int, most: int) -> int:
        """Return the largest power of a parity, 0 if it has none, or ``most`` if it has infinitely many.

        >>> ONE_AND_EVEN.reach(1, 40), ONE_AND_EVEN.reach(0, 40)
        (1, 40)
        """
        return most if parity in self.endless else max((k for k in self.listed if k % 2 == parity), default=0)

    def __bool__(self) -> bool:
        return bool(self.listed or self.endless)

    def __str__(self) -> str:
        """Return the spikes in words or as a set, shortened if it is long.

        >>> print(Spikes((1, 2, 4)), ONE_AND_EVEN, sep="; ")
        {1, 2, 4}; 1 and every even k
        """
        return "{" + _shortened(self.listed, ", ") + "}" if self.is_finite else _RULES[self].words

    @property
    def beginning(self) -> str:
        """The first few powers, for a sentence about infinitely many."""
        return _RULES[self].beginning

    @property
    def cell(self) -> str:
        """The spikes, as written in a cell of a table.

        >>> Spikes((1, 2)).cell, ODD.cell, Spikes(()).cell
        ('1,2', 'odd', '–')
        """
        return _shortened(self.listed, ",") or "–" if self.is_finite else _RULES[self].value


class _Rule(NamedTuple):
    value: str
    words: str
    beginning: str


NONE = Spikes(())
ALL = Spikes((), (0, 1))
ODD = Spikes((), (1,))
ONE_AND_EVEN = Spikes((1,), (0,))
_RULES = {
    ALL: _Rule("all", "every k", "1, 2, 3, …"),
    ODD: _Rule("odd", "every odd k", "1, 3, 5, …"),
    ONE_AND_EVEN: _Rule("1+even", "1 and every even k", "1 and 2, 4, 6, …"),
}


def _shortened(powers: tuple[int, ...], comma: str) -> str:
    long = len(powers) > _LONGEST
    return comma.join([*map(str, powers[:_BEGINNING]), "…", str(powers[-1])] if long else map(str, powers))


def read_indices(present: Iterable[int], name: str = "present") -> tuple[int, ...]:
    """Return the indices in order, each a whole number k ≥ 1.

    >>> read_indices([4, 1, 2])
    (1, 2, 4)
    """
    try:
        listed = list(present)
    except TypeError:
        reason = f"{spelled(name, present)} is not a list of indices such as (1, 2, 4)"
        raise DomainError(reason, argument=name) from None
    wanted = "a list of indices k ≥ 1 (an activation is centred, c_0 = 0)"
    with about(name):
        return tuple(sorted({whole(k, f"{name}: k", wanted) for k in listed}))


def check_indices(present: tuple[int, ...], linear: bool, rest: bool) -> None:
    """Refuse a list that contradicts c_1 (nonzero if ``linear``) or c_{>1} (``rest``)."""
    if linear != (1 in present):
        reason = f"{spelled('present', present)} contradicts c1: c_1 is {'not ' if linear else ''}zero"
        raise DomainError(reason, argument="present")
    if rest != any(k > 1 for k in present):
        reason = f"{spelled('present', present)} contradicts c_rest: c_{{>1}} is {'not ' if rest else ''}zero"
        raise DomainError(reason, argument="present")


def read_ell(ell: object) -> int | float:
    """Return ℓ as a whole number ≥ 0, or infinity for ``"inf"``.

    >>> read_ell(2), read_ell("2"), read_ell("inf")
    (2, 2, inf)
    """
    if isinstance(ell, (str, float)) and ell in ("inf", math.inf):
        return math.inf
    wanted = f"a whole number from 0 to {_LARGEST_ELL}, or 'inf' for the limit"
    return whole(ell, "ell", wanted, 0, _LARGEST_ELL, typed=True)
