"""The teacher σ⋆: its Hermite coefficients c_{⋆,k} and what is left of it (theory section 2)."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import factorial
from typing import Any

from theorycalc.errors import ArgumentError, DomainError, about, checked_call
from theorycalc.model.moments import by_index
from theorycalc.numbers.exact import EnclosedNumber, Exact, as_numpy, is_array, is_negative, is_zero, read, spell
from theorycalc.numbers.systems import Number, NumberSystem

_HIGHEST_DEGREE = 1000
_HIGHEST_COMPUTED = 40  # c_⋆k of a teacher that is not a polynomial

#: E[σ⋆(Z)σ⋆(Z')] as a formula in the correlation of Z and Z'.
Covariance = Callable[[NumberSystem, Number], Number]


@dataclass(frozen=True, repr=False)
class Teacher:
    """σ⋆ = Σ_{k≥1} c_{⋆,k} H_k: a polynomial, or a function known by its moments.

    A list of coefficients is a polynomial; :meth:`from_moments` describes anything else.
    """

    coefficients: tuple[Exact, ...]  # c_⋆1, c_⋆2, …
    second_moment: Exact | None = None  # E σ⋆(Z)², mean included; None: a polynomial
    mean: Exact = Fraction(0)
    covariance: Covariance | None = None
    name: str | None = None  # the text it was read from
    lipschitz: bool | None = None  # None: not known
    function: Callable[[Any], Any] | None = None  # known by its values only: the coefficients are estimates
    given_kinks: tuple[float, ...] = ()
    origin: str | None = field(default=None, compare=False)  # the function whose formula was recognised: numpy.tanh

    @classmethod
    @checked_call
    def from_text(cls, text: str) -> Teacher:
        """Read a teacher as an expression in x; its mean is removed.

        A polynomial is known exactly; of anything else c_⋆1, …, c_⋆40 and E σ⋆² are computed when needed.

        >>> Teacher.from_text("H1 + H2/sqrt(2)").coefficients
        (Fraction(1, 1), sqrt(2)/2)
        """
        from theorycalc.functions.grammar import parse
        from theorycalc.functions.smoothness import is_lipschitz
        from theorycalc.functions.to_sympy import to_sympy
        from theorycalc.hermite.coefficients import check_defined
        from theorycalc.model.computed import HermiteCoefficient, SecondMoment, hermite_of_polynomial
        from theorycalc.model.covariance import TreeCovariance

        tree = parse(text)
        check_defined(tree)
        polynomial = hermite_of_polynomial(tree)
        if polynomial is None:
            values = [HermiteCoefficient(tree, k) for k in range(_HIGHEST_COMPUTED + 1)]
            return cls(tuple(values[1:]), SecondMoment(tree), values[0], TreeCovariance(tree), text, is_lipschitz(tree))
        mean, *exact = [read(to_sympy(c), f"teacher c_⋆{k}") for k, c in enumerate(polynomial)]
        return cls(tuple(exact) or (Fraction(0),), None, mean, None, text, is_lipschitz(tree))

    @classmethod
    @checked_call
    def from_callable(cls, function: Callable[[Any], Any], kinks: Sequence[float] = ()) -> Teacher:
        """Take a function of arrays, smooth between the ``kinks``; its coefficients are estimated, its mean removed.

        An estimate that cannot be told from zero counts as zero.

        >>> teacher = Teacher.from_callable(lambda x: x + x**2)
        >>> [round(c, 12) for c in teacher.coefficients[:3]], teacher.is_proven
        ([1.0, 1.0, 0.0], False)
        """
        if not callable(function):
            raise ArgumentError(f"from_callable() takes a function, not {type(function).__name__}", argument="function")
        from theorycalc.model.callables import check_elementwise
        from theorycalc.model.sampled import estimate

        check_elementwise(function)
        points = tuple(float(k) for k in kinks)
        found = estimate(function, points, _HIGHEST_COMPUTED)
        mean, *rest = found.told_from_zero()
        energies = Fraction(mean) ** 2 + sum(factorial(k) * Fraction(c) ** 2 for k, c in enumerate(rest, start=1))
        second = max(found.second_moment, math.nextafter(float(energies), math.inf))  # the rounding of a sum aside
        return cls(tuple(rest), second, mean, function=function, given_kinks=points)

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
        return cls(_read_coefficients(coefficients), second_moment, mean, covariance)

    def __post_init__(self) -> None:
        object.__setattr__(self, "coefficients", _read_coefficients(self.coefficients))
        object.__setattr__(self, "mean", read(self.mean, "mean"))
        if self.second_moment is not None:
            object.__setattr__(self, "second_moment", read(self.second_moment, "second_moment"))
            if is_negative(self.second_moment):
                raise DomainError(f"second_moment={self.second_moment} is negative", argument="second_moment")
        if self.covariance is not None and not callable(self.covariance):
            raise DomainError(
                f"covariance={self.covariance!r} is not a function of a number system and a correlation",
                argument="covariance",
            )

    def __repr__(self) -> str:
        if self.function is not None:
            from theorycalc.model.callables import name_of

            return f"Teacher({name_of(self.function)})"
        return f"Teacher({self.name or [str(c) for c in self.coefficients]!r})"

    @property
    def is_polynomial(self) -> bool:
        """Whether the coefficients are all there is."""
        return self.second_moment is None

    @property
    def has_mean(self) -> bool:
        """Whether a mean had to be removed."""
        return not is_zero(self.mean)

    @property
    def is_proven(self) -> bool:
        """Whether its numbers are exact or can be enclosed, not only estimated."""
        first = self.coefficients[0]
        return self.function is None and (not isinstance(first, EnclosedNumber) or first.is_proven)

    def to_dict(self) -> dict[str, Any]:
        """Return what the teacher is, as JSON shows it."""
        shown: dict[str, Any] = {} if self.name is None else {"name": self.name}
        shown["coefficients"] = [spell(c) for c in self.coefficients]
        if self.second_moment is not None:
            shown |= {"second_moment": spell(self.second_moment), "mean": spell(self.mean)}
        return shown


def read_teacher(value: Any) -> Teacher:
    """Return ``value`` as a :class:`Teacher`: one already, a formula, coefficients c_⋆1, c_⋆2, …, or a function.

    >>> read_teacher(["1", "1/2"]).coefficients, read_teacher({0: 3, 2: "1/2"}).coefficients
    ((Fraction(1, 1), Fraction(1, 2)), (Fraction(0, 1), Fraction(1, 2)))
    """
    if isinstance(value, Teacher):
        return value
    if isinstance(value, str):
        return Teacher.from_text(value)
    if isinstance(value, Mapping):
        mean, coefficients = by_index(value, "teacher")
        return Teacher(tuple(coefficients), mean=mean)
    if callable(value):
        return _of_function(value)
    if not is_array(value, "teacher"):
        raise DomainError(
            f"teacher={value!r} is neither a formula nor a list of Hermite coefficients nor a function; "
            "write teacher='H1 + H2/2', teacher=['1', '1/2'] or teacher={1: 1, 2: '1/2'}",
            argument="teacher",
        )
    return Teacher(_read_coefficients(value))


def _of_function(function: Callable[[Any], Any]) -> Teacher:
    from theorycalc.model.recognised import recognised

    known = recognised(function)
    if known is None:
        return Teacher.from_callable(function)
    return replace(Teacher.from_text(known.formula), origin=known.name)


def _read_coefficients(values: Any) -> tuple[Exact, ...]:
    values = as_numpy(values, "teacher")
    is_text = isinstance(values, (str, bytes, dict, set))
    if is_text or getattr(values, "ndim", 1) != 1 or not isinstance(values, Iterable):
        raise DomainError(
            f"teacher={values!r} is not a list of Hermite coefficients such as ['1', '1/2']", argument="teacher"
        )
    with about("teacher"):
        coefficients: Sequence[Exact] = [read(c, f"teacher c_⋆{k}") for k, c in enumerate(values, start=1)]
    if not coefficients:
        raise DomainError("teacher is empty; give c_⋆1, c_⋆2, …", argument="teacher")
    if len(coefficients) > _HIGHEST_DEGREE:
        raise DomainError(
            f"teacher has degree {len(coefficients)}; at most {_HIGHEST_DEGREE} is computed", argument="teacher"
        )
    return tuple(coefficients)


def teacher_items(text: str) -> list[str] | None:
    """Return the items of a list of coefficients c_⋆1, c_⋆2, …; None for a formula.

    >>> teacher_items("1, 1/2"), teacher_items("H1 + H2/2")
    (['1', '1/2'], None)
    """
    items = [item.strip() for item in text.split(",")]
    return items if all(re.fullmatch(r"[\s\d.eE/+-]*", item) for item in items) else None
