"""Notebooks as pages: each ``.ipynb`` under docs is read as Markdown, with the outputs that it is stored with.

Nothing is executed here: ``python -m tests.notebooks`` writes the outputs, and a test runs the notebooks and compares.
A figure needs words for those who do not see it, ``"alt"`` in the metadata of its cell; without them the build stops.
"""

from __future__ import annotations

import base64
import json
import os
import re
from pathlib import Path
from typing import Any

from docutils import nodes
from myst_parser.parsers.sphinx_ import MystParser
from sphinx.application import Sphinx
from sphinx.errors import SphinxError

IMAGES = {"image/svg+xml": ".svg", "image/png": ".png"}


def joined(text: str | list[str]) -> str:
    """Return a text that notebooks store whole or as a list of lines."""
    return text if isinstance(text, str) else "".join(text)


def fenced(language: str, text: str) -> str:
    """Return a block of code, or what a directive takes, whatever backticks the text has."""
    fence = "`" * (1 + max(map(len, re.findall("`+", text)), default=2))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


class NotebookParser(MystParser):
    """Reads a notebook as the Markdown of its cells and outputs."""

    supported = ("notebook",)

    def parse(self, inputstring: str, document: nodes.document) -> None:
        """Fill a document with the page of a notebook."""
        env = document.settings.env
        source = Path(env.doc2path(env.docname))
        figures = Path(env.app.doctreedir, "notebooks")
        figures.mkdir(parents=True, exist_ok=True)
        super().parse(page(json.loads(inputstring), source, figures), document)


def page(notebook: dict[str, Any], source: Path, figures: Path) -> str:
    """Return a notebook as Markdown, and write its figures into a folder."""
    blocks = []
    for number, cell in enumerate(notebook["cells"], start=1):
        text = joined(cell["source"])
        if cell["cell_type"] == "markdown":
            blocks.append(text)
            if number == 1:
                blocks.append(f"{{download}}`Download this notebook <{source.name}>` and [run it](index.md).")
            continue
        blocks.append(fenced("python", text))
        where = f"{source.name}, cell {number}"
        stem = figures / f"{source.stem}-{number}"
        shown = [shown_output(output, cell["metadata"].get("alt"), where, source, stem) for output in cell["outputs"]]
        if shown:
            blocks.append("\n\n".join(["::::{container} output", *shown, "::::"]))
    return "\n\n".join(blocks) + "\n"


def shown_output(output: dict[str, Any], alt: str | None, where: str, source: Path, stem: Path) -> str:
    """Return one output in its richest form that a page can show."""
    if output["output_type"] == "stream":
        return fenced("text", joined(output["text"]))
    if output["output_type"] == "error":
        return fenced("text", f"{output['ename']}: {output['evalue']}")
    data = {kind: joined(content) for kind, content in output["data"].items()}
    if "text/html" in data:
        return fenced("{raw} html", data["text/html"])
    for kind, ending in IMAGES.items():
        if kind in data:
            if not alt:
                raise SphinxError(f"{where}: a figure needs words, 'alt' in the metadata of its cell")
            file = stem.with_suffix(ending)
            file.write_bytes(data[kind].encode() if ending == ".svg" else base64.b64decode(data[kind]))
            return f"![{alt}]({os.path.relpath(file, source.parent)})"
    if "text/latex" in data:
        return fenced("{math}", data["text/latex"].strip().strip("$").removeprefix(r"\displaystyle").strip())
    if "text/plain" in data:
        return fenced("text", data["text/plain"])
    raise SphinxError(f"{where}: no page shows {', '.join(data)}")


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
