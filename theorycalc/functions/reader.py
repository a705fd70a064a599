"""Reading tokens one by one, within a budget: what the grammar's rules are written with."""

from __future__ import annotations

from collections.abc import Callable

from theorycalc.errors import ExpressionError
from theorycalc.functions.application import LARGEST_TREE
from theorycalc.functions.primitives import PRIMITIVES
from theorycalc.functions.tokens import Token, error_at
from theorycalc.functions.tree import Call, Power, Tree, is_constant, parts, size

COMPARISONS = ("<", "<=", ">", ">=")

_DEEPEST = 40
_MOST_WORK = 3_000  # nodes, counted once for every operation that made or copied them


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
