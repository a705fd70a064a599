"""Signs and growth of a tree, piece by piece: whether it is a real function of every x, and how fast it grows.

A function is real if it takes no root or logarithm of a negative number and has no pole.  Its growth is a bound

    |f(x)| ≤ C (1 + |x|)^degree exp(B|x| + A x²),

found by structure, with rational numbers rounded up; E f(Z)² is finite if A < 1/4.  A tree without one is refused.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import flint

from theorycalc.errors import ExpressionError
from theorycalc.functions.algebra import polynomial_trees, substitute
from theorycalc.functions.build import ZERO, content, negative, power, split
from theorycalc.functions.enclosures import WHOLE, Interval, ball_of, constant_sign, proven_sign, range_of
from theorycalc.functions.pieces import End, Piece, enclosed_zeros, inner_point, is_inside, pieces, zeros
from theorycalc.functions.primitives import PRIMITIVES, Grows, dyadic
from theorycalc.functions.tree import Call, Power, Product, Sum, Tree, Variable, Where, brief, is_constant, parts
from theorycalc.numbers.balls import ball_precision
from theorycalc.running.budget import check

_BITS = 64
_SIGN_BITS = 256
_SLOW = Fraction(1, 1000)  # the slope of a function slower than any multiple of |x|
_UNITS = 1 << 40  # bounds are rounded up to multiples of 1/_UNITS


def check_real(tree: Tree) -> None:
    """Refuse a tree unless it is shown to be real and finite for all x except at kinks.

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
    """Check the conditions that choose between the pieces, which no longer contain them."""
    if isinstance(tree, Where) or (isinstance(tree, Call) and PRIMITIVES[tree.function].is_stepwise):
        check_real(parts(tree)[0])
    for part in parts(tree):
        _check_conditions(part)


def _check(tree: Tree, piece: Piece) -> None:
    check()
    for part in parts(tree):
        _check(part, piece)
    if is_constant(tree):
        return
    match tree:
        case Power(base, exponent) if exponent.denominator != 1 or exponent < 0:
            sign = sign_on(base, piece.low, piece.high)
            if exponent.denominator != 1 and sign != 1:
                raise _not_shown(tree, "real", piece)
            if sign is None or (exponent < 0 and not _is_away_from_zero(base, piece)):
                raise _not_shown(tree, "finite (it may have a pole)", piece)
        case Call("log", argument):
            if sign_on(argument, piece.low, piece.high) != 1 or not _is_away_from_zero(argument, piece):
                raise _not_shown(tree, "real", piece)
        case Call(function, argument) if PRIMITIVES[function].is_partial:
            (low, high), values = PRIMITIVES[function].domain, range_on(argument, piece)
            if not low < values.low <= values.high < high:
                raise _not_shown(tree, "finite (it may have a pole)", piece)


def _not_shown(tree: Tree, claim: str, piece: Piece) -> ExpressionError:
    ends = [None if end is None else str(end) for end in (piece.low, piece.high)]
    where = "all x" if ends == [None, None] else f"{ends[0] or '-∞'} < x < {ends[1] or '∞'}"
    return ExpressionError(f"{brief(tree)} is not shown to be {claim} for {where}")


def _interval_of(piece: Piece) -> Interval:
    """Return a closed interval that contains the piece."""
    with ball_precision(_BITS):
        left = WHOLE.low if piece.low is None else ball_of(piece.low).lower()
        right = WHOLE.high if piece.high is None else ball_of(piece.high).upper()
    return Interval(left, right)


def range_on(tree: Tree, piece: Piece) -> Interval:
    """Return an interval that contains the values of a tree on a piece.

    >>> from theorycalc.functions.grammar import parse
    >>> range_on(parse("1 + x**2"), Piece(None, None, parse("x"))).low > 0.99
    True
    """
    with ball_precision(_BITS):
        return range_of(tree, _interval_of(piece))


def _is_away_from_zero(tree: Tree, piece: Piece) -> bool:
    """Return True if a function without zeros inside the piece is not zero at its finite ends either."""
    ends = [end for end in (piece.low, piece.high) if end is not None]
    with ball_precision(_SIGN_BITS):
        return _least_sign(tree) == 1 or not any(ball_of(tree, ball_of(end)).contains(0) for end in ends)


def sign_on(tree: Tree, low: End | None, high: End | None) -> int | None:
    """Return the sign of a smooth tree between two ends if it is shown not to change, or None.

    >>> from theorycalc.functions.grammar import parse
    >>> sign_on(parse("1 - x**2"), parse("-1"), parse("1")), sign_on(parse("x"), None, None)
    (1, None)
    """
    if _least_sign(tree) == 1:
        return 1
    try:
        if any(is_inside(zero, low, high) for zero in zeros(tree)):
            return None
    except ExpressionError:
        roots = enclosed_zeros(tree)
        if roots is None:
            return proven_sign(tree, _interval_of(Piece(low, high, tree)))
        with ball_precision(_SIGN_BITS):
            above = [root for root in roots if low is None or not root < ball_of(low)]
            if any(high is None or not root > ball_of(high) for root in above):
                return None
    return constant_sign(tree, inner_point(low, high)) or None


