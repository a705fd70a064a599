"""Activations and teachers given by a formula: everything follows from its tree, with proof."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from theorycalc.errors import ArgumentError, DomainError, PrecisionError, spelled, true_or_false
from theorycalc.functions import properties
from theorycalc.functions.algebra import substitute
from theorycalc.functions.build import X, add, mul, number
from theorycalc.functions.enclosures import float_of
from theorycalc.functions.grammar import parse, parse_activation
from theorycalc.functions.pieces import kinks_of
from theorycalc.functions.primitives import usual_name
from theorycalc.functions.tree import Rational, Tree
from theorycalc.hermite import coefficients
from theorycalc.model import enclosed
from theorycalc.model.activation import Activation
from theorycalc.model.spikes import Spikes
from theorycalc.model.teacher import HIGHEST_COMPUTED, WrittenTeacher
from theorycalc.numbers.balls import to_mpf
from theorycalc.numbers.exact import (
    ArrayLike,
    Coefficients,
    EnclosedNumber,
    Exact,
    Floats,
    Scalar,
    check_digits,
    is_zero,
    read,
    whole,
)
from theorycalc.running.budget import more_for, spends

if TYPE_CHECKING:
    import sympy


def read_formula(text: str) -> FormulaActivation:
    """Return the activation given by a name or an expression in x.

    >>> read_formula("x + x**2").present, read_formula("ReLU").name
    ((1, 2), 'relu')
    """
    return _activation(parse_activation(text), usual_name(text.strip()))


@functools.lru_cache(maxsize=256)
@spends("reading", 1)
def _activation(tree: Tree, name: str) -> FormulaActivation:
    coefficients.check_defined(tree)
    polynomial = enclosed.hermite_of_polynomial(tree)
    present = None
    if polynomial is not None:
        present = tuple(k for k in range(1, len(polynomial)) if not is_zero(enclosed.HermiteCoefficient(tree, k)))
    first, second, mean = (_number(enclosed.HermiteCoefficient(tree, k)) for k in (1, 2, 0))
    rest: Exact = Fraction(0) if present is not None and not any(k > 1 for k in present) else enclosed.RestNorm(tree)
    return FormulaActivation(first, rest, present, second, name, mean, enclosed.SlopeVariance(tree), tree=tree)


def _number(value: EnclosedNumber) -> Exact:
    """Return zero as the number 0, and anything else unchanged, including an undecided number."""
    try:
        return Fraction(0) if value.sign() == 0 else value
    except DomainError:
        return value


@dataclass(frozen=True, repr=False)
class FormulaActivation(Activation):
    """An activation written as a formula: its coefficients can be enclosed to any number of digits."""

    tree: Tree = field(kw_only=True)
    origin: str | None = field(default=None, compare=False)  # the function whose formula was recognised: numpy.tanh

    is_provable: ClassVar[bool] = True

    def __hash__(self) -> int:
        return hash(self.tree)  # which knows its hash, and all else follows from it

    def _values(self, x: ArrayLike) -> Floats:
        return _compiled(self.tree)(x)

    def derivative(self, x: ArrayLike) -> Floats:
        return _compiled(self.tree, slope=True)(x)

    @property
    def derivative_source(self) -> str:
        return "formula"

    def _stretched(self, scale: Scalar, bias: Scalar) -> FormulaActivation:
        found = _stretched(self.tree, scale, bias)
        return replace(found, is_centered=self.is_centered)

    @property
    def kinks(self) -> tuple[Fraction | Tree, ...]:
        return tuple(kink.value if isinstance(kink, Rational) else kink for kink in kinks_of(self.tree))

    @property
    def kink_floats(self) -> tuple[float, ...]:
        return _kink_floats(self.tree)

    @property
    def parity(self) -> str | None:
        found = properties.parity_modulo_polynomial(self.tree) if self.is_centered else None
        if found is not None and len(found[1]) == 1:  # only a constant is subtracted
            return found[0]
        return properties.parity(self.tree)

    def _coefficients(self, k: int, digits: int | None, exact: bool) -> Coefficients:
        k = whole(k, "k", f"a whole number from 0 to {enclosed.HIGHEST_INDEX}", 0, enclosed.HIGHEST_INDEX)
        if true_or_false(exact, "exact"):
            if digits is not None:
                reason = f"give {spelled('digits')} or {spelled('exact', True)}, not both"
                raise ArgumentError(reason, argument="digits")
            return coefficients.exact_coefficients(self.tree, k)
        if digits is None:
            return coefficients.coefficients_floats(self.tree, k)
        digits = more_for(check_digits(digits))
        enclosures, guarantee = coefficients.coefficients_balls(self.tree, k, digits)
        if guarantee != "enclosed":
            reason = f"{digits} digits cannot be proven for this function: its coefficients are estimates"
            raise PrecisionError(reason, argument="digits")
        for index, value in enumerate(enclosures):
            if value.contains(0) and not value.is_exact():
                raise PrecisionError(
                    f"c_{index} is undecided: it lies in {value.str(3)}, and the structure does not show it to be "
                    "zero; digits of it cannot be proven",
                    argument="digits",
                )
        return [to_mpf(value, digits) for value in enclosures]

    def undecided(self, k: int) -> dict[int, str]:
        enclosures, _ = coefficients.coefficients_balls(self.tree, k, coefficients.FLOAT_DIGITS)
        return {j: c.str(3) for j, c in enumerate(enclosures) if c.contains(0) and not c.is_zero()}

    def listed_coefficients(self, ell: int) -> dict[int, Exact]:
        return {k: self.enclosed_coefficient(k) for k in range(2, ell + 1)}

    def enclosed_coefficient(self, k: int) -> EnclosedNumber:
        return enclosed.HermiteCoefficient(self.tree, k)

    @property
    def is_smooth(self) -> bool | None:
        return properties.is_smooth(self.tree)

    @property
    def is_continuous(self) -> bool | None:
        return properties.is_continuous(self.tree)

    def spikes(self, ell: int) -> tuple[int, ...]:
        return enclosed.spikes_of_tree(self.tree, ell) if self.present is None else super().spikes(ell)

    def infinite_spikes(self) -> Spikes:
        return enclosed.infinite_spikes(self.tree) if self.present is None else super().infinite_spikes()

    def described(self) -> sympy.Expr:
        from theorycalc.functions.evaluate import to_sympy

        return to_sympy(self.tree)

    def options(self) -> dict[str, str]:
        return {"activation": self.name}

    def python(self) -> str:
        return repr(self.name)

    def notes(self) -> list[str]:
        return [] if self.origin is None else [f"{self.origin} is read as the formula {self.name}"]

    def is_same_function(self, other: Activation) -> bool:
        return isinstance(other, FormulaActivation) and self.tree == other.tree


@functools.lru_cache(maxsize=256)
def _stretched(tree: Tree, scale: Scalar, bias: Scalar) -> FormulaActivation:
    longer = substitute(tree, add(mul(_constant(scale), X), _constant(bias)))
    return _activation(longer, str(longer))


def _constant(value: Scalar) -> Tree:
    return number(Fraction(value)) if isinstance(value, (Fraction, float)) else parse(str(value))


@functools.lru_cache(maxsize=512)
def _compiled(tree: Tree, slope: bool = False) -> Callable[[ArrayLike], Floats]:
    from theorycalc.functions.evaluate import compile_defined, compile_numpy

    return compile_numpy(properties.derivative(tree)) if slope else compile_defined(tree)


def _kink_floats(tree: Tree) -> tuple[float, ...]:
    return tuple(map(float_of, kinks_of(tree)))


@functools.lru_cache(maxsize=256)
@spends("reading", 1)
def formula_teacher(tree: Tree, text: str) -> FormulaTeacher:
    """Return the teacher of a tree; its text is shown.

    >>> formula_teacher(parse("x"), "t1").name
    't1'
    """
    from theorycalc.functions.evaluate import to_sympy

    coefficients.check_defined(tree)
    polynomial = enclosed.hermite_of_polynomial(tree)
    if polynomial is None:
        values = [enclosed.HermiteCoefficient(tree, k, role="teacher") for k in range(HIGHEST_COMPUTED + 1)]
        second, covariance = enclosed.SecondMoment(tree, role="teacher"), enclosed.TreeCovariance(tree)
        return FormulaTeacher(tuple(values[1:]), second, values[0], covariance, text=text, tree=tree)
    mean, *exact = [read(to_sympy(c), f"teacher c_⋆{k}") for k, c in enumerate(polynomial)]
    return FormulaTeacher(tuple(exact) or (Fraction(0),), None, mean, text=text, tree=tree)


@dataclass(frozen=True, repr=False)
class FormulaTeacher(WrittenTeacher):
    """A teacher of one direction written as a formula: its numbers are exact or enclosed."""

    origin: str | None = field(default=None, compare=False)  # the function whose formula was recognised: numpy.tanh

    @property
    def lipschitz(self) -> bool | None:
        found = properties.is_lipschitz(self.tree)
        return super().lipschitz if found is None else found

    @property
    def kink_floats(self) -> tuple[float, ...]:
        return () if self.is_polynomial else _kink_floats(self.tree)

    def centered_values(self) -> Callable[[Floats], Floats]:
        if self.is_polynomial:
            return super().centered_values()
        values, mean = _compiled(self.tree), float(self.mean)
        return lambda z: values(z) - mean

    def notes(self) -> list[str]:
        return [] if self.origin is None else [f"{self.origin} is read as the formula {self.text}"]
