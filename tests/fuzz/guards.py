"""What watches while an input is read: nothing is executed or written, and time and memory are bounded."""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from tests.helpers.memory import peak_memory

#: Events of sys.addaudithook that mean text was run, or code was made or loaded.
EXECUTED = ("exec", "compile", "import", "code.__new__", "marshal.loads", "pickle.find_class", "ctypes.dlopen")
#: Events that reach out of the process. A command line may do so; the sandbox says no.
OUTSIDE = ("os.system", "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "subprocess.Popen", "socket.")
#: Events that change the file system, each with the paths among its arguments.
CHANGED = {
    "os.remove": 1, "os.rename": 2, "os.mkdir": 1, "os.rmdir": 1, "os.link": 2, "os.symlink": 2, "os.truncate": 1,
    "os.chmod": 1, "os.chown": 1, "shutil.rmtree": 1, "os.utime": 1,
}  # fmt: skip
_SOON = 0.01  # seconds of processor time
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


class Finding(AssertionError):  # noqa: N818 - what fuzzers call it
    """An input did what no input may do."""


class Overdue(BaseException):
    """The time of an input is over; no ``except Exception`` holds it up."""


class TooLarge(Exception):  # noqa: N818 - no error
    """A request that is fair and takes long: not an input of the fuzzer."""


class _Watch:
    """What the audit hook knows: it cannot be taken off again, only told to look away."""

    def __init__(self) -> None:
        self.folder: Path | None = None
        self.active = False
        self.installed = False
        self.blind = False
        self.slack = 1.0
        self.seen: list[str] = []
        self.denied: list[str] = []

    def hook(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.active:
            return
        if event in EXECUTED:
            if not self.blind and not _is_of_a_library():
                self._found(event, arguments)
        elif event.startswith(OUTSIDE):
            self._refused(event, arguments)
        elif event == "open":
            path, mode, flags = arguments
            writes = any(letter in mode for letter in "wax+") if isinstance(mode, str) else flags & _WRITES
            if writes and not self._is_inside(path):
                self._refused(event, arguments)
        elif event in CHANGED and not all(map(self._is_inside, arguments[: CHANGED[event]])):
            self._refused(event, arguments)

    def _is_inside(self, path: Any) -> bool:
        if path == os.devnull:
            return True
        if self.folder is None or not isinstance(path, (str, bytes, os.PathLike)):
            return False
        return Path(os.path.realpath(os.fsdecode(path))).is_relative_to(self.folder)

    def _found(self, event: str, arguments: tuple[Any, ...]) -> NoReturn:
        self.seen.append(f"{event}{arguments!r:.200}")
        raise Finding(self.seen[-1])

    def _refused(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.folder is None:
            self._found(event, arguments)
        self.denied.append(event)
        raise PermissionError(f"not allowed while fuzzing: {event}")


def _is_of_a_library() -> bool:
    """Whether a library runs code of its own making, in which no text of a user is.

    sympy writes the product of monomials for as many letters as a formula has; fontTools, which matplotlib embeds
    fonts in PDF with, evaluates conditions of its own tables.
    """
    file = sys._getframe(2).f_code.co_filename
    return file.endswith(("/sympy/polys/monomials.py", "/fontTools/ttLib/tables/otBase.py"))


_WATCH = _Watch()


@contextmanager
def watched(folder: Path | None = None) -> Iterator[list[str]]:
    """Refuse what is executed; writing and reaching out too, which with a ``folder`` is an error of the system.

    Files may be written in the folder.  Gives the list of what was denied.
    """
    if not _WATCH.installed:
        sys.addaudithook(_WATCH.hook)
        _WATCH.installed = True
    _WATCH.folder = None if folder is None else folder.resolve()
    _WATCH.seen, _WATCH.denied, _WATCH.active = [], [], True
    try:
        yield _WATCH.denied
    finally:
        _WATCH.active = False
    if _WATCH.seen:  # even where the code under test has swallowed the exception
        raise Finding(_WATCH.seen[0])


@contextmanager
def unwatched(slack: float) -> Iterator[None]:
    """Look away: what other packages import when they are first used is no finding, and time is ``slack`` as long."""
    _WATCH.blind, _WATCH.slack = True, slack
    try:
        yield
    finally:
        _WATCH.blind, _WATCH.slack = False, 1.0


@contextmanager
def within(seconds: float, late: Callable[[], BaseException]) -> Iterator[None]:
    """Raise ``late()`` once after so many seconds of processor time; others may be busy on the machine."""

    def stop(signum: int, frame: Any) -> NoReturn:
        raise late()

    with _timer(seconds * _WATCH.slack, 0, stop):
        yield


@contextmanager
def impatient(patience: float, ending: float) -> Iterator[None]:
    """Send Ctrl-C after ``patience`` seconds of processor time; what has not ended ``ending`` later is overdue."""
    patience, ending = patience * _WATCH.slack, ending * _WATCH.slack
    start, interrupted = time.process_time(), False

    def stop(signum: int, frame: Any) -> NoReturn:
        nonlocal interrupted
        # a signal is heard between steps of Python: one step that is too long holds both of them up
        if interrupted or time.process_time() - start > patience + ending:
            raise Overdue(f"no end {ending:g} s after Ctrl-C")
        interrupted = True
        raise KeyboardInterrupt

    with _timer(patience, ending, stop):
        yield


@contextmanager
def _timer(seconds: float, again: float, stop: Callable[[int, Any], NoReturn]) -> Iterator[None]:
    def heard(signum: int, frame: Any) -> None:
        if _swallows(frame):
            signal.setitimer(signal.ITIMER_PROF, _SOON, again)
        else:
            stop(signum, frame)

    before = signal.signal(signal.SIGPROF, heard)
    signal.setitimer(signal.ITIMER_PROF, seconds, again)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _swallows(frame: Any) -> bool:
    """Whether Python is in a callback of a weak reference or in a ``__del__``, which lose every exception."""
    codes = (here.f_code for here, _ in traceback.walk_stack(frame))
    return any(code.co_filename == weakref.__file__ or code.co_name == "__del__" for code in codes)


def forget_peak() -> float:
    """Let the peak of memory begin anew, and return what the process has now, in MB."""
    with open("/proc/self/clear_refs", "wb", buffering=0) as peak:
        peak.write(b"5")
    return peak_memory()
