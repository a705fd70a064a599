"""What the theorems ask of smoothness: jumps, bounded derivatives, Lipschitz.

See docs/theory/hermite.md#what-the-theorems-ask-for.
"""

from __future__ import annotations

import functools
import itertools

from theorycalc.errors import ExpressionError
from theorycalc.functions.algebra import polynomial_trees, substitute, where
from theorycalc.functions.build import ONE, ZERO, add, mul, negative, number, power
from theorycalc.functions.grammar import parse
from theorycalc.functions.growth import growth_on
from theorycalc.functions.pieces import Piece, as_tree, pieces
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.reality import range_on
from theorycalc.functions.tree import Call, Power, Product, Sum, Tree, Variable, Where
from theorycalc.functions.walk import constant_sign


def derivative(tree: Tree) -> Tree:
    """Return the derivative where there is one; jumps and kinks are left out.

    >>> from theorycalc.functions.grammar import parse
    >>> from theorycalc.functions.tree import show
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
            slope = parse(PRIMITIVES[function].derivative)
            return ZERO if inner == ZERO else mul(substitute(slope, argument), inner)
        case Where(condition, strict, then, otherwise):
            return where(condition, ">" if strict else ">=", ZERO, derivative(then), derivative(otherwise))
    return ZERO


@functools.lru_cache(maxsize=256)
def is_continuous(tree: Tree) -> bool | None:
    """Say whether the function has no jump at its kinks; None where that is not decided.

    >>> from theorycalc.functions.grammar import parse
    >>> is_continuous(parse("relu")), is_continuous(parse("sign"))
    (True, False)
    """
    found = pieces(tree)
    decided: bool | None = True
    for left, right in itertools.pairwise(found):
        assert right.low is not None
        point = as_tree(right.low)
        jump = constant_sign(add(substitute(right.tree, point), negative(substitute(left.tree, point))))
        if jump in (-1, 1):
            return False
        decided = decided if jump == 0 else None
    return decided


def is_bounded(tree: Tree) -> bool:
    """Say whether the function is shown to be bounded.

    >>> from theorycalc.functions.grammar import parse
    >>> is_bounded(parse("x*exp(-x**2) + tanh(x)")), is_bounded(parse("x"))
    (True, False)
    """
    try:
        return all(_is_bounded(piece.tree, piece) for piece in pieces(tree))
    except ExpressionError:
        return False


def _is_bounded(tree: Tree, piece: Piece) -> bool:
    if range_on(tree, piece).is_bounded():
        return True
    if isinstance(tree, Sum):
        return all(_is_bounded(term, piece) for term in tree.terms)
    degree, linear, quadratic = growth_on(tree, piece)
    return (quadratic, linear, max(degree, 0)) <= (0, 0, 0)


@functools.lru_cache(maxsize=256)
def is_lipschitz(tree: Tree) -> bool | None:
    """Say whether the function is Lipschitz; None where that is not decided.

    >>> from theorycalc.functions.grammar import parse
    >>> is_lipschitz(parse("relu")), is_lipschitz(parse("x**2")), is_lipschitz(parse("step"))
    (True, False, False)
    """
    try:
        continuous = is_continuous(tree)
        if continuous is False or any(map(_is_steep, pieces(tree))):
            return False
    except ExpressionError:  # pragma: no cover - no known formula reaches it
        return None
    return True if continuous and is_bounded(derivative(tree)) else None


def _is_steep(piece: Piece) -> bool:
    """Whether the piece is a polynomial of degree ≥ 2 out to infinity."""
    coefficients = polynomial_trees(piece.tree)
    return None in (piece.low, piece.high) and coefficients is not None and len(coefficients) > 2


@functools.lru_cache(maxsize=256)
def is_smooth(tree: Tree) -> bool | None:
    """Say whether three derivatives are bounded and k! c_k² decays faster than k^(−3/2); None: not decided.

    A jump makes k! c_k² decay like k^(−3/2) and no faster; a kink alone gives k^(−5/2).

    >>> from theorycalc.functions.grammar import parse
    >>> is_smooth(parse("relu")), is_smooth(parse("gelu")), is_smooth(parse("sign")), is_smooth(parse("exp"))
    (True, True, False, None)
    """
    lipschitz = is_lipschitz(tree)
    if not lipschitz:
        return lipschitz
    second = derivative(derivative(tree))
    return True if is_bounded(second) and is_bounded(derivative(second)) else None
