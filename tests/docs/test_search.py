"""The search of the built pages, as a reader uses it: from a disk, by words that engineers type, and by names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from docs._ext.search_words import plain
from tests.helpers.explorer import browsing
from tests.helpers.processes import PATIENCE

#: Words that people type, and pages that answer; one of them must be among the first three.
WORDS = {
    "learning rate": {"engineers"},
    "weight decay": {"engineers"},
    "regularization": {"engineers"},
    "regularisation": {"engineers"},
    "initialization": {"engineers"},
    "initialisation": {"engineers"},
    "pandas": {"results", "engineers"},
    "PyTorch": {"engineers"},
    "scikit-learn": {"engineers"},
    "overfitting": {"engineers"},
    "double descent": {"engineers", "gallery/mei_montanari"},
    "test error": {"limits", "faq"},
    "outlier": {"spectrum"},
    "batch size": {"engineers"},
    "width": {"engineers", "finite_steps"},
    "noise": {"engineers", "examples/label_corruption"},
    "label noise": {"engineers", "examples/label_corruption"},
    "confidence": {"guides/compare_your_measurements", "engineers"},
    "error bar": {"guides/compare_your_measurements", "engineers"},
    "epochs": {"faq"},
    "install": {"installation"},
    "how many samples do I need": {"guides/plan_an_experiment"},
    "compare my measurements": {"guides/compare_your_measurements"},
    "save a figure": {"plots", "api/plots"},
    "cluster": {"guides/run_on_a_dask_cluster"},
}

#: Names, as they are written in code, and their entries; each is the first result.
NAMES = {
    "tc.step": "api/finite_steps.html#theorycalc.step",
    "predict": "api/predictions.html#theorycalc.predict",
    "tc.predict(": "api/predictions.html#theorycalc.predict",
    "theorycalc.Problem": "api/predictions.html#theorycalc.Problem",
    "gain_against_alpha": "api/plots.html#theorycalc.plots.gain_against_alpha",
    "Problem.from_torch": "api/predictions.html#theorycalc.Problem.from_torch",
    "tc.symbolic.Delta": "api/symbolic.html#theorycalc.symbolic.Delta",
    "lr_from": "api/conventions.html#theorycalc.model.conventions.lr_from",
    "TheoryError": "api/errors.html#theorycalc.TheoryError",
}

_RESULTS = """() => [...document.querySelectorAll("#search-results > li")].map((item) => ({
    link: item.querySelector("a").getAttribute("href"), shown: item.innerText}))"""


@pytest.fixture(scope="module")
def search_page(site) -> Iterator[Any]:
    """The page of the search, reached from another page by its field; it may ask for files of the site only."""
    asked: list[str] = []
    errors: list[str] = []
    with browsing() as browser:
        page = browser.new_page()
        page.set_default_timeout(1000 * PATIENCE)
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.goto((site / "theory" / "outliers.html").as_uri())
        page.fill("input.sidebar-search", "learning rate")
        page.press("input.sidebar-search", "Enter")
        page.wait_for_selector("#search-results > li")
        assert "q=learning+rate" in page.url
        yield page
    assert [url for url in asked if not url.startswith((site.as_uri(), "data:"))] == []
    assert errors == []


def found(page: Any, query: str) -> list[dict[str, str]]:
    """Type a query and return the results, each a link and its text."""
    page.fill("#search-form input", query)
    return page.evaluate(_RESULTS)


@pytest.mark.slow
@pytest.mark.parametrize("query", WORDS)
def test_words_find_the_page_and_excerpts_have_no_tex(search_page, query):
    results = found(search_page, query)
    pages = [result["link"].partition(".html")[0] for result in results]
    assert WORDS[query] & set(pages[:3]), pages[:5]
    assert [result["shown"] for result in results if re.search(r"[\\$]", result["shown"])] == []


@pytest.mark.slow
@pytest.mark.parametrize("query", NAMES)
def test_names_find_their_entry(search_page, query):
    assert found(search_page, query)[0]["link"] == NAMES[query]


@pytest.mark.slow
def test_results_lead_to_pages_and_no_word_to_a_sentence(search_page, site):
    for result in found(search_page, "ridge"):
        page, _, anchor = result["link"].partition("#")
        assert not anchor or f'id="{anchor}"' in (site / page).read_text(encoding="utf-8"), result["link"]
    assert found(search_page, "xyzzy") == []
    assert "No page has “xyzzy”" in search_page.inner_text("#search-status")
    assert found(search_page, "") == []


@pytest.mark.slow
def test_no_text_of_the_search_has_tex(site):
    texts = (site / "_static" / "search_texts.js").read_text(encoding="utf-8")
    assert texts.count("\n") > 1000
    assert "$" not in texts
    assert set(re.findall(r"\\(.)", texts)) <= {'"'}  # of JSON


def test_formulas_within_sentences_become_letters():
    assert plain(r"\eta = n^\alpha") == "η = n^α"
    assert plain(r"\lambda\Vert a\Vert^2") == "λ‖ a‖²"
    assert plain(r"c_{\star,1}") == "…"
