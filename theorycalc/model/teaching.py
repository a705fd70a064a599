"""Teachers that know their function: given by a formula, or by their values.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

# ruff: noqa: D102 - the base class says what its methods return

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import factorial
from typing import TYPE_CHECKING, ClassVar

from theorycalc.errors import ArgumentError, about
from theorycalc.functions.enclosures import float_of
from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import as_tree, kinks_of
from theorycalc.functions.properties import is_lipschitz
from theorycalc.functions.tree import Tree
from theorycalc.hermite.coefficients import check_defined
from theorycalc.model.computed import HermiteCoefficient, SecondMoment, hermite_of_polynomial
from theorycalc.model.covariance import TreeCovariance
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.exact import read

if TYPE_CHECKING:
    from theorycalc.model.callables import UserFunction
    from theorycalc.numbers.exact import Floats

_HIGHEST_COMPUTED = 40  # c_⋆k of a teacher that is not a polynomial


def read_formula_teacher(text: str) -> FormulaTeacher:
    """Return the teacher that an expression in x writes.

    >>> read_formula_teacher("H2 + 3").mean
    Fraction(3, 1)
    """
    from theorycalc.functions.evaluate import to_sympy

    tree = parse(text)
    check_defined(tree)
    polynomial = hermite_of_polynomial(tree)
    if polynomial is None:
        values = [HermiteCoefficient(tree, k) for k in range(_HIGHEST_COMPUTED + 1)]
        return FormulaTeacher(
            tuple(values[1:]), SecondMoment(tree), values[0], TreeCovariance(tree), text=text, tree=tree
        )
    mean, *exact = [read(to_sympy(c), f"teacher c_⋆{k}") for k, c in enumerate(polynomial)]
    return FormulaTeacher(tuple(exact) or (Fraction(0),), None, mean, text=text, tree=tree)


@dataclass(frozen=True, repr=False)
class FormulaTeacher(Teacher):
    """A teacher written as a formula: its numbers are exact, or enclosed."""

    text: str = field(kw_only=True)
    tree: Tree = field(kw_only=True, compare=False)  # follows from the text
    origin: str | None = field(default=None, compare=False)  # the function whose formula was recognised: numpy.tanh

    def __repr__(self) -> str:
        return f"Teacher({self.text!r})"

    @property
    def name(self) -> str:
        return self.text

    @property
    def lipschitz(self) -> bool | None:
        found = is_lipschitz(self.tree)
        return super().lipschitz if found is None else found

    @property
    def kink_floats(self) -> tuple[float, ...]:
        return () if self.is_polynomial else tuple(float_of(as_tree(kink)) for kink in kinks_of(self.tree))

    def centered_values(self) -> Callable[[Floats], Floats]:
        if self.is_polynomial:
            return super().centered_values()
        from theorycalc.functions.evaluate import compile_defined  # which loads scipy

        values, mean = compile_defined(self.tree), float(self.mean)
        return lambda z: values(z) - mean

    def typed(self) -> str:
        return self.text

    def python(self) -> str:
        return repr(self.text)

    def notes(self) -> list[str]:
        return [] if self.origin is None else [f"{self.origin} is read as the formula {self.text}"]


def sample_teacher(function: UserFunction, kinks: Sequence[float]) -> SampledTeacher:
    """Return the teacher that a function of arrays is, with what its values show.

    >>> sample_teacher(lambda x: x + 1, ()).mean
    1.0
    """
    if not callable(function):
        raise ArgumentError(f"from_callable() takes a function, not {type(function).__name__}", argument="function")
    from theorycalc.model.callables import check_elementwise
    from theorycalc.model.sampled import estimate, read_kinks

    points = read_kinks(kinks)
    with about("function"):
        check_elementwise(function)
        found = estimate(function, points, _HIGHEST_COMPUTED)
    mean, *rest = found.told_from_zero()
    energies = Fraction(mean) ** 2 + sum(factorial(k) * Fraction(c) ** 2 for k, c in enumerate(rest, start=1))
    second = max(found.second_moment, math.nextafter(float(energies), math.inf))  # the rounding of a sum aside
    return SampledTeacher(tuple(rest), second, mean, function=function, kink_floats=points)


@dataclass(frozen=True, repr=False)
class SampledTeacher(Teacher):
    """A teacher known by its values: its numbers are estimates."""

    function: UserFunction = field(kw_only=True)
    kink_floats: tuple[float, ...] = ()

    is_sampled: ClassVar[bool] = True

    def __repr__(self) -> str:
        return f"Teacher({self._called})"

    @property
    def is_proven(self) -> bool:
        return False

    def centered_values(self) -> Callable[[Floats], Floats]:
        from theorycalc.model.callables import values_of

        mean = float(self.mean)
        return lambda z: values_of(self.function, z) - mean

    def notes(self) -> list[str]:
        return [
            f"the teacher {self._called} is known by its values: its coefficients are estimates from two resolutions"
        ]

    @property
    def _called(self) -> str:
        from theorycalc.model.callables import name_of

        return name_of(self.function)
