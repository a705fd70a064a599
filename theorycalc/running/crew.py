"""A crew of worker processes, each with a pipe of its own: one that dies takes neither a result nor another with it.

The workers of a ProcessPoolExecutor share a pipe, and all wait for ever if one is killed while it sends a result.
"""

from __future__ import annotations

import contextlib
import traceback
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Generic, TypeAlias, TypeVar

from theorycalc.errors import spelled
from theorycalc.running.budget import allow, allowed
from theorycalc.running.processes import interrupts_held, received, start_process

Task = TypeVar("Task", bound=tuple[object, ...])  # the arguments of one call of the work
Result = TypeVar("Result")
Results: TypeAlias = Generator[tuple[Task, Result], None, None]
Work: TypeAlias = Callable[..., Result]

_AHEAD = 2  # tasks given to a worker: the one it computes, and the next, so that it need not wait for it
_PER_WORKER = 4  # tasks under way for each worker, those that wait for an earlier one among them
_MOST_DEATHS = 3  # of the workers of one task that is computed alone, or of workers that start


class WorkError(Exception):
    """Work that cannot be done, for example because no process starts; the message is the reason."""


class TaskError(WorkError):
    """One task failed; the reason is its ``__cause__``."""

    def __init__(self, task: Any) -> None:
        super().__init__(task)
        self.task = task


class WorkerDiedError(Exception):
    """Every worker process that was given the task died."""


@dataclass(eq=False)
class _Job(Generic[Task, Result]):
    task: Task
    deaths: int = 0  # of workers that computed it
    done: list[Result] = field(default_factory=list)  # its result
    error: Exception | None = None


@dataclass(eq=False)
class _Worker(Generic[Task, Result]):
    process: BaseProcess
    pipe: Connection
    given: deque[_Job[Task, Result]] = field(default_factory=deque)  # it computes the first
    ready: bool = False

    def give(self, job: _Job[Task, Result]) -> None:
        try:
            data = ForkingPickler.dumps(job.task)
        except Exception as error:  # a user's function is part of it
            job.error = error
            return
        self.given.append(job)
        with contextlib.suppress(OSError):  # it has died, as its pipe will say
            self.pipe.send_bytes(data)

    def receive(self) -> None:
        """Read that it is ready, or a result; raise EOFError or OSError if it has died."""
        data = self.pipe.recv_bytes()
        if not self.ready:
            self.ready = True
            return
        job = self.given.popleft()
        try:
            result, job.error = ForkingPickler.loads(data)
        except Exception as error:  # a user's class that cannot be read back
            job.error = error
        else:
            job.done.append(result)


