"""Gains and losses of the limit (docs/theory/training_gain.md and docs/theory/test_gain.md)."""

from __future__ import annotations

from fractions import Fraction
from operator import mul
from typing import Any

import sympy

from docs._handbook.entry import (
    NOT_IN_SOURCE,
    PROBLEM,
    PROBLEM_TEXT,
    SIZES,
    HandbookEntry,
    lines,
    named,
    of_symbolic,
)
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import FLOATS, SYMBOLS
from theorycalc.results.prediction import predict
from theorycalc.symbolic import ingredients
from theorycalc.symbolic.formulas import formula
from theorycalc.symbolic.latex import latex
from theorycalc.symbolic.symbols import c_star_of, rho
from theorycalc.theory import gains, printed
from theorycalc.theory.explained import shares_from_covariance
from theorycalc.theory.solver import float_traces
from theorycalc.theory.traces import HermiteWeights, weights_of

_PRESENT = "c_k ≠ 0 for k ≤ ℓ, else K with [gaps](theory/missing_coefficients.md)"
_NETWORKS = (
    "for ℓ ≥ 2 and c_2 ≠ 0 networks tend to another value, smaller for ℓ = 2 and 3: "
    "[the second spike](errata.md#the-second-spike)"
)
_GAIN = f"{SIZES}, λ ≥ 0, σ_ε ≥ 0, c_1 ≠ 0, {_PRESENT}; any teacher with a second moment; {_NETWORKS}"
_PRINTED_GAIN = "the slides, the theorem on the training gain"
_UNIT = HermiteWeights(Fraction(1), Fraction(1, 2), Fraction(1))
_TEACHER = (Fraction(1), Fraction(1, 2), Fraction(1, 3))
_T, _LEFT, _TEST_LOSS = named("t"), named(r"{(1 - t)}"), named(r"L_{\mathrm{te}}(F)")


def _at(name: str, ell: int) -> dict[str, Any]:
    return {f"ℓ = {ell} ({PROBLEM_TEXT})": getattr(predict(PROBLEM, ell=ell), name)}


def _weights_statement() -> str:
    names = (r"\text{train, } H_1", r"\text{train, rest}", r"\text{test, } H_1", r"\text{test, rest}")
    return lines(*zip(names, ingredients.weights()[:4], strict=True))


def _weights_example() -> dict[str, Any]:
    phi, psi, ridge = 0.5, 2 / 3, 0.1
    found = weights_of(float_traces(phi, psi, ridge, 0.5, 0.3), phi, psi, ridge)
    at = "φ = 1/2, ψ = 2/3, λ = 1/10, c_1 = 1/2, c_{>1} = 3/10"
    return {f"train, H_1 and rest ({at})": found[:2], "test, H_1 and rest": found[2:4]}


def _T_statement() -> str:
    row = gains.floor_of(SYMBOLS, [c_star_of(j) for j in range(1, 9)], 4)
    return lines(("T_{8}", SYMBOLS.polynomial(row.coefficients, rho**2)))


def _left_statement() -> str:
    parts = gains.parts_of(SYMBOLS, [c_star_of(j) for j in range(1, 5)], SYMBOLS.rational(Fraction(0)), Spikes.up_to(3))
    share = gains.shares(SYMBOLS, parts, _T, _LEFT, 0 * _T)
    return lines((r"A_{3} - \sigma_{\varepsilon}^{2} - T_{3}^{2}/S_{1}", share.left))


def _shares_example() -> dict[str, Any]:
    parts = gains.parts_of(SYMBOLS, _TEACHER, 0, Spikes.up_to(3))
    share = gains.shares(SYMBOLS, parts, Fraction(1, 2), Fraction(1, 2), 0)
    return {"c_⋆ = (1, 1/2, 1/3), ℓ = 3, t = 1/2": share.left}


def _ceiling() -> str:
    """Return B_∞ for the covariance E[σ⋆(Z)σ⋆(Z')] at the correlation t, as a function C(t) of it."""
    covariance = sympy.Function("C")
    found = shares_from_covariance(SYMBOLS, lambda ns, t: covariance(t), c_star_of(1) ** 2, _T, _LEFT)
    return lines((r"B_{\infty}", found.explained), (r"A_{\infty} - \sigma_{\varepsilon}^{2}", found.left))


def _ceiling_example() -> dict[str, Any]:
    found = shares_from_covariance(FLOATS, lambda ns, t: ns.exp(-1.0) * ns.sinh(t), FLOATS.exp(-1.0), 0.5, 0.5)
    return {"B_∞ of the teacher sin(x) at t = 1/2": float(found.explained)}


