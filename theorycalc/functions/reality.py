"""Whether a tree is a real function of every x: no root or logarithm of a negative number, no pole."""

from __future__ import annotations

import flint

from theorycalc.errors import ExpressionError
from theorycalc.functions.intervals import WHOLE, Interval, proven_sign, range_of
from theorycalc.functions.pieces import End, Piece, as_tree, compare, inner_point, pieces
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.tree import Call, Power, Product, Rational, Sum, Tree, Where, brief, is_constant, parts, show
from theorycalc.functions.walk import ball_of, constant_sign
from theorycalc.functions.zeros import enclosed_zeros, zeros
from theorycalc.numbers.balls import ball_precision

_BITS = 64


def check_real(tree: Tree) -> None:
    """Refuse a tree that is not shown to be real and finite for all x, kinks apart.

    >>> from theorycalc.functions.grammar import parse
    >>> check_real(parse("log(1 + x**2)/(1 + abs(x))"))
    >>> check_real(parse("where(x > 0, sqrt(x), 0)"))
    >>> check_real(parse("1 + sqrt(x)"))
    Traceback (most recent call last):
    ...
    theorycalc.errors.ExpressionError: sqrt(x) is not shown to be real for all x
    """
    _check_conditions(tree)
    for piece in pieces(tree):
        _check(piece.tree, piece)


def _check_conditions(tree: Tree) -> None:
    """Check what decides between the pieces, and is no longer seen in them."""
    if isinstance(tree, Where) or (isinstance(tree, Call) and PRIMITIVES[tree.function].is_stepwise):
        check_real(parts(tree)[0])
    for part in parts(tree):
        _check_conditions(part)


def _check(tree: Tree, piece: Piece) -> None:
    for part in parts(tree):
        _check(part, piece)
    if is_constant(tree):
        return
    match tree:
        case Power(base, exponent) if exponent.denominator != 1 or exponent < 0:
            sign = sign_on(base, piece.low, piece.high)
            if exponent.denominator != 1 and sign != 1:
                raise _refused(tree, "real", piece)
            if sign is None or (exponent < 0 and not _is_away_from_zero(base, piece)):
                raise _refused(tree, "finite (it may have a pole)", piece)
        case Call("log", argument):
            if sign_on(argument, piece.low, piece.high) != 1 or not _is_away_from_zero(argument, piece):
                raise _refused(tree, "real", piece)
        case Call("tan", argument):
            low, high = PRIMITIVES["tan"].domain
            values = range_on(argument, piece)
            if not low < values.low <= values.high < high:
                raise _refused(tree, "finite (it may have a pole)", piece)


def _refused(tree: Tree, what: str, piece: Piece) -> ExpressionError:
    ends = [None if end is None else show(as_tree(end)) for end in (piece.low, piece.high)]
    where = "all x" if ends == [None, None] else f"{ends[0] or '-∞'} < x < {ends[1] or '∞'}"
    return ExpressionError(f"{brief(tree)} is not shown to be {what} for {where}")


def interval_of(piece: Piece) -> Interval:
    """Return a closed interval that contains the piece.

    >>> from theorycalc.functions.grammar import parse
    >>> interval_of(Piece(None, None, parse("x"))) == WHOLE
    True
    """
    low, high = piece.low, piece.high
    with ball_precision(_BITS):
        left = WHOLE.low if low is None else ball_of(as_tree(low)).lower()
        right = WHOLE.high if high is None else ball_of(as_tree(high)).upper()
    return Interval(left, right)


def range_on(tree: Tree, piece: Piece) -> Interval:
    """Return an interval that contains the values of a tree on a piece.

    >>> from theorycalc.functions.grammar import parse
    >>> range_on(parse("1 + x**2"), Piece(None, None, parse("x"))).low > 0.99
    True
    """
    with ball_precision(_BITS):
        return range_of(tree, interval_of(piece))


def _is_away_from_zero(tree: Tree, piece: Piece) -> bool:
    """Whether a function without zeros inside the piece has none at its finite ends either."""
    if _is_positive(tree):
        return True
    for end in (piece.low, piece.high):
        if end is not None:
            with ball_precision(256):
                if ball_of(tree, ball_of(as_tree(end))).contains(0):
                    return False
    return True


def sign_on(tree: Tree, low: End | None, high: End | None) -> int | None:
    """Return the sign of a smooth tree that is shown not to change strictly between two ends, else None.

    >>> from fractions import Fraction
    >>> from theorycalc.functions.grammar import parse
    >>> sign_on(parse("1 - x**2"), Fraction(-1), Fraction(1)), sign_on(parse("x"), None, None)
    (1, None)
    """
    if is_constant(tree):
        return constant_sign(tree) or None  # pragma: no cover - no known formula reaches it
    if _is_positive(tree):
        return 1
    try:
        found = zeros(tree)
    except ExpressionError:
        roots = enclosed_zeros(tree)
        if roots is None:
            return proven_sign(tree, interval_of(Piece(low, high, tree)))
        if any(_may_be_inside(root, low, high) for root in roots):
            return None
        found = []
    for zero in found:
        above = low is None or compare(zero, as_tree(low)) > 0
        if above and (high is None or compare(zero, as_tree(high)) < 0):
            return None
    with ball_precision(256):
        value = ball_of(tree, ball_of(Rational(inner_point(low, high))))
        return 1 if value > 0 else -1 if value < 0 else None


def _may_be_inside(root: flint.arb, low: End | None, high: End | None) -> bool:
    with ball_precision(256):
        is_below = low is not None and root < ball_of(as_tree(low))
        is_above = high is not None and root > ball_of(as_tree(high))
    return not (is_below or is_above)


def _is_positive(tree: Tree) -> bool:
    """Whether the structure alone shows the tree to be positive for all x."""
    match tree:
        case Sum(terms):
            return any(map(_is_positive, terms)) and all(map(_is_not_negative, terms))
        case Product(factors):
            return all(map(_is_positive, factors))
        case Power(base, _):
            return _is_positive(base)
        case Call(function, _):
            return PRIMITIVES[function].is_positive
        case Where(_, _, then, otherwise):
            return _is_positive(then) and _is_positive(otherwise)  # pragma: no cover - pieces() resolves where() first
    return is_constant(tree) and constant_sign(tree) == 1


def _is_not_negative(tree: Tree) -> bool:
    match tree:
        case Sum(terms):
            return all(map(_is_not_negative, terms))
        case Product(factors):
            return all(map(_is_not_negative, factors))
        case Power(base, exponent):
            even = exponent.denominator == 1 and exponent.numerator % 2 == 0
            return even or _is_not_negative(base)
        case Call(function, _):
            return PRIMITIVES[function].is_never_negative
    return _is_positive(tree)
