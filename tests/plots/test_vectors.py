"""Figures of one page share no ids."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

import theorycalc as tc
from theorycalc.plots.figure import inline


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
