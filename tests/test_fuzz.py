"""Inputs that were findings once, and two thousand fresh ones, by the checks of the fuzzer."""

from __future__ import annotations

import contextlib
import itertools
import math
import os
import subprocess

import pytest

from tests.fuzz.checks import check_expression
from tests.fuzz.command import TooLarge
from tests.fuzz.guards import Finding, Overdue, watched, within
from tests.fuzz.inputs import KINDS, corpus, fresh
from tests.fuzz.targets import load_everything, target, warm_up
from theorycalc.activations.teacher import Teacher
from theorycalc.errors import DomainError
from theorycalc.expressions.evaluate import compile_defined
from theorycalc.expressions.grammar import parse

#: How many fresh inputs of each kind; the time they take decides.
FRESH = {"expressions": 1000, "numbers": 700, "ranges": 200, "activations": 40, "commands": 120}


@pytest.fixture(scope="module", autouse=True)
def _everything_is_loaded():
    load_everything()


@pytest.mark.parametrize("kind", KINDS)
def test_seeds_and_fresh_inputs_do_nothing_they_may_not(kind, tmp_path):
    warm_up(kind)
    check = target(kind, tmp_path)
    accepted = refused = left_out = 0
    for text in [*corpus(kind), *fresh(kind, FRESH[kind], seed=1)]:
        try:
            if check(text):
                accepted += 1
            else:
                refused += 1
        except TooLarge:
            left_out += 1
    assert min(accepted, refused) >= 5  # both ways are gone
    assert left_out < refused


def test_the_watch_sees_what_is_executed_and_written(tmp_path):
    for forbidden in (lambda: eval("1"), lambda: __import__("antigravity"), lambda: (tmp_path / "a").write_text("a")):
        with pytest.raises(Finding), watched():
            forbidden()


def test_what_the_watch_saw_cannot_be_swallowed():
    with pytest.raises(Finding), watched(), contextlib.suppress(AssertionError):
        compile("1", "", "eval")


def test_the_watch_of_commands_denies_what_is_outside_of_the_folder(tmp_path):
    with watched(tmp_path) as denied:
        (tmp_path / "inside").write_text("fine")
        for outside in (
            lambda: (tmp_path.parent / "a").write_text("a"),
            lambda: os.remove(tmp_path / ".." / "a"),
            lambda: os.rename(tmp_path / "inside", tmp_path.parent / "b"),
            lambda: subprocess.Popen(["true"]),
        ):
            with pytest.raises(PermissionError):
                outside()
    assert denied == ["open", "os.remove", "os.rename", "subprocess.Popen"]


def test_time_is_bounded():
    with pytest.raises(Overdue), within(0.05, lambda: Overdue("late")):
        all(True for _ in itertools.count())  # without end, and in Python: a signal is heard between its steps


def test_a_text_that_is_not_read_back_is_a_finding(monkeypatch):
    monkeypatch.setattr("tests.fuzz.checks.show", lambda tree: "x + 1")
    with pytest.raises(Finding, match="is read as"):
        check_expression("x")


def test_the_constant_of_a_teacher_is_told_from_zero_at_once():
    """Sympy simplified it for six seconds; its digits decide."""
    with within(3.0, lambda: Overdue("late")):
        assert Teacher.from_text("tanh(e)/gelu(pi) + H(4, 2)*exp(0.5)").has_mean


def test_a_value_that_overflows_on_the_way_is_refused():
    function = compile_defined(parse("(x + 1)**100*(x + 2)*H28(x + 3)**100"))
    assert function([0.0]) == math.inf  # the value itself is beyond float64
    with pytest.raises(DomainError, match="overflows float64 on the way to its value at x = -2"):
        function([0.0, -2.0])
