"""Ranges of numbers in text are exact."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from theorycalc.numbers.ranges import read_numbers


@given(st.integers(2, 40), st.fractions(0, 5, max_denominator=50), st.fractions(0, 5, max_denominator=50))
def test_ranges_are_exact(count, first, last):
    values = read_numbers(f"{first}:{last}:{count}", "phi")
    assert (values[0], values[-1], len(values)) == (first, last, count)
    assert all(values[i + 1] - values[i] == (last - first) / (count - 1) for i in range(count - 1))
