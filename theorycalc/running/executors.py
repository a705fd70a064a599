"""Tasks done in this process, in worker processes, or on any executor, with BLAS held to one thread.

Each way yields every task with its result exactly once, in the order of completion or, with ``in_order``, of the
tasks, and keeps a bounded number of tasks under way.
"""

from __future__ import annotations

import functools
import pickle
import threading
from collections.abc import Iterable, Iterator
from concurrent import futures
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from theorycalc._version import __version__
from theorycalc.errors import ArgumentError, spelled
from theorycalc.numbers.exact import whole
from theorycalc.running.crew import Result, Results, Task, TaskError, Work, WorkError, in_processes

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

_UNKNOWN_WIDTH = 16  # workers of an executor that does not say how many it has
_PER_WORKER = 4  # tasks under way for each worker: enough that none waits, few enough for any scheduler
_MOST_WORKERS = 4096

_lock = threading.Lock()
_pins: list[Any] = []  # one for each block that runs now; only the first of them limited the threads


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
                running[_submit(executor, work, task)] = task
            if not running:
                return
            awaited = list(islice(running, 1 if in_order else None))
            finished, _ = futures.wait(awaited, return_when=futures.FIRST_COMPLETED)
            failed = [future for future in finished if future.cancelled() or future.exception() is not None]
            for future in finished.difference(failed):
                yield running.pop(future), future.result()
            for future in failed:
                _give_up(future, running[future])
    finally:
        for future in running:
            future.cancel()


def _submit(executor: Executor, work: Work[Result], task: Task) -> Future[Result]:
    try:
        return executor.submit(_in_version, __version__, work, *task)
    except BrokenExecutor as error:
        raise _broken(error) from error
    except (RuntimeError, OSError) as error:  # it was shut down, or its connection was
        raise TaskError(task) from error


def _in_version(version: str, work: Work[Result], *task: object) -> Result:
    """Do one task where the executor computes; refuse if another theorycalc is installed there."""
    if version != __version__:
        reason = f"a worker of the executor has theorycalc {__version__}, and this is {version}"
        raise WorkError(f"{reason}; install the same version everywhere")
    return work(*task)


def _give_up(future: Future[Result], task: Task) -> None:
    if future.cancelled():
        raise WorkError("the executor cancelled its tasks: it was closed, or is a Dask cluster without its scheduler")
    error = future.exception()
    if isinstance(error, BrokenExecutor):
        raise _broken(error) from error
    if isinstance(error, WorkError):
        raise error
    raise TaskError(task) from error


def _broken(error: BrokenExecutor) -> WorkError:
    return WorkError(f"a worker of the executor died and broke it ({error})")


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
