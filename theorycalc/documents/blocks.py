"""A document as data: blocks of text, formulas, tables and figures, which the LaTeX and HTML writers render."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from theorycalc.symbolic.printer import Line

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Math(NamedTuple):
    """A piece of LaTeX within a text."""

    latex: str


class Digits(NamedTuple):
    """A decimal number, which may have thousands of digits."""

    text: str


#: A text is a sequence of words, formulas and numbers.
Text: TypeAlias = tuple[str | Math | Digits, ...]


class Heading(NamedTuple):
    """The title of a section."""

    text: str


class Paragraph(NamedTuple):
    """Running text, which a report may highlight as its ``lead`` or a ``verdict``."""

    text: Text
    kind: str = ""


class Display(NamedTuple):
    """Equations, one on each line, with definitions after "where"."""

    statement: tuple[Line, ...]
    where: tuple[Line, ...] = ()


class TableBlock(NamedTuple):
    """Rows of text below a row of titles."""

    titles: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


class Picture(NamedTuple):
    """A figure of a report with its caption; consecutive figures stand side by side where there is room."""

    figure: Figure
    caption: Text


class Code(NamedTuple):
    """Lines of code to type."""

    text: str


#: The blocks of a sheet, which LaTeX and HTML show.
Passage: TypeAlias = Heading | Paragraph | Display | TableBlock
#: The blocks of a report, which is HTML only.
Item: TypeAlias = Passage | Picture | Code

#: Letters and signs in the mathematics of LaTeX.
LETTERS = {
    "α": r"\alpha", "β": r"\beta", "γ": r"\gamma", "δ": r"\delta", "ε": r"\varepsilon", "ζ": r"\zeta",
    "η": r"\eta", "θ": r"\theta", "κ": r"\kappa", "λ": r"\lambda", "μ": r"\mu", "ν": r"\nu", "ξ": r"\xi",
    "π": r"\pi", "ρ": r"\rho", "σ": r"\sigma", "τ": r"\tau", "φ": r"\phi", "χ": r"\chi", "ψ": r"\psi",
    "ω": r"\omega", "Γ": r"\Gamma", "Δ": r"\Delta", "Θ": r"\Theta", "Λ": r"\Lambda", "Ξ": r"\Xi", "Π": r"\Pi",
    "Σ": r"\Sigma", "Φ": r"\Phi", "Ψ": r"\Psi", "Ω": r"\Omega", "ℓ": r"\ell", "∞": r"\infty", "⋆": r"\star",
    "≠": r"\neq", "≤": r"\leq", "≥": r"\geq", "≈": r"\approx", "→": r"\to", "−": "-", "·": r"\cdot", "√": r"\surd",
    "∂": r"\partial", "∈": r"\in", "₀": "_0", "²": "^2", "⁺": "^+", "ᵀ": r"^{\top}", "‖": r"\Vert", "±": r"\pm",
}  # fmt: skip
#: An index holds no character that commands LaTeX: the words may contain a user's text.
_MATH = re.compile(
    r"(?P<letter>\b[A-Za-z]|[σλΔΛ])(?P<kind>[_^])(?P<index>[({]⋆?[A-Za-z0-9>/+−-]*[)}]|⋆?[A-Za-z0-9]+|[ℓε])"
)


def rich(words: str) -> Text:
    r"""Return plain words as text in which letters with an index or an exponent are typeset as mathematics.

    >>> rich("c_⋆1 ≠ 0")
    (Math(latex='c_{\\star,1}'), ' ≠ 0')
    >>> rich("L_tr and Δ_ℓ")
    (Math(latex='L_{\\mathrm{tr}}'), ' and ', Math(latex='\\Delta_{\\ell}'))
    """
    pieces: list[str | Math | Digits] = []
    end = 0
    for match in _MATH.finditer(words):
        letter = LETTERS.get(match["letter"], match["letter"])
        pieces += [words[end : match.start()], Math(f"{letter}{match['kind']}{{{_index(match['index'])}}}")]
        end = match.end()
    pieces.append(words[end:])
    return tuple(piece for piece in pieces if piece != "")


def _index(found: str) -> str:
    index = found.strip("{}()").replace("−", "-")
    if index.startswith("⋆"):
        return rf"\star,{index[1:]}"
    return rf"\mathrm{{{index}}}" if re.fullmatch("[A-Za-z]{2,}", index) else LETTERS.get(index, index)
