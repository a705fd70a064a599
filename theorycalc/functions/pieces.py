"""The smooth pieces of a tree between its kinks and jumps."""

from __future__ import annotations

import functools
import itertools
from dataclasses import dataclass
from fractions import Fraction

import flint

from theorycalc.errors import ExpressionError
from theorycalc.functions.algebra import replace
from theorycalc.functions.build import add, negative, on_side
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.tree import Call, Rational, Tree, Where, brief, parts
from theorycalc.functions.walk import ball_of, constant_sign
from theorycalc.functions.zeros import exact, zeros
from theorycalc.numbers.balls import ball_precision

_MOST_PIECES = 32
_MOST_SWITCHES = 20  # different ones
_PRECISIONS = (64, 256, 1024)

#: A finite end of an interval, exactly: rational, or a tree without x.
End = Fraction | Tree


@dataclass(frozen=True)
class Piece:
    """The function on the open interval from ``low`` to ``high`` (None: infinite), by a tree without kinks."""

    low: End | None
    high: End | None
    tree: Tree


def pieces(tree: Tree) -> list[Piece]:
    """Return the tree's pieces from left to right; neighbours have different trees.

    >>> from theorycalc.functions.grammar import parse
    >>> from theorycalc.functions.tree import show
    >>> [(piece.low, piece.high, show(piece.tree)) for piece in pieces(parse("max(0, x) + abs(x - 1)"))]
    [(None, Fraction(0, 1), '1 - x'), (Fraction(0, 1), Fraction(1, 1), '1'), (Fraction(1, 1), None, '-1 + 2*x')]
    """
    return list(_pieces(tree))


@functools.lru_cache(maxsize=512)
def _pieces(tree: Tree) -> tuple[Piece, ...]:
    if len(_switches(tree)) > _MOST_SWITCHES:
        raise ExpressionError(f"the function has more than {_MOST_SWITCHES} conditions, absolute values and steps")
    found: list[Piece] = []
    stack = [Piece(None, None, tree)]
    while stack:
        piece = stack.pop()
        switch = _innermost(piece.tree)
        if switch is None:
            if found and found[-1].tree == piece.tree:
                found[-1] = Piece(found[-1].low, piece.high, piece.tree)
            else:
                found.append(piece)
        else:
            stack += reversed(_split(piece, switch))
        if len(stack) + len(found) > _MOST_PIECES:
            raise ExpressionError(f"the function has more than {_MOST_PIECES} pieces")
    return tuple(found)


def _innermost(tree: Tree) -> Tree | None:
    """Return a switch none of whose parts has one: a where, abs, sign or step."""
    for part in parts(tree):
        inner = _innermost(part)
        if inner is not None:
            return inner
    return tree if _is_switch(tree) else None


def _is_switch(tree: Tree) -> bool:
    return isinstance(tree, Where) or (isinstance(tree, Call) and PRIMITIVES[tree.function].sides is not None)


def _switches(tree: Tree) -> set[Tree]:
    below = [_switches(part) for part in parts(tree)]
    return set().union(*below, {tree} if _is_switch(tree) else ())


def _split(piece: Piece, switch: Tree) -> list[Piece]:
    """Resolve one switch: cut the piece where its condition changes."""
    condition = parts(switch)[0]
    inside = [z for z in zeros(condition) if _is_inside(z, piece)]
    cuts: list[Tree] = []
    for z in inside:
        if z not in cuts:
            cuts.append(z)
    cuts.sort(key=functools.cmp_to_key(compare))
    ends = [piece.low, *map(exact, cuts), piece.high]
    result = []
    for low, high in itertools.pairwise(ends):
        sign = _sign_between(condition, low, high)
        result.append(Piece(low, high, replace(piece.tree, switch, _branch(switch, sign))))
    return result


def _branch(switch: Tree, sign: int) -> Tree:
    if isinstance(switch, Where):
        return switch.then if sign > 0 else switch.otherwise
    assert isinstance(switch, Call)
    return on_side(PRIMITIVES[switch.function], sign, switch.argument)


def as_tree(end: End) -> Tree:
    """Return an exact end as a tree."""
    return Rational(end) if isinstance(end, Fraction) else end


def compare(a: Tree, b: Tree) -> int:
    """Return the sign of a − b for trees without x, or refuse where it cannot be decided.

    >>> from theorycalc.functions.grammar import parse
    >>> compare(parse("sqrt(2)"), parse("1.4"))
    1
    """
    sign = constant_sign(add(a, negative(b)))
    if sign is None:
        raise ExpressionError(f"it is not decided whether {brief(a)} and {brief(b)} are the same number")
    return sign


def _is_inside(point: Tree, piece: Piece) -> bool:
    above = piece.low is None or compare(point, as_tree(piece.low)) > 0
    return above and (piece.high is None or compare(point, as_tree(piece.high)) < 0)


def inner_point(low: End | None, high: End | None) -> Fraction:
    """Return a rational point strictly between two ends.

    >>> inner_point(Fraction(1), None), inner_point(Fraction(0), Fraction(1))
    (Fraction(2, 1), Fraction(1, 2))
    """
    if low is None and high is None:
        return Fraction(0)
    for bits in _PRECISIONS:
        with ball_precision(bits):
            left = None if low is None else ball_of(as_tree(low))
            right = None if high is None else ball_of(as_tree(high))
            if left is None:
                middle = _whole(right) - 1
            elif right is None:
                middle = _whole(left) + 1
            else:
                middle = (_rational(left) + _rational(right)) / 2
            point = ball_of(Rational(middle))
            if (left is None or left < point) and (right is None or point < right):
                return middle
    raise ExpressionError("two kinks are too close to be told apart")


def _rational(value: flint.arb) -> Fraction:
    mantissa, exponent = value.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _whole(value: flint.arb | None) -> Fraction:
    assert value is not None
    return Fraction(round(_rational(value)))


def _sign_between(condition: Tree, low: End | None, high: End | None) -> int:
    """Return the sign of a condition that has no zero between two ends, from points between them."""
    point = inner_point(low, high)
    for bits in _PRECISIONS:
        with ball_precision(bits):
            value = ball_of(condition, ball_of(Rational(point)))
            if value > 0 or value < 0:
                return 1 if value > 0 else -1
    raise ExpressionError(  # pragma: no cover - no known problem reaches it
        f"the sign of {brief(condition)} cannot be decided between its zeros"
    )


def kinks_of(tree: Tree) -> list[End]:
    """Return the points between the pieces.

    >>> from theorycalc.functions.grammar import parse
    >>> kinks_of(parse("hardtanh"))
    [Fraction(-1, 1), Fraction(1, 1)]
    """
    return [piece.low for piece in pieces(tree) if piece.low is not None]
