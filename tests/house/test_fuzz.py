"""Inputs that were findings once, and two thousand fresh ones, by the checks of the fuzzer."""

from __future__ import annotations

import contextlib
import gc
import itertools
import math
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings

from tests.fuzz import command
from tests.fuzz.__main__ import findings_text, outcome, replay
from tests.fuzz.checks import MEMORY, SECONDS, check_expression, load_everything, target, warm_up
from tests.fuzz.guards import Finding, Overdue, watched, within
from tests.fuzz.inputs import BETWEEN, KINDS, corpus, mixed
from theorycalc.errors import DomainError
from theorycalc.functions.evaluate import compile_defined
from theorycalc.functions.grammar import parse
from theorycalc.model.teacher import Teacher

pytestmark = pytest.mark.slow

#: How many fresh inputs of each kind; the time they take decides.
FRESH = {"expressions": 1000, "numbers": 700, "ranges": 200, "activations": 40, "commands": 60}
LINE = BETWEEN.join(["predict", "--activation", "relu", "--teacher", "H1", "--phi", "1", "--psi", "1", "--ridge", "1"])
#: MB that the process may still hold of what tests before have freed, and that an allocation then does not add to it.
FREED = 600
needs_peaks = pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="Linux counts peaks of memory")


@pytest.fixture(scope="module", autouse=True)
def _everything_is_loaded():
    load_everything()


@contextlib.contextmanager
def no_listeners():
    """Take off Hypothesis's listener of the garbage collector, in which a signal of the watch would be lost."""
    listeners, gc.callbacks[:] = gc.callbacks[:], []
    try:
        yield
    finally:
        gc.callbacks[:] = listeners


@needs_peaks
@pytest.mark.parametrize("kind", KINDS)
def test_seeds_and_fresh_inputs_do_nothing_they_may_not(kind, tmp_path):
    fresh = []

    @settings(max_examples=FRESH[kind])
    @given(mixed(kind))
    def draw(text):
        fresh.append(text)

    draw()  # all of them first: Hypothesis itself compiles text and listens to the collector, which is not watched
    warm_up(kind)
    check = target(kind, tmp_path)
    with no_listeners():
        found = Counter(map(check, [*corpus(kind), *fresh]))
    assert min(found["accepted"], found["refused"]) >= 5  # both ways are gone
    assert found["interrupted"] + found["left out"] < found["refused"]


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


def test_the_end_of_time_is_not_lost_while_an_object_is_deleted():
    class Slow:
        def __del__(self):
            start = time.process_time()
            while time.process_time() - start < 0.1:
                pass

    def endless():
        Slow()
        all(True for _ in itertools.count())

    with pytest.raises(Overdue), within(0.05, lambda: Overdue("late")):
        endless()


def test_time_is_bounded():
    with pytest.raises(Overdue), within(0.05, lambda: Overdue("late")):
        all(True for _ in itertools.count())  # without end, and in Python: a signal is heard between its steps


def endless(*given, **options):
    """Stand for a step of the program that never ends."""
    all(True for _ in itertools.count())


def deaf(*given, **options):
    """Stand for a computation that goes on after Ctrl-C."""
    with contextlib.suppress(KeyboardInterrupt):
        endless()
    endless()


def one_long_step(*given, **options):
    """Stand for a step outside of Python, which hears no signal before its end."""
    sum(range(10**8))


@needs_peaks
@pytest.mark.parametrize(
    ("kind", "text", "step"),
    [
        ("expressions", "x", "tests.fuzz.checks.parse"),
        ("activations", "x", "tests.fuzz.checks.parse"),
        ("activations", "1, 2", "tests.fuzz.checks.read_teacher"),
        ("commands", LINE, "theorycalc.cli.parsing.Command._joined"),
        ("commands", LINE, "theorycalc.numbers.ranges.read_numbers"),
        ("commands", LINE, "theorycalc.model.reading.read_text_teacher"),
    ],
)
def test_reading_without_end_is_a_finding(kind, text, step, monkeypatch, tmp_path):
    check = target(kind, tmp_path)
    monkeypatch.setattr(step, endless)
    monkeypatch.setattr(command, "READING", 0.2)
    monkeypatch.setitem(SECONDS, kind, 0.2)
    with pytest.raises(Finding, match="read for longer"):
        check(text)


