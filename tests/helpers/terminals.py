"""Commands on a terminal, for tests of what a person sees there."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Iterator, Sequence
from typing import Any

from tests.helpers.processes import started


@contextlib.contextmanager
def on_terminal(
    words: Sequence[str], *streams: str, columns: int = 80, **options: Any
) -> Iterator[tuple[subprocess.Popen[Any], int]]:
    """Start a command whose ``streams`` are a terminal of its own; give it and the other end of the terminal."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    try:
        with started(words, **dict.fromkeys(streams, slave), **options) as process:
            os.close(slave)
            yield process, master
    finally:
        os.close(master)


def read_until(master: int, words: bytes = b"") -> bytes:
    """Return what is written to a terminal until these words are there, or until its end."""
    seen = b""
    with contextlib.suppress(OSError):  # the other end is closed
        while not words or words not in seen:
            seen += os.read(master, 4096)
    return seen
