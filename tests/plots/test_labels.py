"""Labels are spread in their order."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from theorycalc.plots.labels import spread


@given(st.lists(st.floats(-0.5, 1.5), min_size=1, max_size=6))
def test_labels_are_spread_in_their_order(wanted):
    gap = 0.1
    places = spread(wanted, gap)
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    heights = [places[i] for i in order]
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(heights))
    assert min(heights) >= 0
    assert max(heights) <= 1 + 1e-9
