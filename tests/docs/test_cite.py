"""The BibTeX of docs/cite.md is that of CITATION.cff."""

from __future__ import annotations

import re
from typing import Any

import yaml

import theorycalc
from tests.helpers.docs_code import ROOT

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "cite.md").read_text(encoding="utf-8")


def entry(kind: str, key: str, fields: dict[str, Any]) -> str:
    """Return an entry of BibTeX."""
    return "\n".join([f"@{kind}{{{key},", *(f"  {name:<9} = {{{value}}}," for name, value in fields.items()), "}"])


def test_the_page_has_the_entries_of_the_file():
    paper = CITATION["references"][0]
    software = {
        "author": f"{{{CITATION['authors'][0]['name']}}}",
        "title": f"{{{CITATION['title']}}}",
        "year": CITATION["date-released"].year,
        "version": CITATION["version"],
    }
    published = {
        "author": " and ".join(f"{one['family-names']}, {one['given-names']}" for one in paper["authors"]),
        "title": f"{{{paper['title']}}}",
        "booktitle": paper["conference"]["name"],
        "series": paper["collection-title"],
        "volume": paper["volume"],
        "pages": f"{paper['start']}--{paper['end']}",
        "year": paper["year"],
        "url": paper["url"],
        "note": paper["notes"],
    }
    entries = [entry("software", CITATION["title"], software), entry("inproceedings", "moniri2024", published)]
    assert re.findall(r"```bibtex\n(.*?)\n```", PAGE, re.DOTALL) == entries
    assert CITATION["version"] == theorycalc.__version__
