"""The teacher σ⋆: its Hermite coefficients c_{⋆,k} and what is left of it (theory section 2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from theorycalc.errors import DomainError, checked_call
from theorycalc.exact import Exact, is_negative, is_zero, read, spell
from theorycalc.numbers import Number, NumberSystem

_HIGHEST_DEGREE = 1000

#: E[σ⋆(Z)σ⋆(Z')] as a formula in the correlation of Z and Z'.
Covariance = Callable[[NumberSystem, Number], Number]


@dataclass(frozen=True)
class Teacher:
    """σ⋆ = Σ_{k≥1} c_{⋆,k} H_k: a polynomial, or a function known by its moments.

    A list of coefficients is a polynomial; :meth:`from_moments` describes anything else.
    """

    coefficients: tuple[Exact, ...]  # c_⋆1, c_⋆2, …
    second_moment: Exact | None = None  # E σ⋆(Z)², mean included; None: a polynomial
    mean: Exact = Fraction(0)
    covariance: Covariance | None = None

    @classmethod
    @checked_call
    def from_moments(
        cls,
        coefficients: Iterable[Any],
        second_moment: Any,
        mean: Any = 0,
        covariance: Covariance | None = None,
    ) -> Teacher:
        """Describe a teacher that is not a polynomial.

        ``coefficients`` are c_⋆1, c_⋆2, … as far as the largest ℓ asked of it; ``second_moment`` is
        E σ⋆(Z)².  A ``mean`` is removed.  ``covariance(ns, t)`` = E[σ⋆(Z)σ⋆(Z')] at correlation t,
        written with the number system ``ns``, gives ``ell="inf"``.

        >>> import sympy as sp
        >>> sine = Teacher.from_moments(
        ...     [sp.exp(-sp.Rational(1, 2)), 0, -sp.exp(-sp.Rational(1, 2)) / 6],
        ...     second_moment=(1 - sp.exp(-2)) / 2,
        ...     covariance=lambda ns, t: ns.exp(-1) * ns.sinh(t),
        ... )
        >>> sine.is_polynomial
        False
        """
        values = _read_coefficients(coefficients)
        moment = read(second_moment, "second_moment")
        if is_negative(moment):
            raise DomainError(f"second_moment={second_moment} is negative")
        return cls(values, moment, read(mean, "mean"), covariance)

    @property
    def is_polynomial(self) -> bool:
        """Whether the coefficients are all there is."""
        return self.second_moment is None

    @property
    def has_mean(self) -> bool:
        """Whether a mean had to be removed."""
        return not is_zero(self.mean)

    def to_dict(self) -> dict[str, Any]:
        """Return what the teacher is, as JSON shows it."""
        shown: dict[str, Any] = {"coefficients": [spell(c) for c in self.coefficients]}
        if self.second_moment is not None:
            shown |= {"second_moment": spell(self.second_moment), "mean": spell(self.mean)}
        return shown


def read_teacher(value: Any) -> Teacher:
    """Return ``value`` as a :class:`Teacher`: one already, or a list of coefficients c_⋆1, c_⋆2, and so on.

    >>> read_teacher(["1", "1/2"]).coefficients
    (Fraction(1, 1), Fraction(1, 2))
    """
    if isinstance(value, Teacher):
        return value
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise DomainError(
            f"teacher={value!r} is not a list of Hermite coefficients; write teacher=['1', '1/2'] for H_1 + H_2/2"
        )
    return Teacher(_read_coefficients(value))


def _read_coefficients(values: Iterable[Any]) -> tuple[Exact, ...]:
    coefficients: Sequence[Exact] = [read(c, f"teacher c_⋆{k}") for k, c in enumerate(values, start=1)]
    if not coefficients:
        raise DomainError("teacher is empty; give c_⋆1, c_⋆2, …")
    if len(coefficients) > _HIGHEST_DEGREE:
        raise DomainError(f"teacher has degree {len(coefficients)}; at most {_HIGHEST_DEGREE} is computed")
    return tuple(coefficients)
