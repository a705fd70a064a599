"""Hermite coefficients of an activation, and its second moments (docs/theory/hermite.md#coefficients-of-a-function)."""

from __future__ import annotations

from typing import Any

import sympy

from docs._handbook.entry import HandbookEntry, lines
from theorycalc.functions.grammar import parse
from theorycalc.hermite.coefficients import (
    coefficients_floats,
    exact_coefficients,
    second_moment_ball,
    variance_rest_ball,
)
from theorycalc.model.enclosed import RestNorm, SecondMoment
from theorycalc.symbolic.cases import closed_form

_FUNCTIONS = "f real and square-integrable under the Gaussian; σ itself is centred, so that c_0 = 0"
_DIGITS = 20


_SHOWN = {"relu": r"\mathrm{ReLU}", "abs": r"\mathrm{abs}", "sin": r"\sin"}


def _hermite_coefficients() -> str:
    """Return c_0, …, c_3 of a few functions in closed form."""
    made = {letters: exact_coefficients(parse(name), 3) for name, letters in _SHOWN.items()}
    return lines(
        *(
            (rf"c_{{{k}}} = \tfrac{{1}}{{{k}!}} \mathbb{{E}} \, {letters}(Z) H_{{{k}}}(Z)", value)
            for letters, values in made.items()
            for k, value in enumerate(values)
            if value != 0
        )
    )


def _second_moment() -> str:
    return lines(
        *(
            (rf"\mathbb{{E}} \, {letters}(Z)^{{2}} = \sum_k k! \, c_k^2", closed_form(SecondMoment(parse(name))))
            for name, letters in _SHOWN.items()
        )
    )


def _variance_rest() -> str:
    return lines(
        *(
            (
                rf"c_{{>1}}^{{2}} = \mathbb{{E}} \, {letters}(Z)^2 - c_0^2 - c_1^2",
                sympy.expand(closed_form(RestNorm(parse(name))) ** 2),
            )
            for name, letters in _SHOWN.items()
        )
    )


def _coefficients_example() -> dict[str, Any]:
    return {
        "c_0, …, c_4 of ReLU": exact_coefficients(parse("relu"), 4),
        "c_1, c_3 of tanh": tuple(coefficients_floats(parse("tanh"), 3)[1::2]),
    }


COEFFICIENTS = {
    "hermite_coefficients": HandbookEntry(
        "Hermite coefficients",
        "printed; its closed forms and proven quadratures new",
        "theory/hermite.md#coefficients-of-a-function",
        "the slides, notation",
        "shown for functions f with a closed form, where c_k ≠ 0; f(z) is the sum of c_k H_k(z), k = 0, 1, 2, …; "
        f"{_FUNCTIONS}",
        (
            "hermite.coefficients: coefficients_balls",
            "hermite.closed: closed_coefficients",
            "hermite.closed_terms: parts_of",
            "hermite.quadrature: moments",
            "hermite.trapezoid: moments_on",
            "hermite.legendre: moments_over",
            "hermite.trapezoid: hermite_sums",
        ),
        _hermite_coefficients,
        _coefficients_example,
    ),
    "second_moment": HandbookEntry(
        "second moment of an activation or a teacher",
        "printed",
        "theory/hermite.md#coefficients-of-a-function",
        "the slides, notation: c_⋆² is that of the teacher",
        _FUNCTIONS,
        (
            "hermite.coefficients: second_moment_ball",
            "hermite.closed: closed_second_moment",
            "hermite.quadrature: polynomial_square",
            "hermite.trapezoid: moments_on",
            "hermite.legendre: moments_over",
        ),
        _second_moment,
        lambda: {"tanh": float(second_moment_ball(parse("tanh"), _DIGITS))},
    ),
    "variance_rest": HandbookEntry(
        "energy beyond the linear part",
        "printed; the right-hand side, which cuts nothing off, new",
        "theory/hermite.md#coefficients-of-a-function",
        "the slides, notation",
        f"shown for functions with a closed form; the sum of k! c_k² over k ≥ 2; exactly 0 for a + bx; {_FUNCTIONS}",
        ("hermite.coefficients: variance_rest_ball", "hermite.coefficients: is_affine"),
        _variance_rest,
        lambda: {"tanh": float(variance_rest_ball(parse("tanh"), _DIGITS))},
    ),
}
