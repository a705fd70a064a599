"""The search of the built pages: by words and names, in sections, with excerpts, and from a disk without a server.

The search of Sphinx takes TeX for words, ranks a page that mentions a word like one about it, and fetches its excerpts,
which no browser does from a disk.  Here each section of a page, and each name of the API, is one entry of a table of
texts without displays and programs; _static/search_words.js ranks them in the browser.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

#: Pages that prove or record and seldom answer a question, and pages that work one case out: others that match as well
#: come before them.
RECORDS = re.compile(
    "accuracy|api/index|benchmarks|changelog|compatibility|contributing|coverage|decisions/|faults|fuzzing|handbook|"
    "mutants|simulation_speed|start_up|.*_checks"
)
CASES = re.compile("comparison|errata|examples/|gallery/|notebooks/|theory/")

#: What is not read: programs, displays, and the parts that have entries of their own.
SILENT = (
    nodes.section,
    nodes.title,
    nodes.literal_block,
    nodes.doctest_block,
    nodes.math_block,
    nodes.raw,
    nodes.comment,
    nodes.image,
    nodes.target,
    addnodes.desc,
    addnodes.index,
    addnodes.toctree,
)

_SIGNS = {"varepsilon": "ε", "ell": "ℓ", "star": "⋆", "infty": "∞", "top": "ᵀ", "to": "→", "le": "≤", "ge": "≥"}
_SIGNS |= {"ne": "≠", "cdot": "·", "times": "×", "approx": "≈", "pm": "±", "dots": "…", "sqrt": "√", "sum": "Σ"}
_SIGNS |= dict.fromkeys(("Vert", "lVert", "rVert"), "‖")
_SILENT_COMMANDS = re.compile(r"\\(mathrm|mathbb|mathcal|mathbf|operatorname|text|left|right|bigl|bigr|[,;! ])")


class Entry(NamedTuple):
    """One entry of the search: its page and anchor, its title and that of its page, its kind, and its words."""

    page: str
    anchor: str
    title: str
    of: str
    kind: str  # "page", "case" or "record"; in the API "name", or "field" of a result
    text: str


def plain(tex: str) -> str:
    r"""Return a formula within a sentence in letters and signs; "…" for one that needs more than a line.

    >>> plain(r"\phi = d/n"), plain(r"\sigma_{\varepsilon}^2"), plain(r"\frac{a}{b}")
    ('φ = d/n', 'σ_ε²', '…')
    """
    text = re.sub(r"\\([A-Za-z]+)", _sign, _SILENT_COMMANDS.sub("", tex))
    text = re.sub(r"\{(\w|[^\W\d]\w*)\}", r"\1", text).translate(str.maketrans("~", " "))
    text = text.replace("^2", "²").replace("^3", "³").replace("^ᵀ", "ᵀ")
    return "…" if re.search(r"[\\{}$&]", text) else text


def _sign(command: re.Match[str]) -> str:
    name = command[1].replace("lambda", "lamda").replace("Lambda", "Lamda").removeprefix("var")
    case = "CAPITAL" if name[0].isupper() else "SMALL"
    try:
        return _SIGNS.get(command[1]) or unicodedata.lookup(f"GREEK {case} LETTER {name.upper()}")
    except KeyError:
        return command[0]


def words_of(node: nodes.Node) -> str:
    """Return the text of a node without programs, displays and its own sections."""
    if isinstance(node, nodes.math):
        return plain(node.astext())
    if isinstance(node, nodes.literal):
        return "…" if re.search(r"[\\$]", node.astext()) else node.astext()
    if isinstance(node, nodes.Text):
        return str(node)
    if isinstance(node, SILENT):
        return " "
    inside = "".join(map(words_of, node.children))
    return inside if isinstance(node, (nodes.Inline, addnodes.pending_xref)) else f" {inside} "


def entries_of(page: str, doctree: nodes.document) -> Iterator[Entry]:
    """Yield the sections of a page, and the names that it documents."""
    kind = "record" if RECORDS.match(page) else "case" if CASES.match(page) else "page"
    titles: list[str] = []
    for node in doctree.findall(lambda one: isinstance(one, (nodes.section, addnodes.desc))):
        if isinstance(node, nodes.section):
            titles.append(_line("".join(words_of(child) for child in node[0].children)))
            anchor = node["ids"][0] if len(titles) > 1 else ""
            yield Entry(page, anchor, titles[-1], titles[0], kind, _inside(node))
        elif isinstance(node, addnodes.desc) and node[0].get("ids"):
            name, text = node[0]["ids"][0], _inside(node[-1])
            what = "field" if node["objtype"] in {"attribute", "property"} else "name"
            yield Entry(page, name, name.removeprefix("theorycalc."), titles[0], what, text)


def _inside(node: nodes.Element) -> str:
    return _line(" ".join(map(words_of, node.children)))


def _line(text: str) -> str:
    text = re.sub(r"\S*[\\$]\S*", "…", text)  # TeX or code within a sentence
    return re.sub(r"\s+", " ", text).strip()


def write_texts(app: Sphinx, error: Exception | None) -> None:
    """Write the texts of all pages beside the program that searches them."""
    if error is not None or app.builder.format != "html":
        return
    pages = sorted(app.env.found_docs)
    found = [entry for page in pages for entry in entries_of(page, app.env.get_doctree(page))]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in found)
    Path(app.outdir, "_static", "search_texts.js").write_text(f"const TEXTS = [\n{lines}\n];\n", encoding="utf-8")


def replace_search(app: Sphinx) -> None:
    """Turn the search of Sphinx off: _templates/search.html is the page of this one."""
    if app.builder.format == "html":
        app.builder.search = False
        app.config.html_additional_pages["search"] = "search.html"


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.connect("builder-inited", replace_search)
    app.connect("build-finished", write_texts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
