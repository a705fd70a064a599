"""The singular values of the weights after the step (docs/theory/weights.md)."""

from __future__ import annotations

import dataclasses
from typing import Any

import sympy

from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, HandbookEntry, lines, named, of_symbolic
from docs._handbook.stand_ins import E_U, A, symbols, tidy
from theorycalc.results.weight_spectrum import weight_spectrum
from theorycalc.symbolic.symbols import c_1, c_star_of, eta, kappa, psi, v
from theorycalc.theory.dressed.nodes_of_kinds import kept_share, row_square
from theorycalc.theory.followed_weights import FollowedLaw, strengths
from theorycalc.theory.weights import (
    WeightLaw,
    excess,
    left_overlap,
    left_share,
    lifted,
    norm_at,
    outlier_square,
    overlaps_at,
    right_overlap,
    right_share,
    split,
    square_at,
    square_slope,
    step_strength,
)

_x, _k, _s, _m = named("x"), named("k_u"), named("s_u"), named("m")
_E = [named(f"e_{j}") for j in range(3)]
_STEP = f"n = 1000, η = 8 ({PROBLEM_TEXT})"
_ROWS = "x above all s_u²; E_u the mean over neurons; the rest of the gradient as even noise"


def _law() -> WeightLaw:
    """Return neurons of one u, whose weight is written as the mean over u."""
    parts = (symbols([part]) for part in (E_U, named("N") * A**2, _k, _s**2))
    return WeightLaw(1 / psi, c_1 * eta, c_1, kappa, c_star_of(1), *parts)


def _rows() -> str:
    return lines(("k_u", kept_share(_m, eta, A**2)), ("s_u^2", row_square(_k, v, eta, A**2)))


def _bulk() -> str:
    return lines((r"\sigma^2", tidy(square_at(_x, _law()))))


def _edges() -> str:
    return lines(("0", tidy(square_slope(_x, _law()))))


def _named_means(expression: Any) -> sympy.Expr:
    """Return an expression with the names of e_0, e_1 and e_2."""
    means = [tidy(mean) for mean in split(_x, _law())]
    return tidy(expression).subs(dict(zip(means, _E, strict=True)))


def _outlier() -> str:
    means = [(f"e_{j}", tidy(mean)) for j, mean in enumerate(split(_x, _law()))]
    return lines(("0", _named_means(excess(_x, _law()))), *means)


def _overlaps() -> str:
    law = _law()
    slope, square, p, norm = (named(text) for text in ("D", r"\sigma^2", "p", "F"))
    found = overlaps_at(_x, law, square, slope, _E[0], p, norm)
    names = zip(("o_{a}", "o_{b}", r"o_{\star}"), found, strict=True)
    return lines(*names, ("p", lifted(law, _E[1])), ("F", tidy(norm_at(_x, law, _E[0], p))))


def _followed() -> str:
    """Return K of one direction, and the overlaps by their forms."""
    load, none = symbols([[sympy.sqrt(named("N") * E_U) * named(r"\varphi")]]), symbols([])
    law = FollowedLaw(1 / psi, none, none, symbols([_s**2]), load, none, none, none)
    slope, square, norm, form = (named(text) for text in ("D", r"\sigma^2", "F", "g"))
    return lines(
        ("K", tidy(strengths(_x, law)[0, 0])),
        ("o_{a}", left_share(_x, form**2, square, slope, norm)),
        ("o_{e}", right_share(_x, form**2, slope, norm)),
    )


def _after_three() -> dict[str, Any]:
    """Return the outliers after three steps."""
    three = dataclasses.replace(PROBLEM, steps=3)
    found = weight_spectrum(three, n=1000, eta=15, gradient="labels")
    return {
        f"places, three steps on the labels, n = 1000, η = 15 each ({PROBLEM_TEXT})": tuple(
            x.place for x in found.outliers
        )
    }


def _after() -> dict[str, Any]:
    found = weight_spectrum(PROBLEM, n=1000, eta=8)
    return {
        "place": found.outlier,
        "overlaps": (found.overlap_a, found.overlap_direction, found.overlap_teacher),
        "edges": found.edges[0],
    }


