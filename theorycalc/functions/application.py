"""What a name in an expression is applied to: parameters of the named activations, Hermite polynomials."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

from theorycalc.errors import ExpressionError, suggestion
from theorycalc.functions.build import add, mul, number, power
from theorycalc.functions.library import Named
from theorycalc.functions.polynomials import xi_inverse
from theorycalc.functions.tree import Rational, Tree, brief, is_constant, size
from theorycalc.functions.walk import constant_sign
from theorycalc.numbers.exact import parse_number

LARGEST_INDEX = 99  # of H_k
LARGEST_TREE = 1000  # nodes
HERMITE = re.compile(r"H(\d{1,3})", re.ASCII)

#: Arguments given by name: an expression, or a word.
NamedArguments: TypeAlias = dict[str, Tree | str]


def bind(named: Named, arguments: Sequence[Tree], options: NamedArguments, x: Tree) -> dict[str, Tree]:
    """Return what x and the parameters of a named activation stand for.

    Without an argument it is applied to ``x``.  Numbers alone are parameters: leaky_relu(0.1) is leaky_relu(x, 0.1).

    >>> from theorycalc.functions.library import NAMED
    >>> bind(NAMED["leaky_relu"], [number(Fraction(1, 10))], {}, number(0))["negative_slope"]
    Rational(value=Fraction(1, 10))
    """
    values = list(arguments)
    if values and all(map(is_constant, values)):
        values = [x, *_parameters(named, values)]
    if len(values) > 1 + len(named.parameters):
        raise ExpressionError(_too_many(named))
    names = {"x": values[0] if values else x}
    names |= {parameter: value for (parameter, _), value in zip(named.parameters, values[1:], strict=False)}
    _check_options(named, names, options)
    for parameter, default in named.parameters:
        value = names.get(parameter, options.get(parameter, default))
        if value is None:
            raise ExpressionError(f"{named.name} needs {parameter}=")
        # A word is a default of the table: what a user gives by name is an expression.
        names[parameter] = number(parse_number(value)) if isinstance(value, str) else value
        if not is_constant(names[parameter]):
            raise ExpressionError(f"the parameter {parameter} of {named.name} must not depend on x")
    return names


def _parameters(named: Named, values: list[Tree]) -> list[Tree]:
    """Return the parameters that numbers alone set, in the order of the table."""
    if not named.parameters and len(values) == 1:
        raise ExpressionError(f"{named.name} has no parameter, and {constant_hint(named.name, brief(values[0]))}")
    if not named.symmetric or len(values) != 1:
        return values
    if constant_sign(values[0]) != 1:
        raise ExpressionError(f"{named.name}(a) ends at -a and a, so a must be positive; give both ends, or a > 0")
    return [mul(number(-1), values[0]), values[0]]


def constant_hint(name: str, argument: str) -> str:
    """Return why a function of a number is no activation, and what to write instead.

    >>> constant_hint("tanh", "2")
    'tanh(2) is a constant; write tanh(2*x) or 2*tanh(x)'
    """
    factor = argument if re.fullmatch(r"[\w.]+", argument) else f"({argument})"
    return f"{name}({argument}) is a constant; write {name}({factor}*x) or {factor}*{name}(x)"


def _too_many(named: Named) -> str:
    names = " and ".join(parameter for parameter, _ in named.parameters)
    return f"{named.name} takes x and {names}, no more" if names else f"{named.name} takes x alone; it has no parameter"


def _check_options(named: Named, given: dict[str, Tree], options: NamedArguments) -> None:
    parameters = [parameter for parameter, _ in named.parameters]
    for option, value in options.items():
        if option not in parameters:
            raise ExpressionError(f"{named.name} has no parameter {option!r}{suggestion(option, parameters)}")
        if option in given:
            raise ExpressionError(f"the parameter {option} of {named.name} is given twice")
        if isinstance(value, str):
            raise ExpressionError(f"the parameter {option} of {named.name} is a number")


def hermite(name: str, arguments: Sequence[Tree], x: Tree) -> Tree:
    """Return H_k as a sum of powers: of H(k, u) or H(k), or of H3(u) or H3.

    >>> from theorycalc.functions.build import X
    >>> from theorycalc.functions.tree import show
    >>> show(hermite("H3", [], X))
    '-3*x + x**3'
    """
    if name == "H":
        if not arguments or not isinstance(arguments[0], Rational):
            raise ExpressionError("write H(k, x) with a whole number k, or H2, H3, …")
        index, arguments = arguments[0].value, arguments[1:]
    else:
        index = Fraction(name[1:])
    if index.denominator != 1 or not 0 <= index <= LARGEST_INDEX or len(arguments) > 1:
        raise ExpressionError(f"H_k is known for k = 0, …, {LARGEST_INDEX}, of one argument")
    argument, k = (arguments[0] if arguments else x), int(index)
    if k // 2 * size(argument) > LARGEST_TREE:
        raise ExpressionError("the expression is too large")
    powers = ((i, xi_inverse(k, i)) for i in range(k % 2, k + 1, 2))
    return add(*(mul(number(c), power(argument, Fraction(i))) for i, c in powers))
