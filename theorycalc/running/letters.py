"""Letters on a screen: which are shown as they are, and how many columns they take."""

from __future__ import annotations

import unicodedata

_RIGHT_TO_LEFT = ("R", "AL", "AN")  # they would change the order of what stands beside them


def visible(text: str) -> str:
    r"""Return the text with every letter as it is, and with an escape for what has no shape or changes the direction.

    >>> visible("φ²(x)" + chr(0x202e) + "y"), visible("\n")
    ('φ²(x)\\u202ey', '\\n')
    """
    return "".join(
        c if c.isprintable() and unicodedata.bidirectional(c) not in _RIGHT_TO_LEFT else _escaped(c) for c in text
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


def named(character: str) -> str:
    """Return a character in quotes, with its name where it may look like another.

    >>> named("$"), named("φ"), named("х")
    ("'$'", "'φ' (Greek small letter phi)", "'х' (Cyrillic small letter ha)")
    """
    carried = "◌" if unicodedata.combining(character) else ""
    name = "" if character.isascii() else unicodedata.name(character, "").capitalize()
    return f"'{carried}{visible(character)}'" + (f" ({name})" if name else "")


def width(text: str) -> int:
    """Return the columns that a terminal gives to a text: two to a wide letter, none to a combining one.

    >>> width("x̃ + 1"), width("ｘ")
    (5, 2)
    """
    return sum((unicodedata.east_asian_width(c) in "WF") + 1 for c in text if not unicodedata.combining(c))
