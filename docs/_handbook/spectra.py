"""The bulk of F₀F₀ᵀ/n and the eigenvalues that a step drives out of it.

See docs/theory/pencil.md#spikes-in-the-spectrum.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy

from docs._handbook.entry import NOT_IN_SOURCE, PROBLEM, PROBLEM_TEXT, HandbookEntry, Typed, lines, named
from theorycalc.model.problem import Problem
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.results.spectrum import spectrum
from theorycalc.symbolic.printer import Line, display
from theorycalc.symbolic.symbols import alpha, c_1, c_rest, ell, phi, psi
from theorycalc.theory.bulk import Curve, bulk_of, density_of, eigenvalue_at, point_at, steepness
from theorycalc.theory.pencil.equations import Blocks, matrix_of, spike_factor
from theorycalc.theory.pencil.outliers import powers_kept
from theorycalc.theory.windows import window_ends

_BULK = "φ, ψ > 0, c_1 ≠ 0, c_{>1} ≥ 0; y outside the law of c_{>1}² + c_1²W₀W₀ᵀ"
_STEP = f"n = 1000, η = n^{{3/10}} ({PROBLEM_TEXT})"
_y, _k, _P, _U = named("y"), named("k"), named("P"), named("U")


def _curve() -> Curve:
    return Curve(phi, phi / psi, c_rest**2, c_1**2)


def _curve_statement() -> str:
    at = point_at(_y, _curve())
    parts = [part.subs(at.k, _k) for part in (at.P, at.U)]
    place = eigenvalue_at(_y, _curve()).subs({at.P: _P, at.U: _U})
    return lines(("z", place), ("k", at.k), ("P", parts[0]), ("U", parts[1]))


def _edge_statement() -> str:
    at = point_at(_y, _curve())
    found = steepness(_y, _curve()).subs(at.P + at.U, _P + _U).subs({at.P: _P, at.U: _U})
    return lines(("0", found.subs(at.k, _k)))


def _bulk() -> Any:
    return bulk_of(Fraction(1, 2), Fraction(2, 3), 0.5, 0.3)


def _after_step() -> tuple[list[float], float]:
    """Return the outliers, and the overlap of the first with H_1."""
    found = spectrum(PROBLEM, n=1000, alpha="3/10", gradient="labels", method="pencil")
    assert found.outliers is not None
    assert found.alignments is not None
    return found.outliers.tolist(), float(found.alignments[0, 1])


def _norm_spike() -> dict[str, Any]:
    problem = Problem("H1 + 3*H2/2", "H1", n=800, d=120, N=600, ridge="1/10")
    found = spectrum(problem, eta=0, method="pencil")
    assert found.outliers is not None
    return {"outlier before any step, H_1 + 3H_2/2, (n, d, N) = (800, 120, 600)": found.outliers.tolist()}


def _outliers() -> str:
    """Return the determinant of Mid for the first spike, on the labels alone: w and θ are those at λ = −z."""
    w, d, theta = named("w_{1}"), named("d_{1}"), named(r"\theta")
    blocks = Blocks([named("w_{0}"), w], [0, 0], (sympy.Integer(0),))
    Y = spike_factor(SYMBOLS, (1,), [d], "gaussian")
    return lines(("0", sympy.factor(sympy.Matrix(matrix_of(blocks, [sympy.sqrt(theta)], [Y], 1)).det())))


def _powers_kept() -> str:
    return display([Line(alpha, sympy.Interval.Lopen(*window_ends(ell)), r"\in")])


_NUMBERS = "φ = 1/2, ψ = 2/3, c_1 = 1/2, c_{>1} = 3/10"

SPECTRA = {
    "bulk_curve": HandbookEntry(
        "eigenvalues by a rational curve",
        "new",
        "theory/pencil.md#the-bulk",
        f"{NOT_IN_SOURCE}; the equation of m_1 solved for λ = −z",
        _BULK,
        ("theory.bulk: eigenvalue_at", "theory.bulk: point_at", "theory.bulk: traces_on"),
        _curve_statement,
        lambda: {"z at y = −4, φ = 1, N = n, c_{>1} = 0, c_1² = 2": eigenvalue_at(-4.0, Curve(1.0, 1.0, 0.0, 2.0))},
    ),
    "bulk_edges": HandbookEntry(
        "edges of the bulk",
        "new",
        "theory/outliers.md#the-bulk",
        NOT_IN_SOURCE,
        f"{_BULK}; one edge above, one below, two or none in the gap",
        ("theory.bulk: steepness", "theory.bulk: bulk_of"),
        _edge_statement,
        lambda: {f"edges ({_NUMBERS})": (_bulk().intervals[0].low, _bulk().intervals[0].high)},
    ),
    "bulk_density": HandbookEntry(
        "density of the bulk",
        "new",
        "theory/outliers.md#the-bulk",
        NOT_IN_SOURCE,
        "z > 0; 0 outside the bulk. Of the four roots y of PU + zy = 0 the one with Im y < 0 < Im(−U)",
        ("theory.bulk: density_of", "theory.bulk: density_inside"),
        Typed(
            r"\varrho(z) = \frac{1}{\pi} \operatorname{Im} \frac{\psi}{\phi} m_1 \Big|_{\lambda = -z - i0^+} = "
            r"\frac{1}{\pi} \operatorname{Im} \frac{1}{U}, \qquad P U + z y = 0",
            "the roots y are eigenvalues of companion matrices",
        ),
        lambda: {f"at z = 1/2 ({_NUMBERS})": float(density_of(_bulk(), np.array([0.5]))[0])},
    ),
    "bulk_atom": HandbookEntry(
        "mass at 0, and the mean of the bulk",
        "new",
        "theory/outliers.md#the-bulk",
        NOT_IN_SOURCE,
        "sizes compared exactly; d counts only where c_{>1} = 0",
        ("theory.bulk: bulk_of", "theory.bulk: Bulk"),
        Typed(
            r"1 - \min\left( 1, \tfrac{\phi}{\psi} [, \phi] \right), \qquad \int z \, d\varrho(z) = "
            r"\frac{\phi}{\psi} "
            r"\left( c_1^2 + c_{>1}^2 \right)",
            "the sizes are compared as exact numbers, and the mean is a float",
        ),
        lambda: {f"mass at 0 ({_NUMBERS})": _bulk().atom, "mean": _bulk().mean},
    ),
    "outliers": HandbookEntry(
        "eigenvalues that leave the bulk",
        "new",
        "theory/pencil.md#spikes-in-the-spectrum",
        NOT_IN_SOURCE,
        "det Mid(λ = −z) = 0, shown for K = {1} and E = 0; z above the bulk or in its gap; 0 < η, α < 0.458; after "
        "large steps the second is unsure, see [spectra](theory/outliers.md#outliers-after-a-step)",
        (
            "theory.pencil.outliers: singular_points",
            "theory.pencil.outliers: count_above",
            "theory.pencil.outliers: mid_at",
        ),
        _outliers,
        lambda: {_STEP: _after_step()[0]},
    ),
    "norm_spike": HandbookEntry(
        "the norm of the inputs as a spike of its own",
        "new",
        "theory/outliers.md#outliers-after-a-step",
        NOT_IN_SOURCE,
        "c_2 ≠ 0; in the last block of Mid 1 + ζ takes the place of the first 1",
        ("theory.pencil.outliers: mid_at", "theory.pencil.outliers: count_above"),
        Typed(
            r"\lim \lambda n \, \tfrac{1}{N} \mathbf{1}^\top \left( F_0^\top F_0 + \lambda n \right)^{-1} "
            r"\mathbf{1} = "
            r"\frac{\theta}{1 + \zeta}, \qquad \zeta = \frac{2 c_2^2 s \theta}{\psi}",
            "the limit is proven in the text; the code has it as a block of Mid",
        ),
        _norm_spike,
    ),
    "overlaps": HandbookEntry(
        "overlap of an outlier's vector with H_k",
        "new",
        "theory/outliers.md#outliers-after-a-step",
        NOT_IN_SOURCE,
        "Mid x = 0 with x = (x₁, x₂, x₃); the derivative in λ is exact",
        ("theory.pencil.outliers: overlaps_at",),
        Typed(
            r"\frac{\left( u^\top H_k(h) \right)^2}{n \, k!} \to -\frac{x_{2,k}^2}{k! \; x^\top (\partial_\lambda "
            r"\mathrm{Mid}) \, x}",
            "the vectors x are those of a numerical eigenvalue",
        ),
        lambda: {f"first outlier with H_1, {_STEP}": _after_step()[1]},
    ),
    "powers_kept": HandbookEntry(
        "powers that leave the bulk",
        "printed",
        "theory/windows.md#how-large-each-term-is",
        "the slides and the paper, the windows of α",
        "the steps after which ℓ is the largest power kept; α < 0.458, and k = 1 is always kept",
        ("theory.pencil.outliers: powers_kept",),
        _powers_kept,
        lambda: {"α = 3/10": powers_kept(0.3), "α = 1/4": powers_kept(0.25)},
    ),
}
