"""Tasks done in this process, in worker processes, or on any executor, with BLAS held to one thread.

Each way yields every task with its result exactly once, in the order of completion or, with ``in_order``, of the
tasks, and keeps a bounded number of tasks under way.
"""

from __future__ import annotations

import functools
import multiprocessing
import os
import pickle
import signal
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from contextlib import contextmanager
from itertools import chain, islice
from multiprocessing import connection, resource_tracker
from multiprocessing.process import BaseProcess
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from theorycalc.errors import ArgumentError, spelled
from theorycalc.numbers.exact import whole

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Task = TypeVar("Task", bound=tuple[object, ...])  # the arguments of one call of the work
Result = TypeVar("Result")
Results: TypeAlias = Generator[tuple[Task, Result], None, None]
Work: TypeAlias = Callable[..., Result]

_UNKNOWN_WIDTH = 16  # workers of an executor that does not say how many it has
_PER_WORKER = 4  # tasks under way for each worker: enough that none waits, few enough for any scheduler
_MOST_WORKERS = 4096
_MOST_DEATHS = 3  # of the workers of one task, alone in its pool
_LOOK_AGAIN = 0.2  # seconds after which workers that end are looked at again

_lock = threading.Lock()
_pins: list[Any] = []  # one for each block that runs now; only the first of them limited the threads


class WorkError(Exception):
    """Work that cannot be done, for example because no process starts; the message is the reason."""


class TaskError(WorkError):
    """One task failed; the reason is its ``__cause__``."""

    def __init__(self, task: Any) -> None:
        super().__init__(task)
        self.task = task


class BrokenPoolError(WorkError):
    """The executor lost a worker and accepts no more tasks."""

    def __init__(self, unfinished: list[Any], cause: BrokenExecutor) -> None:
        super().__init__(f"a worker of the executor died and broke it ({cause})")
        self.unfinished = unfinished


def check_workers(workers: object, executor: object, payload: object) -> int:
    """Return the number of workers; refuse, before any work, non-executors and work that cannot be sent to one.

    >>> check_workers(2, None, "a payload")
    2
    """
    number = whole(workers, "workers", f"a whole number from 1 to {_MOST_WORKERS}", 1, _MOST_WORKERS)
    if executor is not None and not isinstance(executor, Executor):
        reason = f"executor is a {type(executor).__name__}, not a concurrent.futures.Executor"
        raise ArgumentError(f"{reason}; for a Dask client, pass client.get_executor()", argument="executor")
    if executor is None and number > 1:
        try:
            pickle.dumps(payload)
        except Exception as error:  # pickling a user's function may raise anything
            reason = f"the problem cannot be sent to worker processes ({error}); use {spelled('workers', 1)}"
            raise ArgumentError(f"{reason}, or write its activation as text", argument="workers") from None
    return number


def done_by(
    work: Work[Result], tasks: Iterable[Task], workers: int, executor: Executor | None, in_order: bool = False
) -> Results[Task, Result]:
    """Yield the results of tasks done on an executor if there is one, else in this process or in worker processes.

    >>> list(done_by(divmod, [(7, 2)], workers=1, executor=None))
    [((7, 2), (3, 1))]
    """
    if executor is not None:
        return on_executor(work, tasks, executor, width_of(executor, workers), in_order)
    return in_this_process(work, tasks) if workers == 1 else in_processes(work, tasks, workers, in_order)


def in_this_process(work: Work[Result], tasks: Iterable[Task]) -> Results[Task, Result]:
    """Yield the results of tasks done one after another in this process.

    >>> list(in_this_process(lambda cell, index: {"sum": cell + index}, [(0, 1), (1, 1)]))
    [((0, 1), {'sum': 1}), ((1, 1), {'sum': 2})]
    """
    for task in tasks:
        try:
            result = work(*task)
        except Exception as error:
            raise TaskError(task) from error
        yield task, result


def width_of(executor: Executor, workers: int) -> int:
    """Return the number of tasks given to an executor at a time: four per worker that it has or is said to have.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> width_of(ThreadPoolExecutor(3), 1)
    12
    """
    known = getattr(executor, "_max_workers", _UNKNOWN_WIDTH)
    return _PER_WORKER * max(workers, known if isinstance(known, int) else _UNKNOWN_WIDTH)


def on_executor(
    work: Work[Result], tasks: Iterable[Task], executor: Executor, width: int, in_order: bool = False
) -> Results[Task, Result]:
    """Yield the results of an executor's tasks, at most ``width`` at a time; closing the generator cancels the rest.

    With ``in_order`` a result that waits for an earlier one counts as under way, so that memory is bounded, too.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     sorted(task for task, _ in on_executor(lambda cell, index: {}, [(0, 0), (0, 1), (0, 2)], pool, 2))
    [(0, 0), (0, 1), (0, 2)]
    """
    waiting = iter(tasks)
    running: dict[Future[Result], Task] = {}
    try:
        while True:
            for task in islice(waiting, width - len(running)):
                running[_submit(executor, work, task, running)] = task
            if not running:
                return
            awaited = list(islice(running, 1 if in_order else None))
            finished, _ = futures.wait(awaited, return_when=futures.FIRST_COMPLETED)
            failed = [future for future in finished if future.cancelled() or future.exception() is not None]
            for future in finished.difference(failed):
                yield running.pop(future), future.result()
            for future in failed:
                _give_up(future, running)
    finally:
        for future in running:
            future.cancel()


