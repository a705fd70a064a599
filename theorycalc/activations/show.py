"""The text of a tree, in the grammar that reads it back."""

from __future__ import annotations

from fractions import Fraction

from theorycalc.activations.tree import Call, Constant, Number, Power, Product, Sum, Tree, Variable, Where

_SUM, _PRODUCT, _POWER = 1, 2, 3  # how tightly an operation binds


def show(tree: Tree) -> str:
    """Return the expression as text; it is also the key by which terms and factors are sorted.

    >>> from theorycalc.activations.grammar import parse
    >>> show(parse("(x - 1)**2/2 + where(x > 0, tanh(x), 0)"))
    '(-1 + x)**2/2 + where(x > 0, tanh(x), 0)'
    """
    return _show(tree, 0)


def _show(tree: Tree, outer: int) -> str:
    match tree:
        case Number(value):
            simple = value.denominator == 1 and (value >= 0 or outer <= _SUM)
            return str(value) if simple or outer == 0 else f"({value})"
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
            raised = str(exponent) if exponent.denominator == 1 and exponent > 0 else f"({exponent})"
            text = f"{_show(base, _POWER)}**{raised}"
            return f"({text})" if outer >= _POWER else text
        case Call(function, argument):
            return f"{function}({_show(argument, 0)})"
        case Where(left, comparison, right, then, otherwise):
            condition = f"{_show(left, 0)} {comparison} {_show(right, 0)}"
            return f"where({condition}, {_show(then, 0)}, {_show(otherwise, 0)})"


def _show_product(factors: tuple[Tree, ...]) -> str:
    over = [f for f in factors if not (isinstance(f, (Number, Power)) and _is_below(f))]
    under = [Power(f.base, -f.exponent) if f.exponent != -1 else f.base for f in factors if _is_power_below(f)]
    sign = ""
    if factors and isinstance(factors[0], Number):
        value = factors[0].value
        sign = "-" if value < 0 else ""
        over = [f for f in over if f is not factors[0]]
        if abs(value.numerator) != 1 or not over:
            over.insert(0, Number(Fraction(abs(value.numerator))))
        if value.denominator != 1:
            under.insert(0, Number(Fraction(value.denominator)))
    text = "*".join(_show(f, _PRODUCT) for f in over) or "1"
    if not under:
        return sign + text
    below = "*".join(_show(f, _PRODUCT) for f in under)
    return f"{sign}{text}/({below})" if len(under) > 1 else f"{sign}{text}/{_show(under[0], _POWER - 1)}"


def _is_below(factor: Number | Power) -> bool:
    return isinstance(factor, Power) and factor.exponent < 0


def _is_power_below(factor: Tree) -> bool:
    return isinstance(factor, Power) and factor.exponent < 0
