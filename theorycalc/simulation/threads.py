"""One BLAS thread for as long as any replicate runs in this process, also where several run in its threads."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from theorycalc.simulation.records import Record
from theorycalc.simulation.replicate import blas_pools, replicate
from theorycalc.simulation.settings import Settings

_lock = threading.Lock()
_pins: list[Any] = []  # the limits of those at work; only the first of them changed something


def pinned_replicate(settings: Settings, cell: int, index: int) -> Record:
    """Run one replicate, held to one BLAS thread whatever else this process computes.

    A limit is of the whole process: when one of two threads ends and takes its limit back, the other
    would go on with more threads, and its last bits would change.
    """
    with _one_thread():
        return replicate(settings, cell, index)


@contextmanager
def _one_thread() -> Iterator[None]:
    with _lock:
        _pins.append(None if _pins else blas_pools().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            pin = _pins.pop()
            if pin is not None:  # the first to come, popped when the last has gone
                pin.restore_original_limits()
