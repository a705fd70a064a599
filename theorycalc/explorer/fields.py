"""The state of the page: one text for each field, and the problem that they describe."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from theorycalc.errors import ArgumentError, DomainError, TheoryError, one_of, suggestion

if TYPE_CHECKING:
    from theorycalc.model.problem import Problem

#: Every field of the page with its first value, in the order in which they are read and copied.
FIELDS = {
    "activation": "relu",
    "teacher": "H1 + H2/2 + H3/6 + H4/24",
    "phi": "1/2",
    "psi": "2/3",
    "ridge": "1/10",
    "noise": "1/2",
    "first_layer": "sphere",
    "second_layer": "gaussian",
    "step_samples": "",
    "gradient": "residual",
    "n": "1000",
    "alpha": "3/10",
}
#: Fields that a copied call leaves out while they have their first value: it is the library's default, too.
OPTIONAL = ("first_layer", "second_layer", "step_samples", "gradient")
_LONGEST = 500  # characters of a field
_LARGEST_N = 10**15  # a browser's numbers are exact that far


class FieldError(DomainError):
    """A field that cannot be read; ``field`` is its name."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True)
class PageCase:
    """The case that the fields describe: a problem, the number of samples, and the step: its exponent and gradient."""

    texts: dict[str, str]
    problem: Problem
    n: int
    alpha: Fraction
    gradient: str


def texts_of(given: Mapping[str, Any]) -> dict[str, str]:
    """Return the text of every field; those not given have their first value.

    >>> texts_of({"phi": " 1/4 "})["phi"]
    '1/4'
    """
    for name, value in given.items():
        if name not in FIELDS:
            raise ArgumentError(f"the page has no field {name!r}{suggestion(name, FIELDS)}")
        if not isinstance(value, str):
            raise FieldError(name, f"{name} must be text")
        if len(value) > _LONGEST:
            raise FieldError(name, f"{name} has {len(value)} characters; a field takes {_LONGEST}")
    return {name: given.get(name, first).strip() for name, first in FIELDS.items()}


def case_of(given: Mapping[str, Any]) -> PageCase:
    """Read the fields one after another, so that an error is known to be of its field.

    >>> case_of({"alpha": "0.1"}).alpha
    Fraction(1, 10)
    >>> case_of({"ridge": "much"})
    Traceback (most recent call last):
    ...
    theorycalc.explorer.fields.FieldError: ridge='much' is not a number; write it as 1/10, 0.1 or 1e-3
    """
    from theorycalc.model.problem import Problem

    texts = texts_of(given)
    read = {name: attributed(name, functools.partial(_read, name, text)) for name, text in texts.items()}
    n, alpha, gradient = (read.pop(name) for name in ("n", "alpha", "gradient"))
    try:
        return PageCase(texts, Problem(**read), n, alpha, gradient)
    except TheoryError as error:
        raise FieldError(field_named(str(error)) or "activation", str(error)) from None


def _read(name: str, text: str) -> Any:
    from theorycalc.model.activation import Activation
    from theorycalc.model.problem import GRADIENTS
    from theorycalc.model.teacher import read_teacher, teacher_items
    from theorycalc.numbers.exact import parse_number

    match name:
        case "activation":
            return Activation.from_text(text)
        case "teacher":
            return read_teacher(teacher_items(text) or text)
        case "first_layer" | "second_layer":
            return text
        case "gradient":
            return one_of(text, name, GRADIENTS)
        case "step_samples" if not text:
            return None
        case "n":
            return _whole(parse_number(text, name), text)
    return parse_number(text, name)


def _whole(number: Fraction, text: str) -> int:
    if number.denominator != 1 or not 1 <= number <= _LARGEST_N:
        raise DomainError(f"n={text} must be a positive whole number, up to 10^15 on this page")
    return number.numerator


def attributed(field: str, work: Callable[[], Any]) -> Any:
    """Return what ``work`` does; an error of it is the field's."""
    try:
        return work()
    except TheoryError as error:
        raise FieldError(field, str(error)) from None


def field_named(message: str) -> str | None:
    """Return the field that an error message begins with, as the library's messages do.

    >>> field_named("phi=1e-30 is beyond what float64 is used for"), field_named("all labels are zero")
    ('phi', None)
    """
    word = re.match(r"[A-Za-z_]+", message)
    return word[0] if word and word[0] in FIELDS else None
