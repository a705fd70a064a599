"""The tokens of an expression, read within a budget, and the arguments to which its names are applied."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from theorycalc.errors import ExpressionError, suggestion
from theorycalc.functions.algebra import xi_inverse
from theorycalc.functions.build import add, mul, number, power
from theorycalc.functions.enclosures import constant_sign
from theorycalc.functions.primitives import PRIMITIVES, Named
from theorycalc.functions.tree import Branch, Call, Power, Rational, Tree, brief, is_constant, parts, size
from theorycalc.numbers.exact import parse_number
from theorycalc.running.budget import check
from theorycalc.running.terminal import named, visible, width

COMPARISONS = ("<", "<=", ">", ">=")
LARGEST_INDEX = 99  # of H_k
LARGEST_TREE = 1000  # nodes
LONGEST_TEXT = 2000
_MOST_TOKENS = 1000
_DEEPEST = 40
_MOST_WORK = 3_000  # nodes, counted once for every operation that makes or copies them
_SHOWN = 60  # characters either side of the column that an error shows

HERMITE = re.compile(r"H(\d{1,3})", re.ASCII)
DIRECTION = re.compile(r"t\d+", re.ASCII)
_TOKEN = re.compile(
    r"[ \t\n]*(?:"
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<word>'[a-z]*'|\"[a-z]*\")"
    r"|(?P<operator>\*\*|<=|>=|[-+*/^(),<>=])"
    r"|(?P<end>$))",
    re.ASCII,
)


#: Arguments given by name: an expression, or a word.
NamedArguments: TypeAlias = dict[str, Tree | str]


class Token(NamedTuple):
    """A piece of the text and the column where it begins."""

    kind: str  # number, name, word, operator, end
    text: str
    column: int


def error_at(text: str, column: int, message: str) -> ExpressionError:
    """Return an error that shows the text with a caret under the column.

    >>> print(error_at("1 + $", 4, "'$' is not understood"))
    '$' is not understood
      1 + $
          ^
    """
    start = max(0, column - _SHOWN)
    end = column + _SHOWN
    before = ("…" if start else "") + visible(text[start:column])
    shown = before + visible(text[column:end]) + ("…" if end < len(text) else "")
    # An accent stands above the letter before it, under which the caret belongs.
    place = width(before) - (column > start and width(text[column : column + 1]) < len(text[column : column + 1]))
    error = ExpressionError(f"{message}\n  {shown}\n  {' ' * place}^")
    error.reason = message
    return error


def tokenize(text: str) -> list[Token]:
    """Split the text into tokens, the last of kind ``end``.

    >>> [token.text for token in tokenize("2*x")]
    ['2', '*', 'x', '']
    """
    if len(text) > LONGEST_TEXT:
        raise error_at(text[:LONGEST_TEXT], LONGEST_TEXT - 1, f"the expression has more than {LONGEST_TEXT} characters")
    tokens: list[Token] = []
    position = 0
    while not tokens or tokens[-1].kind != "end":
        match = _TOKEN.match(text, position)
        if match is None:
            column = position + len(text[position:]) - len(text[position:].lstrip(" \t\n"))
            raise error_at(text, column, f"{named(text[column])} is not understood")
        kind = str(match.lastgroup)
        tokens.append(Token(kind, match[kind], match.start(kind)))
        position = match.end()
        if len(tokens) > _MOST_TOKENS:
            raise error_at(text, position - 1, f"the expression has more than {_MOST_TOKENS} parts")
    return tokens


@dataclass
class Budget:
    """The work and the depth still allowed for an expression, shared with the formulas of the names in it."""

    work: int = _MOST_WORK
    depth: int = 0
    read: dict[tuple[str, tuple[Tree, ...]], Tree] = field(default_factory=dict)  # named activations already read


class Reader:
    """A position in a list of tokens."""

    def __init__(self, text: str, tokens: list[Token], budget: Budget) -> None:
        self._text = text
        self._tokens = tokens
        self._next = 0
        self._budget = budget

    def _peek(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        token = self._tokens[self._next]
        self._next += token.kind != "end"
        return token

    def _take_if(self, *operators: str) -> Token | None:
        token = self._peek()
        return self._take() if token.kind == "operator" and token.text in operators else None

    def _expect(self, operator: str) -> None:
        if not self._take_if(operator):
            found = repr(self._peek().text) if self._peek().text else "the end"
            raise self._error(f"'{operator}' is missing before {found}", self._peek())

    def _expect_end(self) -> None:
        token = self._peek()
        if token.kind == "operator" and token.text in COMPARISONS:
            raise self._error("a comparison is allowed only inside where(a < b, then, otherwise)", token)
        if token.kind != "end":
            raise self._error(f"{token.text!r} is not expected here; is an operator missing?", token)

    def _error(self, message: str, token: Token) -> ExpressionError:
        return error_at(self._text, token.column, message)

    def _made(self, token: Token, make: Callable[..., Tree], *parts: Tree, keep: bool = True) -> Tree:
        """Return make(*parts) within the budget; with ``keep``, no part that may be undefined cancels."""
        check()
        try:
            tree = make(*parts)
        except ExpressionError as error:
            raise self._error(str(error), token) from None
        nodes = size(tree)
        self._budget.work -= nodes
        if nodes > LARGEST_TREE or self._budget.work < 0:
            raise self._error("the expression is too large", token)
        if keep and set().union(*map(partial_parts, parts)) - partial_parts(tree):
            raise self._error("this cancels a part that is not defined for all x", token)
        return tree

    def _descend(self, token: Token) -> None:
        self._budget.depth += 1
        if self._budget.depth > _DEEPEST:
            raise self._error(f"the expression is nested deeper than {_DEEPEST}", token)


def partial_parts(tree: Tree) -> set[tuple[str, Tree]]:
    """Return the parts that may be undefined for some x: arguments of log and tan, bases of roots, divisors.

    >>> from theorycalc.functions.grammar import parse
    >>> sorted(kind for kind, _ in partial_parts(parse("log(1 + x**2)/(2 + cos(x))")))
    ['log', 'quotient']
    """
    found: set[tuple[str, Tree]] = set()
    stack = [tree]
    while stack:
        part = stack.pop()
        stack.extend(parts(part))
        if isinstance(part, Call) and PRIMITIVES[part.function].is_partial:
            found.add((part.function, part.argument))
        elif isinstance(part, Power) and (part.exponent < 0 or part.exponent.denominator != 1):
            found.add(("quotient" if part.exponent < 0 else "root", part.base))
    return {(kind, inner) for kind, inner in found if not is_constant(inner)}


def bind(named: Named, arguments: Sequence[Tree], options: NamedArguments, x: Branch[Tree]) -> dict[str, Tree]:
    """Return the trees that replace x and the parameters of a named activation.

    Without an argument it is applied to ``x()``.  Numbers alone are parameters: leaky_relu(0.1) is leaky_relu(x, 0.1).

    >>> from theorycalc.functions.primitives import NAMED
    >>> bind(NAMED["leaky_relu"], [number(Fraction(1, 10))], {}, lambda: number(0))["negative_slope"]
    Rational(value=Fraction(1, 10))
    """
    values = list(arguments)
    if values and all(map(is_constant, values)):
        values = [x(), *_parameters(named, values)]
    if len(values) > 1 + len(named.parameters):
        taken = " and ".join(parameter for parameter, _ in named.parameters)
        raise ExpressionError(
            f"{named.name} takes x {f'and {taken}, no more' if taken else 'alone; it has no parameter'}"
        )
    names = {"x": values[0] if values else x()}
    names |= {parameter: value for (parameter, _), value in zip(named.parameters, values[1:], strict=False)}
    _check_options(named, names, options)
    for parameter, default in named.parameters:
        value = names.get(parameter, options.get(parameter, default))
        if value is None:
            raise ExpressionError(f"{named.name} needs {parameter}=")
        # A word is a default of the table; a value given by name is an expression.
        names[parameter] = number(parse_number(value)) if isinstance(value, str) else value
        if not is_constant(names[parameter]):
            raise ExpressionError(f"the parameter {parameter} of {named.name} must not depend on x")
    return names


def _parameters(named: Named, values: list[Tree]) -> list[Tree]:
    """Return the parameters that are given without names, in the order of the table."""
    if not named.parameters and len(values) == 1:
        raise ExpressionError(f"{named.name} has no parameter, and {constant_hint(named.name, brief(values[0]))}")
    if not named.symmetric or len(values) != 1:
        return values
    if constant_sign(values[0]) != 1:
        raise ExpressionError(f"{named.name}(a) ends at -a and a, so a must be positive; give both ends, or a > 0")
    return [mul(number(-1), values[0]), values[0]]


def constant_hint(name: str, argument: str) -> str:
    """Return the reason why a function of a number is not an activation, with the likely spelling.

    >>> constant_hint("tanh", "2")
    'tanh(2) is a constant; write tanh(2*x) or 2*tanh(x)'
    """
    factor = argument if re.fullmatch(r"[\w.]+", argument) else f"({argument})"
    return f"{name}({argument}) is a constant; write {name}({factor}*x) or {factor}*{name}(x)"


def _check_options(named: Named, given: dict[str, Tree], options: NamedArguments) -> None:
    parameters = [parameter for parameter, _ in named.parameters]
    for option, value in options.items():
        if option not in parameters:
            raise ExpressionError(f"{named.name} has no parameter {option!r}{suggestion(option, parameters)}")
        if option in given:
            raise ExpressionError(f"the parameter {option} of {named.name} is given twice")
        if isinstance(value, str):
            raise ExpressionError(f"the parameter {option} of {named.name} must be a number")


def hermite(name: str, arguments: Sequence[Tree], x: Branch[Tree]) -> Tree:
    """Return H_k as a sum of powers, from H(k, u), H(k), H3(u) or H3.

    >>> from theorycalc.functions.build import X
    >>> str(hermite("H3", [], lambda: X))
    '-3*x + x**3'
    """
    if name == "H":
        if not arguments or not isinstance(arguments[0], Rational):
            raise ExpressionError("write H(k, x) with a whole number k, or H2, H3, …")
        index, arguments = arguments[0].value, arguments[1:]
    else:
        index = Fraction(name[1:])
    if index.denominator != 1 or not 0 <= index <= LARGEST_INDEX or len(arguments) > 1:
        raise ExpressionError(f"H_k takes k = 0, …, {LARGEST_INDEX} and one argument")
    argument, k = (arguments[0] if arguments else x()), int(index)
    if k // 2 * size(argument) > LARGEST_TREE:
        raise ExpressionError("the expression is too large")
    powers = ((i, xi_inverse(k, i)) for i in range(k % 2, k + 1, 2))
    return add(*(mul(number(c), power(argument, Fraction(i))) for i, c in powers))
