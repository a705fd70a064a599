"""Algebra of trees: conditions, substitution, polynomials, expansion; and the change of basis ξ to Hermite polynomials.

See docs/theory/hermite.md#powers-and-hermite-polynomials-ξ.

H_k are the probabilists' polynomials: H_{k+1} = x H_k − k H_{k−1}, E[H_j H_k] = k! δ_jk.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product, zip_longest
from math import comb, factorial, prod

import flint

from theorycalc.errors import ExpressionError
from theorycalc.functions.build import ONE, ZERO, add, call, content, mul, negative, number, power
from theorycalc.functions.enclosures import constant_sign
from theorycalc.functions.tree import Call, Power, Product, Rational, Sum, Tree, Variable, Where, brief, is_constant
from theorycalc.running.budget import check

_HIGHEST_DEGREE = 400
_HIGHEST_IRRATIONAL_DEGREE = 32
_MOST_IRRATIONAL_TERMS = 24
_MOST_TERMS = 2000


def where(left: Tree, comparison: str, right: Tree, then: Tree, otherwise: Tree) -> Tree:
    """Return ``then`` where the comparison holds, else ``otherwise``.

    >>> from theorycalc.functions.grammar import parse
    >>> str(where(parse("x"), "<=", parse("1"), parse("x"), parse("1")))
    'where(-1 + x > 0, 1, x)'
    """
    difference = add(left, negative(right))
    if comparison in ("<", "<="):  # u < 0 is −u > 0
        difference = negative(difference)
    return _where(difference, comparison in ("<", ">"), then, otherwise)


def _where(condition: Tree, strict: bool, then: Tree, otherwise: Tree) -> Tree:
    if then == otherwise:
        return then
    if is_constant(condition):
        sign = constant_sign(condition)
        if sign is None:
            raise ExpressionError(f"cannot decide whether {brief(condition)} is zero; write it more simply")
        return then if sign > 0 or (sign == 0 and not strict) else otherwise
    scale, rest = content(condition)
    if scale < 0:  # −u > 0 is not u >= 0
        return Where(rest, not strict, otherwise, then)
    return Where(rest, strict, then, otherwise)


def map_parts(tree: Tree, function: Callable[[Tree], Tree]) -> Tree:
    """Return the tree in normal form, with ``function`` applied to the trees directly below its root.

    >>> from theorycalc.functions.grammar import parse
    >>> str(map_parts(parse("x*exp(x)"), lambda part: parse("1") if part == parse("x") else part))
    'exp(x)'
    """
    check()
    match tree:
        case Sum(terms):
            return add(*map(function, terms))
        case Product(factors):
            return mul(*map(function, factors))
        case Power(base, exponent):
            return power(function(base), exponent)
        case Call(name, argument):
            return call(name, function(argument))
        case Where(condition, strict, then, otherwise):
            return _where(function(condition), strict, function(then), function(otherwise))
    return tree


def substitute(tree: Tree, x: Tree) -> Tree:
    """Return the tree with ``x`` in place of the variable.

    >>> from theorycalc.functions.grammar import parse
    >>> str(substitute(parse("sin(x)"), parse("-x")))
    '-sin(x)'
    """
    return x if isinstance(tree, Variable) else map_parts(tree, lambda part: substitute(part, x))


def replace(tree: Tree, old: Tree, new: Tree) -> Tree:
    """Return the tree with every occurrence of ``old`` replaced.

    >>> from theorycalc.functions.grammar import parse
    >>> str(replace(parse("2*abs(x)"), parse("abs(x)"), parse("-x")))
    '-2*x'
    """
    return new if tree == old else map_parts(tree, lambda part: replace(part, old, new))


def polynomial(tree: Tree) -> list[Fraction] | None:
    """Return the coefficients of a polynomial with rational coefficients, lowest first, or None for any other tree.

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


