"""K as a class: listed powers, or infinitely many of one parity or both."""

from __future__ import annotations

import math
import pickle

import pytest

from theorycalc.model.spikes import ALL, ODD, ONE_AND_EVEN, Spikes

EVERY = [Spikes(()), Spikes((1,)), Spikes((1, 2, 4)), Spikes((1, 4)), ALL, ODD, ONE_AND_EVEN]


def powers_below(end: int, spikes: Spikes) -> list[int]:
    """Return the powers k < ``end`` that are listed, or of a parity without end."""
    return [k for k in range(1, end) if k in spikes.listed or k % 2 in spikes.endless]


@pytest.mark.parametrize("spikes", EVERY, ids=str)
def test_what_results_show_is_read_back(spikes):
    assert Spikes.read(spikes.value) == spikes == pickle.loads(pickle.dumps(spikes))
    assert hash(Spikes.read(spikes.value)) == hash(spikes)


@pytest.mark.parametrize("spikes", EVERY, ids=str)
def test_its_answers_agree_with_its_powers(spikes):
    powers = powers_below(30, spikes)
    assert bool(spikes) == bool(powers)
    assert spikes.has_even == any(k % 2 == 0 for k in powers)
    assert spikes.largest == (max(powers, default=0) if spikes.is_finite else math.inf)
    for parity in (0, 1):
        reach = spikes.reach(parity, 29 - (parity == 0))
        assert reach == max((k for k in powers if k % 2 == parity), default=0)


def test_the_three_rules():
    assert powers_below(8, ALL) == [1, 2, 3, 4, 5, 6, 7]
    assert powers_below(8, ODD) == [1, 3, 5, 7]
    assert powers_below(8, ONE_AND_EVEN) == [1, 2, 4, 6]
    assert [spikes.beginning for spikes in (ALL, ODD, ONE_AND_EVEN)] == ["1, 2, 3, …", "1, 3, 5, …", "1 and 2, 4, 6, …"]


def test_a_long_list_is_shortened_where_it_is_shown():
    assert str(Spikes.up_to(12)) == "{" + ", ".join(map(str, range(1, 13))) + "}"
    assert str(Spikes.up_to(40)) == "{1, 2, 3, 4, 5, 6, 7, 8, 9, …, 40}"
    assert Spikes.up_to(40).cell == "1,2,3,4,5,6,7,8,9,…,40"
