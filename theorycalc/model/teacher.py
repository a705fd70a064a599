"""The teacher σ⋆: its Hermite coefficients c_{⋆,k}, its second moment and its mean.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar, TypeAlias

from theorycalc.errors import DomainError, about
from theorycalc.functions.tree import Tree
from theorycalc.model.callables import UserFunction
from theorycalc.model.moments import HIGHEST_DEGREE, read_list
from theorycalc.model.signatures import checked_call, documented_methods
from theorycalc.numbers.exact import EnclosedNumber, Exact, Floats, NumberLike, is_negative, is_zero, read, spell
from theorycalc.numbers.systems import Number, NumberSystem

HIGHEST_COMPUTED = 40  # the last c_⋆k of a teacher that is not a polynomial

#: E[σ⋆(Z)σ⋆(Z')] as a formula in the correlation of Z and Z'.
Covariance: TypeAlias = Callable[[NumberSystem, Number], Number]


@documented_methods
@dataclass(frozen=True, repr=False)
class Teacher:
    """σ⋆ = Σ_{k≥1} c_{⋆,k} H_k, given by numbers: a polynomial, or a function known by its moments.

    A list of coefficients is a polynomial; :meth:`from_moments` describes anything else.  The teachers of
    :meth:`from_text` and :meth:`from_callable` know their function, too.

    Parameters
    ----------
    coefficients : list of numbers
        c_⋆1, c_⋆2, …, at most 1000 of them.
    second_moment : number ≥ 0, optional
        E σ⋆(Z)², mean included; without it the teacher is a polynomial.
    mean : number, default 0
        E σ⋆(Z), which is subtracted.
    covariance : callable, optional
        E[σ⋆(Z)σ⋆(Z')] at correlation t as ``covariance(ns, t)``, written with the number system ``ns``: for ℓ = ∞.

    Raises
    ------
    DomainError
        A number cannot be read or is out of its range.

    >>> Teacher(["1", "1/2"]).is_polynomial
    True
    """

    coefficients: tuple[Exact, ...]  # c_⋆1, c_⋆2, …
    second_moment: Exact | None = None
    mean: Exact = Fraction(0)
    covariance: Covariance | None = None

    #: Whether it is known by its values only, so that its coefficients are estimates.
    is_sampled: ClassVar[bool] = False

    @classmethod
    @checked_call
    @about("text")
    def from_text(cls, text: str) -> Teacher:
        """Return the teacher given as an expression in x, or in the directions t1, …, t4, less its mean.

        Parameters
        ----------
        text : str
            A formula such as "H1 + H2/2", "sin(x)" or "t1 + t1*t2".  A polynomial is known exactly; of any other
            function of x, c_⋆1, …, c_⋆40 and E σ⋆² are computed when needed; of several directions, they are estimates.

        Raises
        ------
        ExpressionError
            The text cannot be read, or is not a real function that grows slowly enough.

        >>> Teacher.from_text("H1 + H2/sqrt(2)").coefficients
        (Fraction(1, 1), sqrt(2)/2)
        """
        from theorycalc.model.several import read_text_teacher

        return read_text_teacher(text)

    @classmethod
    @checked_call
    def multi(cls, function: str | UserFunction, directions: int | None = None) -> Teacher:
        """Return the teacher of several directions t_1, …, t_r given as text or a function, less its mean.

        Parameters
        ----------
        function : str or callable
            A formula such as "t1 + t1*t2", or a function of arrays of shape (…, r) that returns one number per point;
            the coefficients of a function are estimates.
        directions : int, optional
            r, from 2 to 4; a text has its own.

        Returns
        -------
        MultiTeacher
            Its ``coefficients`` are c_{û,k} along the direction û that one gradient step sees, ``seen``.

        Raises
        ------
        TheoryError
            The text cannot be read, or the function is not real and finite or has no second moment.

        >>> teacher = Teacher.multi("t1 + t2 + t1*t2")
        >>> teacher.seen, teacher.coefficients, teacher.unseen_energy
        ((sqrt(2)/2, sqrt(2)/2), (sqrt(2), Fraction(1, 2)), Fraction(1, 2))
        """
        from theorycalc.model.several import multi_teacher

        return multi_teacher(function, directions)

    @classmethod
    @checked_call
    def from_callable(cls, function: UserFunction, kinks: Sequence[float] = ()) -> Teacher:
        """Return the teacher that a Python function computes, less its mean; its coefficients are estimates.

        Parameters
        ----------
        function : callable
            A function of numpy, torch or JAX arrays, or of one number.
        kinks : list of numbers, default ()
            The points between which the function is smooth.  An estimate that is within its error of 0 is 0.

        Raises
        ------
        DomainError
            The function does not take each number on its own, is not real and finite, or has no second moment.

        >>> teacher = Teacher.from_callable(lambda x: x + x**2)
        >>> [round(c, 12) for c in teacher.coefficients[:3]], teacher.is_proven
        ([1.0, 1.0, 0.0], False)
        """
        from theorycalc.model.sampled import sample_teacher

        return sample_teacher(function, kinks)

    @classmethod
    @checked_call
    def from_moments(
        cls,
        coefficients: Iterable[NumberLike],
        second_moment: NumberLike,
        mean: NumberLike = 0,
        covariance: Covariance | None = None,
    ) -> Teacher:
        """Return a teacher described by numbers that is not a polynomial.

        ``coefficients`` reach as far as the largest ℓ asked of it.

        >>> import sympy as sp
        >>> sine = Teacher.from_moments(
        ...     [sp.exp(-sp.Rational(1, 2)), 0, -sp.exp(-sp.Rational(1, 2)) / 6],
        ...     second_moment=(1 - sp.exp(-2)) / 2,
        ...     covariance=lambda ns, t: ns.exp(-1) * ns.sinh(t),
        ... )
        >>> sine.is_polynomial
        False
        """
        listed, second = read_list(coefficients, "teacher", "c_⋆"), read(second_moment, "second_moment")
        return Teacher(tuple(listed), second, read(mean, "mean"), covariance)

    def __post_init__(self) -> None:
        found = read_list(self.coefficients, "teacher", "c_⋆")
        if len(found) > HIGHEST_DEGREE:
            reason = f"teacher has degree {len(found)}; at most {HIGHEST_DEGREE} is computed"
            raise DomainError(reason, argument="teacher")
        object.__setattr__(self, "coefficients", tuple(found))
        object.__setattr__(self, "mean", read(self.mean, "mean"))
        if self.second_moment is not None:
            object.__setattr__(self, "second_moment", read(self.second_moment, "second_moment"))
            if is_negative(self.second_moment):
                raise DomainError(f"second_moment={self.second_moment} is negative", argument="second_moment")
        if self.covariance is not None and not callable(self.covariance):
            reason = f"covariance={self.covariance!r} is not a function of a number system and a correlation"
            raise DomainError(reason, argument="covariance")

    def __repr__(self) -> str:
        return f"Teacher({[str(c) for c in self.coefficients]!r})"

    @property
    def name(self) -> str | None:
        """The text that it was read from, or None."""
        return None

    @property
    def is_polynomial(self) -> bool:
        """True if the coefficients describe it completely."""
        return self.second_moment is None

    @property
    def has_all_coefficients(self) -> bool:
        """True if every c_⋆k beyond those listed is zero."""
        return self.is_polynomial

    @property
    def directions(self) -> int:
        """The number r of directions β_1, …, β_r on which labels depend."""
        return 1

    @property
    def has_mean(self) -> bool:
        """True if a nonzero mean was subtracted."""
        return not is_zero(self.mean)

    @property
    def is_proven(self) -> bool:
        """True if its numbers are exact or can be enclosed, not merely estimated."""
        first = self.coefficients[0]
        return not self.is_sampled and (not isinstance(first, EnclosedNumber) or first.is_proven)

    @property
    def lipschitz(self) -> bool | None:
        """True if its slope is bounded, or None if that is unknown."""
        return all(is_zero(c) for c in self.coefficients[1:]) if self.is_polynomial else None

    @property
    def kink_floats(self) -> tuple[float, ...]:
        """The points where the function is not smooth, as float64."""
        return ()

    def centered_values(self) -> Callable[[Floats], Floats]:
        """Return σ⋆ less its mean as a function of arrays, or raise an error that says how to give one.

        >>> import numpy as np
        >>> Teacher(["1", "1"]).centered_values()(np.array([2.0]))
        array([5.])
        """
        import numpy as np

        if not self.is_polynomial:
            reason = f"{self} is known by its moments only, and labels need the function"
            remedy = "write the teacher as text, such as 'sin(x)', or as a list of Hermite coefficients"
            raise DomainError(f"{reason}; {remedy}", argument="teacher")
        coefficients = [0.0, *(float(c) for c in self.coefficients)]
        return lambda z: np.asarray(np.polynomial.hermite_e.hermeval(z, coefficients))

    def to_dict(self) -> dict[str, object]:
        """Return the text and numbers of the teacher as plain data for JSON."""
        shown: dict[str, object] = {} if self.name is None else {"name": self.name}
        shown["coefficients"] = [spell(c) for c in self.coefficients]
        if self.second_moment is not None:
            shown |= {"second_moment": spell(self.second_moment), "mean": spell(self.mean)}
        return shown

    def typed(self) -> str | None:
        """Return the text that recreates it on a command line, or None if it cannot be typed."""
        if self.is_polynomial and all(isinstance(c, (Fraction, float)) for c in self.coefficients):
            return ",".join(str(spell(c)) for c in self.coefficients)
        return None

    def python(self) -> str:
        """Return the Python that recreates it, or, for a function, the name of a variable."""
        if not self.is_polynomial:
            return "teacher"
        listed = repr([spell(c) for c in self.coefficients])
        return listed if len(self.coefficients) <= HIGHEST_COMPUTED else f"tc.Teacher({listed})"

    def notes(self) -> list[str]:
        """Return remarks on the origin of its numbers."""
        return []


@dataclass(frozen=True, repr=False)
class WrittenTeacher(Teacher):
    """A teacher written as a formula."""

    text: str = field(kw_only=True)
    tree: Tree = field(kw_only=True, compare=False)  # follows from the text

    def __repr__(self) -> str:
        return f"Teacher({self.text!r})"

    @property
    def name(self) -> str:
        """The text that it was read from."""
        return self.text

    def typed(self) -> str:
        """Return the text."""
        return self.text

    def python(self) -> str:
        """Return the text as a Python literal."""
        return repr(self.text)
