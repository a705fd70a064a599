"""The documentation is built once, as ``make docs`` does, and read: links, titles, pictures, names and formulas."""

from __future__ import annotations

import re

import pytest

import theorycalc
from docs._ext import _meanings as meanings
from tests.helpers.docs_code import GENERATED, ROOT
from tests.helpers.docs_site import anchors_of, broken, pages, read
from tests.helpers.explorer import browsing
from tests.helpers.processes import PATIENCE
from theorycalc import plots, symbolic
from theorycalc.model import conventions
from theorycalc.symbolic import symbols

pytestmark = pytest.mark.slow

_CODE = re.compile(r"^```.*?^```$|`[^`\n]+`", re.MULTILINE | re.DOTALL)
_STATE = """async () => {
  if (window.MathJax) await MathJax.startup.promise;
  const wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
  const count = (what) => document.querySelectorAll(what).length;
  const errors = count('[data-mjx-error], mjx-merror');
  return {wide, errors, formulas: count('mjx-container'), written: count('span.math, div.math')};
}"""


def test_links_and_anchors_lead_somewhere(site):
    found = pages(site)
    assert len(found) > 40
    assert {str(page.relative_to(site)): wrong for page in found if (wrong := broken(page))} == {}


def test_links_of_the_plain_files_lead_somewhere(site):
    """The same pages are read as Markdown, too, where the code is hosted; the README only there, and never built."""
    for page in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]:
        for target, anchor in re.findall(
            r"\]\((?!\w+:)([^)#]*)(#[^)]*)?\)", _CODE.sub("", page.read_text(encoding="utf-8"))
        ):
            file = page.parent / target if target else page
            assert file.exists(), (page, target)
            assert page.parent != ROOT or not target.startswith(GENERATED), f"{target} is not in the repository"
            assert not anchor or anchor[1:] in anchors_of(file), (page, target, anchor)


def test_every_page_has_one_title(site):
    assert [page for page in pages(site) if len(read(page).headings) != 1 or not read(page).headings[0].strip()] == []


def test_pictures_are_there_and_say_what_they_show(site):
    shown = [(page, image) for page in pages(site) for image in read(page).images]
    assert len(shown) > 8
    assert [(page, image) for page, image in shown if not (page.parent / image.source).is_file()] == []
    assert [(page, image) for page, image in shown if len(image.text) < 5] == []


def test_every_public_name_is_in_the_reference_once(site):
    rooms = {
        "theorycalc": theorycalc,
        "theorycalc.symbolic": symbolic,
        "theorycalc.plots": plots,
        "theorycalc.model.conventions": conventions,
    }
    public = [
        f"{room}.{name}"
        for room, module in rooms.items()
        for name in module.__all__
        if callable(getattr(module, name)) and name not in {"symbolic", "plots", "conventions"}
    ]
    entries = [anchor for page in (site / "api").glob("*.html") for anchor in read(page).anchors]
    assert [name for name in public if entries.count(name) != 1] == []
    symbols_page = (site / "api" / "symbolic.html").read_text(encoding="utf-8")
    plain = [name for name in symbolic.__all__ if not callable(getattr(symbolic, name))]
    assert [name for name in plain if f'<span class="pre">{name}</span>' not in symbols_page] == []


def test_every_symbol_has_a_meaning_and_a_page():
    assert set(meanings.LETTERS) == set(symbols.LATEX)
    assert set(meanings.INDEXED_LETTERS) == set(symbols.INDEXED)
    assert set(meanings.ARRAYS) == {*symbols.MATRICES, *symbols.TABLES}
    tables = (
        meanings.LETTERS,
        meanings.INDEXED_LETTERS,
        meanings.ARRAYS,
        meanings.LETTERS_OF_THE_TEXTS,
        meanings.LETTERS_OF_FINITE_STEPS,
        meanings.WORDS,
    )
    every = [meaning for table in tables for meaning in table.values()]
    assert [meaning for meaning in every if not (ROOT / "docs" / "theory" / f"{meaning.page}.md").exists()] == []


def test_the_names_of_the_glossary_exist(site):
    text = (site / "glossary.html").read_text(encoding="utf-8")
    names = re.findall(r'<td><p><code[^>]*><span class="pre">(\w+)', text)
    assert len(names) > 30
    assert [name for name in names if name not in symbolic.__all__] == []


def test_pages_ask_for_nothing_elsewhere_and_draw_their_formulas(site):
    """Each page in a browser as narrow as a phone: no request but for its own files, no formula raw or in error."""
    asked: set[str] = set()
    drawn = 0
    with browsing() as browser:
        page = browser.new_page(viewport={"width": 400, "height": 800})
        page.set_default_timeout(1000 * PATIENCE)
        page.on("request", lambda request: asked.add(request.url))
        for path in pages(site):
            page.goto(path.as_uri())
            state = page.evaluate(_STATE)
            assert state["errors"] == 0, path
            assert state["formulas"] == state["written"], path
            assert state["wide"] <= 0, f"{path} is wider than a phone"
            drawn += state["formulas"]
    assert drawn > 200
    assert [url for url in asked if not url.startswith((site.as_uri(), "data:"))] == []
