"""How fast a function grows: |f(x)| ≤ C (1 + |x|)^degree exp(B|x| + A x²), by structure.

E f(Z)² is finite if A < 1/4.  The bounds are rational numbers, rounded up; what cannot be bounded so is
refused.  The trees are those of functions that are shown to be real first (reality.py).
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import NamedTuple

import flint

from theorycalc.errors import ExpressionError
from theorycalc.functions.algebra import polynomial_trees, substitute
from theorycalc.functions.build import content, negative, number, power, split
from theorycalc.functions.intervals import proven_sign
from theorycalc.functions.pieces import Piece, as_tree, pieces
from theorycalc.functions.primitives import PRIMITIVES, Grows
from theorycalc.functions.reality import interval_of, sign_on
from theorycalc.functions.tree import Call, Power, Product, Sum, Tree, Variable, brief, is_constant
from theorycalc.functions.walk import ball_of, constant_sign
from theorycalc.numbers.balls import ball_precision

_BITS = 64
_SLOW = Fraction(1, 1000)  # the slope of what is slower than any multiple of |x|
_UNITS = 1 << 40  # bounds are rounded up to multiples of 1/_UNITS


class Growth(NamedTuple):
    """The exponents of |f(x)| ≤ C (1 + |x|)^degree exp(exponent_linear |x| + exponent_quadratic x²)."""

    degree: Fraction
    exponent_linear: Fraction
    exponent_quadratic: Fraction


_NONE = Growth(Fraction(0), Fraction(0), Fraction(0))


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
    >>> growth_on(parse("1/x"), Piece(Fraction(1), None, parse("x"))).degree
    Fraction(-1, 1)
    """
    if is_constant(tree):
        return _NONE
    match tree:
        case Variable():
            return _NONE._replace(degree=Fraction(1))
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
            return _call(tree, function, argument, piece)
    raise _refused(tree)  # pragma: no cover - pieces() resolves where() first


def _largest(*bounds: Growth) -> Growth:
    return Growth(*(max(column) for column in zip(*bounds, strict=True)))


def _refused(tree: Tree) -> ExpressionError:
    return ExpressionError(f"{brief(tree)} grows too fast, or its growth cannot be bounded")


def _call(tree: Tree, function: str, argument: Tree, piece: Piece) -> Growth:
    row = PRIMITIVES[function]
    match row.grows:
        case Grows.BOUNDED:
            return _NONE
        case Grows.LINEAR:
            return _largest(_NONE, growth_on(argument, piece))
        case Grows.EXPONENTIAL if row.parity is None:
            return Growth(Fraction(0), *_exponent(argument, piece))
        case Grows.EXPONENTIAL:
            return _NONE._replace(exponent_linear=_slope(argument, piece))
    return _logarithm(tree, argument, piece)


def _exponent(tree: Tree, piece: Piece) -> tuple[Fraction, Fraction]:
    """Return B and A such that tree ≤ C + B|x| + A x²; A may be negative."""
    linear, quadratic = Fraction(0), Fraction(0)
    for term in tree.terms if isinstance(tree, Sum) else (tree,):
        coefficients = polynomial_trees(term)
        if coefficients is None or len(coefficients) <= 2:
            linear += _slope_above(term, piece)
            continue
        for degree, c in enumerate(coefficients):
            above = _upper(c)
            if degree == 2:
                quadratic += above
            elif degree == 1:
                linear += _magnitude(c)
            elif degree > 2 and c != number(0) and (degree % 2 or above > 0):
                raise _refused(Call("exp", tree))
    return linear, quadratic


def _slope_above(tree: Tree, piece: Piece) -> Fraction:
    """B with tree ≤ C + B|x|: 0 for what is not positive, such as −softplus."""
    coefficient, rest = split(tree)
    is_never_negative = isinstance(rest, Call) and PRIMITIVES[rest.function].is_never_negative
    return Fraction(0) if coefficient < 0 and is_never_negative else _slope(tree, piece)


def _slope(tree: Tree, piece: Piece) -> Fraction:
    """B with |tree| ≤ C + B|x|."""
    if _bound(tree) is not None:
        return Fraction(0)
    match tree:
        case Variable():
            return Fraction(1)
        case Sum(terms):
            return sum((_slope(term, piece) for term in terms), Fraction(0))
        case Product(factors):
            bounds = [_bound(factor) for factor in factors]
            unbounded = [factor for factor, bound in zip(factors, bounds, strict=True) if bound is None]
            if len(unbounded) == 1:
                scale = Fraction(1)
                for bound in bounds:
                    scale *= 1 if bound is None else bound
                return scale * _slope(unbounded[0], piece)
        case Call(function, argument) if PRIMITIVES[function].grows is Grows.LINEAR:
            return _slope(argument, piece)
        case Power(base, Fraction(numerator=1, denominator=2)):  # sqrt(a + bx + cx²) grows like sqrt(c)|x|
            coefficients = polynomial_trees(base)
            if coefficients is not None and len(coefficients) <= 3:
                return _magnitude(power(coefficients[2], Fraction(1, 2))) if len(coefficients) == 3 else _SLOW
    degree, linear, quadratic = growth_on(tree, piece)
    if degree < 1 and linear <= 0 and quadratic <= 0:
        return _SLOW
    raise _refused(tree)


