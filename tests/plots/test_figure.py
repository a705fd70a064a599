"""Figures in notebooks, from several threads, and several on a page."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import pytest

import theorycalc as tc
from tests.helpers.drawn import PROBLEM
from theorycalc.plots.figure import inline, rendered


@pytest.mark.slow
def test_threads_draw_the_same():
    def drawn(_):
        return [rendered(one.plot(), "svg") for one in (tc.activation("relu"), tc.predict(PROBLEM, ell=2))]

    with ThreadPoolExecutor(4) as pool:
        assert len(set(map(tuple, pool.map(drawn, range(6))))) == 1


def test_notebooks_show_vectors():
    assert "<svg" in tc.predict(PROBLEM, ell=2).plot()._repr_svg_()


@pytest.mark.slow
def test_figures_of_one_page_do_not_share_ids():
    pages = [inline(tc.activation("relu").plot(), f"f{i}-", "coefficients of a < b") for i in range(2)]
    first, second = pages
    ids = [set(re.findall(r' id="([^"]*)"', page)) for page in (first, second)]
    assert ids[0]
    assert not ids[0] & ids[1]
    for page, own in zip((first, second), ids, strict=True):
        assert set(re.findall(r"url\(#([^)]*)\)", page)) | set(re.findall(r'href="#([^"]*)"', page)) == own
        assert ElementTree.fromstring(page)[0].text == "coefficients of a < b"
