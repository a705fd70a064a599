"""Walking a tree: its parts, its size, and where it may be undefined."""

from __future__ import annotations

from theorycalc.functions.constants import is_constant
from theorycalc.functions.tree import Call, Power, Product, Sum, Tree, Where

_PARTIAL = ("log", "tan")


def parts(tree: Tree) -> tuple[Tree, ...]:
    """Return the trees directly below.

    >>> from theorycalc.functions.grammar import parse
    >>> parts(parse("exp(2)"))
    (Rational(value=Fraction(2, 1)),)
    """
    match tree:
        case Sum(terms):
            return terms
        case Product(factors):
            return factors
        case Power(base, _):
            return (base,)
        case Call(_, argument):
            return (argument,)
        case Where(left, _, right, then, otherwise):
            return (left, right, then, otherwise)
    return ()


def size(tree: Tree) -> int:
    """Return the number of nodes.

    >>> from theorycalc.functions.grammar import parse
    >>> size(parse("exp(2*x)"))
    4
    """
    count, stack = 0, [tree]
    while stack:
        count += 1
        stack.extend(parts(stack.pop()))
    return count


def partial_parts(tree: Tree) -> set[tuple[str, Tree]]:
    """Return what may be undefined for some x: arguments of log and tan, bases of roots and of quotients.

    >>> from theorycalc.functions.grammar import parse
    >>> sorted(kind for kind, _ in partial_parts(parse("log(1 + x**2)/(2 + cos(x))")))
    ['log', 'quotient']
    """
    found: set[tuple[str, Tree]] = set()
    stack = [tree]
    while stack:
        part = stack.pop()
        stack.extend(parts(part))
        if isinstance(part, Call) and part.function in _PARTIAL:
            found.add((part.function, part.argument))
        elif isinstance(part, Power) and (part.exponent < 0 or part.exponent.denominator != 1):
            found.add(("quotient" if part.exponent < 0 else "root", part.base))
    return {(kind, inner) for kind, inner in found if not is_constant(inner)}
