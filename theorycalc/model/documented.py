"""Docstrings that read the table of parameters, so that a parameter means the same in every function.

A docstring in the source says what is particular to its function; ``help()`` and the documentation also show the
entries of the table.
"""

from __future__ import annotations

from collections.abc import Callable
from textwrap import wrap
from typing import TypeVar

from theorycalc.model.parameters import PARAMETERS

F = TypeVar("F", bound=Callable[..., object])

_WIDTH = 108  # characters of a line, without its margin


def documented(function: F) -> F:
    """Add to a docstring the parameters that the function takes and the docstring does not describe, from the table.

    >>> @documented
    ... def loss(ridge, noise):
    ...     'Return a loss.'
    >>> print(loss.__doc__)
    Return a loss.
    <BLANKLINE>
    Parameters
    ----------
    ridge
        λ ≥ 0, ridge (weight decay); the fit minimises (1/n)‖y − Fa‖² + λ‖a‖².
    noise
        σ_ε ≥ 0, standard deviation of the label noise.
    """
    if function.__doc__ is None:  # Python was started with -OO
        return function
    lines = function.__doc__.splitlines()
    margin = next((line[: -len(line.lstrip())] for line in lines[1:] if line.strip()), "")
    heading = f"{margin}Parameters"
    own = lines.index(heading) if heading in lines else None
    end = _end_of(lines, margin, 0 if own is None else own + 2)
    known = set() if own is None else {word.strip() for line in lines[own:end] for word in line.split(",")}
    entries = [
        text
        for name in _names(function)
        if name in PARAMETERS and name not in known
        for text in (f"{margin}{name}", *(f"{margin}    {line}" for line in wrap(PARAMETERS[name].entry, _WIDTH)))
    ]
    if entries and own is None:
        entries = ["", heading, f"{margin}----------", *entries]
    function.__doc__ = "\n".join([*lines[:end], *entries, *lines[end:]])
    return function


def _end_of(lines: list[str], margin: str, start: int) -> int:
    """Return the end of a section of a docstring: at the next one, or at the examples."""
    follows = (f"{margin}Returns", f"{margin}Raises", f"{margin}>>>")
    end = next((i for i in range(start, len(lines)) if lines[i].startswith(follows)), len(lines))
    while end > start and not lines[end - 1].strip():
        end -= 1
    return end


def _names(function: Callable[..., object]) -> tuple[str, ...]:
    """Return the names of a function's arguments, without inspect, which is slow to import."""
    made = function.__dict__["__init__"] if isinstance(function, type) else function
    while hasattr(made, "__wrapped__"):
        made = made.__wrapped__
    code = made.__code__
    return tuple(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
