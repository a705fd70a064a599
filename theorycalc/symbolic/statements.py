"""Formulas for a reader: a statement whose parts have names, and the names' definitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import sympy


class Line(NamedTuple):
    """One relation of a display, such as Δ_1 = λψm_2ρ²/φ, with its ``value`` where it has one: ≈ 0.13."""

    left: sympy.Basic
    right: sympy.Basic
    relation: str = "="
    value: sympy.Float | None = None


@dataclass(frozen=True)
class Formula:
    """A formula for people: ``statement`` with named parts, defined in ``where``; ``unfolded`` has no names left."""

    name: str
    statement: tuple[Line, ...]
    where: tuple[Line, ...]
    unfolded: tuple[Line, ...]

    def doit(self) -> sympy.Basic:
        """Return the first right-hand side, or the whole of an equation, with everything put in that is defined.

        >>> from theorycalc.symbolic import formula
        >>> sorted(map(str, formula("Delta", 1).doit().free_symbols))
        ['c_star', 'c_star_1', 'lambda', 'm_2', 'noise', 'phi', 'psi']
        """
        line = self.unfolded[0]
        return sympy.Eq(line.left, 0) if line.right == 0 and not line.left.is_Symbol else line.right

    def _repr_latex_(self) -> str:
        from theorycalc.symbolic.latex import latex

        return f"$\\displaystyle {latex(self)}$"


def plain(name: str, *lines: Line) -> Formula:
    """Return a formula that has no named parts.

    >>> plain("r", Line(sympy.Symbol("r"), sympy.Integer(1))).where
    ()
    """
    return Formula(name, lines, (), lines)
