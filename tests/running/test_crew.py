"""Every task once, whichever worker dies, and when."""

from __future__ import annotations

import functools
import os
import pickle
import signal
import struct
import sys
import textwrap
import threading
import time
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from tests.helpers.processes import alive, finished, started, wait_until
from tests.running.test_executors import EXPECTED, TASKS, fail_at_one, until_failure, work
from theorycalc.running import crew
from theorycalc.running.crew import WorkerDiedError, WorkError, in_processes

pytestmark = pytest.mark.slow


def die_once(folder: Path, cell: int, index: int) -> dict:
    """Kill the worker the first time this task is done, as a machine out of memory would."""
    if (cell, index) in {(0, 1), (2, 2)}:
        mark = folder / f"{cell}-{index}"
        if not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
    return work(cell, index)


def die_always(cell: int, index: int) -> dict:
    if (cell, index) == (1, 3):
        os._exit(1)
    return work(cell, index)


def die_while_sending(folder: Path, cell: int, index: int) -> dict:
    """Send ten bytes of a thousand, once, and die."""

    def send_some(pipe: Connection, data: bytes) -> None:
        mark.touch()
        os.write(pipe.fileno(), struct.pack("!i", 1000) + bytes(10))
        os.kill(os.getpid(), signal.SIGKILL)

    mark = folder / "died"
    if index == 2 and not mark.exists():
        Connection.send_bytes = send_some
    return work(cell, index)


def test_order_survives_dead_workers(tmp_path):
    tasks = iter(TASKS)  # taken as they are needed
    assert list(in_processes(functools.partial(die_once, tmp_path), tasks, 2, in_order=True)) == list(EXPECTED.items())


def test_without_a_task_no_worker_is_started(monkeypatch):
    monkeypatch.setattr(crew, "start_process", None)
    assert list(in_processes(work, [], 2)) == []


@pytest.mark.parametrize("dies", [die_once, die_while_sending])
def test_dead_workers_are_replaced_and_every_task_arrives_once(tmp_path, dies):
    results = list(in_processes(functools.partial(dies, tmp_path), TASKS, workers=2))
    assert len(results) == len(TASKS)
    assert dict(results) == EXPECTED
    assert list(tmp_path.iterdir())  # they did die


def test_a_task_that_always_kills_is_named():
    arrived, failure = until_failure(in_processes(die_always, TASKS, workers=2))
    assert failure.task == (1, 3)
    assert isinstance(failure.__cause__, WorkerDiedError)
    assert str(failure.__cause__) == "4 worker processes died of it (exit status 1)"
    assert len(arrived) == len(set(arrived)) >= 5


def test_in_order_everything_before_a_failure_arrives():
    arrived, failure = until_failure(in_processes(fail_at_one, TASKS, 2, in_order=True))
    assert failure.task == (1, 2)
    assert arrived == [task for task in TASKS if task < (1, 2)]
    assert "fail_at_one" in "".join(failure.__cause__.__notes__)  # the frames of the worker


class UnreadableError(Exception):
    def __init__(self, one, two):
        super().__init__(one)


class UnsendableError(Exception):
    def __reduce__(self):
        raise TypeError("not this one")


def fail_as_asked(kind):
    if kind == "result":
        return threading.Lock()
    raise UnreadableError(1, 2) if kind == "read" else UnsendableError("as asked")


@pytest.mark.parametrize(
    ("task", "words"),
    [
        ("result", "cannot pickle"),
        ("read", "missing 1 required positional argument"),
        ("send", "UnsendableError: as asked"),
        (threading.Lock(), "cannot pickle"),
    ],
)
def test_what_cannot_be_sent_fails_and_stops_nothing_else(task, words):
    _, failure = until_failure(in_processes(fail_as_asked, [(task,)], 2))
    assert words in str(failure.__cause__)


def first_or_sleep(index: int) -> int:
    if index:
        time.sleep(3600)
    return os.getpid()


