"""The one exception family of theorycalc.

Every error that bad input can cause is a :class:`TheoryError`; catching that
catches them all.  Each also derives from the built-in exception a Python
programmer would expect (``ValueError``, ``TypeError``, ``ArithmeticError``),
and ``argument`` is the name of the parameter that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import NamedTuple, TypeVar

S = TypeVar("S", bound=str)


class TheoryError(Exception):
    """The base of all errors that theorycalc raises on purpose; ``argument`` is the parameter at fault, or None."""

    argument: str | None = None

    def __init__(self, *message: object, argument: str | None = None) -> None:
        super().__init__(*message)
        if argument is not None:
            self.argument = argument


class DomainError(TheoryError, ValueError):
    """A value outside the range of the theory, or of its evaluation in float64."""


class ExpressionError(DomainError):
    """The text of an activation or teacher that cannot be read, or is not a real function that the theory allows.

    ``reason`` is the message without the text and the caret below it, where it shows them.
    """

    reason: str | None = None


class ArgumentError(TheoryError, TypeError):
    """A call with a missing, unknown or contradictory argument."""


class PrecisionError(TheoryError, ArithmeticError):
    """Digits that were requested and cannot be proven: the input is inexact, or a limit was reached."""


class BudgetError(TheoryError, RuntimeError):
    """A function takes more processor time to evaluate than :func:`theorycalc.budget` allows."""


class SimulationError(TheoryError, RuntimeError):
    """A simulation that could not be finished; ``run`` has the finished replicates, if any."""

    run: object = None


class SimulationInterrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation; ``run`` has the finished replicates."""

    run: object = None


class SweepError(TheoryError, RuntimeError):
    """A sweep that could not be finished; ``sweep`` has the finished points, unless they are in a file."""

    sweep: object = None


class RankingInterrupted(KeyboardInterrupt):
    """Ctrl-C during a ranking of activations; ``ranking`` has the finished ones."""

    ranking: object = None


class SweepInterrupted(KeyboardInterrupt):
    """Ctrl-C during a sweep; ``sweep`` has the finished points, unless they are in a file."""

    sweep: object = None


@contextmanager
def about(argument: str) -> Iterator[None]:
    """Attribute errors raised in a block to one parameter, whichever part of it is at fault.

    >>> with about("teacher"):
    ...     raise DomainError("all labels are zero")
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: all labels are zero
    """
    try:
        yield
    except TheoryError as error:
        error.argument = argument
        raise


class Spelling(NamedTuple):
    """How messages write an argument, with or without its value, and a call."""

    argument: Callable[[str, object], str]
    call: Callable[[str], str]


def in_python(name: str, value: object = None) -> str:
    """Return an argument in the spelling of Python."""
    if value is None:
        return f"{name}="
    return f"{name}={value!r}" if isinstance(value, str) else f"{name}={value}"  # 1/2, not Fraction(1, 2)


PYTHON = Spelling(in_python, "tc.{}()".format)
_SPELLING = ContextVar("spelling", default=PYTHON)


def spelled(name: str, value: object = None) -> str:
    """Return an argument in the spelling of the reader: that of Python, or an option of the command line.

    >>> spelled("ridge"), spelled("network", "literal"), spelled("exact", True)
    ('ridge=', "network='literal'", 'exact=True')
    """
    return _SPELLING.get().argument(name, value)


def given(name: str, value: object) -> str:
    """Return an argument with the value given by the caller, which may be None.

    >>> given("ridge", "much"), given("n", None)
    ("ridge='much'", 'n=None')
    """
    return f"{name}=None" if value is None else spelled(name, value)


def called(name: str) -> str:
    """Return the name of a function in the spelling of the reader: that of Python, or a command.

    >>> called("step")
    'tc.step()'
    """
    return _SPELLING.get().call(name)


def in_block(name: str, value: object) -> str:
    """Return how the reader sets an option for all that follows: in Python a block, on the command line the option.

    >>> in_block("budget", 60)
    'with tc.budget(60): …'
    """
    written = spelled(name, value)
    return f"with tc.{name}({value}): …" if written == in_python(name, value) else written


@contextmanager
def spelling(how: Spelling) -> Iterator[None]:
    """Change how messages in a block spell arguments and calls.

    >>> with spelling(Spelling(lambda name, value: f"--{name}", "theorycalc {}".format)):
    ...     spelled("ridge"), called("step")
    ('--ridge', 'theorycalc step')
    """
    before = _SPELLING.set(how)
    try:
        yield
    finally:
        _SPELLING.reset(before)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word nearest to ``word``, or None if none is near.

    >>> nearest("rigde", ["ridge", "phi"]), nearest("ReLU", ["relu", "elu"])
    ('ridge', 'relu')
    """
    import difflib  # only for those who mistype

    names = list(known)
    near = [name for name in names if name.lower() == word.lower()] or difflib.get_close_matches(word, names, n=1)
    return near[0] if near else None


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return ``"; did you mean 'x'?"`` for the known word nearest to ``word``, or an empty text.

    >>> suggestion("rigde", ["ridge", "phi"])
    "; did you mean 'ridge'?"
    """
    near = nearest(word, known)
    return "" if near is None else f"; did you mean {near!r}?"


def one_of(value: object, name: str, allowed: Iterable[S], meanings: Mapping[S, str] | None = None) -> S:
    """Return the allowed word, or member of a ``StrEnum``, that equals ``value``; the error explains each choice.

    >>> one_of("sphere", "first_layer", ("sphere", "gaussian"))
    'sphere'
    >>> one_of("MSE", "loss", ("mean", "sum"), {"mean": "as torch has it", "sum": "n times as large"})
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: loss='MSE' is not known; choose one of 'mean' (as torch has it), \
'sum' (n times as large)
    """
    words = list(allowed)
    for word in words:
        if isinstance(value, str) and value == word:
            return word
    choices = ", ".join(f"{word!r} ({meanings[word]})" if meanings else repr(word) for word in words)
    hint = suggestion(value, words) if isinstance(value, str) else ""
    raise DomainError(f"{given(name, value)} is not known; choose one of {choices}{hint}", argument=name)


def true_or_false(value: object, name: str) -> bool:
    """Return ``value`` if it is True or False, else raise :class:`ArgumentError`.

    >>> true_or_false(True, "resume")
    True
    """
    if not isinstance(value, bool):
        raise ArgumentError(f"{name}={value!r} must be True or False", argument=name)
    return value
