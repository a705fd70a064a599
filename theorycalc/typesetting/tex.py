"""A document as LaTeX: the article class and amsmath, nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from theorycalc.typesetting.document import Block, Display, Heading, Math, Number, Paragraph, Table, Text
from theorycalc.typesetting.latex import display

_DIGITS_A_PIECE = 5  # a long number may be broken between pieces
_BREAK = r"\hspace{0pt}"
_LONGEST_CELL = 55  # characters

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
}
_LETTERS = {
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "ε": r"\varepsilon",
    "ζ": r"\zeta",
    "η": r"\eta",
    "θ": r"\theta",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "ξ": r"\xi",
    "π": r"\pi",
    "ρ": r"\rho",
    "σ": r"\sigma",
    "φ": r"\phi",
    "ψ": r"\psi",
    "Δ": r"\Delta",
    "Λ": r"\Lambda",
    "Ω": r"\Omega",
    "ℓ": r"\ell",
    "∞": r"\infty",
    "⋆": r"\star",
    "≠": r"\neq",
    "≤": r"\leq",
    "≥": r"\geq",
    "≈": r"\approx",
    "→": r"\to",
    "−": "-",
    "·": r"\cdot",
    "√": r"\surd",
    "∂": r"\partial",
    "∈": r"\in",
    "₀": "_0",
    "²": "^2",
    "⁺": "^+",
}
_TYPE = {"…": r"\dots{}", "–": "--", "—": "---", "’": "'", "✓": r"$\surd$", "✗": r"$\times$"}

_PREAMBLE = r"""\documentclass[11pt]{article}
\usepackage{amsmath}
\setlength{\textwidth}{16cm}
\setlength{\textheight}{23cm}
\setlength{\oddsidemargin}{0cm}
\setlength{\topmargin}{-1.5cm}
\setlength{\parindent}{0pt}
\setlength{\parskip}{0.5em}
\renewcommand{\arraystretch}{1.25}
\allowdisplaybreaks
\begin{document}
"""


def escaped(words: str) -> str:
    r"""Return any text as LaTeX that prints it; what the fonts lack is shown by its code point.

    >>> print(escaped("c_1 ≠ 0 & 50%"))
    c\_1 $\neq$ 0 \& 50\%
    """
    return "".join(_character(character) for character in words)


def _character(character: str) -> str:
    if character in _LETTERS:
        return f"${_LETTERS[character]}$"
    found = _SPECIAL.get(character) or _TYPE.get(character)
    if found is not None:
        return found
    return character if character.isascii() and character.isprintable() else f"[U+{ord(character):04X}]"


def text_of(text: Text) -> str:
    """Return a text as LaTeX."""
    return "".join(_piece(piece) for piece in text)


def _piece(piece: str | Math | Number) -> str:
    match piece:
        case Math(latex):
            return f"${latex}$"
        case Number(digits):
            pieces = [digits[i : i + _DIGITS_A_PIECE] for i in range(0, len(digits), _DIGITS_A_PIECE)]
            return rf"\texttt{{{_BREAK.join(pieces)}}}"
        case str():
            return escaped(piece)


def _block(block: Block) -> str:
    match block:
        case Heading(text):
            return rf"\section*{{{escaped(text)}}}"
        case Paragraph(text):
            return text_of(text)
        case Display(statement, where):
            return "\\[\n" + display(statement, where) + "\n\\]"
        case Table(titles, rows):
            return _table(titles, rows)


def _table(titles: Sequence[Text], rows: Sequence[Sequence[Text]]) -> str:
    columns = "".join(_column([row[i] for row in rows]) for i in range(len(titles)))
    head = " & ".join(map(text_of, titles))
    body = " \\\\\n".join(" & ".join(map(text_of, row)) for row in rows)
    return f"\\begin{{tabular}}{{{columns}}}\n\\hline\n{head} \\\\\n\\hline\n{body} \\\\\n\\hline\n\\end{{tabular}}"


def _column(cells: Sequence[Text]) -> str:
    """Return a column that breaks its lines where a cell would not fit."""
    longest = max(sum(len(piece) for piece in map(_words, cell)) for cell in cells)
    return r"p{0.7\textwidth}" if longest > _LONGEST_CELL else "l"


def _words(piece: str | Math | Number) -> str:
    return piece if isinstance(piece, str) else piece.text if isinstance(piece, Number) else ""


def to_tex(title: str, blocks: Sequence[Block]) -> str:
    r"""Return a complete LaTeX document.

    >>> to_tex("A sheet", [Heading("Setting")]).splitlines()[0]
    '\\documentclass[11pt]{article}'
    """
    body = "\n\n".join(_block(block) for block in blocks)
    return f"{_PREAMBLE}\\section*{{\\Large {escaped(title)}}}\n\n{body}\n\n\\end{{document}}\n"
