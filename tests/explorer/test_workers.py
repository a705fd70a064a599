"""The explorer's work that may take long: bounded, overtaken, and done by workers that may die."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from tests.helpers.processes import PATIENCE, wait_until
from theorycalc.explorer.workers import OVERTAKEN, Lane, _answer_or_confession

pytestmark = pytest.mark.slow

COSTLY = "sin(exp(x)) + x"  # minutes: its coefficients are oscillating integrals


@pytest.fixture
def lane():
    made = Lane(seconds=PATIENCE, grace=1)
    yield made
    made.close()


def in_thread(lane: Lane, page: str, fields: dict[str, str]):
    found: list[dict] = []
    thread = threading.Thread(target=lambda: found.append(lane.ask(page, "now", fields)))
    thread.start()
    return thread, found


def test_time_is_bounded_and_the_next_question_is_answered(lane):
    assert lane.ask("page", "now", {})["ell"] == 2
    lane._seconds = 0.5
    refused = lane.ask("page", "now", {"activation": COSTLY})
    assert "it took longer than 0.5 seconds" in refused["error"]["message"]
    lane._seconds = PATIENCE
    assert lane.ask("page", "now", {})["ell"] == 2


def test_nothing_slow_starts_by_itself(lane):
    lane._unasked = 0.5
    assert lane.ask("page", "now", {"activation": COSTLY}) == {
        "refused": "this takes longer than 0.5 seconds: start it with its button",
        "slow": True,
    }
    assert lane.ask("page", "now", {}, pressed=True)["ell"] == 2  # in a new process, which takes longer to start


def test_what_a_page_waits_for_can_be_stopped(lane):
    lane._grace = PATIENCE
    running, first = in_thread(lane, "page", {"activation": COSTLY})
    wait_until(lambda: lane._running)
    waiting, second = in_thread(lane, "another page", {"activation": COSTLY})
    wait_until(lambda: len(lane._waiting) == 1)
    lane.stop("no page", "now")
    lane.stop("page", "finite")
    assert lane._running.overtaken is None
    assert len(lane._waiting) == 1
    lane.stop("another page", "now")
    waiting.join()
    lane.stop("page", "now")
    running.join()
    assert first == second == [OVERTAKEN]
    assert lane.ask("page", "now", {})["ell"] == 2


def test_the_newest_question_of_a_page_wins(lane):
    lane._grace = PATIENCE  # the first is at work until all have asked
    costly, first = in_thread(lane, "page", {"activation": COSTLY})
    wait_until(lambda: lane._running)
    waiting, second = in_thread(lane, "page", {"alpha": "0.1"})
    other, third = in_thread(lane, "another page", {"alpha": "0.35"})
    wait_until(lambda: len(lane._waiting) == 2)
    newest, fourth = in_thread(lane, "page", {"alpha": "0.3"})
    waiting.join()
    lane._grace = 0.2
    for thread in (costly, other, newest):
        thread.join()
    assert first == second == [OVERTAKEN]
    assert (third[0]["ell"], fourth[0]["ell"]) == (3, 2)


def test_a_worker_that_dies_is_replaced(lane):
    lane.ask("page", "now", {})
    assert lane._process is not None
    os.kill(lane._process.pid, signal.SIGKILL)
    assert "was stopped" in lane.ask("page", "now", {})["error"]["message"]
    assert lane.ask("page", "now", {})["ell"] == 2


def test_a_worker_that_cannot_start_is_said_and_tried_again(lane, monkeypatch):
    def refuse():
        raise BlockingIOError("Resource temporarily unavailable")

    with monkeypatch.context() as patched:
        patched.setattr(lane, "_start", refuse)
        assert "no process could be started" in lane.ask("page", "now", {})["error"]["message"]
    assert lane.ask("page", "now", {})["ell"] == 2


def test_a_mistake_of_ours_is_called_one(capsys):
    found = _answer_or_confession(lambda kind, fields: 1 // 0, "now", {})
    assert "a bug in theorycalc; please report it: ZeroDivisionError" in found["error"]["message"]
    assert "Traceback" in capsys.readouterr().err


def test_closing_tells_whoever_waits():
    lane = Lane(seconds=PATIENCE, grace=1)
    thread, found = in_thread(lane, "page", {"activation": COSTLY})
    wait_until(lambda: lane._running)
    lane.close()
    thread.join()
    assert "the explorer has ended" in found[0]["error"]["message"]
    assert "the explorer has ended" in lane.ask("page", "now", {})["error"]["message"]
