"""From the text of an expression to its tokens."""

from __future__ import annotations

import re
from typing import NamedTuple

from theorycalc.errors import ExpressionError
from theorycalc.running.terminal import named, visible, width

LONGEST_TEXT = 2000
_MOST_TOKENS = 1000
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