GAINS = {
    "weights": HandbookEntry(
        "how losses weigh the linear part and the rest",
        "printed for training, corrected for test",
        "theory/test_gain.md#before-the-step",
        "the slides, theorems on training and test gain; the test weights there lack φ/(ψm_1²)",
        f"{SIZES}, λ > 0, c_1 ≠ 0",
        ("theory.traces: weights_of",),
        _weights_statement,
        _weights_example,
    ),
    "Omega_inverse": of_symbolic(
        "Omega_inverse",
        3,
        _PRINTED_GAIN,
        "ℓ = 1, 2, 3, …; positive definite",
        ("theory.printed: Omega_inverse",),
        lambda: {"ℓ = 2, w = (1, 1/2, 2), κ = 4": printed.Omega_inverse((1, 2), _UNIT, 4)},
    ),
    "Omega": of_symbolic(
        "Omega",
        3,
        _PRINTED_GAIN,
        "ℓ = 1, 2, 3, …",
        ("symbolic.ingredients: Omega", "theory.printed: fit"),
        lambda: {
            "Ω q, ℓ = 1, w_1 = 1/2, c_{⋆,1} = 1, ρ = 1/2": printed.fit(SYMBOLS, (1,), _UNIT, (1,), Fraction(1, 2))[1]
        },
    ),
    "r": of_symbolic(
        "r",
        3,
        _PRINTED_GAIN,
        "p = 1, 2, 3, …",
        ("theory.printed: r",),
        lambda: {"r_3 at w_3 = 6, ρ = 1/2": printed.r(3, _UNIT, Fraction(1, 2))},
    ),
    "T": HandbookEntry(
        "the teacher along the missing part of the constant",
        "new",
        "theory/training_gain.md#the-closed-form",
        NOT_IN_SOURCE,
        "ℓ = 2, 3, …, even powers complete up to 2M; T_ℓ has j = 1, …, M = ⌊ℓ/2⌋",
        ("theory.gains: floor_of", "theory.gains: square_of"),
        _T_statement,
        lambda: {
            "coefficients of t, t² for c_⋆ = (1, 1/2, 1/3, 1/5)": gains.floor_of(
                SYMBOLS, (*_TEACHER, Fraction(1, 5)), 2
            ).coefficients[1:]
        },
    ),
    "B": of_symbolic(
        "B",
        4,
        NOT_IN_SOURCE,
        f"ℓ = 1, 2, 3, …, {_PRESENT}; B ≥ 0 grows with ℓ; {_NETWORKS}",
        ("theory.gains: shares", "theory.gains: parts_of"),
        lambda: {
            "c_⋆ = (1, 1/2, 1/3), ℓ = 3, t = 1/2": gains.shares(
                SYMBOLS, gains.parts_of(SYMBOLS, _TEACHER, 0, Spikes.up_to(3)), Fraction(1, 2), Fraction(1, 2), 0
            ).explained
        },
    ),
    "left": HandbookEntry(
        "teacher energy that the step leaves, without a subtraction",
        "new",
        "theory/test_gain.md#what-is-left-without-a-subtraction",
        NOT_IN_SOURCE,
        "ℓ = 1, 2, 3, …; t = ρ², shown for a teacher of degree 4 and ℓ = 3",
        ("theory.gains: shares", "theory.gains: quotient"),
        _left_statement,
        _shares_example,
    ),
    "Delta": of_symbolic(
        "Delta",
        3,
        f"{_PRINTED_GAIN}, as a double sum over Ω; the closed form is not in the source",
        _GAIN,
        ("theory.gains: losses", "theory.printed: Delta"),
        lambda: _at("train_gain", 2),
    ),
    "Lambda": of_symbolic(
        "Lambda",
        3,
        "the slides, the theorem on the test gain for ℓ = 1, 2, there without the factor φ/(ψm_1²)",
        _GAIN,
        ("theory.gains: losses", "theory.printed: Lambda"),
        lambda: _at("test_gain", 2),
    ),
    "train_loss": of_symbolic(
        "train_loss", 2, NOT_IN_SOURCE, _GAIN, ("theory.gains: losses",), lambda: _at("train_loss", 2)
    ),
    "test_loss": of_symbolic(
        "test_loss",
        2,
        f"{NOT_IN_SOURCE}; noise included",
        _GAIN,
        ("theory.gains: losses",),
        lambda: _at("test_loss", 2),
    ),
    "train_error": HandbookEntry(
        "training error without the penalty, (1/n)‖ỹ − Fâ‖²",
        "new",
        "theory/test_gain.md#the-training-error-without-the-penalty",
        f"{NOT_IN_SOURCE}; generalised cross-validation, read backwards",
        f"{SIZES}, λ ≥ 0, before the step and after it; it is −λ²∂_λ(L_tr/λ), and L_tr has the penalty in it",
        ("theory.gains: train_error", "theory.dressed.forms: train_error"),
        lambda: lines((r"E_{\mathrm{tr}}(F)", gains.train_error(ingredients.weights().train_rest, _TEST_LOSS, mul))),
        lambda: _at("train_error", 2),
    ),
    "slides_Lambda": HandbookEntry(
        "gain in test loss as the slides print it",
        "printed, and wrong",
        "theory/test_gain.md#what-the-slides-lack",
        "the slides, the theorem on the test gain",
        "ℓ = 1 or 2; for comparison only, under as_printed=True",
        ("theory.printed: slides_Lambda",),
        lambda: latex(formula("Lambda", 2, as_printed=True)),
        lambda: {f"ℓ = 2 ({PROBLEM_TEXT})": predict(PROBLEM, ell=2, as_printed=True).test_gain},
    ),
    "ceiling": HandbookEntry(
        "the ceiling of the staircase",
        "new",
        "theory/training_gain.md#the-staircase-and-its-ceiling",
        NOT_IN_SOURCE,
        "ℓ = ∞; C(t) = E[σ⋆(Z)σ⋆(Z')] for standard normal Z, Z' of correlation t = ρ², that is Σ_k k! c_{⋆,k}² t^k. "
        "Odd or even spikes alone: the odd or even part in t",
        ("theory.explained: shares_from_covariance",),
        _ceiling,
        _ceiling_example,
    ),
}
