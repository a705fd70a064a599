"""A document as LaTeX, using only the article class and amsmath, and as PDF by any LaTeX that is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from theorycalc.documents.blocks import LETTERS, Digits, Display, Heading, Math, Paragraph, Passage, TableBlock, Text
from theorycalc.errors import ArgumentError, TheoryError
from theorycalc.running.files import write_atomically
from theorycalc.symbolic.printer import Line, aligned, expression, right_side

_DIGITS_A_PIECE = 5  # a long number may be broken between pieces
_BREAK = r"\hspace{0pt}"
_LONGEST_CELL = 55  # characters
_LONGEST_NUMBER = 200  # characters; beyond, a table is written as paragraphs, which pages can break
_PAGE_WIDTH = 75  # characters, about
_DISPLAY_WIDTH = 60  # the same for a right-hand side
_ENGINES = ("pdflatex", "lualatex", "xelatex", "tectonic")
_PATIENCE = 120  # seconds for one PDF
_PAGE_LINES = 30  # of a table, at most: no page breaks a tabular

_SPECIAL = {character: f"\\{character}" for character in "{}$&#%_"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
}
_TILDE = "\u0303"  # put on the letter before it
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
    r"""Return any text as LaTeX that prints it; letters missing from its fonts are shown by their code points.

    >>> print(escaped("c_1 ≠ 0 & 50%"))
    c\_1 $\neq$ 0 \& 50\%
    >>> print(escaped("X\u0303ᵀ"))
    $\tilde{X}$$^{\top}$
    """
    return "".join(map(_character, re.findall(f".{_TILDE}?", words, re.DOTALL)))


def _character(character: str) -> str:
    if len(character) > 1:  # a tilde and its letter
        letter = character[0]
        plain = letter.isascii() and letter.isalpha()
        return rf"$\tilde{{{letter}}}$" if plain else "".join(map(_character, character))
    if character in LETTERS:
        return f"${LETTERS[character]}$"
    found = _SPECIAL.get(character) or _TYPE.get(character)
    if found is not None:
        return found
    return character if character.isascii() and character.isprintable() else f"[U+{ord(character):04X}]"


def text_of(text: Text) -> str:
    """Return a text as LaTeX."""
    return "".join(_piece(piece) for piece in text)


def _piece(piece: str | Math | Digits) -> str:
    match piece:
        case Math(latex):
            return f"${latex}$"
        case Digits(digits):
            pieces = [digits[i : i + _DIGITS_A_PIECE] for i in range(0, len(digits), _DIGITS_A_PIECE)]
            return rf"\texttt{{{_BREAK.join(pieces)}}}"
        case str():  # pragma: no branch - no other kind of piece or block
            return escaped(piece)


def _block(block: Passage) -> str:
    match block:
        case Heading(text):
            return rf"\section*{{{escaped(text)}}}"
        case Paragraph(text):
            return text_of(text)
        case Display(statement, where):
            return "\\begin{align*}\n" + aligned(statement, where, _line) + "\n\\end{align*}"
        case TableBlock(titles, rows):  # pragma: no branch - no other kind of piece or block
            return _table(titles, rows)


def _line(line: Line) -> str:
    """Return a line of a display, broken where it is too long for a page."""
    rows = [""]
    for term in _terms(right_side(line)):
        if rows[-1] and _width(rows[-1] + term) > _DISPLAY_WIDTH:
            rows.append("")
        rows[-1] += term
    broken = " \\\\\n&\\quad ".join(rows)
    return f"{expression(line.left)} &{line.relation} {broken}"


def _terms(latex: str) -> Iterator[str]:
    r"""Split LaTeX before every + and − that is outside all brackets.

    >>> list(_terms(r"a + \left( b - c \right) d - e^{f + g}"))
    ['a', ' + \\left( b - c \\right) d', ' - e^{f + g}']
    """
    depth = start = 0
    for match in re.finditer(r"\\left|\\right|\\begin|\\end|[{}]| [-+] ", latex):
        if match[0] in (" + ", " - "):
            if not depth:
                yield latex[start : match.start()]
                start = match.start()
        else:
            depth += 1 if match[0] in (r"\left", r"\begin", "{") else -1
    yield latex[start:]


def _width(latex: str) -> int:
    """Return the approximate width of LaTeX in characters."""
    return len(
        re.sub(r"\\(left|right|frac|sqrt)\b|[{}_^ ]", "", re.sub(r"\\(?!left|right|frac|sqrt)[a-z]+", "a", latex))
    )


def _table(titles: Sequence[Text], rows: Sequence[Sequence[Text]]) -> str:
    """Return a table in pieces that fit a page; very long numbers become paragraphs, which pages can break."""
    if any(isinstance(piece, Digits) and len(piece.text) > _LONGEST_NUMBER for row in rows for c in row for piece in c):
        return "\n\n".join(r" \quad ".join(map(text_of, row)) for row in (titles, *rows))
    widths = [max(_cell_width(row[i]) for row in (titles, *rows)) for i in range(len(titles))]
    narrow = [width for width in widths if width <= _LONGEST_CELL]
    share = max(0.3, (0.95 - sum(width + 2 for width in narrow) / _PAGE_WIDTH) / max(1, len(widths) - len(narrow)))
    wide = rf"p{{{share:.2f}\textwidth}}"
    columns = "".join("l" if width <= _LONGEST_CELL else wide for width in widths)
    pieces: list[list[Sequence[Text]]] = [[]]
    lines = 0
    for row in rows:
        height = max(1 + _cell_width(cell) // int(share * _PAGE_WIDTH) for cell in row) if wide in columns else 1
        if lines + height > _PAGE_LINES:
            pieces.append([])
            lines = 0
        pieces[-1].append(row)
        lines += height
    head = " & ".join(map(text_of, titles))
    bodies = (" \\\\\n".join(" & ".join(map(text_of, row)) for row in piece) for piece in pieces)
    start, end = f"\\begin{{tabular}}{{{columns}}}\n\\hline\n{head} \\\\\n\\hline\n", " \\\\\n\\hline\n\\end{tabular}"
    return "\n\n".join(f"{start}{body}{end}" for body in bodies)


def _cell_width(cell: Text) -> int:
    return sum(
        _width(piece.latex) if isinstance(piece, Math) else len(piece.text if isinstance(piece, Digits) else piece)
        for piece in cell
    )


def to_tex(title: str, blocks: Sequence[Passage]) -> str:
    r"""Return a complete LaTeX document.

    >>> to_tex("A sheet", [Heading("Setting")]).splitlines()[0]
    '\\documentclass[11pt]{article}'
    """
    body = "\n\n".join(_block(block) for block in blocks)
    return f"{_PREAMBLE}\\section*{{\\Large {escaped(title)}}}\n\n{body}\n\n\\end{{document}}\n"


def find_engine() -> str | None:
    """Return the first LaTeX engine on this machine that makes PDF files."""
    return next((engine for engine in _ENGINES if shutil.which(engine)), None)


def write_pdf(path: Path, source: str) -> Path:
    """Compile LaTeX source in a temporary folder, move the PDF to its place and return its path."""
    engine = find_engine()
    if engine is None:
        reason = f"a PDF needs LaTeX, and none of {', '.join(_ENGINES)} was found"
        raise ArgumentError(f"{reason}; save a .tex or .html file instead")
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "sheet.tex").write_text(source, encoding="utf-8")
        options = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
        command = [engine, *options, "sheet.tex"]
        try:
            done = subprocess.run(
                command, cwd=directory, capture_output=True, timeout=_PATIENCE, check=False, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            reason = f"{engine} did not finish within {_PATIENCE} s; save a .tex file and compile it"
            raise TheoryError(reason) from None
        pdf = Path(directory, "sheet.pdf")
        if done.returncode or not pdf.exists():
            lines = done.stdout.decode("utf-8", errors="replace").splitlines()
            complaint = next((line[2:] for line in lines if line.startswith("! ")), "no message")
            raise TheoryError(f"{engine} failed: {complaint}; save a .tex file to look into it")
        return write_atomically(path, pdf.read_bytes())
