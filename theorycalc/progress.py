"""A progress line on stderr, for a person who has waited two seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 2.0  # seconds before anything is shown
_REFRESH = 0.2


def progress(items: Iterable[T], total: int, verb: str, arrive_finished: bool = False) -> Iterator[T]:
    """Yield ``items``; on a terminal, show how far it has come once it takes over two seconds.

    An item counts as done when the next one is asked for, or, if it is finished work, when it arrives.

    >>> list(progress(range(3), 3, "counting"))
    [0, 1, 2]
    """
    if not sys.stderr.isatty():
        yield from items
        return
    start = time.monotonic()
    shown = 0.0
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
        if shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
