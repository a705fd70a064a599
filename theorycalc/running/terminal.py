"""Text on a terminal: how letters are shown, how wide they are, and progress lines on stderr after two seconds."""

from __future__ import annotations

import os
import sys
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

T = TypeVar("T")

_PATIENCE = 2.0  # seconds before anything is shown
_REFRESH = 0.2
_RIGHT_TO_LEFT = ("R", "AL", "AN")  # they would change the order of their neighbours
_counting = threading.Event()  # set while a line that counts is shown: a clock beside it is not needed
_ticking = threading.Lock()  # held by the one line that shows a clock


def visible(text: str) -> str:
    r"""Return the text with an escape for every character that is invisible or reverses the direction of writing.

    >>> visible("φ²(x)" + chr(0x202e) + "y"), visible("\n")
    ('φ²(x)\\u202ey', '\\n')
    """
    return "".join(
        c
        if c.isprintable() and unicodedata.bidirectional(c) not in _RIGHT_TO_LEFT
        else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def named(character: str) -> str:
    """Return a character in quotes, with its Unicode name if it may be mistaken for another.

    >>> named("$"), named("φ"), named("х")
    ("'$'", "'φ' (Greek small letter phi)", "'х' (Cyrillic small letter ha)")
    """
    carried = "◌" if unicodedata.combining(character) else ""
    name = "" if character.isascii() else unicodedata.name(character, "").capitalize()
    return f"'{carried}{visible(character)}'" + (f" ({name})" if name else "")


def width(text: str) -> int:
    """Return the number of terminal columns a text takes: two for a wide letter, none for a combining one.

    >>> width("x̃ + 1"), width("ｘ")
    (5, 2)
    """
    return sum((unicodedata.east_asian_width(c) in "WF") + 1 for c in text if not unicodedata.combining(c))


def progress(items: Iterable[T], total: int, verb: str, arrive_finished: bool = False) -> Iterator[T]:
    """Yield ``items``; on a terminal, after two seconds, show how many are done.

    An item counts as done when the next one is asked for or, with ``arrive_finished``, when it arrives.

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
                _show(f"{verb}: {done}/{total}, about {left:.0f} s left ")
                shown = now
            yield item
    finally:
        _counting.clear()
        if shown:
            wipe()


@contextmanager
def waiting(verb: str) -> Iterator[None]:
    """Show on a terminal, after two seconds, how long the block has taken, unless it shows a count of its own.

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


def wipe() -> None:
    """Clear a terminal line on which progress may still be shown."""
    if _on_terminal():
        _show("")


def _show(text: str) -> None:
    sys.stderr.write(f"\r{text}\033[K")
    sys.stderr.flush()


def _on_terminal() -> bool:
    """Return whether stderr is a terminal whose lines can be rewritten."""
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _tick(verb: str, done: threading.Event) -> None:
    """Show the seconds since the start until the work is done."""
    start = time.monotonic()
    shown = False
    pause = _PATIENCE
    while not done.wait(pause):
        pause = _REFRESH
        if not _counting.is_set():
            _show(f"{verb}: {time.monotonic() - start:.0f} s ")
            shown = True
    if shown:
        wipe()
