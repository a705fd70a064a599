"""Parity of a function, also after a polynomial is taken off: which Hermite coefficients vanish exactly.

If σ = P + (an even function) with a polynomial P, then c_k of σ is that of P for every odd k: zero beyond
its degree.  ReLU = x/2 + |x|/2, GELU, SiLU and softplus are of this kind.  All is decided by the structure
of the trees, never by numbers; where it is not, the answer is None.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from fractions import Fraction

from theorycalc.errors import ExpressionError
from theorycalc.functions.algebra import expand, from_polynomial, map_parts, polynomial_trees, substitute
from theorycalc.functions.build import ZERO, X, add, call, mul, negative, number, split
from theorycalc.functions.grammar import parse
from theorycalc.functions.pieces import Piece, as_tree, compare, pieces
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.tree import Call, Rational, Sum, Tree
from theorycalc.functions.zeros import exact


def parity(tree: Tree) -> str | None:
    """Return "odd", "even", or None where neither is shown.

    >>> from theorycalc.functions.grammar import parse
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


def parity_modulo_polynomial(tree: Tree) -> tuple[str, list[Fraction | Tree]] | None:
    """Return a parity and the coefficients of a polynomial P, such that tree − P has that parity; or None.

    P has the opposite parity; its coefficients, lowest first, are rational numbers or trees without x.

    >>> from theorycalc.functions.grammar import parse
    >>> parity_modulo_polynomial(parse("relu"))
    ('even', [Fraction(0, 1), Fraction(1, 2)])
    >>> parity_modulo_polynomial(parse("sigmoid")), parity_modulo_polynomial(parse("elu"))
    (('odd', [Fraction(1, 2)]), None)
    """
    halves = _halves(tree)
    if halves is None:
        return None
    for name, half, rest in (("even", halves[0], 1), ("odd", halves[1], 0)):
        coefficients = _common_polynomial(half)
        if coefficients is not None and all(c == ZERO for c in coefficients[1 - rest :: 2]):
            return name, [exact(c) for c in coefficients]
    return None


def _common_polynomial(half: Sequence[Tree]) -> list[Tree] | None:
    """Return the polynomial that a half is on all of x > 0, if it is one."""
    found = [polynomial_trees(part) for part in half]
    first = found[0]
    return first if first is not None and all(other == first for other in found) else None


@functools.lru_cache(maxsize=256)
def _halves(tree: Tree) -> tuple[tuple[Tree, ...], tuple[Tree, ...]] | None:
    """Return the odd and the even part of the tree on each interval of x > 0 between its kinks."""
    try:
        split_at_kinks = pieces(tree)
        odd: list[Tree] = []
        even: list[Tree] = []
        for right, left in _mirrored(split_at_kinks):
            ahead = _reduced(right)
            behind = _reduced(substitute(left, negative(X)))
            half = number(Fraction(1, 2))
            odd.append(_normal(mul(half, add(ahead, negative(behind)))))
            even.append(_normal(mul(half, add(ahead, behind))))
    except ExpressionError:  # too large, or kinks that cannot be compared
        return None
    return tuple(odd), tuple(even)


def _normal(tree: Tree) -> Tree:
    expanded = expand(tree)
    coefficients = polynomial_trees(expanded)
    return expanded if coefficients is None else from_polynomial(coefficients)


def _mirrored(found: Sequence[Piece]) -> list[tuple[Tree, Tree]]:
    """Return for each interval of x > 0, free of kinks and of reflected kinks, the trees at x and at −x."""
    ends = [as_tree(piece.low) for piece in found if piece.low is not None]
    cuts: list[Tree] = []
    for end in ends:
        positive = end if compare(end, ZERO) >= 0 else negative(end)
        if positive != ZERO and all(compare(positive, cut) for cut in cuts):
            cuts.append(positive)
    cuts.sort(key=functools.cmp_to_key(compare))
    lows: list[Tree] = [ZERO, *cuts]
    highs: list[Tree | None] = [*cuts, None]
    return [
        (_tree_on(found, low, high), _tree_on(found, None if high is None else negative(high), negative(low)))
        for low, high in zip(lows, highs, strict=True)
    ]


def _tree_on(found: Sequence[Piece], low: Tree | None, high: Tree | None) -> Tree:
    """Return the tree of the piece that contains the interval."""
    for piece in found:
        begins = piece.low is None or (low is not None and compare(as_tree(piece.low), low) <= 0)
        ends = piece.high is None or (high is not None and compare(high, as_tree(piece.high)) <= 0)
        if begins and ends:
            return piece.tree
    raise ExpressionError("the pieces do not cover the line")  # pragma: no cover - pieces() cover the line


def _reduced(tree: Tree) -> Tree:
    """Write sigmoid, softplus, erfc and step of −u by those of u, so that what cancels is seen to cancel."""
    if isinstance(tree, Call) and PRIMITIVES[tree.function].mirrored:
        return _reflected(tree.function, _reduced(tree.argument))
    return map_parts(tree, _reduced)


def _reflected(function: str, argument: Tree) -> Tree:
    argument = expand(argument)
    leading = argument
    if isinstance(argument, Sum):
        leading = next(term for term in argument.terms if not isinstance(term, Rational))
    mirrored = PRIMITIVES[function].mirrored
    if split(leading)[0] > 0 or mirrored is None:
        return call(function, argument)
    return substitute(parse(mirrored), negative(argument))
