"""The state of the page: one text for each field, and the problem that they describe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypedDict

from theorycalc.errors import ArgumentError, DomainError, TheoryError, about, one_of, suggestion
from theorycalc.model.parameters import PARAMETERS, GradientTarget

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
_LONGEST = 500  # characters of a field
_LARGEST_N = 10**15  # a browser's numbers are exact that far


class FieldError(DomainError):
    """A field that cannot be read; ``argument`` is its name."""


@dataclass(frozen=True)
class PageCase:
    """The case that the fields describe: a problem, the number of samples, and the step: its exponent and gradient."""

    texts: dict[str, str]
    problem: Problem
    n: int
    alpha: Fraction
    gradient: str


class FieldWords(TypedDict):
    """What the page says of a field: words, symbol with its index, what it equals, and the options it takes."""

    words: str
    symbol: str
    index: str
    formula: str
    options: list[tuple[str, str]]


def shown_of(field: str) -> FieldWords:
    """Return what the page says of a field, as the table of parameters has it.

    >>> shown_of("noise")["symbol"], shown_of("noise")["index"], shown_of("phi")["formula"]
    ('σ', 'ε', 'd/n')
    """
    parameter = PARAMETERS[field]
    symbol, _, index = parameter.symbol.partition("_")
    options = [(str(option), option.meaning) for option in parameter.options or ()]
    return {
        "words": parameter.words,
        "symbol": symbol,
        "index": index,
        "formula": parameter.formula,
        "options": options,
    }


def texts_of(given: Mapping[str, object]) -> dict[str, str]:
    """Return the text of every field; those not given have their first value.

    >>> texts_of({"phi": " 1/4 "})["phi"]
    '1/4'
    """
    for name, value in given.items():
        if name not in FIELDS:
            raise ArgumentError(f"the page has no field {name!r}{suggestion(name, FIELDS)}")
        if not isinstance(value, str):
            raise FieldError(f"{name} must be text", argument=name)
        if len(value) > _LONGEST:
            raise FieldError(f"{name} has {len(value)} characters; a field takes {_LONGEST}", argument=name)
    return {name: str(given.get(name, first)).strip() for name, first in FIELDS.items()}


def case_of(given: Mapping[str, object]) -> PageCase:
    """Return the case that the fields describe; the ``argument`` of an error is its field.

    >>> case_of({"alpha": "0.1"}).alpha
    Fraction(1, 10)
    >>> case_of({"ridge": "much"})
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: ridge='much' is not a number; write it as 1/10, 0.1 or 1e-3
    """
    from theorycalc.model.activation import Activation
    from theorycalc.model.problem import Problem
    from theorycalc.model.reading import read_teacher, teacher_items
    from theorycalc.numbers.exact import parse_number

    texts = texts_of(given)
    teacher, samples = texts["teacher"], texts["step_samples"]
    with about("activation"):
        activation = Activation.from_text(texts["activation"])
    with about("teacher"):
        taught = read_teacher(teacher_items(teacher) or teacher)
    numbers = {name: parse_number(texts[name], name) for name in ("phi", "psi", "ridge", "noise", "n", "alpha")}
    gradient = one_of(texts["gradient"], "gradient", GradientTarget)
    problem = Problem(
        activation,
        taught,
        numbers["phi"],
        numbers["psi"],
        numbers["ridge"],
        numbers["noise"],
        first_layer=texts["first_layer"],
        second_layer=texts["second_layer"],
        step_samples=parse_number(samples, "step_samples") if samples else None,
    )
    return PageCase(texts, problem, _whole(numbers["n"], texts["n"]), numbers["alpha"], gradient)


def _whole(number: Fraction, text: str) -> int:
    if number.denominator != 1 or not 1 <= number <= _LARGEST_N:
        raise DomainError(f"n={text} must be a positive whole number, up to 10^15 on this page", argument="n")
    return number.numerator


def field_of(error: TheoryError) -> str | None:
    """Return the field that an error is about.

    >>> field_of(DomainError("phi=0 must be positive", argument="phi")), field_of(DomainError("all labels are zero"))
    ('phi', None)
    """
    return error.argument if error.argument in FIELDS else None
