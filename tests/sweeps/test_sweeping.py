"""Grids of predictions: their axes, their values, and what is refused before any work."""

from __future__ import annotations

import pytest

import theorycalc as tc
from tests.helpers.sweeps import PROBLEM, RIDGES, cut_in_fives, stop_after

small_pieces = pytest.fixture(cut_in_fives)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"quantities": ["test_gian"]}, "'test_gian' is not one of m1, m2.*did you mean 'test_gain'"),
        ({"quantities": ["error"]}, "'error' is not one of m1"),
        ({"quantities": []}, "not a list of different names"),
        ({"quantities": ["m1", "m1"]}, "not a list of different names"),
        ({"quantities": 3}, "not a list of different names"),
        ({"quantities": [3]}, "3 is not one of"),
        ({"workers": 0}, "workers=0"),
        ({"executor": "pool"}, "executor is a str"),
        ({"resume": True}, "resume=True needs output="),
        ({"resume": "yes"}, "resume='yes' must be True or False"),
        ({"out": "x.csv"}, r"sweep\(\) has no argument 'out'"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(tc.TheoryError, match=message):
        tc.sweep(PROBLEM, {"ell": 1}, **options)


def test_too_many_points_for_memory_are_told_the_way_out():
    with pytest.raises(tc.ArgumentError, match=r"16000000 points.*output='grid.nc'"):
        tc.sweep(PROBLEM, {"ell": 1, "phi": "1:2:4000", "ridge": "1:2:4000"})


def test_an_interruption_keeps_what_is_done(monkeypatch, small_pieces):
    stop_after(monkeypatch, 2, KeyboardInterrupt())
    over = {"ell": [1, 2], "ridge": RIDGES}
    with pytest.raises(tc.SweepInterrupted, match=r"interrupted; 7 of 14 points are done, and in the \.sweep") as stop:
        tc.sweep(PROBLEM, over)
    part = stop.value.sweep
    assert not part.complete
    assert "7 of them done" in repr(part)
    whole = tc.sweep(PROBLEM, over)
    assert part.rows == whole.rows[:7]
    with pytest.raises(tc.DomainError, match="only 7 of 14 points are done"):
        part["test_gain"]
