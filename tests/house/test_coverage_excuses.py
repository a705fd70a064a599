"""What no test reaches is named unless it says why, and so is what says so and is reached."""

from __future__ import annotations

from tests.coverage import excuses, wrong_in

SOURCE = """\
def f(x):
    if x > 1:
        return 1
    return 0  # pragma: no cover - nobody asks
""".splitlines()


def data(**changes):
    return {"missing_lines": [], "missing_branches": [], "excluded_lines": [4], "run": [1, 2, 3], **changes}


def test_what_says_why_is_listed_and_not_named():
    assert wrong_in("theorycalc/some.py", data(), SOURCE) == []
    assert excuses("theorycalc/some.py", SOURCE) == [("some.py", "`return 0`", "nobody asks")]


def test_lines_and_branches_without_a_reason_are_named_and_so_are_reasons_that_nothing_needs():
    assert wrong_in("some.py", data(missing_lines=[3], missing_branches=[[2, 3]]), SOURCE) == ["some.py:3 is not run"]
    assert wrong_in("some.py", data(missing_branches=[[2, -1]]), SOURCE) == ["some.py:2 never ends there"]
    assert wrong_in("some.py", data(run=[1, 2, 4]), SOURCE) == ["some.py:4 is run: its excuse must go"]
