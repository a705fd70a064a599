"""Means over the eigenvalues of Σ in symbols: ⟨f(τ)⟩, and ⟨f(τ)⟩_v with the teacher's shares.

See docs/theory/inputs.md#the-inputs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy

from theorycalc.numbers.systems import Array, Number
from theorycalc.symbolic.symbols import tau_j
from theorycalc.theory.covariance import InputSpectrum


class Average(sympy.Function):  # type: ignore[misc]
    """⟨f⟩, the mean of an expression in τ over the eigenvalues."""

    is_positive = True
    sign = ""

    def _latex(self, printer: sympy.printing.printer.Printer, exp: str | None = None) -> str:
        shown = rf"\left\langle {printer.doprint(self.args[0])} \right\rangle{self.sign}"
        return shown if exp is None else rf"{shown}^{{{exp}}}"


class TeacherAverage(Average):
    """⟨f⟩_v, the mean with the teacher's shares as weights."""

    sign = "_{v}"


class AveragedSpectrum(InputSpectrum):
    """A spectrum whose means are written as such."""

    def mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩."""
        return Average(value(tau_j))

    def teacher_mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩_v."""
        return TeacherAverage(value(tau_j))


#: The spectrum of any Σ.
ANY_SPECTRUM = AveragedSpectrum(*[np.array([tau_j])] * 3)
