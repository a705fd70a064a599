"""A problem reproduced: as a command, as Python without defaults, or from the plain data of a saved run."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any, TypeVar

from theorycalc.errors import DomainError
from theorycalc.model.activation import Activation
from theorycalc.model.parameters import CHANNELS, FLAGS, LAYERS, OPTIONS, PARAMETERS, SCALES
from theorycalc.model.points import constant_of
from theorycalc.model.problem import Problem
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.exact import Exact, read, spell

T = TypeVar("T")

_NUMBERS = ("phi", "psi", "ridge", "noise")
_SIZES = ("n", "d", "N")
_EXACT_OPTIONS = (*SCALES, *CHANNELS)


def command(name: str, given: Mapping[str, str | bool | None]) -> str:
    """Return a command with its options, for a POSIX shell.

    >>> command("step", {"teacher": "H1 + H2", "noise": "0", "alpha": "-1", "intercept": True, "centred": False})
    "theorycalc step --teacher 'H1 + H2' --alpha=-1 --intercept --no-centred"
    """
    options: dict[str, str | bool] = _not_default(given)
    return " ".join([f"theorycalc {name}", *(_option(key, value) for key, value in options.items())])


def call(function: str, first: str, given: Mapping[str, object]) -> str:
    """Return a Python call.

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


def problem_options(problem: Problem) -> dict[str, str | bool] | None:
    """Return the options that describe a problem, or None if it cannot be typed.

    >>> problem_options(Problem("relu", ["1", "1/2"], "1/2", "2/3", "1/10"))["teacher"]
    '1,1/2'
    """
    activation, teacher = problem.activation.options(), problem.teacher.typed()
    if activation is None or teacher is None:
        return None
    numbers = {name: value if isinstance(value, bool) else str(value) for name, value in _numbers(problem).items()}
    return {**activation, "teacher": teacher, **numbers}


def problem_call(problem: Problem) -> str:
    """Return the Python that makes a problem; a function is shown by its name.

    >>> problem_call(Problem("relu", "H1", "1/2", "2/3", "1/10", first_layer="gaussian"))
    "tc.Problem('relu', teacher='H1', phi='1/2', psi='2/3', ridge='1/10', first_layer='gaussian')"
    """
    given = [f"teacher={problem.teacher.python()}", *arguments(_numbers(problem))]
    return f"tc.Problem({', '.join([problem.activation.python(), *given])})"


def _numbers(problem: Problem) -> dict[str, str | float]:
    """Return the numbers and options of a problem that differ from their defaults."""
    others = [name for name in OPTIONS if name not in (*LAYERS, "biases", "inputs")]
    given = {name: getattr(problem, name) for name in (*_NUMBERS, *LAYERS, "step_samples", *others, "biases", "inputs")}
    if given["step_samples"] is not None:
        given["step_samples"] = spell(problem.step_ratio)
    given |= {name: spell(given[name]) for name in (*_NUMBERS, *_EXACT_OPTIONS)}
    return _not_default(given | {name: given[name] and str(given[name]) for name in ("biases", "inputs")})


def _not_default(given: Mapping[str, T | None]) -> dict[str, T]:
    def usual(name: str) -> tuple[object, ...]:
        default = PARAMETERS[name].default if name in PARAMETERS else None
        return () if default is None else (default, str(default))

    return {name: value for name, value in given.items() if value is not None and value not in usual(name)}


def _option(name: str, text: str | bool) -> str:
    option = name.replace("_", "-")
    if isinstance(text, bool):
        return f"--{option}" if text else f"--no-{option}"
    flag = f"--{option}"
    return shlex.quote(f"{flag}={text}") if text.startswith("-") else f"{flag} {shlex.quote(text)}"


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Return a problem as plain data for JSON, which :func:`problem_from_dict` reads back.

    >>> problem_to_dict(Problem("relu", ["1"], "1/2", "2/3", "1/10"))["activation"]["text"]
    'relu'
    """
    activation = problem.activation
    known = activation.to_dict() | {"text": activation.text, "centered": activation.is_centered}
    stored = problem.to_dict() | {"activation": known}
    if problem.inputs is not None and problem.inputs.law is None and not problem.inputs.is_exact:
        stored["inputs"] = [[spell(value) for value in level] for level in problem.inputs.levels]  # floats stay floats
    return stored


def problem_from_dict(data: object) -> Problem:
    """Return the problem stored by :func:`problem_to_dict`; functions cannot be stored, and are refused.

    >>> problem = Problem("relu", ["1"], "1/2", "2/3", "1/10")
    >>> problem_from_dict(problem_to_dict(problem)) == problem
    True
    """
    if not isinstance(data, Mapping):
        reason = f"the stored problem is not a table of its parts but {type(data).__name__}"
        raise DomainError(reason, argument="problem")
    parts: dict[str, Any] = {name: data.get(name) for name in (*LAYERS, *FLAGS, "biases", "inputs", "steps", *_SIZES)}
    parts |= {name: _stored_number(data.get(name), name) for name in (*_NUMBERS, *_EXACT_OPTIONS)}
    samples = data.get("step_samples")
    parts["step_samples"] = None if samples is None else _stored_number(samples, "step_samples")
    return Problem(_stored_activation(data.get("activation")), _stored_teacher(data.get("teacher")), **parts)


def _stored_activation(data: object) -> Activation:
    if not isinstance(data, Mapping) or not isinstance(data.get("text"), (str, type(None))):
        raise DomainError("the stored activation is not readable: its text is missing", argument="activation")
    if data.get("text") is None:
        reason = f"the activation {data.get('name')} was a Python function, which is not stored"
        raise DomainError(f"{reason}; only activations given as text come back", argument="activation")
    found = Activation.from_text(data["text"])
    return found.centered() if data.get("centered") is True else found


def _stored_teacher(data: object) -> Teacher:
    if isinstance(data, Mapping) and isinstance(data.get("name"), str):
        return Teacher.from_text(data["name"])
    if not isinstance(data, Mapping) or not isinstance(data.get("coefficients"), list) or "second_moment" in data:
        reason = "the stored teacher is not readable: it has neither a text nor a list of coefficients"
        raise DomainError(reason, argument="teacher")
    return Teacher(tuple(_stored_number(c, f"teacher c_⋆{k}") for k, c in enumerate(data["coefficients"], start=1)))


def _stored_number(value: object, name: str) -> Exact:
    """Read a float, a rational as text, or an exact constant as text, such as "sqrt(2)/2"."""
    return constant_of(value, name) if isinstance(value, str) else read(value, name)
