"""The command and the Python that make a thing again; what has its default is left out."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TypeVar

from theorycalc.model.parameters import PARAMETERS
from theorycalc.model.problem import Problem
from theorycalc.numbers.exact import spell

T = TypeVar("T")

_NUMBERS = ("phi", "psi", "ridge", "noise")
_LAYERS = ("first_layer", "second_layer")


def command(name: str, given: Mapping[str, str | None]) -> str:
    """Return a command with its options, for a POSIX shell.

    >>> command("step", {"teacher": "H1 + H2", "noise": "0", "alpha": "-1", "first_layer": "gaussian"})
    "theorycalc step --teacher 'H1 + H2' --alpha=-1 --first-layer gaussian"
    """
    return " ".join([f"theorycalc {name}", *(_option(key, str(text)) for key, text in _not_default(given).items())])


def call(function: str, first: str, given: Mapping[str, object]) -> str:
    """Return a call of Python.

    >>> call("step", "problem", {"n": 1000, "alpha": "3/10", "gradient": "residual"})
    "tc.step(problem, n=1000, alpha='3/10')"
    """
    return f"tc.{function}({', '.join([first, *arguments(given)])})"


def arguments(given: Mapping[str, object]) -> list[str]:
    """Return the arguments of a call.

    >>> arguments({"phi": "1/2", "noise": 0})
    ["phi='1/2'"]
    """
    return [f"{name}={value!r}" for name, value in _not_default(given).items()]


def problem_options(problem: Problem) -> dict[str, str] | None:
    """Return the options that describe a problem, or None where it cannot be typed.

    >>> problem_options(Problem("relu", ["1", "1/2"], "1/2", "2/3", "1/10"))["teacher"]
    '1,1/2'
    """
    activation, teacher = problem.activation.options(), problem.teacher.typed()
    if activation is None or teacher is None:
        return None
    return activation | {"teacher": teacher} | {name: str(value) for name, value in _numbers(problem).items()}


def problem_call(problem: Problem) -> str:
    """Return the Python that makes a problem; a function stands in it by its name.

    >>> problem_call(Problem("relu", "H1", "1/2", "2/3", "1/10", first_layer="gaussian"))
    "tc.Problem('relu', teacher='H1', phi='1/2', psi='2/3', ridge='1/10', first_layer='gaussian')"
    """
    given = [f"teacher={problem.teacher.python()}", *arguments(_numbers(problem))]
    return f"tc.Problem({', '.join([problem.activation.python(), *given])})"


def _numbers(problem: Problem) -> dict[str, str | float]:
    """Return the ratios and all else that a problem has beside its functions, without the defaults."""
    found: dict[str, str | float] = {name: spell(getattr(problem, name)) for name in _NUMBERS}
    found |= {name: getattr(problem, name) for name in _LAYERS}
    if problem.step_samples is not None:
        found["step_samples"] = spell(problem.step_ratio)
    return _not_default(found)


def _not_default(given: Mapping[str, T]) -> dict[str, T]:
    def is_default(name: str, value: object) -> bool:
        usual = PARAMETERS[name].default if name in PARAMETERS else None
        return value is None or (usual is not None and value in (usual, str(usual)))

    return {name: value for name, value in given.items() if not is_default(name, value)}


def _option(name: str, text: str) -> str:
    flag = f"--{name.replace('_', '-')}"
    return shlex.quote(f"{flag}={text}") if text.startswith("-") else f"{flag} {shlex.quote(text)}"
