"""Trees as functions of numpy arrays: closures over ufuncs, chosen so that float64 keeps its digits."""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias

import flint
import numpy as np
from scipy import special

from theorycalc.errors import DomainError
from theorycalc.functions.algebra import polynomial
from theorycalc.functions.build import split
from theorycalc.functions.constants import ball_of, float_of, is_constant
from theorycalc.functions.show import brief
from theorycalc.functions.tree import Call, Power, Product, Rational, Sum, Tree, Variable, Where
from theorycalc.numbers.balls import ball_precision
from theorycalc.numbers.exact import Floats

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

PartValues: TypeAlias = "float | NDArray[np.floating]"  # a part without x is one number
PartFunction: TypeAlias = Callable[[PartValues], PartValues]

_BALL_BITS = 256
_MOST_BALLS = 1000  # of the points at which a value is infinite: where there are more, it overflows

_FUNCTIONS: dict[str, PartFunction] = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "erf": special.erf,
    "erfc": special.erfc,
    "sigmoid": special.expit,
    "softplus": lambda u: np.logaddexp(0.0, u),
    "abs": np.abs,
    "sign": np.sign,
    "step": lambda u: np.heaviside(u, 0.5),
}
_COMPARISONS: dict[str, Callable[[PartValues, PartValues], bool | NDArray[np.bool]]] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
}


def compile_numpy(tree: Tree) -> Callable[[ArrayLike], Floats]:
    """Return the tree as a function of an array (or of a number, which gives an array of shape ()).

    >>> from theorycalc.functions.grammar import parse
    >>> compile_numpy(parse("relu(x)**2 + 1"))(np.array([-1.0, 0.0, 3.0]))
    array([ 1.,  1., 10.])
    """
    inner = _compiled(tree)

    def function(x: ArrayLike) -> Floats:
        points = np.asarray(x, dtype=float)
        with np.errstate(all="ignore"):  # the branch of a where that is not taken may overflow
            return np.array(np.broadcast_to(inner(points), points.shape), dtype=float)

    return function


def compile_defined(tree: Tree) -> Callable[[ArrayLike], Floats]:
    """Return a tree that is defined for all x, jumps apart, as such a function; where it lost its value, it refuses.

    That is where 0·∞ or ∞ − ∞ came up on the way, or a division by a zero that is none, or is a jump.  A value that is
    itself too large for float64 is infinite.

    >>> from theorycalc.functions.grammar import parse
    >>> compile_defined(parse("x**99*sin(x**99)"))(1e9)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: sin(x**99)*x**99 overflows float64 on the way to its value at x = 1000000000.0
    >>> compile_defined(parse("1/sign(x)"))(0)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: 1/sign(x) has no finite value in float64 at x = 0.0
    """
    function = compile_numpy(tree)

    def checked(x: ArrayLike) -> Floats:
        values = function(x)
        with np.errstate(all="ignore"):
            suspect = not np.isfinite(values.sum())  # one cheap pass over what is nearly always in order
        if suspect:
            points = np.asarray(x, dtype=float)
            lost = np.isnan(values) & ~np.isnan(points)
            if lost.any():
                raise DomainError(f"{brief(tree)} overflows float64 on the way to its value at x = {points[lost][0]}")
            infinite = points[np.isinf(values) & np.isfinite(points)]
            for point in infinite[:: len(infinite) // _MOST_BALLS + 1]:
                if not _is_too_large(tree, float(point)):
                    raise DomainError(f"{brief(tree)} has no finite value in float64 at x = {point}")
        return values

    return checked


def _is_too_large(tree: Tree, x: float) -> bool:
    """Whether a value is beyond float64, and not only what float64 made of it."""
    with ball_precision(_BALL_BITS):
        value = ball_of(tree, flint.arb(x))
        return bool(value.is_finite() and value.abs_upper() >= sys.float_info.max)


def _compiled(tree: Tree) -> PartFunction:
    if is_constant(tree):
        value = float_of(tree)
        return lambda x: value
    if isinstance(tree, (Sum, Product)):
        coefficients = polynomial(tree)
        if coefficients is not None:
            floats = [float_of(Rational(c)) for c in coefficients]
            return lambda x: np.polynomial.polynomial.polyval(x, floats)
    match tree:
        case Sum(terms):
            return _sum(terms)
        case Product(factors):
            return _product([_compiled(factor) for factor in factors])
        case Power(base, exponent):
            return _power(_compiled(base), exponent)
        case Call(function, argument):
            outer, inner = _FUNCTIONS[function], _compiled(argument)
            return lambda x: outer(inner(x))
        case Where(left, comparison, right, then, otherwise):
            a, b, yes, no = map(_compiled, (left, right, then, otherwise))
            compare = _COMPARISONS[comparison]
            return lambda x: np.where(compare(a(x), b(x)), yes(x), no(x))
    assert isinstance(tree, Variable)
    return lambda x: x


def _sum(terms: tuple[Tree, ...]) -> PartFunction:
    """Return a sum; −c + c exp(u) in it is c expm1(u)."""
    start = 0
    compiled = [_compiled(term) for term in terms]
    for i, (coefficient, factor) in enumerate(map(split, terms)):
        is_exponential = isinstance(factor, Call) and factor.function == "exp"
        if is_exponential and not start and terms[0] == Rational(-coefficient):
            compiled[i] = _expm1(coefficient, factor)
            start = 1

    def total(x: PartValues) -> PartValues:
        result = compiled[start](x)
        for function in compiled[start + 1 :]:
            result = result + function(x)
        return result

    return total


def _expm1(coefficient: Fraction, exponential: Tree) -> PartFunction:
    assert isinstance(exponential, Call)
    scale, inner = float_of(Rational(coefficient)), _compiled(exponential.argument)
    return lambda x: scale * np.expm1(inner(x))


def _product(factors: list[PartFunction]) -> PartFunction:
    def product(x: PartValues) -> PartValues:
        result = factors[0](x)
        for function in factors[1:]:
            result = result * function(x)
        return result

    return product


def _power(base: PartFunction, exponent: Fraction) -> PartFunction:
    if exponent == Fraction(1, 2):
        return lambda x: np.sqrt(base(x))
    if exponent == -1:
        return lambda x: 1.0 / base(x)
    if exponent.denominator == 1 and exponent > 0:
        whole = int(exponent)
        return lambda x: base(x) ** whole
    power = float(exponent)
    return lambda x: np.power(base(x), power)