class _Crew(Generic[Task, Result]):
    """The workers of one call, and the jobs that are under way.

    A job whose worker died is repeated alone: one that needs too much memory beside others then succeeds.
    """

    def __init__(self, work: Work[Result], tasks: Iterable[Task], most: int, in_order: bool) -> None:
        self._work, self._most, self._in_order = work, most, in_order
        self._jobs: Iterator[_Job[Task, Result]] = map(_Job, tasks)
        self._members: list[_Worker[Task, Result]] = []
        self.under_way: list[_Job[Task, Result]] = []  # in the order of the tasks
        self._again: deque[_Job[Task, Result]] = deque()  # left by a worker that died
        self._suspects: deque[_Job[Task, Result]] = deque()  # that were computed then
        self._failed_starts = 0  # since a worker was ready
        self._has_worked = False

    def hand_out(self) -> None:
        """Give jobs to workers, and start workers as long as there are jobs."""
        if self._suspects:
            if not any(worker.given for worker in self._members):
                self._least_busy().give(self._suspects[0])
            return
        while self._has_room() and (job := self._next()) is not None:
            self._least_busy().give(job)

    def _has_room(self) -> bool:
        return len(self._members) < self._most or any(len(worker.given) < _AHEAD for worker in self._members)

    def _next(self) -> _Job[Task, Result] | None:
        if self._again:
            return self._again.popleft()
        job = next(self._jobs, None) if len(self.under_way) < _PER_WORKER * self._most else None
        if job is not None:
            self.under_way.append(job)
        return job

    def _least_busy(self) -> _Worker[Task, Result]:
        """Return a worker with the fewest jobs; start one rather than let one wait for another."""
        if len(self._members) < self._most and all(worker.given for worker in self._members):
            try:
                self._members.append(_Worker(*start_process(_serve, self._work, allowed())))
            except (OSError, RuntimeError, AssertionError) as error:  # the last of a process that may start none
                if not self._members:
                    raise WorkError(_cannot_start(error)) from None
                self._most = len(self._members)
        return min(self._members, key=lambda worker: len(worker.given))

    def wait(self) -> None:
        """Wait until a worker is ready, has a result or has died."""
        heard = connection.wait([worker.pipe for worker in self._members])
        for worker in [worker for worker in self._members if worker.pipe in heard]:
            try:
                worker.receive()
            except (EOFError, OSError):
                self._replace(worker)
            else:
                self._failed_starts, self._has_worked = 0, True

    def _replace(self, dead: _Worker[Task, Result]) -> None:
        """Take the jobs back from a worker that died; the first of them may be the reason."""
        self._members.remove(dead)
        _end([dead])
        status = dead.process.exitcode or 0  # negative if it was killed
        if not dead.ready:
            self._failed_starts += 1
            if self._failed_starts == _MOST_DEATHS or (status > 0 and not self._has_worked):
                raise WorkError(_cannot_start(f"exit status {status}"))
        elif dead.given:
            suspect = dead.given.popleft()
            suspect.deaths += 1
            if suspect.deaths > _MOST_DEATHS:
                suspect.error = WorkerDiedError(f"{suspect.deaths} worker processes died of it (exit status {status})")
            elif suspect not in self._suspects:
                self._suspects.append(suspect)
        self._again.extendleft(job for job in reversed(dead.given) if job not in self._suspects)

    def finished(self) -> list[_Job[Task, Result]]:
        """Return the jobs that are no longer under way, those that failed last; in order, those before any that is."""
        count = len(self.under_way)
        if self._in_order:
            count = next((i for i, job in enumerate(self.under_way) if not _is_over(job)), count)
        over = [job for job in self.under_way[:count] if _is_over(job)]
        self.under_way = [job for job in self.under_way if job not in over]
        self._suspects = deque(job for job in self._suspects if job not in over)
        return over if self._in_order else sorted(over, key=lambda job: job.error is not None)

    def end(self) -> None:
        """Kill the workers, whatever they do."""
        _end(self._members)


def in_processes(
    work: Work[Result], tasks: Iterable[Task], workers: int, in_order: bool = False
) -> Results[Task, Result]:
    """Yield the results of tasks in worker processes; if one dies, start another and repeat its task.

    A task is repeated alone, and one whose worker then dies three more times raises :class:`TaskError`.
    """
    crew = _Crew(work, tasks, workers, in_order)
    try:
        while True:
            crew.hand_out()
            finished = crew.finished()
            if not finished and not crew.under_way:
                return
            for job in finished:
                if job.error is not None:
                    raise TaskError(job.task) from job.error
                yield job.task, job.done[0]
            if not finished:
                crew.wait()
    finally:
        crew.end()


def _is_over(job: _Job[Any, Any]) -> bool:
    return bool(job.done) or job.error is not None


def _cannot_start(reason: object) -> str:
    return (
        f"the worker processes could not start ({reason}); they import the script that is run, so workers > 1 must be "
        "asked for under 'if __name__ == \"__main__\":' and from a file or a prompt, not from standard input; "
        f"{spelled('workers', 1)} needs none"
    )


def _end(workers: Iterable[_Worker[Any, Any]]) -> None:
    with interrupts_held():
        for worker in workers:
            worker.process.kill()
        for worker in workers:
            worker.process.join()
            worker.pipe.close()


def _serve(pipe: Connection, work: Work[object], seconds: float) -> None:
    allow(seconds)
    pipe.send_bytes(b"ready")
    for message in received(pipe):
        pipe.send_bytes(_outcome(work, message))


def _outcome(work: Work[object], message: bytes) -> bytes:
    """Return the result and the exception of a task, one of them None, as bytes."""
    try:
        return bytes(ForkingPickler.dumps((work(*ForkingPickler.loads(message)), None)))
    except Exception as error:  # also of a result that cannot be sent
        error.add_note("".join(traceback.format_exception(error)))  # its frames are not sent
        try:
            return bytes(ForkingPickler.dumps((None, error)))
        except Exception:  # it holds what cannot be sent
            return bytes(ForkingPickler.dumps((None, RuntimeError(f"{type(error).__name__}: {error}"))))