def _least_sign(tree: Tree) -> int:
    """Return 1 if its structure alone shows the tree to be positive for all x, 0 if non-negative, and −1 otherwise."""
    match tree:
        case Sum(terms):
            signs = [_least_sign(term) for term in terms]
            return -1 if -1 in signs else max(signs)
        case Product(factors):
            return min(_least_sign(factor) for factor in factors)
        case Power(base, exponent):
            is_even = exponent.denominator == 1 and exponent.numerator % 2 == 0
            return max(_least_sign(base), 0 if is_even else -1)
        case Call(function, _):
            row = PRIMITIVES[function]
            return 1 if row.is_positive else 0 if row.is_never_negative else -1
    return 1 if is_constant(tree) and constant_sign(tree) == 1 else -1


class Growth(NamedTuple):
    """The exponents of |f(x)| ≤ C (1 + |x|)^degree exp(exponent_linear |x| + exponent_quadratic x²)."""

    degree: Fraction = Fraction(0)
    exponent_linear: Fraction = Fraction(0)
    exponent_quadratic: Fraction = Fraction(0)


def growth(tree: Tree) -> Growth:
    """Return a bound for the growth of the function, or refuse.

    >>> from theorycalc.functions.grammar import parse
    >>> [float(bound) for bound in growth(parse("x**3*exp(2*x - x**2/2)"))]
    [3.0, 2.0, -0.5]
    >>> growth(parse("exp(x**3)"))
    Traceback (most recent call last):
    ...
    theorycalc.errors.ExpressionError: exp(x**3) grows too fast, or its growth cannot be bounded
    """
    return _largest(*(growth_on(piece.tree, piece) for piece in pieces(tree)))


def growth_on(tree: Tree, piece: Piece) -> Growth:
    """Return a bound for the growth of a smooth tree on a piece of the line, or refuse.

    >>> from theorycalc.functions.grammar import parse
    >>> growth_on(parse("1/x"), Piece(parse("1"), None, parse("x"))).degree
    Fraction(-1, 1)
    """
    check()
    if is_constant(tree):
        return Growth()
    match tree:
        case Variable():
            return Growth(Fraction(1))
        case Sum(terms):
            return _largest(*(growth_on(term, piece) for term in terms))
        case Product(factors):
            bounds = [growth_on(factor, piece) for factor in factors] + _decay(factors)
            return Growth(*(sum(column, Fraction(0)) for column in zip(*bounds, strict=True)))
        case Power(base, exponent) if exponent > 0:
            return Growth(*(exponent * bound for bound in growth_on(base, piece)))
        case Power():
            return _quotient(tree, piece)
        case Call(function, argument):
            row = PRIMITIVES[function]
            match row.grows:
                case Grows.BOUNDED:
                    return Growth()
                case Grows.LINEAR:
                    return _largest(Growth(), growth_on(argument, piece))
                case Grows.EXPONENTIAL if row.parity:
                    return Growth(exponent_linear=_slope(argument, piece))
                case Grows.EXPONENTIAL:
                    return _exponential(argument, piece)
            return _logarithm(tree, argument, piece)
    raise _too_fast(tree)  # pragma: no cover - pieces() resolves where() first


def _largest(*bounds: Growth) -> Growth:
    return Growth(*(max(column) for column in zip(*bounds, strict=True)))


def _too_fast(tree: Tree) -> ExpressionError:
    return ExpressionError(f"{brief(tree)} grows too fast, or its growth cannot be bounded")


def _exponential(tree: Tree, piece: Piece) -> Growth:
    """Return the growth of exp(tree), from tree ≤ C + B|x| + A x²; A may be negative."""
    linear, quadratic = Fraction(0), Fraction(0)
    for term in tree.terms if isinstance(tree, Sum) else (tree,):
        coefficients = polynomial_trees(term)
        if coefficients is None or len(coefficients) <= 2:
            scale, rest = split(term)
            is_never_positive = scale < 0 and isinstance(rest, Call) and PRIMITIVES[rest.function].is_never_negative
            linear += 0 if is_never_positive else _slope(term, piece)
            continue
        bounds = [_above(c, magnitude=degree == 1) for degree, c in enumerate(coefficients)]
        linear, quadratic = linear + bounds[1], quadratic + bounds[2]
        if any(c != ZERO and (degree % 2 or bounds[degree] > 0) for degree, c in enumerate(coefficients[3:], 3)):
            raise _too_fast(Call("exp", tree))
    return Growth(Fraction(0), linear, quadratic)


