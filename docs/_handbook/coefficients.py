"""Hermite coefficients of an activation, and its second moments (docs/theory/hermite.md#coefficients-of-a-function)."""

from __future__ import annotations

from typing import Any

import sympy

from docs._handbook.entry import NOT_IN_SOURCE, HandbookEntry, lines, named
from theorycalc.functions.grammar import parse
from theorycalc.hermite.coefficients import (
    coefficients_floats,
    exact_coefficients,
    second_moment_ball,
    variance_rest_ball,
)
from theorycalc.model.enclosed import RestNorm, SecondMoment
from theorycalc.model.seen_part import along_direction, series_energy
from theorycalc.model.teacher import Teacher
from theorycalc.symbolic.formula_options import closed_form

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


def _several_directions() -> str:
    """Return c_{û,1}, c_{û,2} and c_⋆² of a polynomial of degree 2 in two directions."""
    powers = [(1, 0), (0, 1), (2, 0), (1, 1), (0, 2)]
    b = {alpha: named("b_{" + "".join(map(str, alpha)) + "}") for alpha in powers}
    along = along_direction(b, (named(r"\hat{u}_{1}"), named(r"\hat{u}_{2}")))
    return lines(
        *(
            (rf"c_{{\hat{{u}},{k}}} = \tfrac{{1}}{{{k}!}} \mathbb{{E}} \, g H_{{{k}}}(\hat{{u}} \cdot t)", c)
            for k, c in along.items()
        ),
        (r"c_{\star}^{2} = \mathrm{Var} \, g", series_energy(b)),
    )


def _several_example() -> dict[str, Any]:
    teacher = Teacher.multi("t1 + t2 + t1*t2")
    return {"c_{û,1}": float(teacher.coefficients[0]), "c_{û,2}": float(teacher.coefficients[1])}


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
    "seen_coefficients": HandbookEntry(
        "coefficients along the direction that a step sees",
        "new",
        "theory/several_directions.md#polynomials",
        NOT_IN_SOURCE,
        "labels g(t_1, …, t_r), û = E∇g/|E∇g|, shown for r = 2 and degree 2: g is the sum of b_α H_{α_1}(t_1) "
        "H_{α_2}(t_2); limits take c_{û,k} in place of c_⋆k, and the whole of c_⋆²",
        ("model.seen_part: along_direction", "model.seen_part: series_energy"),
        _several_directions,
        _several_example,
        setting="teacher t_1 + t_2 + t_1t_2",
    ),
}
