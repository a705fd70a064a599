"""The real zeros of a tree, exactly, and its smooth pieces between kinks and jumps."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import flint

from theorycalc.errors import ExpressionError
from theorycalc.functions.algebra import polynomial, polynomial_trees, replace
from theorycalc.functions.build import ZERO, add, call, mul, negative, number, on_side, power, split
from theorycalc.functions.enclosures import WHOLE, ball_of, constant_sign, proven_sign
from theorycalc.functions.primitives import PRIMITIVES, dyadic
from theorycalc.functions.tree import Call, Power, Product, Rational, Sum, Tree, Where, brief, is_constant, parts
from theorycalc.numbers.balls import ball_precision
from theorycalc.running.budget import check

_MOST_WORK = 2_500_000  # degree² times bits of the coefficients: roots are isolated within half a second
_MOST_PIECES = 32
_MOST_SWITCHES = 20  # different ones
_PRECISIONS = (64, 256, 1024)

#: A finite end of an interval, exactly: a tree without x.
End: TypeAlias = Tree


def zeros(tree: Tree) -> list[Tree]:
    """Return trees without x that include every real zero of a smooth ``tree``, or refuse.

    >>> from theorycalc.functions.grammar import parse
    >>> [str(z) for z in zeros(parse("(x**2 - 2)*tanh(x - pi)*exp(x)"))]
    ['-sqrt(2)', 'sqrt(2)', 'pi']
    """
    match tree:
        case Product(factors):
            return [z for factor in factors if not is_constant(factor) for z in zeros(factor)]
        case Power(base, _):  # a sign can change at a pole, too
            return zeros(base)
        case Call("log", argument):
            return zeros(add(argument, number(-1)))
        case Call(function, argument) if PRIMITIVES[function].vanishes_with_argument:
            return zeros(argument)
        case Call(function, _) if PRIMITIVES[function].is_positive:
            return []
    coefficients, rational = polynomial_trees(tree), polynomial(tree)
    if coefficients is not None and len(coefficients) <= 3:
        found = _low_degree(coefficients)
    elif rational is not None:
        found = _by_factors(rational)
    else:
        found = _exponential(tree)
        if found is None and proven_sign(tree, WHOLE) is not None:
            found = []
    if found is None:
        raise ExpressionError(f"the zeros of {brief(tree)} cannot be found exactly")
    return found


def _low_degree(coefficients: Sequence[Tree]) -> list[Tree] | None:
    """Return the zeros of c + bx + ax², or None if a sign is undecided."""
    if any(constant_sign(value) is None for value in coefficients):
        return None
    c, b, a = [*coefficients, ZERO, ZERO][:3]
    if a == ZERO:
        return [] if b == ZERO else [mul(number(-1), c, power(b, Fraction(-1)))]
    discriminant = add(mul(b, b), mul(number(-4), a, c))
    sign = constant_sign(discriminant)
    if sign is None or sign < 0:
        return None if sign is None else []
    half = power(mul(number(2), a), Fraction(-1))
    if sign == 0:
        return [mul(negative(b), half)]
    root = power(discriminant, Fraction(1, 2))
    return [add(mul(negative(b), half), mul(number(side), root, half)) for side in (-1, 1)]


def _by_factors(coefficients: list[Fraction]) -> list[Tree] | None:
    """Return the zeros of a rational polynomial from its factors over the rationals, or None if it has others."""
    found: list[Tree] = []
    for factor in _factors(coefficients):
        roots = _low_degree([number(c) for c in factor]) if len(factor) <= 3 else None
        if roots is None and _real_roots(factor) != []:
            return None
        found += roots or []
    return found


def enclosed_zeros(tree: Tree) -> list[flint.arb] | None:
    """Return the real zeros of a rational polynomial in balls, or None for any other tree or if they take too long.

    >>> from theorycalc.functions.grammar import parse
    >>> [round(float(zero), 6) for zero in enclosed_zeros(parse("x**3 - 3*x + 1"))]
    [-1.879385, 0.347296, 1.532089]
    """
    rational = polynomial(tree)
    found = [None] if rational is None else [_real_roots(factor) for factor in _factors(rational)]
    known = [roots for roots in found if roots is not None]
    return None if len(known) < len(found) else sorted((root for roots in known for root in roots), key=float)


def _factors(coefficients: list[Fraction]) -> list[tuple[int, ...]]:
    """Return the distinct factors of a polynomial over the rationals, with whole coefficients."""
    scale = lcm(*(c.denominator for c in coefficients))
    _, factors = flint.fmpz_poly([int(c * scale) for c in coefficients]).factor()
    return [tuple(map(int, factor.coeffs())) for factor, _ in factors]


@functools.lru_cache(maxsize=64)
def _real_roots(factor: tuple[int, ...]) -> list[flint.arb] | None:
    """Return balls that contain one real root each, or None if that would take too long."""
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


@dataclass(frozen=True)
class Piece:
    """The function on the open interval from ``low`` to ``high`` (None: infinite), as a tree without kinks."""

    low: End | None
    high: End | None
    tree: Tree


@functools.lru_cache(maxsize=512)
def pieces(tree: Tree) -> tuple[Piece, ...]:
    """Return the tree's pieces from left to right; adjacent pieces have different trees.

    >>> from theorycalc.functions.grammar import parse
    >>> [(piece.high and str(piece.high), str(piece.tree)) for piece in pieces(parse("max(0, x) + abs(x - 1)"))]
    [('0', '1 - x'), ('1', '1'), (None, '-1 + 2*x')]
    """
    if len(_switches(tree)) > _MOST_SWITCHES:
        raise ExpressionError(f"the function has more than {_MOST_SWITCHES} conditions, absolute values and steps")
    found: list[Piece] = []
    stack = [Piece(None, None, tree)]
    while stack:
        check()
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
    """Return an innermost switch: a where, abs, sign or step that contains no other."""
    for part in parts(tree):
        inner = _innermost(part)
        if inner is not None:
            return inner
    return tree if _is_switch(tree) else None


def _is_switch(tree: Tree) -> bool:
    return isinstance(tree, Where) or (isinstance(tree, Call) and PRIMITIVES[tree.function].sides is not None)


def _switches(tree: Tree) -> set[Tree]:
    return set().union(*map(_switches, parts(tree)), {tree} if _is_switch(tree) else ())


def _split(piece: Piece, switch: Tree) -> list[Piece]:
    """Return the parts of a piece, cut where the condition of a switch changes, with that switch resolved."""
    condition = parts(switch)[0]
    inside = {z: None for z in zeros(condition) if is_inside(z, piece.low, piece.high)}
    cuts = sorted(inside, key=functools.cmp_to_key(compare))
    ends = [piece.low, *cuts, piece.high]
    result = []
    for low, high in itertools.pairwise(ends):
        sign = constant_sign(condition, inner_point(low, high))
        if not sign:  # pragma: no cover - no known problem reaches it
            raise ExpressionError(f"the sign of {brief(condition)} cannot be decided between its zeros")
        result.append(Piece(low, high, replace(piece.tree, switch, _branch(switch, sign))))
    return result


def _branch(switch: Tree, sign: int) -> Tree:
    if isinstance(switch, Where):
        return switch.then if sign > 0 else switch.otherwise
    assert isinstance(switch, Call)
    return on_side(PRIMITIVES[switch.function], sign, switch.argument)


def compare(a: Tree, b: Tree) -> int:
    """Return the sign of a − b for trees without x, or refuse if it cannot be decided.

    >>> from theorycalc.functions.grammar import parse
    >>> compare(parse("sqrt(2)"), parse("1.4"))
    1
    """
    sign = constant_sign(add(a, negative(b)))
    if sign is None:
        raise ExpressionError(f"cannot decide whether {brief(a)} equals {brief(b)}; write them more simply")
    return sign


def is_inside(point: Tree, low: End | None, high: End | None) -> bool:
    """Return whether a point lies strictly between two ends.

    >>> is_inside(ZERO, None, ZERO), is_inside(ZERO, number(-1), None)
    (False, True)
    """
    return (low is None or compare(point, low) > 0) and (high is None or compare(point, high) < 0)


def inner_point(low: End | None, high: End | None) -> Fraction:
    """Return a rational point strictly between two ends.

    >>> inner_point(number(1), None), inner_point(ZERO, number(1))
    (Fraction(2, 1), Fraction(1, 2))
    """
    if low is None and high is None:
        return Fraction(0)
    for bits in _PRECISIONS:
        with ball_precision(bits):
            ends = [ball_of(end) for end in (low, high) if end is not None]
            if not all(end.is_finite() for end in ends):  # such as tan(1e300), which takes more bits
                continue
            middle = sum(map(dyadic, ends), Fraction(0)) / len(ends)
            if low is None or high is None:
                middle = Fraction(round(middle) + (1 if high is None else -1))
            point = ball_of(Rational(middle))
            if (low is None or ends[0] < point) and (high is None or point < ends[-1]):
                return middle
    raise ExpressionError("two kinks are too close to be told apart")


def kinks_of(tree: Tree) -> list[End]:
    """Return the points between the pieces.

    >>> from theorycalc.functions.grammar import parse
    >>> kinks_of(parse("relu6"))
    [Rational(value=Fraction(0, 1)), Rational(value=Fraction(6, 1))]
    """
    return [piece.low for piece in pieces(tree) if piece.low is not None]
