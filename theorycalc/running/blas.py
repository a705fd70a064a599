"""One BLAS thread for as long as any piece of work runs in this process, also where several run in its threads."""

from __future__ import annotations

import functools
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from scipy import linalg  # noqa: F401 - loads scipy's own BLAS, so that its threads are limited too
from threadpoolctl import ThreadpoolController

_lock = threading.Lock()
_pins: list[Any] = []  # the limits of those at work; only the first of them changed something


@functools.cache
def blas_pools() -> ThreadpoolController:
    """Return the BLAS libraries of this process, looked up once: it takes longer than a small replicate.

    >>> blas_pools() is blas_pools()
    True
    """
    return ThreadpoolController()


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread, whatever else this process computes.

    A limit is of the whole process: when one of two threads ends and takes its limit back, the other
    would go on with more threads, and its last bits would change.
    """
    with _lock:
        _pins.append(None if _pins else blas_pools().limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            pin = _pins.pop()
            if pin is not None:  # the first to come, popped when the last has gone
                pin.restore_original_limits()
