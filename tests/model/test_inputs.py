"""Covariances of the inputs: how they are read, written, normalised and fitted to a number of inputs."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from theorycalc.model.inputs import Inputs, read_inputs
from theorycalc.model.reproduce import problem_call, problem_from_dict, problem_to_dict

SIZES = {"n": 800, "d": 400, "N": 600, "ridge": "1/10"}
levels = st.lists(st.tuples(*(st.fractions(Fraction(1, 9), 9, max_denominator=9),) * 3), min_size=1, max_size=5)


@given(levels)
def test_levels_are_normalised_and_written_so_that_they_are_read_again(given):
    found = read_inputs(given)
    if found is None:
        assert len({one[0] for one in given}) == 1
        return
    assert sum(one.weight for one in found.levels) == 1 == sum(one.share for one in found.levels)
    assert sum(one.weight * one.eigenvalue for one in found.levels) == 1
    assert read_inputs(str(found)) == found
    assert found.is_exact


@pytest.mark.slow
@given(levels, st.integers(20, 99))
def test_every_level_has_a_whole_number_of_inputs(given, d):
    found = read_inputs(given)
    if found is None or min(one.weight for one in found.levels) * d < 1:
        return
    counts = found.multiplicities(d)
    assert sum(counts) == d
    assert all(abs(count - one.weight * d) < 1 for count, one in zip(counts, found.levels, strict=True))
    again = found.for_dimension(d)
    assert [one.weight * d for one in again.levels] == counts
    assert again.for_dimension(d) == again


def test_without_shares_a_level_has_its_share_of_the_trace():
    assert all(one.share == one.weight * one.eigenvalue for one in read_inputs("5:1/10, 1:9/10").levels)
    law = Inputs.power_law("1/2", d=7)
    assert [one.share for one in law.levels] == pytest.approx([one.eigenvalue / 7 for one in law.levels], rel=1e-14)


@pytest.mark.parametrize("alike", [None, "2:1/2, 2:1/2", [(1, 1)], "power(0, 3)", Inputs.given([5, 5, 5])])
def test_equal_eigenvalues_are_the_default(alike):
    assert tc.Problem("relu", "H1", "1/2", "2/3", "1/10", inputs=alike) == tc.Problem(
        "relu", "H1", "1/2", "2/3", "1/10"
    )


@pytest.mark.parametrize("text", ["power(1/3, 1/2)", "two_level(9, 1/4, 1/2)", "5:1/10:1/2, 1:9/10:1/2"])
def test_a_problem_is_stored_and_written_as_code(text):
    problem = tc.Problem("relu", "H1", **SIZES, inputs=text)
    assert problem_from_dict(problem_to_dict(problem)) == problem
    by_ratios = tc.Problem("relu", "H1", "1/2", "2/3", "1/10", inputs=problem.inputs)
    assert f"inputs='{problem.inputs}'" in problem_call(by_ratios)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("power(1/3)", "needs the number of inputs: write power\\(1/3, 1/3, 400\\)"),
        ("power(x)", "not a number"),
        ("power(-1, 1, 9)", "exponent -1 must not be negative"),
        ("power(1, 1, 0)", "number of inputs"),
        ("power(1, 1, 9, 9)", "is not levels such as"),
        ("two_level(2, 1)", "weight 1 must be between 0 and 1"),
        ("two_level(2, 1/2, 2)", "share 2 must be between 0 and 1"),
        ("2:1/2, 1:1/2:1/2", "is not levels such as"),
        ("2", "is not levels such as"),
        (3, "is not levels such as"),
        ([], "is not levels such as"),
        ([(0, 1)], "all eigenvalues are 0"),
        ([(1, 1, 0), (2, 1, 0)], "all shares of the teacher are 0"),
        ([(1, 1, 0), (0, 1, 1)], "share in an eigenvalue of 0"),
        ([(1, 0), (2, 1)], "weight of the eigenvalue 1 must be positive"),
        ([(-1, 1), (2, 1)], "eigenvalue -1 must not be negative"),
    ],
)
def test_what_is_refused(wrong, words):
    with pytest.raises(tc.TheoryError, match=words) as caught:
        tc.Problem("relu", "H1", "1/2", "2/3", "1/10", inputs=wrong)
    assert caught.value.argument == "inputs"


def test_lists_of_other_lengths_and_more_eigenvalues_than_inputs_are_refused():
    with pytest.raises(tc.ArgumentError, match="2 eigenvalues and 1 shares"):
        Inputs.given([1, 2], [1])
    with pytest.raises(tc.DomainError, match="401 eigenvalues, one for each input, do not fit d=400"):
        tc.Problem("relu", "H1", **SIZES, inputs=Inputs.given(range(1, 402)))


def test_several_directions_have_no_shares():
    with pytest.raises(tc.ArgumentError, match="one direction of the teacher") as caught:
        tc.Problem("relu", "t1 + t1*t2", "1/2", "2/3", "1/10", inputs="two_level(4)")
    assert caught.value.argument == "inputs"
