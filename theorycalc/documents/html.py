"""A document as one HTML file: MathML, no script, no external request."""

from __future__ import annotations

import html
from collections.abc import Sequence

from theorycalc.documents.blocks import Display, DocumentBlock, Heading, Math, NumberText, Paragraph, TableBlock, Text
from theorycalc.errors import ArgumentError
from theorycalc.symbolic.printer import Line, expression, right_side

_STYLE = """\
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a;
  background: #fff; }
h1 { font-size: 1.6rem; } h2 { font-size: 1.2rem; margin-top: 2rem; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: left; padding: 0.3rem 1rem 0.3rem 0; border-bottom: 1px solid #ddd; vertical-align: top; }
code { overflow-wrap: anywhere; font-size: 0.95em; }
.display { overflow: auto hidden; margin: 1rem 0; padding-bottom: 0.3rem; }
.display table { margin: 0; display: table; overflow: visible; }
.display td { border: 0; padding: 0.25rem 0.3rem; vertical-align: middle; }
.display td:first-child { text-align: right; white-space: nowrap; }
@media (prefers-color-scheme: dark) { body { color: #e8e8e8; background: #161616; } th, td { border-color: #444; }
  h2 { border-color: #555; } }
@media print { body { max-width: none; margin: 0; } }
"""
_FRAME = "width: 100%; height: 40rem; border: 1px solid #ccc; background: #fff;"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; font-src data:"


def mathml(latex: str) -> str:
    """Return LaTeX as a MathML element.

    >>> mathml("x^{2}").startswith("<math")
    True
    """
    try:
        from latex2mathml.converter import convert
    except ImportError:
        raise ArgumentError(
            "HTML with formulas needs latex2mathml: pip install 'theorycalc[sheet]', or save a .tex file"
        ) from None
    return str(convert(latex))


def text_of(text: Text) -> str:
    """Return a text as HTML."""
    return "".join(_piece(piece) for piece in text)


def _piece(piece: str | Math | NumberText) -> str:
    match piece:
        case Math(latex):
            return mathml(latex)
        case NumberText(digits):
            return f"<code>{html.escape(digits)}</code>"
        case str():  # pragma: no branch - no other kind of piece or block
            return html.escape(piece)


def block_html(block: DocumentBlock) -> str:
    """Return a block of a document as HTML."""
    match block:
        case Heading(text):
            return f"<h2>{html.escape(text)}</h2>"
        case Paragraph(text):
            return f"<p>{text_of(text)}</p>"
        case Display(statement, where):
            return _display(statement, where)
        case TableBlock(titles, rows):  # pragma: no branch - no other kind of piece or block
            head = "".join(f"<th>{text_of(title)}</th>" for title in titles)
            body = "\n".join("<tr>" + "".join(f"<td>{text_of(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _display(statement: Sequence[Line], where: Sequence[Line]) -> str:
    lines = [_line(line, "") for line in statement]
    lines += [_line(line, "where " if i == 0 else "") for i, line in enumerate(where)]
    return '<div class="display"><table>\n' + "\n".join(lines) + "\n</table></div>"


def _line(line: Line, word: str) -> str:
    left = mathml(rf"\displaystyle {expression(line.left)}")
    right = mathml(rf"\displaystyle {line.relation} {right_side(line)}")
    return f"<tr><td>{word}{left}</td><td>{right}</td></tr>"


def to_html(title: str, blocks: Sequence[DocumentBlock]) -> str:
    """Return a complete page; it asks nothing of any server and says so in its policy.

    >>> "<script" in to_html("A sheet", [Heading("Setting")])
    False
    """
    return page(title, "\n".join(block_html(block) for block in blocks))


def page(title: str, body: str, style: str = "") -> str:
    """Return a complete page around HTML of ours; fonts may stand in its style, and nothing is fetched."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}{style}</style>\n</head>\n<body>\n"
        f"<h1>{html.escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def framed(title: str, page: str) -> str:
    """Return a whole page as an element of another, such as a notebook, whose style it then leaves alone.

    >>> framed("A sheet", '<p title="x">1 < 2</p>')[:38]
    '<iframe title="A sheet" sandbox srcdoc'
    """
    return f'<iframe title="{html.escape(title)}" sandbox srcdoc="{html.escape(page)}" style="{_FRAME}"></iframe>'
