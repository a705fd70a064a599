"""Activations that are given by a formula: everything follows from its tree, with proof.

See docs/theory/hermite.md#coefficients-of-a-function.
"""

# ruff: noqa: D102 - the base class says what its methods return

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from theorycalc.errors import DomainError
from theorycalc.functions.enclosures import float_of
from theorycalc.functions.grammar import parse_activation
from theorycalc.functions.pieces import End, as_tree, kinks_of
from theorycalc.functions.properties import derivative, is_continuous, is_smooth, parity, parity_modulo_polynomial
from theorycalc.functions.tree import Tree
from theorycalc.hermite.coefficients import check_defined
from theorycalc.model.activation import Activation
from theorycalc.model.coefficient_lists import Coefficients, tree_coefficients, undecided_coefficients, without_mean
from theorycalc.model.computed import (
    HermiteCoefficient,
    RestNorm,
    SlopeVariance,
    hermite_of_polynomial,
    infinite_spikes,
    spikes_of_tree,
)
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.exact import EnclosedNumber, Exact, is_zero

if TYPE_CHECKING:
    import sympy
    from numpy.typing import ArrayLike

    from theorycalc.numbers.exact import Floats


def read_formula(text: str) -> FormulaActivation:
    """Return the activation that a name or an expression in x writes.

    >>> read_formula("x + x**2").present
    (1, 2)
    """
    tree = parse_activation(text)
    check_defined(tree)
    polynomial = hermite_of_polynomial(tree)
    present = None
    if polynomial is not None:
        present = tuple(k for k in range(1, len(polynomial)) if not is_zero(HermiteCoefficient(tree, k)))
    first, second, mean = (_number(HermiteCoefficient(tree, k)) for k in (1, 2, 0))
    rest: Exact = Fraction(0) if present is not None and not any(k > 1 for k in present) else RestNorm(tree)
    return FormulaActivation(first, rest, present, second, text.strip(), mean, SlopeVariance(tree), tree=tree)


@dataclass(frozen=True, repr=False)
class FormulaActivation(Activation):
    """An activation written as a formula: its coefficients are enclosed, to as many digits as one asks."""

    tree: Tree = field(kw_only=True)
    origin: str | None = field(default=None, compare=False)  # the function whose formula was recognised: numpy.tanh

    is_provable: ClassVar[bool] = True

    def __hash__(self) -> int:
        return hash(self.tree)  # which knows its hash, and all else follows from it

    def __call__(self, x: ArrayLike) -> Floats:
        values = _compiled(self.tree)(x)
        return values - float(self.mean) if self.is_centered else values

    def derivative(self, x: ArrayLike) -> Floats:
        return self.compiled_derivative()(x)

    def compiled_derivative(self) -> Callable[[ArrayLike], Floats]:
        from theorycalc.functions.evaluate import compile_numpy  # which loads scipy

        return compile_numpy(derivative(self.tree))

    @property
    def derivative_source(self) -> str:
        return "formula"

    def centered(self) -> FormulaActivation:
        return replace(self, is_centered=True)

    @property
    def kinks(self) -> tuple[End, ...]:
        return tuple(kinks_of(self.tree))

    @property
    def kink_floats(self) -> tuple[float, ...]:
        return tuple(float_of(as_tree(kink)) for kink in self.kinks)

    @property
    def parity(self) -> str | None:
        found = parity_modulo_polynomial(self.tree) if self.is_centered else None
        if found is not None and len(found[1]) == 1:  # nothing but a constant is taken off
            return found[0]
        return parity(self.tree)

    @property
    def guarantee(self) -> str:
        return "estimated" if isinstance(self.c1, EnclosedNumber) and not self.c1.is_proven else "enclosed"

    def coefficients(self, k: int, digits: int | None = None, exact: bool = False) -> Coefficients:
        values = tree_coefficients(self.tree, k, digits, exact)
        return without_mean(values) if self.is_centered else values

    def undecided(self, k: int) -> dict[int, str]:
        return undecided_coefficients(self.tree, k)

    def listed_coefficients(self, ell: int) -> dict[int, Exact]:
        return {k: self.enclosed_coefficient(k) for k in range(2, ell + 1)}

    def enclosed_coefficient(self, k: int) -> EnclosedNumber:
        return HermiteCoefficient(self.tree, k)

    @property
    def is_smooth(self) -> bool | None:
        return is_smooth(self.tree)

    @property
    def is_continuous(self) -> bool | None:
        return is_continuous(self.tree)

    @property
    def knows_zeros(self) -> bool:
        return True

    @property
    def listed(self) -> None:
        return None

    def spikes(self, ell: int) -> tuple[int, ...]:
        if self.present is None:
            return spikes_of_tree(self.tree, ell)
        return tuple(k for k in self.present if k <= ell)

    def infinite_spikes(self) -> Spikes:
        return infinite_spikes(self.tree) if self.present is None else Spikes(self.present)

    @property
    def text(self) -> str:
        return self.name

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


def _number(value: EnclosedNumber) -> Exact:
    """Return zero as the number 0, and anything else as it is; what is undecided is left so."""
    try:
        return Fraction(0) if value.sign() == 0 else value
    except DomainError:
        return value


@functools.lru_cache(maxsize=256)
def _compiled(tree: Tree) -> Callable[[ArrayLike], Floats]:
    from theorycalc.functions.evaluate import compile_defined  # which loads scipy

    return compile_defined(tree)
