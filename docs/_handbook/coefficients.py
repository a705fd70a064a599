"""Hermite coefficients of an activation, and its second moments (docs/theory/hermite.md#coefficients-of-a-function)."""

from __future__ import annotations

from typing import Any

from docs._handbook.entry import HandbookEntry, typed
from theorycalc.functions.grammar import parse
from theorycalc.hermite.coefficients import (
    coefficients_floats,
    exact_coefficients,
    second_moment_ball,
    variance_rest_ball,
)

_FUNCTIONS = "f real and square-integrable under the Gaussian; σ itself is centred, so that c_0 = 0"
_DIGITS = 20


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
        f"k = 0, 1, 2, …; {_FUNCTIONS}",
        (
            "hermite.coefficients: coefficients_balls",
            "hermite.closed: closed_coefficients",
            "hermite.closed_terms: parts_of",
            "hermite.quadrature: moments",
            "hermite.trapezoid: moments_on",
            "hermite.legendre: moments_over",
            "hermite.power_sums: hermite_sums",
        ),
        typed(r"c_k = \frac{1}{k!} \, \mathbb{E} \, f(Z) H_k(Z), \qquad f(z) = \sum_{k \ge 0} c_k H_k(z)"),
        _coefficients_example,
        made="typed",
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
        typed(r"\mathbb{E} \, f(Z)^2 = \sum_{k \ge 0} k! \, c_k^2"),
        lambda: {"tanh": float(second_moment_ball(parse("tanh"), _DIGITS))},
        made="typed",
    ),
    "variance_rest": HandbookEntry(
        "energy beyond the linear part",
        "printed; the right-hand side, which cuts nothing off, new",
        "theory/hermite.md#coefficients-of-a-function",
        "the slides, notation",
        f"{_FUNCTIONS}; exactly 0 for a + bx",
        ("hermite.coefficients: variance_rest_ball", "hermite.coefficients: is_affine"),
        typed(r"c_{>1}^2 = \sum_{k \ge 2} k! \, c_k^2 = \mathbb{E} \, f(Z)^2 - c_0^2 - c_1^2"),
        lambda: {"tanh": float(variance_rest_ball(parse("tanh"), _DIGITS))},
        made="typed",
    ),
}
