"""Trees as sympy expressions, in one real symbol x."""

from __future__ import annotations

from collections.abc import Callable

import sympy

from theorycalc.functions.tree import Call, Constant, Power, Product, Rational, Sum, Tree, Variable, Where

#: The only symbol there is; no name comes from a user's text.
SYMBOL = sympy.Symbol("x", real=True)

_FUNCTIONS: dict[str, Callable[[sympy.Expr], sympy.Expr]] = {
    "exp": sympy.exp,
    "log": sympy.log,
    "sqrt": sympy.sqrt,
    "sin": sympy.sin,
    "cos": sympy.cos,
    "tan": sympy.tan,
    "sinh": sympy.sinh,
    "cosh": sympy.cosh,
    "tanh": sympy.tanh,
    "atan": sympy.atan,
    "asinh": sympy.asinh,
    "erf": sympy.erf,
    "erfc": sympy.erfc,
    "sigmoid": lambda u: 1 / (1 + sympy.exp(-u)),
    "softplus": lambda u: sympy.log(1 + sympy.exp(u)),
    "abs": sympy.Abs,
    "sign": sympy.sign,
    "step": sympy.Heaviside,
}
_RELATIONS = {"<": sympy.Lt, "<=": sympy.Le, ">": sympy.Gt, ">=": sympy.Ge}


def to_sympy(tree: Tree) -> sympy.Expr:
    """Return the tree as a sympy expression in ``SYMBOL``.

    >>> from theorycalc.functions.grammar import parse
    >>> to_sympy(parse("relu(x)/sqrt(2)"))
    sqrt(2)*Piecewise((x, x > 0), (0, True))/2
    """
    match tree:
        case Rational(value):
            return sympy.Rational(value.numerator, value.denominator)
        case Constant(name):
            return sympy.pi if name == "pi" else sympy.E
        case Variable():
            return SYMBOL
        case Sum(terms):
            return sympy.Add(*map(to_sympy, terms))
        case Product(factors):
            return sympy.Mul(*map(to_sympy, factors))
        case Power(base, exponent):
            return to_sympy(base) ** sympy.Rational(exponent.numerator, exponent.denominator)
        case Call(function, argument):
            return _FUNCTIONS[function](to_sympy(argument))
        case Where(left, comparison, right, then, otherwise):  # pragma: no branch - no other kind of tree
            condition = _RELATIONS[comparison](to_sympy(left), to_sympy(right))
            return sympy.Piecewise((to_sympy(then), condition), (to_sympy(otherwise), True))
