"""The named activations, as data: each formula is text in the grammar, with torch's names and defaults.

A name is applied to x, to an expression or to its parameters; so are the Hermite polynomials H_k.

Where a formula could be written in several ways, the one that keeps its digits in float64 is chosen
(gelu by erfc, gelu_tanh by sigmoid).  softplus is the function itself: torch's ``threshold=20``, beyond
which it returns x, is a matter of its rounding and is left out.  rrelu is the one of evaluation mode.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from theorycalc.errors import ExpressionError, suggestion
from theorycalc.functions.algebra import xi_inverse
from theorycalc.functions.build import add, mul, number, power
from theorycalc.functions.enclosures import constant_sign
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.tree import Rational, Tree, brief, is_constant, size
from theorycalc.numbers.exact import parse_number

LARGEST_INDEX = 99  # of H_k
LARGEST_TREE = 1000  # nodes
HERMITE = re.compile(r"H(\d{1,3})", re.ASCII)

#: Arguments given by name: an expression, or a word.
NamedArguments: TypeAlias = dict[str, Tree | str]


@dataclass(frozen=True)
class Named:
    """One line of the table: parameters with their defaults (None: must be given) and the formula.

    One number a stands for the ``symmetric`` two parameters −a and a.
    """

    name: str
    formula: str
    parameters: tuple[tuple[str, str | None], ...] = ()
    symmetric: bool = False


def _row(name: str, formula: str, symmetric: bool = False, **parameters: str | None) -> Named:
    return Named(name, formula, tuple(parameters.items()), symmetric)


_TABLE = (
    _row("identity", "x"),
    _row("relu", "where(x > 0, x, 0)"),
    _row("leaky_relu", "where(x > 0, x, negative_slope*x)", negative_slope="0.01"),
    _row("prelu", "where(x > 0, x, weight*x)", weight="0.25"),
    _row("rrelu", "where(x >= 0, x, (lower + upper)/2*x)", lower="1/8", upper="1/3"),
    _row("relu6", "min(max(0, x), 6)"),
    _row("threshold", "where(x > threshold, x, value)", threshold=None, value=None),
    _row("elu", "where(x > 0, x, alpha*(exp(x) - 1))", alpha="1"),
    _row("selu", "1.0507009873554804934193349852946*elu(x, 1.6732632423543772848170429916717)"),
    _row("celu", "where(x > 0, x, alpha*(exp(x/alpha) - 1))", alpha="1"),
    _row("gelu", "x*erfc(-x/sqrt(2))/2"),
    _row("gelu_tanh", "x*sigmoid(2*sqrt(2/pi)*(x + 0.044715*x**3))"),
    _row("silu", "x*sigmoid(beta*x)", beta="1"),
    _row("mish", "x*tanh(softplus(x))"),
    _row("softplus", "softplus(beta*x)/beta", beta="1"),
    _row("softsign", "x/(1 + abs(x))"),
    _row("tanhshrink", "x - tanh(x)"),
    _row("logsigmoid", "-softplus(-x)"),
    _row("hardtanh", "min(max(x, min_val), max_val)", symmetric=True, min_val="-1", max_val="1"),
    _row("hardsigmoid", "relu6(x + 3)/6"),
    _row("hardswish", "x*relu6(x + 3)/6"),
    _row("hardshrink", "where(x > lambd, x, where(x < -lambd, x, 0))", lambd="0.5"),
    _row("softshrink", "where(x > lambd, x - lambd, where(x < -lambd, x + lambd, 0))", lambd="0.5"),
    _row("gaussian", "exp(-x**2/2)"),
    _row("square", "x**2"),
    _row("cube", "x**3"),
)

#: Other spellings.
ALIASES = {
    "swish": "silu",
    "hard_sigmoid": "hardsigmoid",
    "hard_swish": "hardswish",
    "hard_tanh": "hardtanh",
    "log_sigmoid": "logsigmoid",
    "logistic": "sigmoid",
    "expit": "sigmoid",
    "heaviside": "step",
    "arctan": "atan",
    "arcsinh": "asinh",
    "sgn": "sign",
    "linear": "identity",
}

#: What gelu(approximate=…) means.
GELU_FORMS = {"none": "gelu", "tanh": "gelu_tanh"}

NAMED: dict[str, Named] = {row.name: row for row in _TABLE}


def activation_names() -> tuple[str, ...]:
    """Return the names of the activations, without aliases and Hermite polynomials.

    >>> "relu" in activation_names(), "arctan" in activation_names()
    (True, False)
    """
    return (*(row.name for row in PRIMITIVES.values() if row.activation), *NAMED)


def formula_of(name: str) -> str:
    """Return the formula of a named activation, with its parameters' names.

    >>> formula_of("silu"), formula_of("tanh")
    ('x*sigmoid(beta*x)', 'tanh(x)')
    """
    return NAMED[name].formula if name in NAMED else f"{name}(x)"


def bind(named: Named, arguments: Sequence[Tree], options: NamedArguments, x: Tree) -> dict[str, Tree]:
    """Return what x and the parameters of a named activation stand for.

    Without an argument it is applied to ``x``.  Numbers alone are parameters: leaky_relu(0.1) is leaky_relu(x, 0.1).

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
