"""Worker processes: Ctrl-C is for their parent, which kills them, and never reaches them; they end when it does."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from types import FrameType

_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


def start_process(serve: Callable[..., None], *given: object) -> tuple[BaseProcess, Connection]:
    """Start a process that serves one end of a pipe, and return it with the other end.

    It is spawned, not forked: a fork copies the locks of BLAS's threads in any state.
    """
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there, *given), daemon=True)
    if os.name == "posix":  # pragma: no branch - another operating system
        with interrupts_held():  # a first start of Python's tracker lets Ctrl-C through again
            resource_tracker.ensure_running()
    with there, interrupts_held():
        process.start()
    return process, here


@contextlib.contextmanager
def interrupts_held() -> Iterator[None]:
    """Hold back Ctrl-C, SIGTERM and SIGHUP, if they raise exceptions here, until the block ends.

    A process that is started in the block never hears Ctrl-C and SIGHUP: it would print a traceback, or be missed.
    """
    heard: list[tuple[int, FrameType | None]] = []
    before = {}
    if threading.current_thread() is threading.main_thread():  # no other thread hears signals
        for number in _SIGNALS:
            if callable(handler := signal.getsignal(number)):
                before[number] = handler
                signal.signal(number, lambda *call: heard.append(call))
    mask = None
    if hasattr(signal, "pthread_sigmask"):  # pragma: no branch - another operating system
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
    try:
        yield
    finally:
        if mask is not None:  # pragma: no branch - another operating system
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for number, handler in before.items():
            signal.signal(number, handler)
        for call in heard:
            before[call[0]](*call)


def received(pipe: Connection) -> Iterator[bytes]:
    """Yield the messages of the parent in a worker, and end the worker with its parent, whatever it computes."""
    messages: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_receive, args=(pipe, messages), daemon=True).start()
    while True:
        yield messages.get()


def _receive(pipe: Connection, messages: SimpleQueue[bytes]) -> None:
    try:
        while True:
            messages.put(pipe.recv_bytes())
    except (EOFError, OSError):
        os._exit(1)