def _slope(tree: Tree, piece: Piece) -> Fraction:
    """Return B such that |tree| ≤ C + B|x|."""
    if _bound(tree) is not None:
        return Fraction(0)
    match tree:
        case Variable():
            return Fraction(1)
        case Sum(terms):
            return sum((_slope(term, piece) for term in terms), Fraction(0))
        case Product(factors):
            unbounded = [factor for factor in factors if _bound(factor) is None]
            if len(unbounded) == 1:
                return _slope(unbounded[0], piece) * math.prod(_bound(factor) or 1 for factor in factors)
        case Call(function, argument) if PRIMITIVES[function].grows is Grows.LINEAR:
            return _slope(argument, piece)
        case Power(base, Fraction(numerator=1, denominator=2)):  # sqrt(a + bx + cx²) grows like sqrt(c)|x|
            coefficients = polynomial_trees(base)
            if coefficients is not None and len(coefficients) <= 3:
                return _above(power(coefficients[2], Fraction(1, 2))) if len(coefficients) == 3 else _SLOW
    degree, linear, quadratic = growth_on(tree, piece)
    if degree < 1 and linear <= 0 and quadratic <= 0:
        return _SLOW
    raise _too_fast(tree)


def _bound(tree: Tree) -> Fraction | None:
    """Return an upper bound of |tree|, or None."""
    if is_constant(tree):
        return _above(tree, magnitude=True)
    match tree:
        case Call(function, _):
            return PRIMITIVES[function].bound
        case Product(factors):
            bounds = [bound for bound in map(_bound, factors) if bound is not None]
            return Fraction(math.prod(bounds)) if len(bounds) == len(factors) else None
        case Power(base, exponent) if exponent.denominator == 1 and exponent > 0:
            inner = _bound(base)
            return None if inner is None else inner ** int(exponent)
    return None


def _quotient(tree: Power, piece: Piece) -> Growth:
    """Return the growth of base**(−r): none if |base| is bounded below, exponential if base is a sigmoid."""
    base, r = tree.base, -tree.exponent
    if isinstance(base, Call) and base.function == "sigmoid":  # 1/sigmoid(u) = 1 + exp(−u)
        return Growth(exponent_linear=r * _slope(base.argument, piece))
    if isinstance(base, Call) and base.function == "cosh":  # 1/cosh(u) ≤ 2 exp(−|u|)
        return Growth(exponent_linear=-r * _least_slope(base.argument))
    if _is_bounded_below(base, piece):
        coefficients = polynomial_trees(base) or [base]
        return Growth(-r * (len(coefficients) - 1) if constant_sign(coefficients[-1]) else Fraction(0))
    raise _too_fast(tree)


def _decay(factors: tuple[Tree, ...]) -> list[Growth]:
    """Return the decay of sigmoid(u) sigmoid(−u) ≤ exp(−|u|), where both are among the factors."""
    bases = [f.base if isinstance(f, Power) and f.exponent >= 1 else f for f in factors]
    arguments = [f.argument for f in bases if isinstance(f, Call) and f.function == "sigmoid"]
    pairs = [u for u in arguments if content(u)[0] > 0 and negative(u) in arguments]  # each pair once
    return [Growth(exponent_linear=-_least_slope(u)) for u in pairs]


def _least_slope(tree: Tree) -> Fraction:
    """Return b ≥ 0 such that |tree| ≥ b|x| − C: the slope of a + bx rounded down, else 0."""
    coefficients = polynomial_trees(tree)
    if coefficients is None or len(coefficients) != 2:
        return Fraction(0)
    return max(Fraction(0), _above(coefficients[1], magnitude=True) - Fraction(2, _UNITS))


def _is_bounded_below(tree: Tree, piece: Piece) -> bool:
    """Return True if |tree| ≥ c for some c > 0 on the piece, including its ends."""
    if polynomial_trees(tree) is not None:  # it does not vanish and cannot tend to zero
        ends = [end for end in (piece.low, piece.high) if end is not None]
        inside = sign_on(tree, piece.low, piece.high) is not None
        return inside and all(constant_sign(substitute(tree, end)) in (-1, 1) for end in ends)
    return proven_sign(tree, _interval_of(piece)) is not None


def _logarithm(tree: Tree, argument: Tree, piece: Piece) -> Growth:
    inner = growth_on(argument, piece)
    degree = Fraction(2 if inner.exponent_quadratic > 0 else 1)
    if isinstance(argument, Call) and argument.function in ("sigmoid", "softplus"):  # log u ≥ −|argument| − C
        below = growth_on(argument.argument, piece)
        if below.exponent_linear <= 0 and below.exponent_quadratic <= 0:
            return Growth(max(degree, below.degree))
    if _is_bounded_below(argument, piece):
        return Growth(degree)
    raise _too_fast(tree)


def _above(tree: Tree, magnitude: bool = False) -> Fraction:
    """Return a rational upper bound of a tree without x, or of its absolute value."""
    with ball_precision(_BITS):
        value = abs(ball_of(tree)) if magnitude else ball_of(tree)
        if not value.is_finite() or abs(value) > flint.arb(2) ** 200:
            raise _too_fast(tree)
        return Fraction(math.ceil(dyadic((value * _UNITS).upper())), _UNITS)
