"""The teacher σ⋆: its Hermite coefficients c_{⋆,k} and what is left of it.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from theorycalc.errors import DomainError, about
from theorycalc.model.moments import HIGHEST_DEGREE, by_index
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import EnclosedNumber, Exact, as_numpy, is_array, is_negative, is_zero, read, spell
from theorycalc.numbers.systems import Number, NumberSystem

if TYPE_CHECKING:
    from theorycalc.model.callables import UserFunction
    from theorycalc.numbers.exact import Floats


#: E[σ⋆(Z)σ⋆(Z')] as a formula in the correlation of Z and Z'.
Covariance: TypeAlias = Callable[[NumberSystem, Number], Number]


@dataclass(frozen=True, repr=False)
class Teacher:
    """σ⋆ = Σ_{k≥1} c_{⋆,k} H_k, given by numbers: a polynomial, or a function known by its moments.

    A list of coefficients is a polynomial; :meth:`from_moments` describes anything else.  The teachers of
    :meth:`from_text` and :meth:`from_callable` know their function as well.
    """

    coefficients: tuple[Exact, ...]  # c_⋆1, c_⋆2, …
    second_moment: Exact | None = None  # E σ⋆(Z)², mean included; None: a polynomial
    mean: Exact = Fraction(0)
    covariance: Covariance | None = None

    #: Whether it is known by its values only, so that its coefficients are estimates.
    is_sampled: ClassVar[bool] = False

    @classmethod
    @checked_call
    @about("text")
    def from_text(cls, text: str) -> Teacher:
        """Read a teacher as an expression in x; its mean is removed.

        A polynomial is known exactly; of anything else c_⋆1, …, c_⋆40 and E σ⋆² are computed when needed.

        >>> Teacher.from_text("H1 + H2/sqrt(2)").coefficients
        (Fraction(1, 1), sqrt(2)/2)
        """
        from theorycalc.model.teaching import read_formula_teacher

        return read_formula_teacher(text)

    @classmethod
    @checked_call
    def from_callable(cls, function: UserFunction, kinks: Sequence[float] = ()) -> Teacher:
        """Take a function of arrays, smooth between the ``kinks``; its coefficients are estimated, its mean removed.

        An estimate that cannot be told from zero counts as zero.

        >>> teacher = Teacher.from_callable(lambda x: x + x**2)
        >>> [round(c, 12) for c in teacher.coefficients[:3]], teacher.is_proven
        ([1.0, 1.0, 0.0], False)
        """
        from theorycalc.model.teaching import sample_teacher

        return sample_teacher(function, kinks)

    @classmethod
    @checked_call
    def from_moments(
        cls,
        coefficients: Iterable[Exact | int | str],
        second_moment: Exact | int | str,
        mean: Exact | int | str = 0,
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
        return Teacher(
            _read_coefficients(coefficients), read(second_moment, "second_moment"), read(mean, "mean"), covariance
        )

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
        return f"Teacher({[str(c) for c in self.coefficients]!r})"

    @property
    def name(self) -> str | None:
        """The text that it was read from, or None."""
        return None

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
        return not isinstance(first, EnclosedNumber) or first.is_proven

    @property
    def lipschitz(self) -> bool | None:
        """Whether its slope is bounded; None: not known."""
        return all(is_zero(c) for c in self.coefficients[1:]) if self.is_polynomial else None

    @property
    def kink_floats(self) -> tuple[float, ...]:
        """The points where the function is not smooth, in float64."""
        return ()

    def centered_values(self) -> Callable[[Floats], Floats]:
        """Return σ⋆ less its mean as a function of arrays, or say how to give it.

        >>> import numpy as np
        >>> Teacher(["1", "1"]).centered_values()(np.array([2.0]))
        array([5.])
        """
        import numpy as np

        if not self.is_polynomial:
            raise DomainError(
                f"{self} is known by its moments only, and labels need the function; "
                "write the teacher as text, such as 'sin(x)', or as a list of Hermite coefficients",
                argument="teacher",
            )
        coefficients = [0.0, *(float(c) for c in self.coefficients)]
        return lambda z: np.asarray(np.polynomial.hermite_e.hermeval(z, coefficients))

    def to_dict(self) -> dict[str, object]:
        """Return what the teacher is, as JSON shows it."""
        shown: dict[str, object] = {} if self.name is None else {"name": self.name}
        shown["coefficients"] = [spell(c) for c in self.coefficients]
        if self.second_moment is not None:
            shown |= {"second_moment": spell(self.second_moment), "mean": spell(self.mean)}
        return shown

    def typed(self) -> str | None:
        """Return the text that makes it again on a command line, or None where it cannot be typed."""
        if self.is_polynomial and all(isinstance(c, (Fraction, float)) for c in self.coefficients):
            return ",".join(str(spell(c)) for c in self.coefficients)
        return None

    def python(self) -> str:
        """Return the Python that makes it again, or the name of a variable for what must be made as before."""
        return repr([spell(c) for c in self.coefficients]) if self.is_polynomial else "teacher"

    def notes(self) -> list[str]:
        """Return what is to be said of where its numbers come from."""
        return []


def read_teacher(value: object) -> Teacher:
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
        return Teacher(_read_coefficients(coefficients), mean=read(mean, "mean"))
    if callable(value):
        return _of_function(value)
    if not is_array(value, "teacher"):
        raise DomainError(
            f"teacher={value!r} is neither a formula nor a list of Hermite coefficients nor a function; "
            "write teacher='H1 + H2/2', teacher=['1', '1/2'] or teacher={1: 1, 2: '1/2'}",
            argument="teacher",
        )
    return Teacher(_read_coefficients(value))


def _of_function(function: UserFunction) -> Teacher:
    from theorycalc.model.recognised import recognised
    from theorycalc.model.teaching import read_formula_teacher

    known = recognised(function)
    if known is None:
        return Teacher.from_callable(function)
    return replace(read_formula_teacher(known.formula), origin=known.name)


def _read_coefficients(given: object) -> tuple[Exact, ...]:
    values = as_numpy(given, "teacher")
    is_text = isinstance(values, (str, bytes, dict, set))
    if is_text or getattr(values, "ndim", 1) != 1 or not isinstance(values, Iterable):
        raise DomainError(
            f"teacher={values!r} is not a list of Hermite coefficients such as ['1', '1/2']", argument="teacher"
        )
    with about("teacher"):
        coefficients: Sequence[Exact] = [read(c, f"teacher c_⋆{k}") for k, c in enumerate(values, start=1)]
    if not coefficients:
        raise DomainError("teacher is empty; give c_⋆1, c_⋆2, …", argument="teacher")
    if len(coefficients) > HIGHEST_DEGREE:
        raise DomainError(
            f"teacher has degree {len(coefficients)}; at most {HIGHEST_DEGREE} is computed", argument="teacher"
        )
    return tuple(coefficients)


def teacher_items(text: str) -> list[str] | None:
    """Return the items of a list of coefficients c_⋆1, c_⋆2, …; None for a formula.

    >>> teacher_items("1, 1/2"), teacher_items("H1 + H2/2")
    (['1', '1/2'], None)
    """
    items = [item.strip() for item in text.split(",")]
    return items if all(re.fullmatch(r"[\s\d.eE/+-]*", item) for item in items) else None
