"""Documents in HTML: whole pages that ask nothing of any server."""

from __future__ import annotations

import re

import pytest

import theorycalc as tc
from tests.helpers.problems import PAPER as PROBLEM
from tests.helpers.sheets import EVERY_SHEET, Page, sheet_of


@EVERY_SHEET
def test_the_page_is_whole_and_asks_nothing_of_any_server(name, network):
    page = Page(sheet_of(name, network, 3).html)
    tags = {tag for tag, _ in page.tags}
    assert "math" in tags
    assert not tags & {"script", "link", "img", "iframe", "object", "embed", "form"}
    for tag, attributes in page.tags:
        assert not {"src", "href", "onclick", "onload", "style"} & set(attributes), tag
    policy = next(a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'")


@pytest.mark.slow
@EVERY_SHEET
def test_no_command_of_latex_is_left_in_the_mathematics(name, network):
    assert not re.search(r"<m[ion][^>]*>[^<]*\\", sheet_of(name, network, 4).html)


@pytest.mark.parametrize("make", [lambda: tc.sheet(PROBLEM, ell=1), lambda: tc.Report("A <report>", "<p>1 < 2</p>")])
def test_a_notebook_keeps_its_own_style(make):
    """The page stands in a frame: no style and no element of it is part of the notebook's page."""
    document = make()
    shown = Page(document._repr_html_())
    ((tag, attributes),) = shown.tags
    assert (tag, attributes["srcdoc"], attributes["title"]) == ("iframe", document.html, document.title)
    assert attributes["sandbox"] is None  # nothing in it runs
