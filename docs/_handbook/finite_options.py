"""Finite steps with intercepts, raw activations, labels with a mean and corrupted labels (docs/theory/dressed.md)."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import sympy

from docs._handbook import dressed_statements as statements
from docs._handbook.cases import CASE, solved
from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, HandbookEntry, lines, named
from docs._handbook.stand_ins import symbols, tidy
from theorycalc.numbers.dual import Dual
from theorycalc.results.finite_step import step
from theorycalc.symbolic.symbols import c, c_1, kappa
from theorycalc.theory.dressed.accuracy import with_constant_feature
from theorycalc.theory.dressed.forms import FreeConstant, forms_of, free_constant
from theorycalc.theory.pencil.equations import first_lift


def _lift() -> str:
    """Return the constant beside h in the first spike."""
    return lines((r"\tau_1", first_lift(c_1, c(2), named(r"\mathbb{E} r"), sympy.sqrt(kappa))))


def _constant_feature() -> str:
    """Return the change of ỹᵀR₀ỹ, for rows on the sphere."""
    s, spread, constant, mean = named("s"), named("x"), named("c_0"), named("m_y")
    found = with_constant_feature(s, spread, c(2), named("L"), named("d"), 0, constant, mean)
    return lines((r"\delta(\tilde{y}^{\top} R_0 \tilde{y})", found))


def _free_forms() -> str:
    """Return the forms without the constant."""
    p, e, square = (
        Dual(symbols(value), 0 * symbols(value)) for value in ([[named("p")]], [[named("e")]], [named("s_1")])
    )
    found = FreeConstant(symbols([1]), p, e, square).taken_out(statements.forms())
    return lines(
        *((f"{name}'", tidy(form)) for name, form in (("P", found.P), ("E", found.coupling), ("G", found.gram)))
    )


def _free_example() -> dict[str, Any]:
    network, solution = solved()
    free = free_constant(network, forms_of(network, solution.turning, solution.by_ridge))
    return {"1ᵀR̃1": float(free.square.value[0])}


def _raw_example() -> dict[str, Any]:
    raw = dataclasses.replace(PROBLEM, centred=False)
    return {
        f"Λ at n = 1000, η = 5, labels ({PROBLEM_TEXT}, raw)": step(raw, n=1000, eta=5, gradient="labels").test_gain
    }


FINITE_OPTIONS = {
    "free_forms": HandbookEntry(
        "forms of the resolvent of a fit with an intercept",
        "new",
        "theory/dressed.md#a-free-constant",
        NOT_IN_SOURCE,
        "R̃ becomes R̃ − R̃11ᵀR̃/1ᵀR̃1; P, E and G as in the mean part; p, e and s_1 are the forms of 1 with the functions, "
        "with the mean part and with itself",
        ("theory.dressed.forms: free_constant", "theory.dressed.forms: label_system"),
        _free_forms,
        _free_example,
        setting=CASE,
    ),
    "constant_feature": HandbookEntry(
        "a constant feature before the step",
        "new",
        "theory/dressed.md#raw-activations",
        NOT_IN_SOURCE,
        "a raw activation without an intercept, labels of mean m_y, rows on the sphere; x = sθ/ψ, L = 2c_⋆2",
        ("theory.dressed.accuracy: with_constant_feature", "theory.dressed.forms: with_constant"),
        _constant_feature,
        _raw_example,
    ),
    "first_lift": HandbookEntry(
        "the constant beside h in the first spike",
        "new",
        "theory/turning.md#labels-with-a-mean",
        NOT_IN_SOURCE,
        "labels that keep their mean, or an initial output that has one; κ with E r² around 0",
        ("theory.pencil.equations: first_lift",),
        _lift,
        lambda: {"ReLU, E r = 1, κ = 2": float(first_lift(0.5, (8 * np.pi) ** -0.5, 1.0, 2**0.5))},
    ),
}
