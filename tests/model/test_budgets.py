"""tc.budget() as users call it; tests/running/test_budget.py measures what it limits."""

from __future__ import annotations

import pytest

import theorycalc as tc
from theorycalc.running.budget import allowed


def test_a_block_changes_the_budget_and_gives_it_back():
    assert allowed() == 2
    with tc.budget(seconds=60), tc.budget(float("inf")):
        assert allowed() == float("inf")
    assert allowed() == 2


@pytest.mark.parametrize("seconds", [0, -1, float("nan"), True, "2", None])
def test_a_budget_is_a_positive_number(seconds):
    with pytest.raises(tc.DomainError, match="is not a positive number of seconds") as error, tc.budget(seconds):
        pass
    assert error.value.argument == "seconds"


def test_a_call_that_does_not_fit_is_explained():
    with pytest.raises(tc.ArgumentError, match="did you mean 'seconds'"):
        tc.budget(second=3)
