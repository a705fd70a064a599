"""The equations of m_1 and m_2 where neurons have biases, in symbols (docs/theory/kinds.md#the-equations).

Each kind b of neuron has its c_{1,b}, c_{>1,b} and θ_b; E_b is the mean over the kinds.
"""

from __future__ import annotations

from typing import Any

import sympy

from theorycalc.symbolic.printer import Formula, Line
from theorycalc.symbolic.symbols import (
    c,
    c_0,
    c_0_b,
    c_1,
    c_1_b,
    c_2_b,
    c_rest,
    c_rest_b,
    lam,
    load,
    m_1,
    m_2,
    phi,
    psi,
    s,
    t,
    theta_b,
)
from theorycalc.theory import kinds
from theorycalc.theory.kinds import KindMoments

_KIND = KindMoments(sympy.Integer(1), c_1_b, c_rest_b)


class KindMean(sympy.Function):  # type: ignore[misc]
    """E_b of a number that each kind of neuron has."""

    @classmethod
    def eval(cls, value: sympy.Expr) -> None:
        """Leave the mean as it is."""

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        shown = rf"\mathrm{{E}}_b\left[ {printer.doprint(self.args[0])} \right]"
        return shown if exp is None else f"{shown}^{{{exp}}}"


def kind_equations() -> sympy.Tuple:
    """Return the two equations of s = (ψ/φ)m_1 and t = (ψ/φ)m_2 for neurons with biases, θ_b and β in full.

    Returns
    -------
    sympy.Tuple
        Both equations, each with 0 on its right.

    >>> [str(symbol) for symbol in sorted(kind_equations().free_symbols, key=str)]
    ['c_1_b', 'c_rest_b', 'lambda', 'phi', 'psi', 's', 't']
    """
    return sympy.Tuple(*(sympy.Eq(_in_full(side), 0, evaluate=False) for side in _folded()))


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


def _in_full(expression: sympy.Expr) -> sympy.Expr:
    return expression.xreplace({load: _load()}).xreplace({theta_b: _theta()})


def equations_of_kinds() -> Formula:
    """Return both equations with β and θ_b named."""
    statement = tuple(Line(side, sympy.Integer(0)) for side in _folded())
    full = tuple(Line(_in_full(side), sympy.Integer(0)) for side in _folded())
    return Formula(statement, (Line(load, _load()), Line(theta_b, _theta())), full)


def kind_trace_lines() -> tuple[Line, ...]:
    """Return m_1 and m_2 in s and t, and the equations of these, long sides to the right."""
    found = equations_of_kinds()
    traces = Line(m_1, phi * s / psi), Line(m_2, phi * t / psi)
    return (*traces, *(Line(line.right, line.left) for line in found.statement), *found.where)


def mean_square_lines(expression: sympy.Expr) -> tuple[Line, ...]:
    """Return c_0², c_1², c_{>1}² and c_2 as means over the kinds, as far as an expression has them.

    >>> [str(line.right) for line in mean_square_lines(c_1**2)]
    ['KindMean(c_1_b**2)']
    """
    squares = {c_0: c_0_b, c_1: c_1_b, c_rest: c_rest_b}
    means = [Line(whole**2, KindMean(part**2)) for whole, part in squares.items() if expression.has(whole)]
    return (*means, Line(c(2), KindMean(c_2_b))) if expression.has(c(2)) else tuple(means)
