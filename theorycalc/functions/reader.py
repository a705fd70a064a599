"""From the text of an expression to its tokens, read one by one within a budget."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from theorycalc.errors import ExpressionError
from theorycalc.functions.library import LARGEST_TREE
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.tree import Call, Power, Tree, is_constant, parts, size
from theorycalc.running.terminal import named, visible, width

COMPARISONS = ("<", "<=", ">", ">=")
LONGEST_TEXT = 2000
_MOST_TOKENS = 1000
_DEEPEST = 40
_MOST_WORK = 3_000  # nodes, counted once for every operation that made or copied them
_SHOWN = 60  # characters either side of the column that an error shows

_TOKEN = re.compile(
    r"[ \t\n]*(?:"
    r"(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<word>'[a-z]*'|\"[a-z]*\")"
    r"|(?P<operator>\*\*|<=|>=|[-+*/^(),<>=])"
    r"|(?P<end>$))",
    re.ASCII,
)


class Token(NamedTuple):
    """A piece of the text and the column where it starts."""

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
    # An accent stands above the letter before it, which is where the caret belongs.
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


class Budget:
    """What one expression may still cost, shared with the formulas of the names in it."""

    def __init__(self) -> None:
        self.work = _MOST_WORK
        self.depth = 0
        self.read: dict[tuple[str, tuple[Tree, ...]], Tree] = {}  # named activations already read


class Reader:
    """A place in a list of tokens."""

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
            raise self._error("a comparison is only read inside where(a < b, then, otherwise)", token)
        if token.kind != "end":
            raise self._error(f"{token.text!r} is not expected here; is an operator missing?", token)

    def _error(self, message: str, token: Token) -> ExpressionError:
        return error_at(self._text, token.column, message)

    def _made(self, token: Token, make: Callable[..., Tree], *parts: Tree, keep: bool = True) -> Tree:
        """Return make(*parts), paid for; ``keep``: what may be undefined must not cancel."""
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
    """Return the parts that may be undefined for some x: arguments of log and tan, bases of roots and of quotients.

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
