"""Every task once, wherever it is done and whatever dies on the way."""

from __future__ import annotations

import functools
import os
import threading
import time
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from theorycalc._version import __version__
from theorycalc.running import executors
from theorycalc.running.crew import TaskError, WorkError
from theorycalc.running.executors import in_this_process, on_executor, width_of

TASKS = [(cell, index) for cell in range(3) for index in range(5)]


def die(*_) -> None:
    os._exit(1)


def work(cell: int, index: int) -> dict:
    return {"cell": cell, "replicate": index, "value": (cell + 1) / (index + 3)}


def fail_at_one(cell: int, index: int) -> dict:
    if (cell, index) == (1, 2):
        raise ValueError("this one")
    return work(cell, index)


EXPECTED = {task: work(*task) for task in TASKS}


def test_in_this_process_in_order():
    assert list(in_this_process(work, TASKS)) == list(EXPECTED.items())


def test_on_threads():
    with ThreadPoolExecutor(3) as pool:
        results = list(on_executor(work, TASKS, pool, 4))
    assert len(results) == len(TASKS)
    assert dict(results) == EXPECTED


def until_failure(results) -> tuple[list, TaskError]:
    arrived = []
    try:
        for task, _ in results:
            arrived.append(task)
    except TaskError as failure:
        return arrived, failure
    raise AssertionError("nothing failed")


@pytest.mark.parametrize("place", ["here", "threads"])
def test_a_failure_names_its_task_and_keeps_the_others(place):
    with ThreadPoolExecutor(1) as pool:
        results = in_this_process(fail_at_one, TASKS) if place == "here" else on_executor(fail_at_one, TASKS, pool, 3)
        arrived, failure = until_failure(results)
    assert failure.task == (1, 2)
    assert str(failure.__cause__) == "this one"
    assert set(arrived) >= {task for task in TASKS if task < (1, 2)}


class CountingExecutor(Executor):
    """Does nothing until asked for; counts what is under way."""

    def __init__(self):
        self.pending: list[tuple[Future, object]] = []
        self.most = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.loop, daemon=True).start()

    def submit(self, fn, /, *args, **kwargs):
        future: Future = Future()
        with self.lock:
            self.pending.append((future, functools.partial(fn, *args)))
            self.most = max(self.most, len(self.pending))
        return future

    def loop(self):
        while True:
            with self.lock:
                future, call = self.pending.pop() if self.pending else (None, None)
            if future is None:
                time.sleep(0.0005)
            elif future.set_running_or_notify_cancel():
                future.set_result(call())


def test_a_bounded_number_is_under_way():
    executor = CountingExecutor()
    tasks = [(0, index) for index in range(2000)]
    results = list(on_executor(work, tasks, executor, width_of(executor, 1)))
    assert sorted(task for task, _ in results) == tasks
    assert executor.most <= 64


def test_what_is_not_needed_is_cancelled():
    gate = threading.Event()
    begun = []

    def wait_at_the_gate(cell: int, index: int) -> dict:
        begun.append((cell, index))
        if len(begun) > 1:
            gate.wait(5)
        return {}

    with ThreadPoolExecutor(1) as pool:
        results = on_executor(wait_at_the_gate, TASKS, pool, 5)
        next(results)
        results.close()
        gate.set()
    assert len(begun) <= 2  # the one that arrived, and the one under way then


def early_ones_last(cell: int, index: int) -> dict:
    time.sleep(0.002 * (4 - index))
    return work(cell, index)


def test_in_order_if_asked():
    with ThreadPoolExecutor(5) as pool:
        assert list(on_executor(early_ones_last, TASKS, pool, 8, in_order=True)) == list(EXPECTED.items())


def test_what_waits_for_an_earlier_one_is_bounded():
    """With the first task held up, the others run ahead as far as the width and no further."""
    gate, begun = threading.Event(), []

    def held_up(cell: int, index: int) -> dict:
        begun.append(index)
        if index == 0:
            gate.wait(5)
        return {}

    tasks = [(0, index) for index in range(50)]
    threading.Timer(0.2, lambda: (begun.append(-1), gate.set())).start()
    with ThreadPoolExecutor(4) as pool:
        assert [task for task, _ in on_executor(held_up, tasks, pool, 6, in_order=True)] == tasks
    assert begun.index(-1) == 6


def test_the_width_is_what_the_executor_or_the_user_says():
    with ThreadPoolExecutor(3) as pool:
        assert (width_of(pool, 1), width_of(pool, 100)) == (12, 400)
    assert (width_of(Executor(), 1), width_of(Executor(), 1000)) == (64, 4000)


def test_a_pool_of_the_user_that_breaks_is_said_to_be_broken():
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool, pytest.raises(WorkError, match="broke it"):
        list(on_executor(die, TASKS, pool, 2))


class BreaksAtOnce(Executor):
    """Takes one task, and is broken when it is given the next."""

    taken = 0

    def submit(self, fn, /, *args, **kwargs):
        self.taken += 1
        if self.taken > 1:
            raise BrokenExecutor("a worker died")
        return Future()


def test_a_pool_that_is_broken_before_it_is_given_a_task_is_said_to_be_broken():
    with pytest.raises(WorkError, match=r"broke it \(a worker died\)"):
        list(on_executor(work, TASKS, BreaksAtOnce(), 4))


class Elsewhere(Executor):
    """Computes where another version of theorycalc is installed."""

    def submit(self, fn, /, *args, **kwargs):
        future: Future = Future()
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(executors, "__version__", "0.0.1")
            try:
                future.set_result(fn(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)
        return future


def test_a_worker_of_another_version_is_refused():
    with pytest.raises(WorkError, match=rf"has theorycalc 0\.0\.1, and this is {__version__}; install") as stop:
        list(on_executor(work, TASKS, Elsewhere(), 4))
    assert not isinstance(stop.value, TaskError)
