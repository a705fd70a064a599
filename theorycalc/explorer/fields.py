"""The state of the page: the text in each field, the problem they describe, and the code that gives its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias

from theorycalc.errors import ArgumentError, DomainError, TheoryError, about, one_of, spelled, suggestion
from theorycalc.model.enums import GradientTarget
from theorycalc.model.parameters import FLAGS, OPTIONS, PARAMETERS

if TYPE_CHECKING:
    from theorycalc.model.problem import Problem

#: A flag as the page writes it.
YES_OR_NO = ("no", "yes")
#: Every field of the page with its first value, in the order in which they are read and copied: the example of the
#: documentation, and the defaults of the table of parameters.
FIELDS = {
    "activation": "relu",
    "teacher": "H1 + H2/2 + H3/6 + H4/24",
    "phi": "1/2",
    "psi": "2/3",
    "ridge": "1/10",
    "noise": "1/2",
    **{name: YES_OR_NO[bool(PARAMETERS[name].default)] for name in FLAGS},
    **{name: str(PARAMETERS[name].default) for name in OPTIONS if name not in FLAGS},
    "biases": "",
    "inputs": "",
    "step_samples": "",
    "gradient": str(PARAMETERS["gradient"].default),
    "n": "1000",
    "eta": "",  # a learning rate that is typed takes the place of its exponent
    "alpha": "3/10",
}
#: The fields that are not of the problem.
OF_THE_STEP = ("n", "eta", "alpha", "gradient")
_LONGEST = 500  # characters of a field
_LARGEST_N = 10**15  # a browser's numbers are exact that far

#: Words of the page, where those of the table of parameters are for people who know the theory.
EVERYDAY = {
    "activation": "activation function",
    "teacher": "function to learn (teacher)",
    "eta": "learning rate",
    "alpha": "learning rate η = n^α, exponent",
    "n": "samples",
    "ridge": "weight decay (ridge)",
    "noise": "noise of the labels (standard deviation)",
    "first_layer": "initial weights of the first layer",
    "second_layer": "weights of the second layer",
    "intercept": "fit has an intercept",
    "centred": "activation less its mean (centred)",
    "centred_labels": "labels less their mean (centred)",
}


#: Plain data for one part of the page.
Data: TypeAlias = dict[str, Any]


@dataclass(frozen=True)
class PageCase:
    """The problem, number of samples and step described by the fields, and their texts."""

    texts: dict[str, str]
    problem: Problem
    n: int
    alpha: Fraction | float
    eta: Fraction | None  # where it was given, and α follows from it
    gradient: GradientTarget

    @property
    def how(self) -> Data:
        """The arguments of a finite step."""
        step = {"alpha": self.alpha} if self.eta is None else {"eta": self.eta}
        return {"n": self.n} | step | {"gradient": self.gradient}


def shown_of(field: str) -> Data:
    """Return the words, symbol with its index, formula, help and options that the page shows next to a field.

    >>> shown_of("noise")["symbol"], shown_of("noise")["index"], shown_of("phi")["formula"]
    ('σ', 'ε', 'd/n')
    >>> shown_of("intercept")["words"], shown_of("intercept")["help"].partition(";")[0]
    ('fit has an intercept', 'intercept in the fit')
    """
    parameter = PARAMETERS[field]
    symbol, _, index = parameter.symbol.partition("_")
    return {
        "words": EVERYDAY.get(field, parameter.words),
        "symbol": symbol,
        "index": index,
        "formula": parameter.formula,
        "help": f"{parameter.help}. In code: {field}",
        "options": [(str(option), option.meaning) for option in parameter.options or ()],
    }


def opening_values(given: Mapping[str, str]) -> dict[str, str]:
    """Return the initial values of a page: its own, or those of a problem with the defaults of every call.

    The example of the documentation has noise; a problem of which anything is given has none unless it says so.

    >>> opening_values({"teacher": "sign(x)"})
    {'noise': '0', 'teacher': 'sign(x)'}
    >>> opening_values({"n": "2000"})
    {'n': '2000'}
    """
    usual = {name: PARAMETERS[name].default for name in FIELDS if name not in FLAGS}
    own = {name: str(value) for name, value in usual.items() if value is not None and str(value) != FIELDS[name]}
    return own | dict(given) if given.keys() - set(OF_THE_STEP) else dict(given)


def texts_of(given: Mapping[str, object]) -> dict[str, str]:
    """Return the text of every field, or its initial value where none is given.

    >>> texts_of({"phi": " 1/4 "})["phi"]
    '1/4'
    """
    for name, value in given.items():
        if name not in FIELDS:
            raise ArgumentError(f"the page has no field {name!r}{suggestion(name, FIELDS)}")
        if not isinstance(value, str):
            raise DomainError(f"{name} must be text", argument=name)
        if len(value) > _LONGEST:
            raise DomainError(f"{name} has {len(value)} characters; a field takes {_LONGEST}", argument=name)
    return {name: str(given.get(name, first)).strip() for name, first in FIELDS.items()}


def case_of(given: Mapping[str, object]) -> PageCase:
    """Return the case described by the fields; the ``argument`` of an error is its field.

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
    names = ("phi", "psi", "ridge", "noise", "n", "eta" if texts["eta"] else "alpha")
    numbers = {name: parse_number(texts[name], name) for name in names}
    gradient = one_of(texts["gradient"], "gradient", GradientTarget)
    n_0 = parse_number(samples, "step_samples") if samples else None
    known: Data = {name: numbers[name] for name in names[:4]} | {"step_samples": n_0} | texts_of_options(texts)
    problem = Problem(activation, taught, **(known | {"steps": parse_number(texts["steps"], "steps")}))
    size, eta = numbers["n"], numbers.get("eta")
    if size.denominator != 1 or not 1 <= size <= _LARGEST_N:
        raise DomainError(f"n={texts['n']} must be a positive whole number, up to 10^15 on this page", argument="n")
    n = size.numerator
    alpha = numbers["alpha"] if eta is None else exponent_of(eta, n)
    return PageCase(texts, problem, n, alpha, eta, gradient)


def exponent_of(eta: Fraction, n: int) -> float:
    """Return α = ln η/ln n, the exponent of η = n^α.

    >>> exponent_of(Fraction(10), 10_000)
    0.25
    """
    if eta <= 0:
        raise DomainError(f"{spelled('eta', eta)} must be positive here, since η = n^α", argument="eta")
    if n == 1:
        raise DomainError("η = n^α is 1 for every α where n = 1; take n of 2 or more", argument="n")
    return (math.log(eta.numerator) - math.log(eta.denominator)) / math.log(n)


def texts_of_options(texts: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of a problem: flags as True or False, others as text, and None for absent biases or inputs.

    >>> texts_of_options(FIELDS | {"intercept": "yes"})["intercept"]
    True
    """
    flags = {name: one_of(texts[name], name, YES_OR_NO) == YES_OR_NO[True] for name in FLAGS}
    tables = {name: texts[name] or None for name in ("biases", "inputs")}
    return {name: flags.get(name, texts[name]) for name in OPTIONS} | tables


def or_refused(work: Callable[[], Data]) -> Data:
    """Return a part of the page, or the reason why the theory cannot give it.

    >>> or_refused(lambda: {"d": 1})
    {'d': 1}
    """
    try:
        return work()
    except TheoryError as error:
        return {"refused": str(error)}
