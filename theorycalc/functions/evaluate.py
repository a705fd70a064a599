"""Trees as functions of numpy arrays, by ufuncs that preserve float64 digits, and as sympy expressions."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import flint
import numpy as np

from theorycalc.errors import DomainError
from theorycalc.functions.algebra import polynomial
from theorycalc.functions.build import split
from theorycalc.functions.enclosures import ball_of, float_of
from theorycalc.functions.grammar import parse
from theorycalc.functions.primitives import Primitive
from theorycalc.functions.tree import Branch, Call, Interpretation, Product, Rational, Sum, Tree, brief, is_constant
from theorycalc.numbers.balls import ball_precision
from theorycalc.numbers.exact import ArrayLike, Floats

if TYPE_CHECKING:
    import sympy
    from numpy.typing import NDArray

PartValues: TypeAlias = "float | NDArray[np.floating]"  # a part without x is one number
PartFunction: TypeAlias = Callable[[PartValues], PartValues]
SymbolFunction: TypeAlias = "Callable[[sympy.Expr], sympy.Expr]"

_BALL_BITS = 256
_MOST_BALLS = 1000  # points with an infinite value that are checked; of more, a sample is


class _Arrays(Interpretation[PartValues]):
    """Arrays of float64, or a single number where x does not occur."""

    def rational(self, value: Fraction) -> float:
        return float_of(Rational(value))

    def constant(self, name: str) -> float:
        return {"pi": np.pi, "e": np.e}[name]

    def power(self, exponent: Fraction) -> PartFunction:
        if exponent == Fraction(1, 2):
            return np.sqrt
        if exponent == -1:
            return lambda base: 1.0 / base
        if exponent.denominator == 1 and exponent > 0:
            whole = int(exponent)
            return lambda base: base**whole
        power = float(exponent)
        return lambda base: np.power(base, power)

    def function(self, row: Primitive) -> PartFunction:
        return row.array

    def where(
        self, condition: PartValues, strict: bool, then: Branch[PartValues], otherwise: Branch[PartValues]
    ) -> PartValues:
        return np.where(condition > 0 if strict else condition >= 0, then(), otherwise())

    def coordinate(self, points: PartValues, index: int) -> PartValues:
        coordinate: PartValues = np.asarray(points)[..., index - 1]
        return coordinate

    def compiled(self, tree: Tree) -> PartFunction:
        """Compile a tree: constants are rounded once, polynomials use Horner's rule, and exp(u) − 1 uses expm1."""
        if is_constant(tree):
            value = float_of(tree)
            return lambda x: value
        if isinstance(tree, Sum | Product):
            coefficients = polynomial(tree)
            if coefficients is not None:
                floats = [self.rational(c) for c in coefficients]
                return lambda x: np.polynomial.polynomial.polyval(x, floats)
        return self._sum(tree) if isinstance(tree, Sum) else super().compiled(tree)

    def _sum(self, tree: Sum) -> PartFunction:
        terms = [self.compiled(term) for term in tree.terms]
        for i, (coefficient, factor) in enumerate(map(split, tree.terms)):
            if isinstance(factor, Call) and factor.function == "exp" and tree.terms[0] == Rational(-coefficient):
                terms[i] = self._expm1(coefficient, factor.argument)
                del terms[0]
                break
        return self.add(terms)

    def _expm1(self, coefficient: Fraction, exponent: Tree) -> PartFunction:
        scale, inner = self.rational(coefficient), self.compiled(exponent)
        return lambda x: scale * np.expm1(inner(x))


_ARRAYS = _Arrays()


def compile_numpy(tree: Tree, axes: int = 0) -> Callable[[ArrayLike], Floats]:
    """Return the tree as a function of an array (or of a number, which gives an array of shape ()).

    With ``axes=1`` it is one of points, arrays of shape (…, r), whose coordinates are t_1, …, t_r.

    >>> compile_numpy(parse("relu(x)**2 + 1"))(np.array([-1.0, 0.0, 3.0]))
    array([ 1.,  1., 10.])
    """
    inner = _ARRAYS.compiled(tree)

    def function(x: ArrayLike) -> Floats:
        points = np.asarray(x, dtype=float)
        with np.errstate(all="ignore"):  # the branch of a where that is not taken may overflow
            return np.array(np.broadcast_to(inner(points), points.shape[: points.ndim - axes]), dtype=float)

    return function


