"""The explorer's work that may take long: bounded, overtaken, and done by workers that may die."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from theorycalc.web.lanes import OVERTAKEN, Lane, _answer_or_confession

COSTLY = "sin(exp(x)) + x"  # minutes: its coefficients are oscillating integrals


@pytest.fixture
def lane():
    made = Lane(seconds=3, grace=0.2)
    yield made
    made.close()


def in_thread(lane: Lane, page: str, fields: dict[str, str]):
    found: list[dict] = []
    thread = threading.Thread(target=lambda: found.append(lane.ask(page, "now", fields)))
    thread.start()
    return thread, found


def test_time_is_bounded_and_the_next_question_is_answered(lane):
    assert lane.ask("page", "now", {})["ell"] == 2
    start = time.monotonic()
    refused = lane.ask("page", "now", {"activation": COSTLY})
    assert "it took longer than 3 seconds" in refused["error"]["message"]
    assert 3 <= time.monotonic() - start < 30  # others may be busy on the machine; without a bound it has no end
    assert lane.ask("page", "now", {})["ell"] == 2


def test_the_newest_question_of_a_page_wins(lane):
    lane.ask("page", "now", {})
    costly, first = in_thread(lane, "page", {"activation": COSTLY})
    time.sleep(0.3)
    waiting, second = in_thread(lane, "page", {"alpha": "0.1"})
    other, third = in_thread(lane, "another page", {"alpha": "0.35"})
    time.sleep(0.05)
    assert lane.ask("page", "now", {"alpha": "0.3"})["ell"] == 2
    for thread in (costly, waiting, other):
        thread.join()
    assert first == second == [OVERTAKEN]
    assert third[0]["ell"] == 3


def test_a_worker_that_dies_is_replaced(lane):
    lane.ask("page", "now", {})
    assert lane._process is not None
    os.kill(lane._process.pid, signal.SIGKILL)
    assert "given up" in lane.ask("page", "now", {})["error"]["message"]
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
    assert "a mistake of theorycalc; please report it: ZeroDivisionError" in found["error"]["message"]
    assert "Traceback" in capsys.readouterr().err


def test_closing_tells_whoever_waits():
    lane = Lane(seconds=60, grace=1)
    thread, found = in_thread(lane, "page", {"activation": COSTLY})
    time.sleep(0.2)
    lane.close()
    thread.join()
    assert "the explorer has ended" in found[0]["error"]["message"]
    assert "the explorer has ended" in lane.ask("page", "now", {})["error"]["message"]
