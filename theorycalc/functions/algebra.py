"""Derivatives, polynomials and expansion of trees."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import flint

from theorycalc.functions.build import ONE, ZERO, X, add, call, mul, negative, number, power
from theorycalc.functions.constants import is_constant
from theorycalc.functions.rebuild import map_parts, where
from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable, Where

_HIGHEST_DEGREE = 400
_HIGHEST_IRRATIONAL_DEGREE = 32
_MOST_IRRATIONAL_TERMS = 24
_MOST_TERMS = 2000

_HALF = Fraction(1, 2)
_TWO_OVER_ROOT_PI = mul(number(2), power(Constant("pi"), -_HALF))

#: f' of the primitives, as a tree in the argument; sign and step have none but 0.
_DERIVATIVES: dict[str, Callable[[Tree], Tree]] = {
    "exp": lambda u: call("exp", u),
    "log": lambda u: power(u, Fraction(-1)),
    "sin": lambda u: call("cos", u),
    "cos": lambda u: negative(call("sin", u)),
    "tan": lambda u: add(ONE, power(call("tan", u), Fraction(2))),
    "sinh": lambda u: call("cosh", u),
    "cosh": lambda u: call("sinh", u),
    "tanh": lambda u: power(call("cosh", u), Fraction(-2)),
    "atan": lambda u: power(add(ONE, power(u, Fraction(2))), Fraction(-1)),
    "asinh": lambda u: power(add(ONE, power(u, Fraction(2))), -_HALF),
    "erf": lambda u: mul(_TWO_OVER_ROOT_PI, call("exp", negative(power(u, Fraction(2))))),
    "erfc": lambda u: negative(mul(_TWO_OVER_ROOT_PI, call("exp", negative(power(u, Fraction(2)))))),
    "sigmoid": lambda u: mul(call("sigmoid", u), call("sigmoid", negative(u))),
    "softplus": lambda u: call("sigmoid", u),
    "abs": lambda u: call("sign", u),
    "sign": lambda u: ZERO,
    "step": lambda u: ZERO,
}


def derivative(tree: Tree) -> Tree:
    """Return the derivative where there is one; jumps and kinks are left out.

    >>> from theorycalc.functions.grammar import parse
    >>> from theorycalc.functions.show import show
    >>> show(derivative(parse("x*sin(2*x)"))), show(derivative(parse("relu")))
    ('2*cos(2*x)*x + sin(2*x)', 'where(x > 0, 1, 0)')
    """
    match tree:
        case Variable():
            return ONE
        case Sum(terms):
            return add(*map(derivative, terms))
        case Product(factors):
            slopes = [(i, derivative(factor)) for i, factor in enumerate(factors)]
            return add(*(mul(*factors[:i], slope, *factors[i + 1 :]) for i, slope in slopes if slope != ZERO))
        case Power(base, exponent):
            return mul(number(exponent), power(base, exponent - 1), derivative(base))
        case Call(function, argument):
            inner = derivative(argument)
            return ZERO if inner == ZERO else mul(_DERIVATIVES[function](argument), inner)
        case Where(left, comparison, right, then, otherwise):
            return where(left, comparison, right, derivative(then), derivative(otherwise))
    return ZERO


def polynomial(tree: Tree) -> list[Fraction] | None:
    """Return the coefficients of a polynomial with rational coefficients, lowest first; else None.

    >>> from theorycalc.functions.grammar import parse
    >>> polynomial(parse("(x + 1)**2/2")), polynomial(parse("tanh(x)"))
    ([Fraction(1, 2), Fraction(1, 1), Fraction(1, 2)], None)
    """
    found = _rational(tree)
    return None if found is None else [Fraction(int(c.p), int(c.q)) for c in found.coeffs()] or [Fraction(0)]


@functools.lru_cache(maxsize=1024)
def _rational(tree: Tree) -> flint.fmpq_poly | None:
    match tree:
        case Rational(value):
            return flint.fmpq_poly([flint.fmpq(value.numerator, value.denominator)])
        case Variable():
            return flint.fmpq_poly([0, 1])
        case Sum(parts) | Product(parts):
            found = [_rational(part) for part in parts]
            known = [p for p in found if p is not None]
            combine, degree = (operator.add, max) if isinstance(tree, Sum) else (operator.mul, sum)
            if len(known) < len(found) or degree(max(p.degree(), 0) for p in known) > _HIGHEST_DEGREE:
                return None
            return functools.reduce(combine, known)
        case Power(base, exponent) if exponent.denominator == 1 and exponent > 0:
            inner = _rational(base)
            return None if inner is None or inner.degree() * exponent > _HIGHEST_DEGREE else inner ** int(exponent)
    return None


def polynomial_trees(tree: Tree) -> list[Tree] | None:
    """Return the coefficients of a polynomial as trees without x, lowest first; else None.

    >>> from theorycalc.functions.grammar import parse
    >>> from theorycalc.functions.show import show
    >>> [show(c) for c in polynomial_trees(parse("sqrt(2)*(x - pi)"))]
    ['-pi*sqrt(2)', 'sqrt(2)']
    """
    found = _polynomial_trees(tree)
    return None if found is None else list(found)


@functools.lru_cache(maxsize=1024)
def _polynomial_trees(tree: Tree) -> list[Tree] | None:
    if is_constant(tree):
        return [tree]
    rational = polynomial(tree)
    if rational is not None:
        return [number(c) for c in rational]
    match tree:
        case Sum(terms):
            return _combined([_polynomial_trees(term) for term in terms], _sum_of)
        case Product(factors):
            return _combined([_polynomial_trees(factor) for factor in factors], _product_of)
        case Power(base, exponent) if exponent.denominator == 1 and exponent > 0:
            return _combined([_polynomial_trees(base)] * int(exponent), _product_of)
    return None


def _combined(
    polynomials: list[list[Tree] | None], combine: Callable[[list[Tree], list[Tree]], list[Tree]]
) -> list[Tree] | None:
    known = [p for p in polynomials if p is not None]
    degree = sum(len(p) - 1 for p in known)
    if len(known) < len(polynomials) or (combine is _product_of and degree > _HIGHEST_IRRATIONAL_DEGREE):
        return None
    result = known[0]
    for other in known[1:]:
        result = combine(result, other)
        if sum(len(c.terms) for c in result if isinstance(c, Sum)) > _MOST_IRRATIONAL_TERMS:
            return None
    while len(result) > 1 and result[-1] == ZERO:
        result = result[:-1]
    return result


def _sum_of(p: list[Tree], q: list[Tree]) -> list[Tree]:
    longer, shorter = (p, q) if len(p) >= len(q) else (q, p)
    return [add(a, b) for a, b in zip(longer, shorter, strict=False)] + longer[len(shorter) :]


def _product_of(p: list[Tree], q: list[Tree]) -> list[Tree]:
    terms: list[list[Tree]] = [[] for _ in range(len(p) + len(q) - 1)]
    for (i, a), (j, b) in product(enumerate(p), enumerate(q)):
        if ZERO not in (a, b):
            terms[i + j].append(expand(mul(a, b)))
    return [add(*t) if t else ZERO for t in terms]


def from_polynomial(coefficients: list[Tree]) -> Tree:
    """Return Σ coefficients[j] x^j as a tree.

    >>> from theorycalc.functions.show import show
    >>> show(from_polynomial([ONE, ZERO, number(3)]))
    '1 + 3*x**2'
    """
    return add(*(mul(c, power(X, Fraction(j))) for j, c in enumerate(coefficients)))


def expand(tree: Tree) -> Tree:
    """Return the tree with products and whole powers of sums multiplied out, unless there are too many terms.

    >>> from theorycalc.functions.grammar import parse
    >>> from theorycalc.functions.show import show
    >>> show(expand(parse("(x + 1)*(x - 1)")))
    '-1 + x**2'
    """
    match tree:
        case Product(factors):
            return _distributed([expand(factor) for factor in factors])
        case Power(base, exponent) if exponent.denominator == 1 and exponent > 0:
            inner = expand(base)
            if isinstance(inner, Sum) and len(inner.terms) ** int(exponent) <= _MOST_TERMS:
                return _distributed([inner] * int(exponent))
            return power(inner, exponent)
    return map_parts(tree, expand)


def _distributed(factors: list[Tree]) -> Tree:
    count = 1
    for factor in factors:
        count *= len(factor.terms) if isinstance(factor, Sum) else 1
    if count > _MOST_TERMS:
        return mul(*factors)
    result: Tree = ONE
    for factor in factors:
        left = result.terms if isinstance(result, Sum) else (result,)
        right = factor.terms if isinstance(factor, Sum) else (factor,)
        result = add(*(mul(a, b) for a, b in product(left, right)))
    return result