def compile_defined(tree: Tree) -> Callable[[ArrayLike], Floats]:
    """Return a tree defined for all x except at jumps as a numpy function that refuses points without a value.

    float64 loses a value where 0·∞ or ∞ − ∞ comes up on the way, and where a divisor rounds to zero or is zero at a
    jump.  A value that is itself too large for float64 is infinite.

    >>> compile_defined(parse("x**99*sin(x**99)"))(1e9)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: an intermediate value of sin(x**99)*x**99 overflows float64 at x = 1000000000.0
    >>> compile_defined(parse("1/sign(x)"))(0)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: 1/sign(x) has no finite value in float64 at x = 0.0
    """
    function = compile_numpy(tree)

    def checked(x: ArrayLike) -> Floats:
        values = function(x)
        with np.errstate(all="ignore"):
            suspect = not np.isfinite(values.sum())  # one cheap pass, and nearly always the last
        if suspect:
            points = np.asarray(x, dtype=float)
            lost = np.isnan(values) & ~np.isnan(points)
            if lost.any():
                raise DomainError(f"an intermediate value of {brief(tree)} overflows float64 at x = {points[lost][0]}")
            infinite = points[np.isinf(values) & np.isfinite(points)]
            for point in infinite[:: len(infinite) // _MOST_BALLS + 1]:
                with ball_precision(_BALL_BITS):
                    value = ball_of(tree, flint.arb(float(point)))
                    is_too_large = value.is_finite() and value.abs_upper() >= sys.float_info.max
                if not is_too_large:
                    raise DomainError(f"{brief(tree)} has no finite value in float64 at x = {point}")
        return values

    return checked


class _Symbols(Interpretation["sympy.Expr"]):
    """Sympy expressions; sympy is loaded when the first one is made."""

    def __init__(self) -> None:
        import sympy

        self._sympy = sympy
        self.x = sympy.Symbol("x", real=True)  # beside the t_j: no name comes from a user's text

    def rational(self, value: Fraction) -> sympy.Expr:
        return self._sympy.Rational(value.numerator, value.denominator)

    def constant(self, name: str) -> sympy.Expr:
        return self._sympy.pi if name == "pi" else self._sympy.E

    def coordinate(self, points: sympy.Expr, index: int) -> sympy.Expr:
        return self._sympy.Symbol(f"t_{index}", real=True)

    def add(self, terms: Sequence[SymbolFunction]) -> SymbolFunction:
        return lambda x: self._sympy.Add(*(term(x) for term in terms))

    def multiply(self, factors: Sequence[SymbolFunction]) -> SymbolFunction:
        return lambda x: self._sympy.Mul(*(factor(x) for factor in factors))

    def power(self, exponent: Fraction) -> SymbolFunction:
        return lambda base: base ** self.rational(exponent)

    def function(self, row: Primitive) -> SymbolFunction:
        if "(" in row.sympy:
            return self.compiled(parse(row.sympy))
        found: SymbolFunction = getattr(self._sympy, row.sympy or row.name)
        return found

    def where(
        self, condition: sympy.Expr, strict: bool, then: Branch[sympy.Expr], otherwise: Branch[sympy.Expr]
    ) -> sympy.Expr:
        holds = self._sympy.Gt(condition, 0) if strict else self._sympy.Ge(condition, 0)
        return self._sympy.Piecewise((then(), holds), (otherwise(), True))


_symbols = functools.cache(_Symbols)


def to_sympy(tree: Tree) -> sympy.Expr:
    """Return the tree as a sympy expression in one real symbol x, or in the symbols t_1, t_2, … of its directions.

    >>> to_sympy(parse("relu(x)/sqrt(2)"))
    sqrt(2)*Piecewise((x, x > 0), (0, True))/2
    """
    symbols = _symbols()
    return symbols.compiled(tree)(symbols.x)
