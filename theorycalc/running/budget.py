"""The processor time that one evaluation may spend on the functions that a user writes, and the clock that keeps it.

A short text can describe a function whose coefficients take minutes, so a limit on its length is not enough.  The few
loops whose length depends on the function call :func:`check`.  Their time counts, inside :func:`spending`, and that
of nothing else: arrays, sweeps and simulations take as long as the numbers in them ask for.  See
docs/decisions/0015-budget.md.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import perf_counter, thread_time
from typing import ParamSpec, TypeVar

from theorycalc.errors import BudgetError, DomainError, in_block, spelled

P = ParamSpec("P")
R = TypeVar("R")

DEFAULT = 2.0  # seconds
_MORE = 30  # times the budget: what a message proposes
_USUAL_DIGITS = 100
_SHOWN = 60  # characters of a function in a message


class _Meter:
    """The rest of a budget, and its end while it is being spent; each thread has its own."""

    def __init__(self, seconds: float) -> None:
        self.seconds = self.left = seconds
        self.end: float | None = None  # in this thread's processor time
        self.look = math.inf  # when the clock on the wall says that the end may have come
        self.purpose, self.of = "", ""  # type: str, object

    def look_again(self) -> None:
        """Look at the thread's own clock, which takes ten times as long and is never ahead of the one on the wall."""
        if self.end is None:
            self.look = math.inf
        elif (left := self.end - thread_time()) > 0:
            self.look = perf_counter() + left
        else:
            raise self.error()

    def error(self) -> BudgetError:
        seconds = float(f"{self.seconds:.2g}")
        more, of = in_block("budget", f"{_MORE * seconds:g}"), str(self.of)
        shown = of if len(of) <= _SHOWN else f"{of[:_SHOWN]}…"
        reason = f"{seconds:g} s of processor time are not enough for {self.purpose} {shown}".rstrip()
        return BudgetError(f"{reason}; write the function more simply, or allow more: {more}")


_ALLOWED: ContextVar[float] = ContextVar("allowed", default=DEFAULT)
_METER: ContextVar[_Meter | None] = ContextVar("meter", default=None)


@contextmanager
def allowing(seconds: float) -> Iterator[None]:
    """Allow each evaluation in a block so many seconds: see :func:`theorycalc.budget`.

    >>> with allowing(60):
    ...     allowed()
    60.0
    """
    if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not seconds > 0:
        raise DomainError(f"{spelled('budget', seconds)} is not a positive number of seconds", argument="seconds")
    before, meter = _ALLOWED.set(float(seconds)), _METER.set(None)
    try:
        yield
    finally:
        _METER.reset(meter)
        _ALLOWED.reset(before)


def allowed() -> float:
    """Return the seconds that each evaluation may spend here."""
    return _ALLOWED.get()


def allow(seconds: float) -> None:
    """Allow so much from now on: for a worker process, which does the work of a block in another process."""
    _ALLOWED.set(seconds)


@contextmanager
def one_budget() -> Iterator[None]:
    """Let all functions in a block share one budget, unless the block is part of another one.

    >>> @one_budget()
    ... def evaluation():
    ...     return 1
    >>> evaluation()
    1
    """
    if _METER.get() is not None:
        yield
        return
    before = _METER.set(_Meter(_ALLOWED.get()))
    try:
        yield
    finally:
        _METER.reset(before)


@contextmanager
def spending(purpose: str, of: object = "") -> Iterator[None]:
    """Spend the budget in a block; the message names the purpose of the outermost such block.

    >>> with allowing(1e-9), spending("this sum"):
    ...     for _ in range(10):
    ...         check()
    Traceback (most recent call last):
    ...
    theorycalc.errors.BudgetError: 1e-09 s of processor time are not enough for this sum; write the function \
more simply, or allow more: with tc.budget(3e-08): …
    """
    with one_budget():
        meter = _METER.get()
        assert meter is not None
        if meter.end is not None:  # inside another such block
            yield
            return
        meter.end, meter.purpose, meter.of = thread_time() + meter.left, purpose, of
        try:
            meter.look_again()
            yield
        finally:
            meter.left, meter.end = meter.end - thread_time(), None


def spends(purpose: str, which: int = 0) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator of functions that spend the budget; a message shows the argument at the place ``which``.

    >>> @spends("squaring")
    ... def square(x):
    ...     return x * x
    >>> square(3)
    9
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def spender(*args: P.args, **kwargs: P.kwargs) -> R:
            with spending(purpose, *args[which : which + 1]):
                return function(*args, **kwargs)

        return spender

    return decorated


def allow_times(times: float) -> None:
    """Make the budget of this evaluation so many times as large, where a number that a user gives asks for more."""
    meter = _METER.get()
    if meter is not None and (enough := allowed() * times) > meter.seconds:
        more, meter.seconds = enough - meter.seconds, enough
        meter.left += more
        meter.end = None if meter.end is None else meter.end + more


def more_for(digits: int) -> int:
    """Return the number of digits to prove, and extend the budget for many: a number asks for them, not the function.

    The nodes of a rule grow like the digits, and the time of an operation faster than they.

    >>> more_for(1000)
    1000
    """
    allow_times((digits / _USUAL_DIGITS) ** 2)
    return digits


def check() -> None:
    """Raise :class:`BudgetError` if the budget that is being spent is used up.

    It takes a fifth of a microsecond, so loops whose steps take ten may call it in each.

    >>> check()
    """
    meter = _METER.get()
    if meter is not None and perf_counter() > meter.look:
        meter.look_again()