def test_closing_ends_workers_whatever_they_compute():
    results = in_processes(first_or_sleep, [(0,), (1,), (2,)], 2)
    _, worker = next(results)
    assert alive(worker)
    results.close()
    assert not alive(worker)


def killing(times: int, monkeypatch) -> list[int]:
    """Kill the first workers as soon as they are started; return the numbers of all."""
    made, start = [], crew.start_process

    def start_and_kill(*given):
        process, pipe = start(*given)
        made.append(process.pid)
        if len(made) <= times:
            process.kill()
        return process, pipe

    monkeypatch.setattr(crew, "start_process", start_and_kill)
    return made


def test_workers_that_are_killed_while_they_start_are_replaced(monkeypatch):
    made = killing(2, monkeypatch)
    assert dict(in_processes(work, TASKS[:1], 2)) == {TASKS[0]: EXPECTED[TASKS[0]]}
    assert len(made) == 3


def test_workers_that_never_start_are_an_error(monkeypatch):
    made = killing(10, monkeypatch)
    with pytest.raises(WorkError, match=r"could not start \(exit status -9\)"):
        list(in_processes(work, TASKS, 1))
    assert len(made) == 3


def test_fewer_processes_than_asked_for_are_enough(monkeypatch):
    most, start = [1], crew.start_process

    def start_some(*given):
        if not most[0]:
            raise BlockingIOError("Resource temporarily unavailable")
        most[0] -= 1
        return start(*given)

    monkeypatch.setattr(crew, "start_process", start_some)
    assert dict(in_processes(work, TASKS, 4)) == EXPECTED
    with pytest.raises(WorkError, match=r"could not start \(Resource temporarily unavailable\)"):
        list(in_processes(work, TASKS, 4))


def script(folder: Path, text: str) -> Path:
    path = folder / "script.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def test_a_script_without_a_guard_is_told_so(tmp_path):
    path = script(
        tmp_path,
        """
        from theorycalc.running.crew import in_processes
        print(dict(in_processes(divmod, [(7, 2)], 2)))
        """,
    )
    done = finished([sys.executable, path], cwd=tmp_path)
    assert done.returncode == 1
    assert "under 'if __name__ == \"__main__\":'" in done.stderr  # at load the resource tracker may warn after it


@pytest.mark.parametrize("blow", [signal.SIGKILL, signal.SIGTERM])
def test_workers_do_not_outlive_a_killed_parent(tmp_path, blow):
    path = script(
        tmp_path,
        """
        import os, time
        from theorycalc.running.crew import in_processes

        def slow(cell, index):
            open("worker", "w").write(str(os.getpid()))
            os.rename("worker", "worker.pid")
            time.sleep(3600)

        if __name__ == "__main__":
            list(in_processes(slow, [(0, 0)], 2))
        """,
    )
    with started([sys.executable, path], cwd=tmp_path) as parent:
        wait_until((tmp_path / "worker.pid").exists, parent)
        worker = int((tmp_path / "worker.pid").read_text())
        parent.send_signal(blow)
        parent.wait()
        wait_until(lambda: not alive(worker))
    assert not alive(worker)


def test_a_worker_answers_each_task_with_a_result_or_an_error(monkeypatch):
    """In a thread; a worker process is killed in the end."""
    here, there = Pipe()
    ended = threading.Event()
    monkeypatch.setattr(os, "_exit", lambda status: ended.set())
    threading.Thread(target=crew._serve, args=(there, divmod, 2.0), daemon=True).start()
    assert here.recv_bytes() == b"ready"
    here.send((7, 2))
    assert here.recv() == ((3, 1), None)
    here.send((7, 0))
    result, error = here.recv()
    assert (result, type(error)) == (None, ZeroDivisionError)
    here.close()
    ended.wait()
    found, error = pickle.loads(crew._outcome(fail_as_asked, pickle.dumps(("send",))))
    assert (found, str(error)) == (None, "UnsendableError: as asked")
