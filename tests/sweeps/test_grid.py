"""A grid is cut into pieces, in order."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from theorycalc.sweeps.grid import cut


@given(st.lists(st.integers(1, 7), min_size=1, max_size=4), st.integers(1, 50))
def test_pieces_are_the_grid_in_order(shape, most):
    index = 0
    numbers = np.arange(math.prod(shape)).reshape(shape)
    for piece in cut(tuple(shape), most):
        assert piece.start == index
        assert 0 < piece.stop - piece.start <= max(most, 1)
        box = numbers[tuple(slice(r.start, r.stop) for r in piece.ranges)]
        assert np.array_equal(box.ravel(), np.arange(piece.start, piece.stop))
        index = piece.stop
    assert index == numbers.size
