"""Constructors that keep trees in one normal form.

Numbers are folded, like terms and equal factors collected, terms and factors sorted; odd and even
functions have an argument whose leading coefficient is positive; a condition is ``u > 0`` or ``u >= 0``.
Equal trees are then the same function; the converse need not hold.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from fractions import Fraction
from math import gcd, lcm

import flint

from theorycalc.errors import ExpressionError
from theorycalc.functions.enclosures import constant_sign
from theorycalc.functions.primitives import PRIMITIVES, Primitive
from theorycalc.functions.tree import (
    Call,
    Constant,
    Power,
    Product,
    Rational,
    Sum,
    Tree,
    Variable,
    Where,
    brief,
    is_constant,
)

LARGEST_EXPONENT = 100
_MOST_BITS = 1500  # of a numerator or denominator
_PRIMES = (2, 3, 5, 7, 11, 13)  # whose powers are taken out of roots

_NOT_POSITIVE = {-1: "is negative", 0: "is zero", None: "may be zero"}

X = Variable()
ZERO = Rational(Fraction(0))
ONE = Rational(Fraction(1))
_SPECIAL: dict[tuple[str, Tree], Tree] = {("exp", ONE): Constant("e"), ("log", ONE): ZERO, ("log", Constant("e")): ONE}


def number(value: Fraction | int) -> Rational:
    """Return a number of bounded size as a tree.

    >>> number(3).value
    Fraction(3, 1)
    """
    value = Fraction(value)
    if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
        raise ExpressionError("a number here is too large, or has too many digits")
    return Rational(value)


def split(term: Tree) -> tuple[Fraction, Tree]:
    """Return the numeric coefficient of a term and the remaining factors.

    >>> split(Product((number(2), X)))
    (Fraction(2, 1), Variable())
    """
    if isinstance(term, Rational):
        return term.value, ONE
    if isinstance(term, Product) and isinstance(term.factors[0], Rational):
        rest = term.factors[1:]
        return term.factors[0].value, rest[0] if len(rest) == 1 else Product(rest)
    return Fraction(1), term


def add(*terms: Tree) -> Tree:
    """Return the sum of the terms.

    >>> str(add(X, ONE, X))
    '1 + 2*x'
    """
    collected: dict[Tree, Fraction] = {}
    for term in itertools.chain.from_iterable(t.terms if isinstance(t, Sum) else (t,) for t in terms):
        coefficient, rest = split(term)
        collected[rest] = collected.get(rest, Fraction(0)) + coefficient
    constant = collected.pop(ONE, Fraction(0))
    kept = sorted((rest for rest, c in collected.items() if c), key=str)
    result = [_scaled(collected[rest], rest) for rest in kept]
    if constant or not result:
        result.insert(0, number(constant))
    return result[0] if len(result) == 1 else Sum(tuple(result))


def _scaled(coefficient: Fraction, rest: Tree) -> Tree:
    if coefficient == 1:
        return rest
    return Product((number(coefficient), *(rest.factors if isinstance(rest, Product) else (rest,))))


def negative(tree: Tree) -> Tree:
    """Return −tree."""
    return mul(number(-1), tree)


def mul(*factors: Tree) -> Tree:
    """Return the product of the factors.

    >>> str(mul(X, number(2), X))
    '2*x**2'
    """
    if (
        len(factors) == 2
        and isinstance(factors[0], Rational)
        and isinstance(factors[1], (Variable, Where, Call, Power))
    ):
        return _product(factors[0].value, [factors[1]]) if factors[0].value else ZERO  # the usual case, at once
    coefficient, exponents, exponential = _gathered(factors)
    if coefficient == 0:
        return ZERO
    result: list[Tree] = []
    for base, powers in exponents.items():
        for exponent in _collected(base, powers):
            made = power(base, exponent) if len(powers) > 1 or exponent == 1 else Power(base, exponent)
            value, rest = split(made)
            coefficient *= value
            result += [rest] if not isinstance(rest, Product) else rest.factors
    if exponential:
        value, rest = split(call("exp", add(*exponential)))
        coefficient *= value
        result.append(rest)
    return _product(coefficient, [factor for factor in result if factor != ONE])


def _gathered(factors: Iterable[Tree]) -> tuple[Fraction, dict[Tree, list[Fraction]], list[Tree]]:
    """Return the numeric factor, the exponents of every base, and the arguments of exp."""
    coefficient = Fraction(1)
    exponents: dict[Tree, list[Fraction]] = {}
    exponential: list[Tree] = []
    stack = list(factors)
    while stack:
        factor = stack.pop()
        match factor:
            case Rational(value):
                coefficient *= value
            case Product(inner):
                stack.extend(inner)
            case Constant("e"):
                exponential.append(ONE)
            case Call("exp", argument):
                exponential.append(argument)
            case Power(base, exponent):
                exponents.setdefault(base, []).append(exponent)
            case Sum():
                sign, rest = content(factor)
                coefficient *= sign
                exponents.setdefault(rest, []).append(Fraction(1))
            case _:
                exponents.setdefault(factor, []).append(Fraction(1))
    return coefficient, exponents, exponential


def _product(coefficient: Fraction, factors: list[Tree]) -> Tree:
    if not factors:
        return number(coefficient)
    if len(factors) == 1 and isinstance(factors[0], Sum) and coefficient != 1:
        return add(*(mul(number(coefficient), term) for term in factors[0].terms))
    ordered = sorted(factors, key=str) if len(factors) > 1 else factors
    if coefficient != 1:
        ordered = [number(coefficient), *ordered]
    return ordered[0] if len(ordered) == 1 else Product(tuple(ordered))


def _collected(base: Tree, powers: list[Fraction]) -> list[Fraction]:
    """Return the exponents of one base, added where that hides no point at which a factor is undefined."""
    total = sum(powers, Fraction(0))
    if len(powers) == 1 or (is_constant(base) and constant_sign(base) == 1):
        return [total]
    whole = [p for p in powers if p.denominator == 1]
    groups = [sum((p for p in whole if p > 0), Fraction(0)), sum((p for p in whole if p < 0), Fraction(0))]
    return [p for p in groups if p] + sorted(p for p in powers if p.denominator != 1)


def power(base: Tree, exponent: Fraction) -> Tree:
    """Return base**exponent.

    >>> str(power(mul(number(2), X), Fraction(2))), str(power(number(Fraction(1, 2)), Fraction(1, 2)))
    ('4*x**2', 'sqrt(2)/2')
    """
    if exponent == 0:
        return ONE
    if exponent == 1:
        return base
    if max(abs(exponent.numerator), exponent.denominator) > LARGEST_EXPONENT:
        raise ExpressionError(f"an exponent beyond ±{LARGEST_EXPONENT} is not computed")
    if is_constant(base):
        sign = constant_sign(base)
        if exponent < 0 and not sign:
            raise ExpressionError("division by zero" if sign == 0 else f"division by {brief(base)}, which may be zero")
        if exponent.denominator != 1 and sign in (None, -1):
            raise ExpressionError(f"a root of {brief(base)}, which {'is' if sign else 'may be'} negative")
    match base:
        case Rational(value):
            return _number_power(value, exponent)
        case Constant("e"):
            return call("exp", number(exponent))
        case Call("exp", argument):
            return call("exp", mul(number(exponent), argument))
        case Power(inner, first):
            return _nested_power(inner, first, exponent) or Power(base, exponent)
        case Product() | Sum():
            return _compound_power(base, exponent)
    return Power(base, exponent)


def _compound_power(base: Product | Sum, exponent: Fraction) -> Tree:
    """Return a power with the sign and number taken out in front and, if it is whole, every factor of its base."""
    whole = exponent.denominator == 1
    if whole and isinstance(base, Product):
        return mul(*(power(factor, exponent) for factor in base.factors))
    scale, rest = content(base)
    bits = max(scale.numerator.bit_length(), scale.denominator.bit_length())
    if isinstance(base, Sum) and bits * abs(exponent) > _MOST_BITS:
        return Power(base, exponent)
    if whole and scale < 0:
        return mul(power(number(scale), exponent), power(rest, exponent))
    if abs(scale) != 1:
        return mul(power(number(abs(scale)), exponent), power(mul(number(scale / abs(scale)), rest), exponent))
    return Power(base, exponent)


def _number_power(value: Fraction, exponent: Fraction) -> Tree:
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if bits * abs(exponent) > _MOST_BITS + LARGEST_EXPONENT:
        raise ExpressionError("a power here is too large")
    if exponent.denominator == 1 or value in (0, 1):
        return number(value ** (int(exponent) if exponent.denominator == 1 else 1))
    if value.denominator != 1:  # roots of whole numbers only, so that sqrt(1/2) and sqrt(2)/2 are one
        below = _number_power(Fraction(value.denominator), -exponent)
        return mul(_number_power(Fraction(value.numerator), exponent), below)
    whole = exponent.numerator // exponent.denominator
    rest = exponent - whole
    outside, inside = _root(value.numerator, rest.denominator)
    coefficient = value**whole * Fraction(outside) ** rest.numerator
    return number(coefficient) if inside == 1 else _product(coefficient, [Power(number(inside), rest)])


def _root(value: int, degree: int) -> tuple[int, int]:
    """Write value ≥ 1 as outside**degree · inside: sqrt(8) is 2 sqrt(2)."""
    root = int(flint.fmpz(value).root(degree))
    if root**degree == value:
        return root, 1
    outside = 1
    for prime in _PRIMES:
        while value % prime**degree == 0:
            value //= prime**degree
            outside *= prime
    return outside, value


def _nested_power(inner: Tree, first: Fraction, second: Fraction) -> Tree | None:
    """Return (inner**first)**second as one power, or None where that hides a point at which it is undefined."""
    positive = is_constant(inner) and constant_sign(inner) == 1
    both_whole = first.denominator == second.denominator == 1
    if positive or (both_whole and max(first, second) > 0):
        return power(inner, first * second)
    if first.denominator == 1 and first % 2 == 0 and first > 0 and second > 0:
        return power(call("abs", inner), first * second)
    if second.denominator == 1 and (first * second).denominator != 1 and second > 0:
        return power(inner, first * second)
    return None


def content(tree: Tree) -> tuple[Fraction, Tree]:
    """Return a number and the rest of a tree; a sum keeps coprime whole coefficients, the leading one positive.

    >>> factor, rest = content(add(number(Fraction(1, 2)), mul(number(-2), X)))
    >>> factor, str(rest)
    (Fraction(-1, 2), '-1 + 4*x')
    """
    if not isinstance(tree, Sum):
        return split(tree)
    pairs = [split(term) for term in tree.terms]
    leading = next(c for c, rest in pairs if rest != ONE)
    divisor = Fraction(gcd(*(c.numerator for c, _ in pairs)), lcm(*(c.denominator for c, _ in pairs)))
    factor = divisor if leading > 0 else -divisor
    if factor == 1:
        return factor, tree
    # The order is that of the terms without their coefficients: a factor does not change it.
    terms = (number(c / factor) if rest == ONE else _scaled(c / factor, rest) for c, rest in pairs)
    return factor, Sum(tuple(terms))


def call(function: str, argument: Tree) -> Tree:
    """Return a primitive function applied to an argument, or the square root of the argument.

    >>> str(call("sin", mul(number(-2), X))), str(call("sqrt", number(4))), str(call("abs", number(-3)))
    ('-sin(2*x)', '2', '3')
    """
    if function == "sqrt":
        return power(argument, Fraction(1, 2))
    row = PRIMITIVES[function]
    if argument == ZERO and row.at_zero is not None:
        return number(row.at_zero)
    special = _SPECIAL.get((function, argument))
    if special is not None:
        return special
    if is_constant(argument) and (row.sides or function == "log"):
        sign = constant_sign(argument)
        if function == "log" and sign != 1:
            raise ExpressionError(f"log of {brief(argument)}, which {_NOT_POSITIVE[sign]}")
        if row.sides and sign:
            return on_side(row, sign, argument)
    if row.parity is None:
        return Call(function, argument)
    scale, rest = content(argument)
    if row.sides:  # abs and sign: f(cu) = f(c) f(u)
        return mul(on_side(row, scale, number(scale)), Call(function, rest))
    inner = Call(function, mul(number(abs(scale)), rest))
    return negative(inner) if scale < 0 and row.parity == "odd" else inner


def on_side(row: Primitive, sign: Fraction | int, argument: Tree) -> Tree:
    """Return abs, sign or step of an argument whose sign is known.

    >>> str(on_side(PRIMITIVES["abs"], -1, add(X, ONE)))
    '-1 - x'
    """
    assert row.sides is not None
    constant, slope = row.sides[sign > 0]
    return add(number(constant), mul(number(slope), argument))