@functools.lru_cache(maxsize=1024)
def polynomial_trees(tree: Tree) -> tuple[Tree, ...] | None:
    """Return the coefficients of a polynomial as trees without x, lowest first, or None for any other tree.

    >>> from theorycalc.functions.grammar import parse
    >>> [str(c) for c in polynomial_trees(parse("sqrt(2)*(x - pi)"))]
    ['-pi*sqrt(2)', 'sqrt(2)']
    """
    if is_constant(tree):
        return (tree,)
    rational = polynomial(tree)
    if rational is not None:
        return tuple(map(number, rational))
    match tree:
        case Sum(terms):
            return _combined([polynomial_trees(term) for term in terms], _sum_of)
        case Product(factors):
            return _combined([polynomial_trees(factor) for factor in factors], _product_of)
        case Power(base, exponent) if exponent.denominator == 1 and exponent > 0:
            return _combined([polynomial_trees(base)] * int(exponent), _product_of)
    return None


def _combined(
    polynomials: list[tuple[Tree, ...] | None], combine: Callable[[Sequence[Tree], Sequence[Tree]], list[Tree]]
) -> tuple[Tree, ...] | None:
    known = [p for p in polynomials if p is not None]
    degree = sum(len(p) - 1 for p in known)
    if len(known) < len(polynomials) or (combine is _product_of and degree > _HIGHEST_IRRATIONAL_DEGREE):
        return None
    result = list(known[0])
    for other in known[1:]:
        result = combine(result, other)
        if sum(len(c.terms) for c in result if isinstance(c, Sum)) > _MOST_IRRATIONAL_TERMS:
            return None
    while len(result) > 1 and result[-1] == ZERO:
        result.pop()
    return tuple(result)


def _sum_of(p: Sequence[Tree], q: Sequence[Tree]) -> list[Tree]:
    return [add(a, b) for a, b in zip_longest(p, q, fillvalue=ZERO)]


def _product_of(p: Sequence[Tree], q: Sequence[Tree]) -> list[Tree]:
    terms: list[list[Tree]] = [[] for _ in range(len(p) + len(q) - 1)]
    for (i, a), (j, b) in product(enumerate(p), enumerate(q)):
        if ZERO not in (a, b):
            terms[i + j].append(expand(mul(a, b)))
    return [add(*t) for t in terms]


def expand(tree: Tree) -> Tree:
    """Return the tree with products and whole powers of sums multiplied out, unless that gives too many terms.

    >>> from theorycalc.functions.grammar import parse
    >>> str(expand(parse("(x + 1)*(x - 1)")))
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
    if prod(len(_terms(factor)) for factor in factors) > _MOST_TERMS:
        return mul(*factors)
    result: Tree = ONE
    for factor in factors:
        result = add(*(mul(a, b) for a, b in product(_terms(result), _terms(factor))))
    return result


def _terms(tree: Tree) -> tuple[Tree, ...]:
    return tree.terms if isinstance(tree, Sum) else (tree,)


def double_factorial(k: int) -> int:
    """Return k!! for odd k ≥ −1: the Gaussian moments are E Z^{2j} = (2j − 1)!!.

    >>> [double_factorial(k) for k in (-1, 1, 3, 5, 7)]
    [1, 1, 3, 15, 105]
    """
    half = (k + 1) // 2
    return (factorial(2 * half) // factorial(half)) >> half


def xi(p: int, i: int) -> int:
    """Return ξ_{p,i}, with x^p = Σ_i ξ_{p,i} H_i(x).

    >>> [xi(4, i) for i in range(5)]
    [3, 0, 6, 0, 1]
    """
    if i > p or (p - i) % 2:
        return 0
    j = (p - i) // 2
    return (factorial(p) // (factorial(j) * factorial(i))) >> j


def xi_inverse(p: int, i: int) -> int:
    """Return the coefficient of x^i in H_p(x).

    >>> [xi_inverse(4, i) for i in range(5)]
    [3, 0, -6, 0, 1]
    """
    return -xi(p, i) if (p - i) % 4 == 2 else xi(p, i)


def kernel_norm(M: int) -> Fraction:
    """Return S_M = Σ_{j≤M} C(2j, j)/4^j = (2M + 1) C(2M, M)/4^M (docs/theory/training_gain.md#the-closed-form).

    1/S_M is the squared distance of the constant 1 from span{x², x⁴, …, x^{2M}}.

    >>> kernel_norm(0), kernel_norm(1), kernel_norm(2)
    (Fraction(1, 1), Fraction(3, 2), Fraction(15, 8))
    """
    return Fraction((2 * M + 1) * comb(2 * M, M), 4**M)
