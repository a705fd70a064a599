"""Worker processes for long computations: a page's newest question wins, and time is bounded.

A computation cannot be interrupted inside a process, so one that takes too long, or that nobody waits for any more,
ends with its process, and a new one is started.
"""

from __future__ import annotations

import contextlib
import math
import pickle
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import TypeAlias

from theorycalc.running.processes import received, start_process

#: A question of a page, or its answer: fields of JSON.
Fields: TypeAlias = dict[str, object]

OVERTAKEN: Fields = {"overtaken": True}
_LOOK = 0.05  # seconds between looks at the clock
_MOST_WAITING = 64
_ENDED = "the explorer has ended; start it again with theorycalc explore"


def _refusal(message: str) -> Fields:
    return {"error": {"field": None, "message": message}}


@dataclass(eq=False)
class _Job:
    key: tuple[str, str]  # the page and the kind of its question
    fields: Fields
    seconds: float  # that it may take
    answered: threading.Event = field(default_factory=threading.Event)
    answer: Fields = field(default_factory=dict)
    overtaken: float | None = None  # when

    def finish(self, answer: Fields) -> None:
        self.answer = answer
        self.answered.set()


class Lane:
    """One worker process, and the jobs that wait for it.

    A job ends after ``seconds``, or ``grace`` seconds after a newer one of the same page and kind has come.  One that
    nobody pressed a button for ends after ``unasked`` seconds, so that nothing slow starts by itself.
    """

    def __init__(self, seconds: float, grace: float, unasked: float | None = None) -> None:
        self._seconds, self._grace, self._unasked = seconds, grace, unasked
        self._changed = threading.Condition()
        self._waiting: dict[tuple[str, str], _Job] = {}
        self._running: _Job | None = None
        self._closed = False
        self._process: BaseProcess | None = None
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def ask(self, page: str, kind: str, fields: Fields, pressed: bool = False) -> Fields:
        """Return the answer, or OVERTAKEN if the page has meanwhile asked again or cancelled the question."""
        job = _Job((page, kind), fields, self._seconds if pressed or self._unasked is None else self._unasked)
        with self._changed:
            if self._closed:
                return _refusal(_ENDED)
            older = self._waiting.pop(job.key, None)
            if older is not None:
                older.finish(OVERTAKEN)
            if len(self._waiting) >= _MOST_WAITING:
                return _refusal("too many pages are waiting; close some of them")
            if self._running is not None and self._running.key == job.key and self._running.overtaken is None:
                self._running.overtaken = time.monotonic()
            self._waiting[job.key] = job
            self._changed.notify_all()
        job.answered.wait()
        return job.answer

    def stop(self, page: str, kind: str) -> None:
        """Cancel a page's question at once, whether it is waiting or being answered."""
        with self._changed:
            waiting = self._waiting.pop((page, kind), None)
            if waiting is not None:
                waiting.finish(OVERTAKEN)
            if self._running is not None and self._running.key == (page, kind):
                self._running.overtaken = -math.inf

    def close(self) -> None:
        """End the worker, and notify the pages that are waiting."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        pipe: Connection | None = None
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if self._closed:
                    break
                job = self._running = self._waiting.pop(next(iter(self._waiting)))
            try:
                pipe = pipe or self._start()
                answer = self._run(pipe, job)
            except (OSError, RuntimeError) as error:  # too many processes, or files; the next job tries again
                answer = _refusal(f"no process could be started to compute this ({error}); try again later")
            if answer is None:
                self._stop()
                pipe = None
            with self._changed:
                self._running = None
            job.finish(self._reason(job) if answer is None else answer)
        self._stop()
        for job in self._waiting.values():
            job.finish(_refusal(_ENDED))

    def _run(self, pipe: Connection, job: _Job) -> Fields | None:
        """Return the worker's answer, or None if it was late, was overtaken, or cannot come."""
        try:
            pipe.send((job.key[1], job.fields))
            end = time.monotonic() + job.seconds
            while not pipe.poll(_LOOK):
                overtaken = job.overtaken is not None and time.monotonic() > job.overtaken + self._grace
                if overtaken or self._closed or time.monotonic() > end:
                    return None
            answer: Fields = pipe.recv()
        except (EOFError, OSError):
            return None
        return answer

    def _reason(self, job: _Job) -> Fields:
        if job.overtaken is not None:
            return OVERTAKEN
        if self._closed:
            return _refusal(_ENDED)
        if job.seconds < self._seconds:
            return {
                "refused": f"this takes longer than {job.seconds:g} seconds: start it with its button",
                "slow": True,
            }
        return _refusal(
            f"this was stopped: it took longer than {job.seconds:g} seconds, or more memory than there is; "
            "write the activation or the teacher more simply, or use the library, which has no time limit"
        )

    def _start(self) -> Connection:
        """Start a worker, and return once its imports are done, so that they do not count towards a job's time."""
        self._process, here = start_process(serve)
        while not here.poll(_LOOK) and not self._closed and self._process.is_alive():
            pass
        with contextlib.suppress(EOFError):  # of a worker that died: its first job will say so
            if here.poll():
                here.recv()  # "ready"
        return here

    def _stop(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None


def serve(pipe: Connection) -> None:
    """Answer jobs; this runs in the worker process."""
    from theorycalc.explorer.answers import answer
    from theorycalc.running.executors import blas_pools

    blas_pools().limit(limits=1, user_api="blas")  # small matrices: a second thread only costs
    pipe.send("ready")
    for message in received(pipe):
        # pickled by Connection.send() of the parent, never by a client: those send JSON to the server
        pipe.send(_answer_or_confession(answer, *pickle.loads(message)))


def _answer_or_confession(answer: Callable[[str, Fields], Fields], kind: str, fields: Fields) -> Fields:
    try:
        found: Fields = answer(kind, fields)
    except Exception as error:  # a mistake of ours must not look like one of the user's
        traceback.print_exc()
        return _refusal(f"this is a bug in theorycalc; please report it: {type(error).__name__}: {error}")
    return found
