"""Documents as one HTML file: MathML and SVG, no scripts, no external requests."""

from __future__ import annotations

import html
from collections.abc import Sequence
from itertools import groupby

from theorycalc.documents.blocks import Code, Digits, Display, Heading, Item, Math, Paragraph, Picture, TableBlock, Text
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
_REPORT_STYLE = """\
body { max-width: 56rem; }
.lead { font-size: 1.1rem; }
.verdict { border-left: 0.3rem solid #0072B2; padding-left: 0.8rem; }
.figures { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1rem 0; }
figure { margin: 0; flex: 1 1 20rem; min-width: 0; max-width: 100%; break-inside: avoid; }
figure svg { display: block; max-width: 100%; height: auto; background: #fff; border-radius: 0.3rem; }
figure.wide { flex-basis: 100%; }
figure svg * { stroke-linejoin: round; stroke-linecap: butt; }
figcaption { font-size: 0.9rem; margin-top: 0.4rem; }
pre { background: #f3f5f7; padding: 0.7rem; border-radius: 0.3rem; white-space: pre-wrap; overflow-wrap: anywhere; }
td code { overflow-wrap: normal; white-space: nowrap; }
h2 { break-after: avoid; } tr, .display { break-inside: avoid; }
@media (max-width: 40rem) {
  table { font-size: 0.85rem; } th, td { padding-right: 0.4rem; } td code { font-size: 0.75rem; white-space: normal; }
}
@media (prefers-color-scheme: dark) { pre { background: #222; } }
@media print { html { font-size: 9.5pt; } }
"""
_FRAME = "width: 100%; height: 40rem; border: 1px solid #ccc; background: #fff;"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def mathml(latex: str) -> str:
    """Return LaTeX as a MathML element.

    >>> mathml("x^{2}").startswith("<math")
    True
    """
    try:
        from latex2mathml.converter import convert
    except ImportError:
        reason = "HTML with formulas needs latex2mathml: pip install 'theorycalc[sheet]', or save a .tex file"
        raise ArgumentError(reason) from None
    return str(convert(latex))


def text_of(text: Text) -> str:
    """Return a text as HTML."""
    return "".join(_piece(piece) for piece in text)


def _piece(piece: str | Math | Digits) -> str:
    match piece:
        case Math(latex):
            return mathml(latex)
        case Digits(digits):
            return f"<code>{html.escape(digits)}</code>"
        case str():  # pragma: no branch - no other kind of piece or block
            return html.escape(piece)


def _block(block: Item, prefix: str) -> str:
    match block:
        case Heading(words):
            return f"<h2>{html.escape(words)}</h2>"
        case Paragraph(text, kind):
            return f"<p>{text_of(text)}</p>" if not kind else f'<p class="{html.escape(kind)}">{text_of(text)}</p>'
        case Display(statement, where):
            lines = [_line(line, "") for line in statement]
            lines += [_line(line, "where " if i == 0 else "") for i, line in enumerate(where)]
            return '<div class="display"><table>\n' + "\n".join(lines) + "\n</table></div>"
        case TableBlock(titles, rows):
            head = "".join(f"<th>{text_of(title)}</th>" for title in titles)
            body = "\n".join("<tr>" + "".join(f"<td>{text_of(cell)}</td>" for cell in row) + "</tr>" for row in rows)
            return f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"
        case Code(words):
            return f"<pre><code>{html.escape(words)}</code></pre>"
        case Picture(figure, caption):  # pragma: no branch - no other kind of block
            from theorycalc.plots.figure import inline

            svg = inline(figure, prefix, "".join(piece for piece in caption if isinstance(piece, str)))
            wide = ' class="wide"' if figure.get_size_inches()[0] > 5 else ""
            return f"<figure{wide}>\n{svg}\n<figcaption>{text_of(caption)}</figcaption>\n</figure>"


def _line(line: Line, word: str) -> str:
    left = mathml(rf"\displaystyle {expression(line.left)}")
    right = mathml(rf"\displaystyle {line.relation} {right_side(line)}")
    return f"<tr><td>{word}{left}</td><td>{right}</td></tr>"


def to_html(title: str, blocks: Sequence[Item], report: bool = False) -> str:
    """Return a complete page, in the style of a sheet or of a report; its policy forbids scripts and requests.

    >>> "<script" in to_html("A sheet", [Heading("Setting")])
    False
    """
    written: list[str] = []
    for drawn, group in groupby(blocks, lambda block: isinstance(block, Picture)):
        pieces = [_block(block, f"f{len(written)}-{i}-") for i, block in enumerate(group)]
        written += ['<div class="figures">\n' + "\n".join(pieces) + "\n</div>"] if drawn else pieces
    body = "\n".join(written)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}{_REPORT_STYLE if report else ''}</style>\n</head>\n"
        f"<body>\n<h1>{html.escape(title)}</h1>\n{body}\n</body>\n</html>\n"
    )


def framed(title: str, page: str) -> str:
    """Return a whole page as a frame inside another page, such as a notebook, without affecting that page's style.

    >>> framed("A sheet", '<p title="x">1 < 2</p>')[:38]
    '<iframe title="A sheet" sandbox srcdoc'
    """
    return f'<iframe title="{html.escape(title)}" sandbox srcdoc="{html.escape(page)}" style="{_FRAME}"></iframe>'
