"""A Problem as plain data and back: what a saved run or a journal holds of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theorycalc.errors import DomainError
from theorycalc.model.activation import Activation
from theorycalc.model.problem import Problem
from theorycalc.model.teacher import Teacher
from theorycalc.numbers.exact import Exact, parse_number, read

_NUMBERS = ("phi", "psi", "ridge", "noise")
_SIZES = ("n", "d", "N")
_WORDS = ("first_layer", "second_layer")


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON holds it, with what is needed to read it back.

    >>> problem_to_dict(Problem("relu", ["1"], "1/2", "2/3", "1/10"))["activation"]["text"]
    'relu'
    """
    data = problem.to_dict()
    activation: Activation = problem.activation
    data["activation"] = activation.to_dict() | {"text": activation.text, "centered": activation.is_centered}
    return data


def problem_from_dict(data: object) -> Problem:
    """Read a problem back; a Python function cannot be stored, and is asked for.

    >>> problem = Problem("relu", ["1"], "1/2", "2/3", "1/10")
    >>> problem_from_dict(problem_to_dict(problem)) == problem
    True
    """
    if not isinstance(data, Mapping):
        raise DomainError(f"the stored problem is not a table of its parts but {type(data).__name__}")
    parts: dict[str, Any] = {name: data.get(name) for name in (*_WORDS, *_SIZES)}
    parts |= {name: _number(data.get(name), name) for name in _NUMBERS}
    samples = data.get("step_samples")
    parts["step_samples"] = None if samples is None else _number(samples, "step_samples")
    return Problem(_activation(data.get("activation")), _teacher(data.get("teacher")), **parts)


def _activation(data: object) -> Activation:
    if not isinstance(data, Mapping) or not isinstance(data.get("text"), (str, type(None))):
        raise DomainError("the stored activation is not readable: its text is missing")
    if data.get("text") is None:
        raise DomainError(
            f"the activation {data.get('name')} was a Python function, which is not stored; "
            "only activations given as text come back"
        )
    found = Activation.from_text(data["text"])
    return found.centered() if data.get("centered") is True else found


def _teacher(data: object) -> Teacher:
    if isinstance(data, Mapping) and isinstance(data.get("name"), str):
        return Teacher.from_text(data["name"])
    if not isinstance(data, Mapping) or not isinstance(data.get("coefficients"), list) or "second_moment" in data:
        raise DomainError("the stored teacher is not readable: it has neither a text nor a list of coefficients")
    return Teacher(tuple(_number(c, f"teacher c_⋆{k}") for k, c in enumerate(data["coefficients"], start=1)))


def _number(value: object, name: str) -> Exact:
    """Read a float, a rational as text, or an exact constant as text, such as "sqrt(2)/2"."""
    if not isinstance(value, str):
        return read(value, name)
    try:
        return parse_number(value, name)
    except DomainError:
        from theorycalc.functions.evaluate import to_sympy
        from theorycalc.functions.grammar import parse
        from theorycalc.functions.tree import is_constant

        tree = parse(value)
        if not is_constant(tree):
            raise DomainError(f"the stored {name}={value!r} is not a number") from None
        return read(to_sympy(tree), name)
