"""BibTeX made from CITATION.cff: the directives ``{bibtex} software`` and ``{bibtex} paper``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from docutils.parsers.rst import Directive
from sphinx.application import Sphinx

CITATION = Path(__file__).parents[2] / "CITATION.cff"


def people(authors: list[dict[str, str]]) -> str:
    """Return the authors as BibTeX wants them; a group is kept together by braces."""
    written = [
        f"{{{author['name']}}}" if "name" in author else f"{author['family-names']}, {author['given-names']}"
        for author in authors
    ]
    return " and ".join(written)


def bibtex(what: str) -> str:
    """Return the entry of the software, or of the paper whose theory it computes."""
    data = yaml.safe_load(CITATION.read_text(encoding="utf-8"))
    if what == "software":
        kind, key = "software", data["title"]
        fields = {
            "author": people(data["authors"]),
            "title": f"{{{data['title']}}}",
            "year": data["date-released"].year,
            "version": data["version"],
        }
    else:
        paper = data["references"][0]
        kind, key = "inproceedings", f"{paper['authors'][0]['family-names'].lower()}{paper['year']}"
        fields = {
            "author": people(paper["authors"]),
            "title": f"{{{paper['title']}}}",
            "booktitle": paper["conference"]["name"],
            "series": paper["collection-title"],
            "volume": paper["volume"],
            "pages": f"{paper['start']}--{paper['end']}",
            "year": paper["year"],
            "url": paper["url"],
            "note": paper["notes"],
        }
    lines = [f"  {name:<9} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])


class Bibtex(Directive):
    """Show one entry."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Return the entry as a literal block."""
        self.state.document.settings.env.note_dependency(str(CITATION))
        text = bibtex(self.arguments[0])
        return [nodes.literal_block(text, text, language="bibtex")]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register with Sphinx."""
    app.add_directive("bibtex", Bibtex)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