WEIGHTS = {
    "weight_outlier": of_symbolic(
        "weight_outlier",
        None,
        f"{NOT_IN_SOURCE}; Benaych-Georges and Nadakuditi's formulas for spiked matrices",
        "ϑ⁴ > c = N/d = 1/ψ, else there is no outlier; η²/N → 0; κ and ρ of the labels, or κ̃ and ρ̃ of the residual",
        (
            "theory.weights: step_strength",
            "theory.weights: outlier_square",
            "theory.weights: left_overlap",
            "theory.weights: right_overlap",
            "theory.weights: leading_outlier",
        ),
        lambda: {
            "ϑ² at c_1 = 1/2, η = 8, κ = 2": step_strength(0.5, 8, 2),
            "σ_1² and overlaps with a and the step at ϑ² = 32, c = 3/2": tuple(
                formula(32, 1.5) for formula in (outlier_square, left_overlap, right_overlap)
            ),
        },
    ),
    "weights_rows": HandbookEntry(
        "length of a neuron beside the step",
        "new",
        "theory/weights.md#longer-rows",
        NOT_IN_SOURCE,
        "m = E[Zσ(σ' − c_1)] on the residual; k_u = 1 on the labels; v the spread of the gradient",
        (
            "theory.dressed.nodes_of_kinds: kept_share",
            "theory.dressed.nodes_of_kinds: row_square",
            "theory.weights: turn_of",
        ),
        _rows,
        lambda: {
            "s_u² at m = 1/12, v = 1/4, η = 8, a² = 1/750": row_square(
                kept_share(1 / 12, 8, 1 / 750), 1 / 4, 8, 1 / 750
            )
        },
    ),
    "weights_bulk": HandbookEntry(
        "bulk of the weights' singular values",
        "new",
        "theory/weights.md#the-bulk",
        f"{NOT_IN_SOURCE}; Silverstein's equation, for rows of different lengths",
        "the density of the N values σ is 2ψσ Im(x)/(π|x|²) at the root with Im x > 0",
        ("theory.weights: square_at", "theory.weight_density: weight_density"),
        _bulk,
        lambda: {f"density at σ = 1, {_STEP}": weight_spectrum(PROBLEM, n=1000, eta=8).density(1)},
    ),
    "weights_edges": HandbookEntry(
        "edges of the weights' bulk",
        "new",
        "theory/weights.md#the-bulk",
        f"{NOT_IN_SOURCE}; Silverstein and Choi's condition",
        "x above all s_u²; below them if N < d, and negative if N > d",
        ("theory.weights: square_slope", "theory.weights: edges_of"),
        _edges,
        lambda: {_STEP: _after()["edges"]},
    ),
    "weights_outlier": HandbookEntry(
        "outlier of the weights",
        "new",
        "theory/weights.md#the-outlier",
        NOT_IN_SOURCE,
        f"{_ROWS}. On the labels b does not contain −c_1W₀ᵀa: the c_1 beside e_1 and e_2 are 0",
        ("theory.weights: excess", "theory.weights: split", "theory.weights: outlier_of"),
        _outlier,
        lambda: {_STEP: _after()["place"]},
    ),
    "weights_overlaps": HandbookEntry(
        "overlaps of the outlier's vectors",
        "new",
        "theory/weights.md#overlaps",
        NOT_IN_SOURCE,
        f"{_ROWS}; at the outlier's x, with its σ² and e_j; D = dσ²/dx. o_a = (l·a)², o_b of the step, o_⋆ of β⋆",
        (
            "theory.weights: overlaps_at",
            "theory.weights: norm_at",
            "theory.weights: lifted",
            "theory.weights: left_form",
            "theory.weights: shared_part",
        ),
        _overlaps,
        lambda: {f"with a, the step and β⋆, {_STEP}": _after()["overlaps"]},
    ),
    "followed_weights": HandbookEntry(
        "outliers of the weights after several steps",
        "new",
        "theory/weights.md#several-steps",
        NOT_IN_SOURCE,
        "one for each eigenvalue of K above 1 at the edge, at the x where it is 1; written for displacements φ(u) "
        "along one direction. g[w] = N E_u[w f/(x − s²)], with w = a, or the displacements along a direction e; "
        "f = φ·v, Kv = v, F = N E_u[f²/(x − s²)²], D = dσ²/dx",
        (
            "theory.followed_weights: strengths",
            "theory.followed_weights: outliers_of",
            "theory.followed_weights: outlier_at",
            "theory.weights: left_share",
            "theory.weights: right_share",
        ),
        _followed,
        _after_three,
    ),
}