def _submit(executor: Executor, work: Work[Result], task: Task, running: dict[Future[Result], Task]) -> Future[Result]:
    try:
        return executor.submit(work, *task)
    except BrokenExecutor as error:
        raise BrokenPoolError([*running.values(), task], error) from error
    except RuntimeError as error:  # it was shut down
        raise TaskError(task) from error


def _give_up(future: Future[Result], running: dict[Future[Result], Task]) -> None:
    if future.cancelled():
        raise TaskError(running[future]) from futures.CancelledError("the executor cancelled it")
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        raise BrokenPoolError(list(running.values()), error) from error
    raise TaskError(running[future]) from error


def in_processes(
    work: Work[Result], tasks: Iterable[Task], workers: int, in_order: bool = False
) -> Results[Task, Result]:
    """Yield the results of tasks in worker processes; if one dies, restart them and repeat the tasks in progress.

    Any of the tasks under way can have killed the worker.  Each of them is therefore repeated alone: one whose
    worker dies three more times raises :class:`TaskError`.
    """
    waiting = iter(tasks)
    first = list(islice(waiting, 1))
    waiting = chain(first, waiting)
    more = bool(first)  # without a task no worker is started
    suspects: deque[Task] = deque()
    deaths = 0  # of the workers of the first suspect
    attempts = 1  # a script that cannot start workers fails at once
    while more or suspects:
        pool = _new_pool(workers, attempts)
        attempts = _MOST_DEATHS
        try:
            while suspects:
                yield from on_executor(work, [suspects[0]], pool, 1)
                suspects.popleft()
                deaths = 0
            yield from on_executor(work, waiting, pool, _PER_WORKER * workers, in_order)
            more = False
        except BrokenPoolError as broken:
            if suspects:
                deaths += 1
                if deaths == _MOST_DEATHS:
                    raise TaskError(suspects[0]) from broken.__cause__
            else:
                suspects.extend(broken.unfinished)
        finally:
            _shut_down(pool)


def _shut_down(pool: ProcessPoolExecutor) -> None:
    """Cancel tasks that no worker has begun, and wait for the workers to end."""
    workers = list((pool._processes or {}).values())  # Python 3.14 is the first to offer them
    guard = threading.Thread(target=end_together, args=(workers,), daemon=True)
    guard.start()
    pool.shutdown(cancel_futures=True)
    guard.join()


def end_together(workers: Sequence[BaseProcess]) -> None:
    """Wait for workers to end, and kill all of them once one was killed.

    It may have held the lock of the queue that the others read: they would never end, and a pool that was told to shut
    down before it noticed the death would wait for them.
    """
    while alive := [worker for worker in workers if worker.exitcode is None]:
        if len(alive) < len(workers) and any(worker.exitcode for worker in workers):
            for worker in alive:
                worker.kill()
        connection.wait([worker.sentinel for worker in alive], _LOOK_AGAIN)


def _new_pool(workers: int, attempts: int) -> ProcessPoolExecutor:
    """Return a new pool of worker processes, after waiting for the first to start.

    They are spawned, not forked: a fork copies the locks of BLAS's threads in any state.
    """
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_prepare_worker)
    try:
        with _interrupts_held():
            started = [pool.submit(os.getpid) for _ in range(workers)]  # each task starts one more
        started[0].result()
    except (BrokenExecutor, RuntimeError):  # the latter in a worker that runs the script again
        _shut_down(pool)
        if attempts > 1:
            return _new_pool(workers, attempts - 1)
        raise WorkError(
            "the worker processes could not start; they import the script that is run, so workers > 1 must be asked "
            "for under 'if __name__ == \"__main__\":' and from a file or a prompt, not from standard input; "
            f"{spelled('workers', 1)} needs none"
        ) from None
    return pool


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold back Ctrl-C in processes started here until they are prepared; Python would print a traceback."""
    if not hasattr(signal, "pthread_sigmask"):  # pragma: no cover - another operating system
        yield
        return
    resource_tracker.ensure_running()  # its own start lets signals through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _prepare_worker() -> None:
    """Let a worker end silently on Ctrl-C, and when its parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):  # pragma: no branch - another operating system
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with, args=(multiprocessing.parent_process(),), daemon=True).start()


def _end_with(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)  # pragma: no cover - tested, but a killed worker writes no data


@functools.cache
def blas_pools() -> ThreadpoolController:
    """Return the BLAS libraries of this process, looked up once, since that takes longer than a small replicate.

    >>> blas_pools() is blas_pools()
    True
    """
    from scipy import linalg  # noqa: F401 - loads scipy's own BLAS, so that its threads are limited too
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread while any block of this kind runs in this process.

    The limit holds for the whole process.  If the first of two threads to finish lifted it, the other would continue
    with more BLAS threads, and its last bits would change; so the last one lifts it.
    """
    with _lock:
        _pins.append(None if _pins else blas_pools().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            pin = _pins.pop()
            if pin is not None:  # the first to come is popped when the last has gone
                pin.restore_original_limits()
