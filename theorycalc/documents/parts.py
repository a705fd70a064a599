"""What a report is made of beside the blocks of a document, and how all of it becomes one page."""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from theorycalc.documents.blocks import DocumentBlock, Text
from theorycalc.documents.html import block_html, page, text_of
from theorycalc.plots.vectors import font_css, joined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_STYLE = """\
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


@dataclass(frozen=True)
class Lead:
    """A paragraph that stands out: the ``lead`` of the report, or a ``verdict``."""

    text: Text
    kind: str = "lead"


@dataclass(frozen=True)
class Picture:
    """A figure with what it shows."""

    figure: Figure
    caption: Text


@dataclass(frozen=True)
class Pictures:
    """Figures that stand side by side where there is room."""

    pictures: tuple[Picture, ...]


@dataclass(frozen=True)
class Code:
    """Lines to be typed."""

    text: str


DocumentPart: TypeAlias = DocumentBlock | Lead | Pictures | Code


def report_html(title: str, parts: Sequence[DocumentPart]) -> str:
    """Return a report as one page."""
    found: list[dict[str, str]] = []
    body = "\n".join(_part(part, found) for part in parts)
    return page(title, body, _STYLE + (font_css(joined(found)) + "\n" if found else ""))


def _part(part: DocumentPart, found: list[dict[str, str]]) -> str:
    match part:
        case Lead(text, kind):
            return f'<p class="{html.escape(kind)}">{text_of(text)}</p>'
        case Code(text):
            return f"<pre><code>{html.escape(text)}</code></pre>"
        case Pictures(pictures):
            return '<div class="figures">\n' + "\n".join(_picture(one, found) for one in pictures) + "\n</div>"
        case _:
            return block_html(part)


def _picture(picture: Picture, found: list[dict[str, str]]) -> str:
    words = "".join(piece for piece in picture.caption if isinstance(piece, str))
    from theorycalc.plots.figure import inline

    svg, letters = inline(picture.figure, f"f{len(found)}-", words)
    found.append(letters)
    wide = ' class="wide"' if picture.figure.get_size_inches()[0] > 5 else ""
    return f"<figure{wide}>\n{svg}\n<figcaption>{text_of(picture.caption)}</figcaption>\n</figure>"
