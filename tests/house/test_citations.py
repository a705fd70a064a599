"""What the code cites of the documentation is there: the page, and the anchor on it."""

from __future__ import annotations

import re

import pytest

from docs._handbook import FORMULAS
from tests.helpers.docs_code import ROOT
from tests.helpers.docs_site import anchors_of

FOLDERS = ("theorycalc", "tests", "benchmarks", "docs/_handbook", "docs/_ext", "examples")
TEXTS = {
    str(path.relative_to(ROOT)): path.read_text(encoding="utf-8")
    for folder in FOLDERS
    for path in sorted((ROOT / folder).rglob("*.py"))
}
_CITATION = re.compile(r"\bdocs/(theory/\w+\.md|\w+\.md(?=#))(?:#([\w-]+))?")
CITED = sorted(
    {(file, *found) for file, text in TEXTS.items() for found in _CITATION.findall(text)}
    | {(f"handbook: {name}", *entry.derivation.split("#")) for name, entry in FORMULAS.items()}
)


def test_much_is_cited():
    assert len([page for _, page, anchor in CITED if page.startswith("theory/") and anchor]) > 150


@pytest.mark.parametrize(("file", "page", "anchor"), CITED)
def test_what_is_cited_is_there(file, page, anchor):
    path = ROOT / "docs" / page
    assert path.is_file()
    assert not anchor or anchor in anchors_of(path)


@pytest.mark.parametrize("file", TEXTS)
def test_no_section_is_cited_by_number(file):
    """Pages are named, for numbers change, and a number does not say of which document."""
    assert re.findall(r"sections?[ _]\d\S*", TEXTS[file], re.IGNORECASE) == []
