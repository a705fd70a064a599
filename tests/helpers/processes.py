"""Processes that tests and measurements start: they hear signals, and none of them outlives whoever started it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

PATIENCE = 600  # seconds: this ends a hang and judges nothing, since a busy machine may take ten times as long


def heed_signals() -> None:
    """Let this process and its children be interrupted, and let SIGTERM run what ends the children.

    In the background of a shell script a process starts with SIGINT ignored: Python raises no KeyboardInterrupt, and
    its children ignore the signal, too.  Of a handler they inherit nothing, and start with the default.  After nohup
    this process still ignores SIGHUP, by a handler that does nothing; a closed terminal does not reach the sessions
    that it starts.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) == signal.SIG_IGN:
        signal.signal(signal.SIGHUP, lambda *_: None)


@contextlib.contextmanager
def started(
    words: Sequence[str | os.PathLike[str]], patience: float = PATIENCE, **options: Any
) -> Iterator[subprocess.Popen[Any]]:
    """Start a process in a session of its own, as a terminal does; in the end it is killed, and its workers with it.

    It is killed after ``patience`` seconds, too: then everything that waits for it or reads from it comes to an end.
    """
    with subprocess.Popen(words, start_new_session=True, **options) as process:
        late = threading.Timer(patience, _kill, [process])
        late.daemon = True
        late.start()
        try:
            yield process
        finally:
            late.cancel()
            _kill(process)


def _kill(process: subprocess.Popen[Any]) -> None:
    with contextlib.suppress(ProcessLookupError):  # all of them have ended
        os.killpg(process.pid, signal.SIGKILL)


def finished(words: Sequence[str | os.PathLike[str]], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run a command to its end and return its status and what it said."""
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
    with started(words, **pipes | options) as process:
        out, err = process.communicate()
    return subprocess.CompletedProcess(process.args, process.returncode, out, err)


def wait_until(condition: Callable[[], object], process: subprocess.Popen[Any] | None = None) -> None:
    """Wait for an event; fail when the process that should bring it about has ended, or patience has."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert process is None or process.poll() is None or condition(), f"it ended with {process.returncode} before"
        assert time.monotonic() < end, f"it did not happen within {PATIENCE} s"
        time.sleep(0.005)


def alive(pid: int) -> bool:
    """Whether a process runs; one that nobody has waited for yet does not."""
    return _state(pid)[0] != "Z"


def members(session: int) -> list[tuple[int, str]]:
    """Return the running processes of a session, as of one that was started here with its workers, and their words."""
    found = []
    for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
        state, of = _state(pid)
        with contextlib.suppress(OSError):  # it has ended
            if of == session and state != "Z":
                found.append((pid, Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8").replace("\0", " ")))
    return found


def _state(pid: int) -> tuple[str, int]:
    """Return the state of a process, as Linux calls it, and its session."""
    try:
        words = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return "Z", 0
    return words[0], int(words[3])
