"""A document as data: headings, paragraphs, displays and tables, which LaTeX and HTML writers render."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TypeAlias

from theorycalc.symbolic.printer import Line


@dataclass(frozen=True)
class Math:
    """A piece of LaTeX within a text."""

    latex: str


@dataclass(frozen=True)
class NumberText:
    """A decimal number, which may have thousands of digits."""

    text: str


#: What a text is made of.
Text: TypeAlias = tuple[str | Math | NumberText, ...]


@dataclass(frozen=True)
class Heading:
    """The title of a section."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """Running text."""

    text: Text


@dataclass(frozen=True)
class Display:
    """Equations, one a line, with definitions after "where"."""

    statement: tuple[Line, ...]
    where: tuple[Line, ...] = ()


@dataclass(frozen=True)
class TableBlock:
    """Rows of texts under a row of titles."""

    titles: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


DocumentBlock: TypeAlias = Heading | Paragraph | Display | TableBlock

_GREEK = {"σ": r"\sigma", "λ": r"\lambda", "Δ": r"\Delta", "Λ": r"\Lambda", "ℓ": r"\ell", "ε": r"\varepsilon"}
#: An index holds no character that commands LaTeX: the words may contain a user's text.
_MATH = re.compile(
    r"(?P<letter>\b[A-Za-z]|[σλΔΛ])(?P<kind>[_^])(?P<index>[({]⋆?[A-Za-z0-9>/+−-]*[)}]|⋆?[A-Za-z0-9]+|[ℓε])"
)


def rich(words: str) -> Text:
    r"""Return plain words as a text in which letters with an index or an exponent are mathematics.

    >>> rich("c_⋆1 ≠ 0")
    (Math(latex='c_{\\star,1}'), ' ≠ 0')
    >>> rich("L_tr and Δ_ℓ")
    (Math(latex='L_{\\mathrm{tr}}'), ' and ', Math(latex='\\Delta_{\\ell}'))
    """
    pieces: list[str | Math | NumberText] = []
    end = 0
    for match in _MATH.finditer(words):
        letter = _GREEK.get(match["letter"], match["letter"])
        pieces += [words[end : match.start()], Math(f"{letter}{match['kind']}{{{_index(match['index'])}}}")]
        end = match.end()
    pieces.append(words[end:])
    return tuple(piece for piece in pieces if piece != "")


def _index(found: str) -> str:
    index = found.strip("{}()").replace("−", "-")
    if index.startswith("⋆"):
        return rf"\star,{index[1:]}"
    return rf"\mathrm{{{index}}}" if re.fullmatch("[A-Za-z]{2,}", index) else _GREEK.get(index, index)
