"""Properties read from the tree of a function: derivative, parity, continuity, boundedness and smoothness.

The structure of the tree decides them, never sampled values; the answer is None where it does not.  See
docs/theory/hermite.md#what-the-theorems-ask-for.

The parity of a function minus a polynomial shows which Hermite coefficients vanish exactly: if σ = P + (an even
function) with a polynomial P, then c_k of σ is that of P for every odd k, and zero beyond its degree.  ReLU =
x/2 + |x|/2, GELU, SiLU and softplus are of this kind.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from fractions import Fraction

from theorycalc.errors import ExpressionError
from theorycalc.functions.algebra import expand, map_parts, polynomial_trees, substitute, where
from theorycalc.functions.bounds import growth_on, range_on
from theorycalc.functions.build import ONE, ZERO, X, add, call, content, mul, negative, number, power
from theorycalc.functions.enclosures import constant_sign
from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import Piece, compare, inner_point, is_inside, pieces
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.tree import Call, Power, Product, Sum, Tree, Variable, Where
from theorycalc.running.budget import spends


def derivative(tree: Tree) -> Tree:
    """Return the derivative, valid between kinks and jumps.

    >>> str(derivative(parse("x*sin(2*x)"))), str(derivative(parse("relu")))
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


def parity(tree: Tree) -> str | None:
    """Return "odd" or "even", or None if the function is neither or this is undecided.

    >>> parity(parse("hardtanh")), parity(parse("abs(x)*cos(x)")), parity(parse("relu"))
    ('odd', 'even', None)
    """
    halves = _halves(tree)
    if halves is None:
        return None
    odd, even = halves
    if all(part == ZERO for part in odd):
        return "even"
    return "odd" if all(part == ZERO for part in even) else None


def parity_modulo_polynomial(tree: Tree) -> tuple[str, tuple[Tree, ...]] | None:
    """Return a parity and the coefficients of a polynomial P such that tree − P has that parity, or None.

    P has the opposite parity; its coefficients, lowest first, are trees without x.

    >>> parity_modulo_polynomial(parse("sigmoid")), parity_modulo_polynomial(parse("elu"))
    (('odd', (Rational(value=Fraction(1, 2)),)), None)
    """
    halves = _halves(tree)
    if halves is None:
        return None
    for name, half, rest in (("even", halves[0], 1), ("odd", halves[1], 0)):
        coefficients, *others = map(polynomial_trees, half)
        if coefficients is None or any(other != coefficients for other in others):
            continue  # it is not one polynomial on all of x > 0
        if all(c == ZERO for c in coefficients[1 - rest :: 2]):
            return name, coefficients
    return None


@functools.lru_cache(maxsize=256)
@spends("the properties of")
def _halves(tree: Tree) -> tuple[tuple[Tree, ...], tuple[Tree, ...]] | None:
    """Return the odd and the even part of the tree on each interval between kinks with x > 0."""
    try:
        sides = [(_reduced(right), _reduced(substitute(left, negative(X)))) for right, left in _mirrored(pieces(tree))]
        odd, even = ([_half(add(ahead, mul(number(s), behind))) for ahead, behind in sides] for s in (-1, 1))
        return tuple(odd), tuple(even)
    except ExpressionError:  # too large, or kinks that cannot be compared
        return None


def _half(tree: Tree) -> Tree:
    expanded = expand(mul(number(Fraction(1, 2)), tree))
    coefficients = polynomial_trees(expanded)
    if coefficients is None:
        return expanded
    return add(*(mul(c, power(X, Fraction(j))) for j, c in enumerate(coefficients)))


def _mirrored(found: Sequence[Piece]) -> list[tuple[Tree, Tree]]:
    """Return the trees at x and at −x for each interval with x > 0 that contains no kink and no reflected kink."""
    cuts: list[Tree] = []
    for end in (piece.low for piece in found if piece.low is not None):
        positive = end if compare(end, ZERO) >= 0 else negative(end)
        if all(compare(positive, cut) for cut in (ZERO, *cuts)):
            cuts.append(positive)
    cuts.sort(key=functools.cmp_to_key(compare))
    ends = [ZERO, *cuts, None]
    points = [inner_point(low, high) for low, high in itertools.pairwise(ends)]
    return [(_tree_at(found, point), _tree_at(found, -point)) for point in points]


def _tree_at(found: Sequence[Piece], point: Fraction) -> Tree:
    return next(piece.tree for piece in found if is_inside(number(point), piece.low, piece.high))


def _reduced(tree: Tree) -> Tree:
    """Rewrite sigmoid, softplus, erfc and step of −u in terms of u, so that equal terms cancel."""
    mirrored = PRIMITIVES[tree.function].mirrored if isinstance(tree, Call) else None
    if mirrored is None or not isinstance(tree, Call):
        return map_parts(tree, _reduced)
    argument = expand(_reduced(tree.argument))
    if content(argument)[0] > 0:
        return call(tree.function, argument)
    return substitute(parse(mirrored), negative(argument))


@functools.lru_cache(maxsize=256)
@spends("the properties of")
def is_continuous(tree: Tree) -> bool | None:
    """Return whether the function has no jump at its kinks, or None if that is undecided.

    >>> is_continuous(parse("relu")), is_continuous(parse("sign"))
    (True, False)
    """
    found = pieces(tree)
    decided: bool | None = True
    for left, right in itertools.pairwise(found):
        assert right.low is not None
        jump = constant_sign(add(substitute(right.tree, right.low), negative(substitute(left.tree, right.low))))
        if jump in (-1, 1):
            return False
        decided = decided if jump == 0 else None
    return decided


def is_bounded(tree: Tree) -> bool:
    """Return whether the function is shown to be bounded.

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
@spends("the properties of")
def is_lipschitz(tree: Tree) -> bool | None:
    """Return whether the function is Lipschitz, or None if that is undecided.

    >>> is_lipschitz(parse("relu")), is_lipschitz(parse("x**2")), is_lipschitz(parse("step"))
    (True, False, False)
    """
    try:
        continuous = is_continuous(tree)
        outer = [piece for piece in pieces(tree) if None in (piece.low, piece.high)]
        if continuous is False or any(len(polynomial_trees(piece.tree) or ()) > 2 for piece in outer):
            return False  # a jump, or a polynomial of degree ≥ 2 out to infinity
    except ExpressionError:  # pragma: no cover - no known formula reaches it
        return None
    return True if continuous and is_bounded(derivative(tree)) else None


@functools.lru_cache(maxsize=256)
@spends("the properties of")
def is_smooth(tree: Tree) -> bool | None:
    """Return whether three derivatives are bounded and k! c_k² decays faster than k^(−3/2), or None if undecided.

    A jump makes k! c_k² decay like k^(−3/2) and no faster; a kink alone gives k^(−5/2).

    >>> is_smooth(parse("relu")), is_smooth(parse("gelu")), is_smooth(parse("sign")), is_smooth(parse("exp"))
    (True, True, False, None)
    """
    lipschitz = is_lipschitz(tree)
    if not lipschitz:
        return lipschitz
    second = derivative(derivative(tree))
    return True if is_bounded(second) and is_bounded(derivative(second)) else None
