"""The teacher as lengthened spikes with gaps see it: along directions that are rational functions of τ."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy

from theorycalc.model.spikes import Spikes
from theorycalc.numbers.systems import SYMBOLS
from theorycalc.symbolic.symbols import c_star, tau
from theorycalc.theory.gains import Parts, TeacherRow, parts_of, quotient


class Fractions:
    """A number system of rational functions, reduced by every operation, where expressions would grow with each.

    >>> numbers = Fractions(tau)
    >>> numbers.expression((numbers.read(tau**2) - 1) / (numbers.read(tau) - 1))
    tau + 1
    """

    def __init__(self, *symbols: sympy.Symbol) -> None:
        self.field = sympy.QQ.frac_field(*symbols)
        self.read = self.field.from_sympy

    def rational(self, value: Fraction) -> Any:
        """Return a rational number as an element of the field."""
        return self.field(value.numerator) / value.denominator

    def expression(self, value: Any) -> sympy.Expr:
        """Return an element of the field as an expression."""
        return sympy.factor(self.field.to_sympy(self.field.convert(value)))


def lengthened_gaps(known: Sequence[sympy.Expr], tail: sympy.Expr, spikes: Spikes) -> Parts:
    """Return the parts of the teacher c_{⋆,1}, c_{⋆,2}, … and the energy ``tail`` beyond, for spikes K with gaps.

    >>> from theorycalc.symbolic.symbols import c_star_of
    >>> lengthened_gaps([c_star_of(k) for k in (1, 2, 3, 4)], c_star**2, Spikes((1, 4))).spanned[0].norm
    3*(3*tau**4 + 12*tau**3 + 42*tau**2 + 60*tau + 35)
    """
    numbers: Any = Fractions(tau, c_star, *known)
    found = parts_of(numbers, [*map(numbers.read, known)], numbers.read(tail), spikes, numbers.read(tau))

    def written(row: TeacherRow) -> TeacherRow:
        coefficients = tuple(map(numbers.expression, row.coefficients))
        return TeacherRow(
            coefficients, sum(coefficients), quotient(coefficients), numbers.expression(row.norm), row.odd
        )

    return parts_of(SYMBOLS, known, tail, spikes)._replace(
        floor=None if found.floor is None else written(found.floor),
        missing=tuple(map(written, found.missing)),
        spanned=tuple(map(written, found.spanned)),
    )
