"""Figures in notebooks and from several threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

import theorycalc as tc
from tests.helpers.drawn import PROBLEM
from theorycalc.plots.figure import rendered


@pytest.mark.slow
def test_threads_draw_the_same():
    def drawn(_):
        return [rendered(one.plot(), "svg") for one in (tc.activation("relu"), tc.predict(PROBLEM, ell=2))]

    with ThreadPoolExecutor(4) as pool:
        assert len(set(map(tuple, pool.map(drawn, range(6))))) == 1


def test_notebooks_show_vectors():
    assert "<svg" in tc.predict(PROBLEM, ell=2).plot()._repr_svg_()