def _bound(tree: Tree) -> Fraction | None:
    """Return sup |tree| or more, or None."""
    if is_constant(tree):
        return _magnitude(tree)
    match tree:
        case Call(function, _):
            return PRIMITIVES[function].bound
        case Product(factors):
            bounds = [_bound(factor) for factor in factors]
            known = [b for b in bounds if b is not None]
            product = Fraction(1)
            for b in known:
                product *= b
            return product if len(known) == len(bounds) else None
        case Power(base, exponent) if exponent.denominator == 1 and exponent > 0:
            inner = _bound(base)
            return None if inner is None else inner ** int(exponent)
    return None


def _quotient(tree: Power, piece: Piece) -> Growth:
    """Return the growth of base**(−r): none if |base| is bounded below, exponential for a sigmoid."""
    base, r = tree.base, -tree.exponent
    if isinstance(base, Call) and base.function == "sigmoid":  # 1/sigmoid(u) = 1 + exp(−u)
        return _NONE._replace(exponent_linear=r * _slope(base.argument, piece))
    if isinstance(base, Call) and base.function == "cosh":  # 1/cosh(u) ≤ 2 exp(−|u|)
        return _NONE._replace(exponent_linear=-r * _least_slope(base.argument))
    if _is_bounded_below(base, piece):
        coefficients = polynomial_trees(base) or [base]
        return _NONE._replace(degree=-r * (len(coefficients) - 1) if constant_sign(coefficients[-1]) else Fraction(0))
    raise _refused(tree)


def _decay(factors: tuple[Tree, ...]) -> list[Growth]:
    """Return the decay of sigmoid(u) sigmoid(−u) ≤ exp(−|u|), where both are among the factors."""
    bases = [f.base if isinstance(f, Power) and f.exponent >= 1 else f for f in factors]
    arguments = [f.argument for f in bases if isinstance(f, Call) and f.function == "sigmoid"]
    pairs = [u for u in arguments if content(u)[0] > 0 and negative(u) in arguments]  # each pair once
    return [_NONE._replace(exponent_linear=-_least_slope(u)) for u in pairs]


def _least_slope(tree: Tree) -> Fraction:
    """Return b ≥ 0 such that |tree| ≥ b|x| − C: that of a + bx rounded down, or 0."""
    coefficients = polynomial_trees(tree)
    if coefficients is None or len(coefficients) != 2:
        return Fraction(0)
    return max(Fraction(0), _magnitude(coefficients[1]) - Fraction(2, _UNITS))


def _is_bounded_below(tree: Tree, piece: Piece) -> bool:
    """Whether |tree| ≥ c for some c > 0 on the piece, its ends included."""
    if polynomial_trees(tree) is not None:  # it does not vanish and cannot tend to zero
        ends = [as_tree(end) for end in (piece.low, piece.high) if end is not None]
        inside = sign_on(tree, piece.low, piece.high) is not None
        return inside and all(constant_sign(substitute(tree, end)) in (-1, 1) for end in ends)
    return proven_sign(tree, interval_of(piece)) is not None  # by closed intervals: with a margin


def _logarithm(tree: Tree, argument: Tree, piece: Piece) -> Growth:
    inner = growth_on(argument, piece)
    degree = Fraction(2 if inner.exponent_quadratic > 0 else 1)
    if isinstance(argument, Call) and argument.function in ("sigmoid", "softplus"):  # log u ≥ −|argument| − C
        below = growth_on(argument.argument, piece)
        if below.exponent_linear <= 0 and below.exponent_quadratic <= 0:
            return _NONE._replace(degree=max(degree, below.degree))
    if _is_bounded_below(argument, piece):
        return _NONE._replace(degree=degree)
    raise _refused(tree)


def _upper(tree: Tree) -> Fraction:
    """Return a rational number that is not below a tree without x."""
    with ball_precision(_BITS):
        return _rounded_up(ball_of(tree), tree)


def _magnitude(tree: Tree) -> Fraction:
    with ball_precision(_BITS):
        return _rounded_up(abs(ball_of(tree)), tree)


def _rounded_up(value: flint.arb, tree: Tree) -> Fraction:
    if not value.is_finite() or abs(value) > flint.arb(2) ** 200:
        raise _refused(tree)
    mantissa, exponent = (value * _UNITS).upper().man_exp()
    return Fraction(math.ceil(Fraction(int(mantissa)) * Fraction(2) ** int(exponent)), _UNITS)
