"""staircase(): the gains of all windows at once."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import theorycalc as tc
from tests.helpers.columns import COLUMNS
from tests.helpers.problems import PAPER as PROBLEM
from tests.helpers.problems import problem


def test_it_is_what_predict_says_of_each_window():
    stairs = tc.staircase(PROBLEM, 4)
    assert [p.ell for p in stairs.predictions] == [0, 1, 2, 3, 4]
    assert [p.test_gain for p in stairs.predictions] == [tc.predict(PROBLEM, ell=k).test_gain for k in range(5)]
    assert stairs.ceiling.test_gain == tc.predict(PROBLEM, ell="inf").test_gain
    assert [row["ell"] for row in stairs.rows] == [0, 1, 2, 3, 4, math.inf]
    assert [row["spikes"] for row in stairs.rows] == ["–", "1", "1,2", "1,2", "1,2,4", "1+even"]


@given(
    st.sampled_from(["relu", "tanh(x + 1)", "softplus", "x + x**3/9"]),
    st.tuples(*[st.floats(0.05, 5)] * 3),
    st.integers(0, 8),
)
def test_it_climbs_to_its_ceiling(activation, point, most):
    """A window more never gains less, and none gains more than the limit."""
    phi, psi, ridge = point
    stairs = tc.staircase(tc.Problem(activation, "H1 + H2/2 + H3/3", phi, psi, ridge), most)
    for name in ("train_gain", "test_gain"):
        gains = [getattr(p, name) for p in (*stairs.predictions, stairs.ceiling)]
        slack = 1e-13 * gains[-1]
        assert all(above >= below - slack for below, above in itertools.pairwise(gains)), gains


def test_proven_digits():
    stairs = tc.staircase(PROBLEM, 2, digits=40)
    assert str(stairs.predictions[2].test_gain) == str(tc.predict(PROBLEM, ell=2, digits=40).test_gain)
    assert stairs.to_dict()["digits"] == 40
    assert stairs.to_dict()["rows"][3]["ell"] == "inf"
    assert "40 digits proven" in repr(stairs)


def test_without_a_ceiling_it_says_why():
    teacher = tc.Teacher.from_moments(["1", "1/2"], second_moment="2")
    stairs = tc.staircase(tc.Problem("relu", teacher, "1/2", "2/3", "1/10"), 2)
    assert stairs.ceiling is None
    assert "no ceiling ℓ = ∞: the teacher is known up to c_⋆2" in stairs.notes[-1]
    assert len(stairs.rows) == 3
    assert "∞  " not in repr(stairs)


def test_small_gains_are_not_shown_as_nothing():
    stairs = tc.staircase(tc.Problem("relu", "H1/100", 1, 1, 1), 1)
    assert f"{stairs.predictions[1].test_gain:.6g}" in repr(stairs)
    assert 0 < stairs.predictions[1].test_gain < 1e-3


def test_a_notebook_shows_the_table():
    stairs = tc.staircase(PROBLEM, 1)
    shown = stairs._repr_html_()
    assert f"{stairs.predictions[1].test_gain:.6g}" in shown
    assert shown.count("<tr>") == 4


@pytest.mark.parametrize("most", [-1, 201, 1.5, "six", "inf", None, True])
def test_a_last_window_that_is_none(most):
    with pytest.raises(tc.DomainError, match=r"ell=.* must be the last ℓ, a whole number from 0 to 200"):
        tc.staircase(PROBLEM, most)


def test_a_last_window_may_be_a_text():
    assert tc.staircase(PROBLEM, "3").rows == tc.staircase(PROBLEM, 3).rows
    assert tc.predict(PROBLEM, ell="2").rows == tc.predict(PROBLEM, ell=2).rows


def test_something_else_than_a_problem():
    with pytest.raises(tc.ArgumentError, match="takes a Problem, not str"):
        tc.staircase("relu")


def test_infinite_gains_have_a_table_and_no_picture():
    """At λ = 0 and N = n the test losses are infinite: every window gains all of it, and there is nothing to draw."""
    stairs = tc.staircase(tc.Problem("relu", "H1 + H2/2", 1, 1, 0), 2)
    assert [p.test_gain for p in stairs.predictions] == [0, math.inf, math.inf]
    lines = repr(stairs).splitlines()
    assert [line.count("█") for line in lines[2:6]] == [0, 24, 24, 24]
    for result in (stairs, stairs.predictions[1], tc.predict(stairs.problem, ell=1, psi=[0.5, 1.0])):
        with pytest.raises(tc.DomainError, match="is infinite, and cannot be drawn"):
            result.plot()


@COLUMNS
def test_a_staircase_of_some_windows(column):
    found = tc.staircase(problem("tanh(x + 1)"), ell=column([4, 1, 2]))
    whole_one = tc.staircase(problem("tanh(x + 1)"), ell=4)
    assert [row["ell"] for row in found.rows] == [1, 2, 4]
    assert found.rows == tuple(row for row in whole_one.rows if row["ell"] in (1, 2, 4))
    assert tc.staircase(problem("tanh(x + 1)"), ell=[1, "inf"]).ceiling.test_gain == whole_one.ceiling.test_gain


def test_a_staircase_of_some_windows_is_drawn_with_gaps():
    axes = tc.staircase(problem("tanh(x + 1)"), ell=[1, 2, 4]).plot().axes[0]
    line = next(line for line in axes.lines if line.get_gid() == "test_gain")
    assert np.isnan(line.get_ydata()).tolist() == [False, False, True, False]
    assert line.get_xdata().tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("ell", "message"),
    [
        ([], "ell is empty"),
        (["inf"], "at least one finite ℓ"),
        ([1, 201], "none above 200"),
        ([1.5], "ell=1.5 must be a whole number"),
        ([[1, 2]], "ell="),
        (np.ones((2, 2)), "ell is an array of 2 dimensions; give a list"),
    ],
)
def test_a_staircase_of_no_windows_is_refused(ell, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.staircase(problem(), ell=ell)


def test_a_ceiling_that_is_asked_for_must_exist():
    cubic = tc.Activation.from_callable(lambda x: np.tanh(x) + np.cos(x), present=(1, 2, 3))
    teacher = tc.Teacher.from_moments(["1", "1/2", "1/3"], second_moment=5)
    assert tc.staircase(problem("tanh(x + 1)", teacher), ell=[1, 2]).ceiling is None
    with pytest.raises(tc.DomainError, match="needs a covariance"):
        tc.staircase(problem("tanh(x + 1)", teacher), ell=[1, 2, "inf"])
    assert tc.staircase(problem(cubic), ell=[1, 3]).ceiling is None
