"""The pencil: finite steps to leading order in each spike (docs/theory/pencil.md)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import sympy

from docs._handbook.cases import case_with, slice_at
from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, HandbookEntry, lines, named
from theorycalc.numbers.systems import FLOATS, SYMBOLS
from theorycalc.results.finite_step import step
from theorycalc.symbolic.symbols import c, c_1, c_rest, c_star_of, eta, lam, m_1, m_2, phi, psi, rho
from theorycalc.theory.case import Case
from theorycalc.theory.pencil import equations as pencil
from theorycalc.theory.traces import in_resolvent

_SPIKES = "spikes K ∋ 1 up to 12; N neurons, η ≥ 0"
_STEP = f"n = 1000, η = n^{{3/10}} ({PROBLEM_TEXT})"


def _case(ns: Any) -> Case:
    if ns is FLOATS:
        return case_with(FLOATS, 0.5, 2 / 3, 0.5, 0.3, (1.0, 0.5), (2.0, 0.5), c2_gaussian=0.2)
    teacher = c_star_of(1), c_star_of(2)
    return case_with(SYMBOLS, phi, psi, c_1, c_rest, teacher, (named(r"\kappa"), rho), c2_gaussian=c(2))


def _strengths() -> str:
    root_kappa, root_N = sympy.sqrt(named(r"{\kappa}")), sympy.sqrt(named("N"))
    found = pencil.strengths((1, 2, 3), [0, c_1, c(2), c(3)], eta, root_kappa, root_N)
    return lines(*zip(("D_1", r"D_2 N^{-1/2}", r"D_3 N^{-1}"), found, strict=True))


def _factor() -> str:
    sizes = [named(f"d_{{{p}}}") for p in (1, 2, 3)]
    rows = pencil.spike_factor(SYMBOLS, (1, 2, 3), sizes, "gaussian")
    return lines((r"Y_{K = \{1, 2, 3\}}", sympy.ImmutableMatrix(rows)))


def _blocks() -> str:
    case = _case(SYMBOLS)
    found = pencil.blocks_of(SYMBOLS, 2, [slice_at(case, m_1, m_2, named(r"\theta"))], case)
    weights = ((f"w_{k}", weight) for k, weight in enumerate(found.weights))
    return lines(*weights, *((f"q_{k}", found.q[k]) for k in (1, 2)))


def _first_spike() -> tuple[sympy.Matrix, list[Any]]:
    """Return Mid and Q of the first spike alone, with letters for the weights, for q and for the spike's size."""
    blocks = pencil.Blocks([named("w_{0}"), named("w_{1}")], [0, named("q_{1}")], (named("E"),))
    Y = pencil.spike_factor(SYMBOLS, (1,), [named("d_{1}")], "gaussian")
    rows = pencil.matrix_of(blocks, [sympy.sqrt(named(r"\theta"))], [Y], 1)
    return sympy.ImmutableMatrix(rows), [*blocks.q, *([0] * (len(rows) - 2))]


def _gains() -> str:
    """Return the gains of the first spike alone, QᵀMid⁻¹Q by its name f."""
    matrix, q = _first_spike()
    solved = SYMBOLS.solve(matrix.tolist(), q)
    f, s = named("f"), in_resolvent(m_1, phi, psi)
    return lines(
        (r"f = Q^{\top} \mathrm{Mid}^{-1} Q", sympy.factor(sympy.Matrix(q).dot(sympy.Matrix(solved)))),
        (r"L_{\mathrm{tr}}(F_0) - L_{\mathrm{tr}}(F)", lam * f),
        (r"L_{\mathrm{te}}(F_0) - L_{\mathrm{te}}(F)", -sympy.Derivative(f, lam) / s**2),
    )


def _factor_example() -> dict[str, Any]:
    return {"d = (1, 1), K = {1, 2}": pencil.spike_factor(SYMBOLS, (1, 2), [1, 1], "gaussian")}


