"""The real zeros of a tree, exactly: where conditions change and kinks are."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

import flint

from theorycalc.errors import ExpressionError
from theorycalc.functions.algebra import polynomial, polynomial_trees
from theorycalc.functions.build import ZERO, add, call, mul, negative, number, power, split
from theorycalc.functions.intervals import WHOLE, proven_sign
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.tree import Call, Power, Product, Rational, Sum, Tree, brief, is_constant
from theorycalc.functions.walk import constant_sign

_MOST_WORK = 2_500_000  # degree² times bits of the coefficients: roots are isolated within half a second


def zeros(tree: Tree) -> list[Tree]:
    """Return trees without x that contain every real zero of ``tree``, a smooth one, or refuse.

    >>> from theorycalc.functions.grammar import parse
    >>> from theorycalc.functions.tree import show
    >>> [show(z) for z in zeros(parse("(x**2 - 2)*tanh(x - pi)*exp(x)"))]
    ['-sqrt(2)', 'sqrt(2)', 'pi']
    """
    match tree:
        case Product(factors):
            return [z for factor in factors if not is_constant(factor) for z in zeros(factor)]
        case Power(base, _):  # a sign can change at a pole, too
            return zeros(base)
        case Call(function, _) if PRIMITIVES[function].is_positive:
            return []
        case Call(function, argument) if PRIMITIVES[function].vanishes_with_argument:
            return zeros(argument)
        case Call("log", argument):
            return zeros(add(argument, number(-1)))
    coefficients = polynomial_trees(tree)
    if coefficients is not None and len(coefficients) <= 3:
        return _low_degree(coefficients, tree)
    rational = polynomial(tree)
    if rational is not None:
        return _by_factors(rational, tree)
    found = _exponential(tree)
    if found is not None:
        return found
    if proven_sign(tree, WHOLE) is not None:
        return []
    raise ExpressionError(f"the zeros of {brief(tree)} cannot be found exactly")


def _low_degree(coefficients: list[Tree], tree: Tree) -> list[Tree]:
    """Return the zeros of c + bx + ax²."""
    if any(constant_sign(c) is None for c in coefficients):
        raise ExpressionError(f"the zeros of {brief(tree)} cannot be found exactly")
    c, b, *rest = [*coefficients, ZERO][:2] + coefficients[2:]
    if not rest:
        return [] if b == ZERO else [mul(number(-1), c, power(b, Fraction(-1)))]
    a = rest[0]
    if b == ZERO and c == ZERO:
        return [ZERO]
    discriminant = add(mul(b, b), mul(number(-4), a, c))
    sign = constant_sign(discriminant)
    if sign is None:
        raise ExpressionError(f"the zeros of {brief(tree)} cannot be found exactly")
    if sign < 0:
        return []
    root = power(discriminant, Fraction(1, 2)) if sign else ZERO
    half = power(mul(number(2), a), Fraction(-1))
    ends = [add(mul(negative(b), half), mul(number(s), root, half)) for s in (-1, 1)]
    return ends if sign else ends[:1]


def _by_factors(coefficients: list[Fraction], tree: Tree) -> list[Tree]:
    """Return the zeros of a rational polynomial, from its factors over the rationals."""
    found: list[Tree] = []
    for factor in _factors(coefficients):
        if len(factor) <= 3:
            found += _low_degree([number(c) for c in factor], tree)
        elif _real_roots(factor) != []:
            raise ExpressionError(f"the zeros of {brief(tree)} cannot be found exactly")
    return found


def enclosed_zeros(tree: Tree) -> list[flint.arb] | None:
    """Return the real zeros of a rational polynomial in balls; None where they take too long, and for any other tree.

    >>> from theorycalc.functions.grammar import parse
    >>> [round(float(zero), 6) for zero in enclosed_zeros(parse("x**3 - 3*x + 1"))]
    [-1.879385, 0.347296, 1.532089]
    """
    rational = polynomial(tree)
    found = [None] if rational is None else [_real_roots(factor) for factor in _factors(rational)]
    known = [roots for roots in found if roots is not None]
    return None if len(known) < len(found) else sorted((root for roots in known for root in roots), key=float)


def _factors(coefficients: list[Fraction]) -> list[tuple[int, ...]]:
    """Return the factors of a polynomial over the rationals, each once, with whole coefficients."""
    scale = lcm(*(c.denominator for c in coefficients))
    _, factors = flint.fmpz_poly([int(c * scale) for c in coefficients]).factor()
    return [tuple(map(int, factor.coeffs())) for factor, _ in factors]


@lru_cache(maxsize=64)
def _real_roots(factor: tuple[int, ...]) -> list[flint.arb] | None:
    """Return balls around the real roots, each with one of them; None where that would take long."""
    if len(factor) ** 2 * max(map(int.bit_length, factor)) > _MOST_WORK:
        return None
    roots: Any = flint.fmpz_poly(list(factor)).complex_roots()  # pairs of a root, isolated, and its multiplicity
    return [root.real for root, _ in roots if root.imag.contains(0)]


def _exponential(tree: Tree) -> list[Tree] | None:
    """Return the zeros of c + b exp(u): those of u − log(−c/b)."""
    if not isinstance(tree, Sum) or len(tree.terms) != 2:
        return None
    constant, term = tree.terms if is_constant(tree.terms[0]) else tree.terms[::-1]
    factor, rest = split(term)
    if not is_constant(constant) or not (isinstance(rest, Call) and rest.function == "exp"):
        return None
    level = mul(number(-1 / factor), constant)
    sign = constant_sign(level)
    if sign is None:
        return None
    return zeros(add(rest.argument, negative(call("log", level)))) if sign > 0 else []


def exact(point: Tree) -> Fraction | Tree:
    """Return a number's value, or the tree of an irrational one.

    >>> exact(number(2))
    Fraction(2, 1)
    """
    return point.value if isinstance(point, Rational) else point
