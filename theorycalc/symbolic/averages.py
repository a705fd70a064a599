"""Means in symbols: over the eigenvalues of Σ, ⟨f(τ)⟩ and ⟨f(τ)⟩_v with the teacher's shares, over networks and kinds.

See docs/theory/inputs.md#the-inputs, docs/theory/intercept.md#raw-activations and docs/theory/kinds.md#the-equations.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import sympy

from theorycalc.numbers.systems import Array, Number
from theorycalc.symbolic.symbols import f_bar, latex_name, tau_j
from theorycalc.theory.covariance import InputSpectrum


class Bracketed(sympy.Function):  # type: ignore[misc]
    """A function that is written by its brackets."""

    brackets: tuple[str, str]

    def _latex(self, printer: sympy.printing.printer.Printer, exp: str | None = None) -> str:
        shown = ", ".join(map(printer.doprint, self.args)).join(self.brackets)
        return shown if exp is None else f"{shown}^{{{exp}}}"


class Average(Bracketed):
    """⟨f⟩, the mean of an expression in τ over the eigenvalues."""

    is_positive = True
    brackets = r"\left\langle ", r" \right\rangle"


class TeacherAverage(Average):
    """⟨f⟩_v, the mean with the teacher's shares as weights."""

    brackets = r"\left\langle ", r" \right\rangle_{v}"


class AveragedSpectrum(InputSpectrum):
    """A spectrum whose means are written as such."""

    def mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩."""
        return Average(value(tau_j))

    def teacher_mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩_v."""
        return TeacherAverage(value(tau_j))


class NetworkMean(Bracketed):
    """The mean over networks, whose initial output has the mean f̄₀."""

    brackets = rf"\mathrm{{E}}_{{{latex_name(f_bar.name)}}}\left[ ", r" \right]"


class KindMean(Bracketed):
    """E_b of a number that each kind of neuron has."""

    brackets = r"\mathrm{E}_b\left[ ", r" \right]"


class NormalLaw(Bracketed):
    """The normal law of a mean and a variance."""

    brackets = r"\mathcal{N}\left( ", r" \right)"


#: The spectrum of any Σ.
ANY_SPECTRUM = AveragedSpectrum(*[np.array([tau_j])] * 3)
