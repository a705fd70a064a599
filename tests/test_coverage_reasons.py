"""The reasons for what no test reaches excuse that, as often as it is there, and nothing else."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest

from tests.coverage import REASONS, ROOT, Hole, judged

ENTRIES = tomllib.loads(REASONS.read_text(encoding="utf-8"))["uncovered"]
FILE = "theorycalc/some.py"


def hole(function: str, line: int, text: str) -> Hole:
    return Hole(FILE, function, line, text, "not run")


def reason(function: str, *lines: str) -> dict:
    return {"file": FILE, "function": function, "lines": list(lines), "reason": "why"}


def test_what_has_its_reason_is_excused():
    rows, wrong = judged([hole("f", 3, "raise A"), hole("f", 4, "return")], [reason("f", "raise A", "return")])
    assert wrong == []
    assert rows == ["| some.py | f | `raise A` | not run | why |", "| some.py | f | `return` | not run | why |"]


@pytest.mark.parametrize(
    "added",
    [hole("f", 9, "raise A"), hole("g", 9, "raise A"), hole("f", 4, "return 1")],
    ids=["the same line again", "the same line in another function", "a line behind it"],
)
def test_a_reason_excuses_one_line_of_one_function(added):
    rows, wrong = judged([hole("f", 3, "raise A"), added], [reason("f", "raise A")])
    assert wrong == [f"no reason: {FILE}:{added.line} {added.function}: not run: {added.text}"]
    assert [row.endswith("**none** |") for row in rows] == [False, True]


def test_a_reason_that_nothing_needs_is_named():
    _, wrong = judged([hole("f", 3, "raise A")], [reason("f", "raise A", "raise A")])
    assert wrong == [f"a reason that nothing needs: {FILE} f raise A"]


@pytest.mark.parametrize("file", sorted({entry["file"] for entry in ENTRIES}))
def test_every_line_that_has_a_reason_is_in_its_file(file):
    """make coverage says whether it is missed; this says at once that it was changed."""
    if not (ROOT / file).exists():
        pytest.skip("the package is installed, not beside the tests")
    there = Counter(line.strip() for line in (ROOT / file).read_text(encoding="utf-8").splitlines())
    excused = Counter(line for entry in ENTRIES if entry["file"] == file for line in entry["lines"])
    assert excused <= there
