"""The text of a tree, in the grammar that reads it back."""

from __future__ import annotations

import functools
from fractions import Fraction

from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable, Where

_SUM, _PRODUCT, _POWER = 1, 2, 3  # how tightly an operation binds
_BRIEF = 200  # characters


def show(tree: Tree) -> str:
    """Return the expression as text; it is also the key by which terms and factors are sorted.

    >>> from theorycalc.functions.grammar import parse
    >>> show(parse("(x - 1)**2/2 + where(x > 0, tanh(x), 0)"))
    '(-1 + x)**2/2 + where(x > 0, tanh(x), 0)'
    """
    return _show(tree, 0)


def brief(tree: Tree) -> str:
    """Return the text of a tree for a message: of a long one, its beginning and its length.

    >>> from theorycalc.functions.grammar import parse
    >>> brief(parse("tanh(x + 1)")), len(brief(parse("H75(x)")))
    ('tanh(1 + x)', 219)
    """
    text = show(tree)
    return text if len(text) <= _BRIEF else f"{text[:_BRIEF]}… ({len(text)} characters)"


@functools.lru_cache(maxsize=1024)  # sorting asks for the same parts again and again
def _show(tree: Tree, outer: int) -> str:
    match tree:
        case Rational(value):
            simple = value.denominator == 1 and value >= 0
            return str(value) if simple or outer <= _SUM else f"({value})"
        case Constant(name):
            return name
        case Variable():
            return "x"
        case Sum(terms):
            text = " + ".join(_show(term, _SUM) for term in terms).replace("+ -", "- ")
            return f"({text})" if outer > 0 else text
        case Product(factors):
            text = _show_product(factors)
            return f"({text})" if outer >= _PRODUCT else text
        case Power(base, exponent):
            if exponent == Fraction(1, 2):
                return f"sqrt({_show(base, 0)})"
            if _is_below(tree):
                return _show(Product((tree,)), outer)
            raised = str(exponent) if exponent.denominator == 1 and exponent > 0 else f"({exponent})"
            text = f"{_show(base, _POWER)}**{raised}"
            return f"({text})" if outer >= _POWER else text
        case Call(function, argument):
            return f"{function}({_show(argument, 0)})"
        case Where(left, comparison, right, then, otherwise):  # pragma: no branch - no other kind of tree
            condition = f"{_show(left, 0)} {comparison} {_show(right, 0)}"
            return f"where({condition}, {_show(then, 0)}, {_show(otherwise, 0)})"


def _is_below(power: Power) -> bool:
    """Whether a power is written as a divisor and read back as it is: not a root, but of a constant, nor of a power."""
    is_plain = power.exponent.denominator == 1 or isinstance(power.base, Constant)
    return power.exponent < 0 and is_plain and not isinstance(power.base, Power)


def _show_product(factors: tuple[Tree, ...]) -> str:
    """Return over/under, with the sign in front and the factors of negative power below."""
    coefficient = factors[0].value if isinstance(factors[0], Rational) else Fraction(1)
    rest = factors[1:] if isinstance(factors[0], Rational) else factors
    below = [f for f in rest if isinstance(f, Power) and _is_below(f)]
    over = [f for f in rest if f not in below]
    under: list[Tree] = [f.base if f.exponent == -1 else Power(f.base, -f.exponent) for f in below]
    if abs(coefficient.numerator) != 1 or not over:
        over.insert(0, Rational(Fraction(abs(coefficient.numerator))))
    if coefficient.denominator != 1:
        under.insert(0, Rational(Fraction(coefficient.denominator)))
    text = ("-" if coefficient < 0 else "") + "*".join(_show(f, _PRODUCT) for f in over)
    if not under:
        return text
    if len(under) == 1:
        return f"{text}/{_show(under[0], _PRODUCT)}"
    return f"{text}/({'*'.join(_show(f, _PRODUCT) for f in under)})"