@needs_peaks
def test_computing_without_end_is_interrupted_or_left_out(monkeypatch, tmp_path):
    assert target("commands", tmp_path)(LINE + "\n--ell\n1") == "accepted"
    monkeypatch.setattr("theorycalc.predict", endless)
    assert target("commands", tmp_path)(LINE + "\n--ell\n1") == "interrupted"
    monkeypatch.setattr("tests.fuzz.checks.PROOFS", 0.2)
    monkeypatch.setattr("theorycalc.model.formula.FormulaActivation.coefficients", endless)
    assert target("activations", tmp_path)("x") == "left out"


@needs_peaks
@pytest.mark.parametrize("computation", [deaf, one_long_step])
def test_an_end_long_after_ctrl_c_is_a_finding(computation, monkeypatch, tmp_path):
    monkeypatch.setattr("theorycalc.predict", computation)
    monkeypatch.setattr(command, "ENDING", 0.1)
    with pytest.raises(Finding, match="after Ctrl-C"):
        target("commands", tmp_path)(LINE + "\n--ell\n1")


@needs_peaks
@pytest.mark.parametrize("kind", KINDS)
def test_a_large_allocation_is_a_finding(kind, monkeypatch, tmp_path):
    check = target(kind, tmp_path)
    monkeypatch.setattr("tests.fuzz.checks._state", lambda kind, text, folder: len(bytearray(int(text))))
    check(str(MEMORY[kind] * 2**19))  # half of it
    with pytest.raises(Finding, match="MB for one input"):
        check(str((MEMORY[kind] + FREED) * 2**20))


@needs_peaks
def test_small_allocations_that_are_kept_are_a_finding(monkeypatch, tmp_path):
    kept = []
    check = target("numbers", tmp_path)
    monkeypatch.setattr("tests.fuzz.checks.GROWTH", 50)
    monkeypatch.setattr("tests.fuzz.checks._state", lambda *given: kept.append(bytearray(10_000_000)))
    with pytest.raises(Finding, match="more than at the start"):
        [check("1") for _ in range(5 + FREED // 10)]


@needs_peaks
def test_a_replay_goes_on_after_a_finding_and_gives_more_time(monkeypatch, tmp_path):
    seen, granted = [], []

    def state(kind, text, folder):
        seen.append(text)
        if text == "finding":
            raise Finding
        with within(0.1, lambda: Overdue("late")):
            granted.append(signal.getitimer(signal.ITIMER_PROF)[0])
            endless()

    monkeypatch.setattr("tests.fuzz.checks._state", state)
    assert replay("numbers", ["finding", "late", "1"], tmp_path, seconds=60) == 3
    assert seen == ["finding", "late", "1"]
    assert min(granted) > 0.2
    assert replay("numbers", ["late"] * 9, tmp_path, seconds=0.1) < 9


def test_findings_after_the_last_tally_and_ends_of_the_process_count(tmp_path):
    assert outcome(tmp_path, 0) == {"findings": 1}  # no tally: nothing was run
    (tmp_path / "tally.json").write_text('{"refused": 100}')
    assert outcome(tmp_path, 0) == {"refused": 100, "findings": 0}
    assert outcome(tmp_path, 77) == {"refused": 100, "findings": 1}
    (tmp_path / "finding-1.txt").write_text("")
    assert outcome(tmp_path, 0) == {"refused": 100, "findings": 1}


def test_the_page_says_what_was_found():
    clean = {"kind": "numbers", "seed": 1, "findings": 0}
    assert "Nothing was found" in findings_text([clean])
    said = findings_text([clean, {"kind": "ranges", "seed": 2, "findings": 3}])
    assert "Findings in these runs: 3." in said
    assert said.endswith("are in `build/fuzz/ranges/piece-2`.")


def test_a_text_that_is_not_read_back_is_a_finding(monkeypatch):
    monkeypatch.setattr("theorycalc.functions.tree._show", lambda tree, precedence: "x + 1")
    with pytest.raises(Finding, match="is read as"):
        check_expression("x")


def test_the_constant_of_a_teacher_is_told_from_zero_at_once():
    """Sympy simplified it for six seconds; its digits decide."""
    with within(3.0, lambda: Overdue("late")):
        assert Teacher.from_text("2*tanh(e)/(pi*erfc(-pi/sqrt(2))) + H(4, 2)*exp(0.5)").has_mean


def test_a_value_that_overflows_on_the_way_is_refused():
    function = compile_defined(parse("(x + 1)**100*(x + 2)*H28(x + 3)**100"))
    assert function([0.0]) == math.inf  # the value itself is beyond float64
    with pytest.raises(DomainError, match="overflows float64 at x = -2"):
        function([0.0, -2.0])
