"""The equations of m_1 and m_2 where neurons have biases, in symbols (docs/theory/kinds.md#the-equations).

Each kind b of neuron has its c_{1,b}, c_{>1,b} and θ_b; E_b is the mean over the kinds.
"""

from __future__ import annotations

import sympy

from theorycalc.model.signatures import documented
from theorycalc.symbolic import symbols
from theorycalc.symbolic.printer import Bracketed, Formula, Line, folded
from theorycalc.symbolic.symbols import c, c_1_b, c_rest_b, lam, load, phi, psi, s, t, theta_b
from theorycalc.theory import kinds
from theorycalc.theory.kinds import KindMoments

_KIND = KindMoments(sympy.Integer(1), c_1_b, c_rest_b)


class KindMean(Bracketed):
    """E_b of a number that each kind of neuron has."""

    brackets = r"\mathrm{E}_b\left[ ", r" \right]"


@documented
def kind_equations() -> sympy.Tuple:
    """Return the two equations of s = (ψ/φ)m_1 and t = (ψ/φ)m_2 for neurons with biases, θ_b and β in full.

    Each has 0 on its right.

    >>> [str(symbol) for symbol in sorted(kind_equations().free_symbols, key=str)]
    ['c_1_b', 'c_rest_b', 'lambda', 'phi', 'psi', 's', 't']
    """
    return sympy.Tuple(*(sympy.Eq(line.left, 0, evaluate=False) for line in equations_of_kinds().unfolded))


def _theta() -> sympy.Expr:
    return kinds.kind_theta(_KIND, s, t)


def _load() -> sympy.Expr:
    """Return β with θ_b named."""
    return KindMean(psi * kinds.linear_load([_KIND], s, t, psi).subs(_theta(), theta_b)) / psi


def _folded() -> tuple[sympy.Expr, ...]:
    """Return the left sides, with β and θ_b named.

    Of a single kind, whose share is 1, every mean is the number itself: there the means take their places.
    """
    beta, bulk = (
        part.subs(_theta(), theta_b)
        for part in (kinds.linear_load([_KIND], s, t, psi), kinds.bulk_load([_KIND], s, t, phi, psi))
    )
    sides = (
        side.subs(_theta(), theta_b).subs(beta, load) for side in kinds.kind_equations([_KIND], s, t, phi, psi, lam)
    )
    return tuple(side.subs(bulk, phi * KindMean(bulk * psi / phi) / psi) for side in sides)


def equations_of_kinds() -> Formula:
    """Return both equations with β and θ_b named."""
    statement = (Line(side, sympy.Integer(0)) for side in _folded())
    return folded(statement, (Line(load, _load()), Line(theta_b, _theta())))


def kind_trace_lines() -> tuple[Line, ...]:
    """Return m_1 and m_2 in s and t, and the equations of these, long sides to the right."""
    found = equations_of_kinds()
    traces = Line(symbols.m_1, phi * s / psi), Line(symbols.m_2, phi * t / psi)
    return (*traces, *(Line(line.right, line.left) for line in found.statement), *found.where)


def mean_square_lines(expression: sympy.Expr) -> tuple[Line, ...]:
    """Return c_0², c_1², c_{>1}² and c_2 as means over the kinds, as far as an expression has them.

    >>> [str(line.right) for line in mean_square_lines(symbols.c_1**2)]
    ['KindMean(c_1_b**2)']
    """
    squares = {symbols.c_0: symbols.c_0_b, symbols.c_1: c_1_b, symbols.c_rest: c_rest_b}
    means = [Line(whole**2, KindMean(part**2)) for whole, part in squares.items() if expression.has(whole)]
    return (*means, Line(c(2), KindMean(symbols.c_2_b))) if expression.has(c(2)) else tuple(means)
