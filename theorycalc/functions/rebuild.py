"""Putting trees together again from changed parts; conditions in their normal form."""

from __future__ import annotations

from collections.abc import Callable

from theorycalc.errors import ExpressionError
from theorycalc.functions.build import ZERO, add, call, content, mul, negative, power
from theorycalc.functions.constants import constant_sign, is_constant
from theorycalc.functions.show import brief
from theorycalc.functions.tree import Call, Power, Product, Sum, Tree, Variable, Where


def where(left: Tree, comparison: str, right: Tree, then: Tree, otherwise: Tree) -> Tree:
    """Return ``then`` where the comparison holds, else ``otherwise``.

    >>> from theorycalc.functions.show import show
    >>> from theorycalc.functions.grammar import parse
    >>> show(where(parse("x"), "<=", parse("1"), parse("x"), parse("1")))
    'where(-1 + x > 0, 1, x)'
    """
    if comparison in ("<", "<="):
        left, right, comparison = right, left, comparison.replace("<", ">")
    difference = add(left, negative(right))
    if then == otherwise:
        return then
    if is_constant(difference):
        sign = constant_sign(difference)
        if sign is None:
            raise ExpressionError(f"it is not decided whether {brief(difference)} is zero")
        return then if sign > 0 or (sign == 0 and comparison == ">=") else otherwise
    scale, rest = content(difference)
    if scale < 0:  # −u > 0 is not u >= 0
        then, otherwise = otherwise, then
        comparison = ">=" if comparison == ">" else ">"
    return Where(rest, comparison, ZERO, then, otherwise)


def map_parts(tree: Tree, function: Callable[[Tree], Tree]) -> Tree:
    """Return the tree with ``function`` applied to the trees directly below, in normal form.

    >>> from theorycalc.functions.show import show
    >>> from theorycalc.functions.grammar import parse
    >>> show(map_parts(parse("x*exp(x)"), lambda part: parse("1") if part == parse("x") else part))
    'exp(x)'
    """
    match tree:
        case Sum(terms):
            return add(*map(function, terms))
        case Product(factors):
            return mul(*map(function, factors))
        case Power(base, exponent):
            return power(function(base), exponent)
        case Call(name, argument):
            return call(name, function(argument))
        case Where(left, comparison, right, then, otherwise):
            parts = [function(part) for part in (left, right, then, otherwise)]
            return where(parts[0], comparison, *parts[1:])
    return tree


def substitute(tree: Tree, x: Tree) -> Tree:
    """Return the tree with ``x`` for the variable.

    >>> from theorycalc.functions.show import show
    >>> from theorycalc.functions.grammar import parse
    >>> show(substitute(parse("sin(x)"), parse("-x")))
    '-sin(x)'
    """
    return x if isinstance(tree, Variable) else map_parts(tree, lambda part: substitute(part, x))


def replace(tree: Tree, old: Tree, new: Tree) -> Tree:
    """Return the tree with every part that is ``old`` replaced.

    >>> from theorycalc.functions.show import show
    >>> from theorycalc.functions.grammar import parse
    >>> show(replace(parse("2*abs(x)"), parse("abs(x)"), parse("-x")))
    '-2*x'
    """
    return new if tree == old else map_parts(tree, lambda part: replace(part, old, new))