def _blocks_example() -> dict[str, Any]:
    case = _case(FLOATS)
    found = pencil.blocks_of(FLOATS, 2, [slice_at(case, 4.0, 2.0, 0.5)], case)
    return {"w at m_1 = 4, m_2 = 2, θ = 1/2, φ = 1/2, ψ = 2/3, c_2 = 1/5": found.weights, "q at ρ = 1/2": found.q}


def _mid_example() -> dict[str, Any]:
    case = replace(_case(FLOATS), c2_gaussian=0, rho=1, phi=2, psi=1)
    blocks = pencil.blocks_of(SYMBOLS, 1, [slice_at(case, 4, 2, 1)], case)
    return {
        "determinant for W = (2, 1), Y = diag(0, 1), θ = 1": sympy.Matrix(
            pencil.matrix_of(blocks, [1], [[[0, 0], [0, 1]]], 1)
        ).det()
    }


def _pencil_gains() -> dict[str, Any]:
    found = step(PROBLEM, n=1000, alpha="3/10", method="pencil")
    return {f"train and test gain, {_STEP}": (found.train_gain, found.test_gain)}


STEPS = {
    "strengths": HandbookEntry(
        "size of each spike",
        "printed; κ^{p/2} and N^{(1−p)/2} new",
        "theory/pencil.md#woodburys-formula-in-blocks",
        "the slides and the paper, the theorem on the features, with h of variance 1",
        _SPIKES,
        ("theory.pencil.equations: strengths", "theory.windows: amplitude"),
        _strengths,
        lambda: {
            "p = 1, 2 for c = (1/2, 1/5), η = 8, κ = 4, N = 100": pencil.strengths((1, 2), [0, 0.5, 0.2], 8, 2, 10)
        },
    ),
    "spike_factor": HandbookEntry(
        "Gram matrix of the spikes' right vectors, by its factor",
        "new",
        "theory/pencil.md#how-it-is-computed",
        NOT_IN_SOURCE,
        f"{_SPIKES}; Y Yᵀ is DBD of the theory in Hermite polynomials of h, d_p = D_p N^{{(1−p)/2}}",
        ("theory.pencil.equations: spike_factor",),
        _factor,
        _factor_example,
    ),
    "pencil_blocks": HandbookEntry(
        "weights and projections of the pencil",
        "new",
        "theory/pencil.md#how-it-is-computed",
        NOT_IN_SOURCE,
        "s = (ψ/φ)m_1; c_2 enters with a Gaussian first layer; W = diag(w)",
        ("theory.pencil.equations: blocks_of", "theory.pencil.equations: kind_slices"),
        _blocks,
        _blocks_example,
    ),
    "mid": HandbookEntry(
        "the matrix of the pencil",
        "new",
        "theory/pencil.md#woodburys-formula-in-blocks",
        NOT_IN_SOURCE,
        "shown for K = {1}, E the factor of the coupling; in blocks [[W, I + E, 0], [(I + E)ᵀ, 0, −√θ Y], [0, −√θ "
        "Yᵀ, I]], Q = (q, 0, 0); E = 0 when the step uses the labels only",
        ("theory.pencil.equations: matrix_of", "theory.pencil.numerics: ball_gains"),
        lambda: lines((r"\mathrm{Mid}_{K = \{1\}}", _first_spike()[0])),
        _mid_example,
    ),
    "pencil_gains": HandbookEntry(
        "gains of a finite step, by the pencil",
        "new",
        "theory/pencil.md#the-gains",
        NOT_IN_SOURCE,
        f"shown for K = {{1}}; {_SPIKES}; leading order in η²/N, so for α up to about 0.3 at n = 1000",
        (
            "theory.pencil.numerics: float_gains",
            "theory.pencil.equations: form_of",
            "theory.pencil.numerics: ball_gains",
        ),
        _gains,
        _pencil_gains,
    ),
}
