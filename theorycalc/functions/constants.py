"""Trees without x: their value as a ball, and their sign."""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction

import flint

from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable, Where
from theorycalc.numbers.balls import ball_precision, nearest_float
from theorycalc.numbers.systems import BALLS

_PRECISIONS = (64, 256, 1024)
_FLOAT_BITS = 128

#: The primitives on balls that are smooth; abs, sign and step are resolved before.
BALL_FUNCTIONS: dict[str, Callable[[flint.arb], flint.arb]] = {
    "exp": flint.arb.exp,
    "log": flint.arb.log,
    "sqrt": flint.arb.sqrt,
    "sin": flint.arb.sin,
    "cos": flint.arb.cos,
    "tan": flint.arb.tan,
    "sinh": flint.arb.sinh,
    "cosh": flint.arb.cosh,
    "tanh": flint.arb.tanh,
    "atan": flint.arb.atan,
    "asinh": flint.arb.asinh,
    "erf": flint.arb.erf,
    "erfc": flint.arb.erfc,
    "sigmoid": lambda u: 1 / (1 + (-u).exp()),
    "softplus": lambda u: u.exp().log1p() if u < 0 else u + (-u).exp().log1p(),
    "abs": abs,
    "sign": lambda u: u.sgn(),
    "step": lambda u: (1 + u.sgn()) / 2,
}


@functools.lru_cache(maxsize=1024)
def is_constant(tree: Tree) -> bool:
    """Say whether x does not occur.

    >>> is_constant(Call("exp", Rational(Fraction(1)))), is_constant(Variable())
    (True, False)
    """
    match tree:
        case Variable():
            return False
        case Sum(terms):
            return all(map(is_constant, terms))
        case Product(factors):
            return all(map(is_constant, factors))
        case Power(base, _):
            return is_constant(base)
        case Call(_, argument):
            return is_constant(argument)
        case Where(left, _, right, then, otherwise):
            return all(map(is_constant, (left, right, then, otherwise)))
    return True


def ball_of(tree: Tree, x: flint.arb | None = None) -> flint.arb:
    """Return an enclosure of the tree's value at the ball ``x``, at the current precision.

    It is not finite where the value is not shown to be.  A ``Where`` encloses both of its branches
    unless the condition is decided on the ball.

    >>> with ball_precision(64):
    ...     print(ball_of(Constant("pi")).str(5))
    [3.1416 +/- 7.35e-6]
    """
    match tree:
        case Rational(value):
            return BALLS.rational(value)
        case Constant(name):
            return flint.arb.pi() if name == "pi" else flint.arb.const_e()
        case Variable():
            return flint.arb("nan") if x is None else x
        case Sum(terms):
            return sum((ball_of(term, x) for term in terms), flint.arb(0))
        case Product(factors):
            product = flint.arb(1)
            for factor in factors:
                product *= ball_of(factor, x)
            return product
        case Power(base, exponent):
            return power_ball(ball_of(base, x), exponent)
        case Call(function, argument):
            return BALL_FUNCTIONS[function](ball_of(argument, x))
        case Where(left, comparison, right, then, otherwise):  # pragma: no branch - no other kind of tree
            return _where_ball(ball_of(left, x) - ball_of(right, x), comparison, then, otherwise, x)


def power_ball(base: flint.arb, exponent: Fraction) -> flint.arb:
    """Return base**exponent; a fractional exponent needs a base ≥ 0."""
    if exponent.denominator == 1:
        return base ** int(exponent)
    if exponent.denominator == 2:
        return base.sqrt() ** exponent.numerator
    return base ** BALLS.rational(exponent)


def _where_ball(difference: flint.arb, comparison: str, then: Tree, otherwise: Tree, x: flint.arb | None) -> flint.arb:
    if difference > 0 or (difference >= 0 and comparison == ">="):
        return ball_of(then if comparison in (">", ">=") else otherwise, x)
    if difference < 0 or (difference <= 0 and comparison == "<="):
        return ball_of(then if comparison in ("<", "<=") else otherwise, x)
    return ball_of(then, x).union(ball_of(otherwise, x))  # pragma: no cover - pieces() resolves where() first


def float_of(tree: Tree) -> float:
    """Return the float64 nearest to a tree without x.

    >>> float_of(Constant("pi"))
    3.141592653589793
    """
    with ball_precision(_FLOAT_BITS):
        return nearest_float(ball_of(tree), "a constant")


def constant_sign(tree: Tree) -> int | None:
    """Return the sign −1, 0 or 1 of a tree without x, or None where it is not decided (it may be zero).

    >>> from theorycalc.functions.grammar import parse
    >>> constant_sign(parse("pi - 22/7")), constant_sign(parse("sin(pi)"))
    (-1, None)
    """
    if isinstance(tree, Rational):
        return (tree.value > 0) - (tree.value < 0)
    for bits in _PRECISIONS:
        with ball_precision(bits):
            value = ball_of(tree)
            if value > 0:
                return 1
            if value < 0:
                return -1
            if value.is_exact() and value == 0:
                return 0  # pragma: no cover - no known formula reaches it
    return None
