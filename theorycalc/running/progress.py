"""A progress line on stderr, for a person who has waited two seconds."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 2.0  # seconds before anything is shown
_REFRESH = 0.2
_counting = threading.Event()  # a line that counts is shown: no other is needed
_ticking = threading.Lock()  # one that tells the time is enough, too


def progress(items: Iterable[T], total: int, verb: str, arrive_finished: bool = False) -> Iterator[T]:
    """Yield ``items``; on a terminal, show how far it has come once it takes over two seconds.

    An item counts as done when the next one is asked for, or, if it is finished work, when it arrives.

    >>> list(progress(range(3), 3, "counting"))
    [0, 1, 2]
    """
    if not _on_terminal():
        yield from items
        return
    start = time.monotonic()
    shown = 0.0
    _counting.set()
    try:
        for done, item in enumerate(items, start=int(arrive_finished)):
            now = time.monotonic()
            if now - start > _PATIENCE and now - shown > _REFRESH:
                left = (now - start) / done * (total - done) if done else 0.0
                sys.stderr.write(f"\r{verb}: {done}/{total}, about {left:.0f} s left \033[K")
                sys.stderr.flush()
                shown = now
            yield item
    finally:
        _counting.clear()
        if shown:
            wipe()


def wipe() -> None:
    """Clear the line of a terminal on which a progress line may be left."""
    if _on_terminal():
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def _on_terminal() -> bool:
    """Say whether somebody watches, on a terminal that can rewrite a line."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


@contextmanager
def waiting(verb: str) -> Iterator[None]:
    """On a terminal, show how long a computation has taken, once it takes over two seconds and counts nothing itself.

    >>> with waiting("computing"):
    ...     2 + 2
    4
    """
    if not _on_terminal() or not _ticking.acquire(blocking=False):
        yield
        return
    done = threading.Event()
    ticker = threading.Thread(target=_tick, args=(verb, done), daemon=True)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()
        _ticking.release()


def _tick(verb: str, done: threading.Event) -> None:
    start = time.monotonic()
    shown = False
    pause = _PATIENCE
    while not done.wait(pause):
        pause = _REFRESH
        if not _counting.is_set():
            sys.stderr.write(f"\r{verb}: {time.monotonic() - start:.0f} s \033[K")
            sys.stderr.flush()
            shown = True
    if shown:
        wipe()
