"""Symbolic formulas for inputs with a covariance (docs/theory/inputs.md).

τ_j is an eigenvalue of Σ, ⟨·⟩ the mean over them, and ⟨·⟩_v that with the teacher's shares.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import sympy

from theorycalc.numbers.systems import Array, Number
from theorycalc.symbolic import expressions, symbols
from theorycalc.symbolic.cases import FormulaCase
from theorycalc.symbolic.folding import part_lines
from theorycalc.symbolic.formula_options import Options
from theorycalc.symbolic.printer import Bracketed, Formula, Line, folded
from theorycalc.symbolic.symbols import c_1, c_star, c_star_of, g, kappa, lam, phi, psi, s, tau_j, theta, x
from theorycalc.theory.case import kappa as squared_length
from theorycalc.theory.case import scatter
from theorycalc.theory.covariance import InputSpectrum, moments_of
from theorycalc.theory.spectral_traces import aligned_shares, spectral_equations, unfitted
from theorycalc.theory.traces import constant_spread

_SPHERE = Options(gaussian=True)  # ζ is in B, though rows are on the sphere
_ZERO = sympy.Integer(0)


class Average(Bracketed):
    """⟨f⟩, the mean over the eigenvalues of an expression in τ."""

    is_positive = True
    brackets = r"\left\langle ", r" \right\rangle"


class TeacherAverage(Average):
    """⟨f⟩_v, the mean with the teacher's shares as weights."""

    brackets = r"\left\langle ", r" \right\rangle_{v}"


class AveragedSpectrum(InputSpectrum):
    """A spectrum whose means are written symbolically."""

    def mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩."""
        return Average(value(tau_j))

    def teacher_mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩_v."""
        return TeacherAverage(value(tau_j))


#: The spectrum of any Σ.
ANY_SPECTRUM = AveragedSpectrum(*[np.array([tau_j])] * 3)


_LOAD = c_1**2 * s * theta / psi
_FITTED = Line(g, unfitted(tau_j, x)), Line(x, _LOAD)
_ZETA = Line(symbols.zeta, constant_spread(symbols.c(2), s * theta / psi) * Average((tau_j - 1) ** 2))


def _equations() -> tuple[sympy.Expr, sympy.Expr]:
    """Return the left sides, with g named."""
    sides = spectral_equations(ANY_SPECTRUM, s, theta, phi, psi, lam, c_1, symbols.c_rest)
    first, second = (side.subs(unfitted(tau_j, _LOAD), g) for side in sides)
    return first, second


def _in_full(expression: sympy.Expr) -> sympy.Expr:
    """Return an expression in terms of s, θ and the parameters alone."""
    for line in (*_share_lines(), *_direction_lines(), _ZETA, *_FITTED):
        expression = expression.xreplace({line.left: line.right})
    return expression


def _share_lines() -> tuple[Line, ...]:
    """Return the share of a linear teacher that the step explains, with its components."""
    sampled = scatter(c_star**2, symbols.noise**2, phi)
    found = aligned_shares(ANY_SPECTRUM, x, sympy.Integer(1), c_star_of(1) ** 2, sampled, _ZERO)
    crossed, whole = TeacherAverage(tau_j * g), TeacherAverage(g)
    share = found.train.subs(unfitted(tau_j, x), g).subs(crossed / whole, symbols.tau_bar)
    return Line(symbols.aligned, share), Line(symbols.tau_bar, crossed / whole), Line(symbols.k_star, whole)


def _direction_lines() -> tuple[Line, Line]:
    moments = moments_of(ANY_SPECTRUM)
    along, sampled = c_star_of(1) * moments.aligned, scatter(c_star**2, symbols.noise**2, phi) * moments.square
    length = squared_length(along, sampled + c_star_of(1) ** 2 * moments.across)
    return Line(symbols.rho, along / sympy.sqrt(kappa)), Line(kappa, length)


def equations_of_inputs() -> Formula:
    """Return the equations of s and θ, with g and x named."""
    return folded((Line(side, _ZERO) for side in _equations()), _FITTED)


def direction_of_inputs() -> Formula:
    """Return ρ for a step on the labels, with κ named."""
    direction, length = _direction_lines()
    found = folded((direction,), (length,))
    return replace(found, unfolded=(*found.unfolded, length))


def gain_of_inputs(letter: str) -> Callable[[int], Formula]:
    """Return the builder of Δ_ℓ or Λ_ℓ for a step on the labels, with c_1, …, c_ℓ ≠ 0 and rows on the sphere."""

    def build(ell: int) -> Formula:
        case = FormulaCase(ell, tuple(range(1, ell + 1)), _SPHERE)
        left, parts = symbols.indexed(letter, ell), part_lines(case)
        beyond = symbols.indexed("B", ell) if parts else _ZERO

        def gain(share: sympy.Expr) -> sympy.Expr:
            return lam * s * share if letter == "Delta" else -sympy.Derivative(s * share, lam) / s**2

        linear = c_star_of(1) ** 2 * symbols.k_star * symbols.aligned if ell else _ZERO
        full = linear + expressions.explained(case.spikes, _SPHERE) if ell else _ZERO
        floor = (_ZETA,) if full.has(symbols.zeta) else ()
        turned = (Line(_ZERO, side) for side in _equations())
        direction = _direction_lines() if parts else ()
        where = (*parts, *_share_lines(), *floor, *direction, *_FITTED, *turned) if ell else ()
        return Formula((Line(left, gain(linear + beyond)),), where, (Line(left, gain(_in_full(full))),))

    return build
