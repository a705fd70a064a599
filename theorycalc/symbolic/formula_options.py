"""The options of a problem that change formulas, and the letters that they bring in."""

from __future__ import annotations

from typing import NamedTuple

import sympy

from theorycalc.model.enums import GradientTarget, NetworkKind
from theorycalc.symbolic import symbols

_ZERO, _ONE = sympy.Integer(0), sympy.Integer(1)


class Options(NamedTuple):
    """The options of a problem that change the formulas, not only the numbers in them."""

    gaussian: bool = False  # the first layer's law
    constant: bool = False  # the second layer's law, where the initial output takes part in the step
    step_ratio: sympy.Expr = _ONE
    network: NetworkKind = NetworkKind.THEOREM
    gradient: GradientTarget = GradientTarget.LABELS
    free_constant: bool = False
    step_fidelity: sympy.Expr = _ONE  # a_s of the step's labels
    fit_fidelity: sympy.Expr = _ONE  # a_f of the fit's labels
    step_sign: sympy.Expr = _ONE  # b_s, by which flips multiply the mean of the step's labels
    fit_sign: sympy.Expr = _ONE  # b_f, of the fit's labels
    output_scale: sympy.Expr = _ONE  # g_a of the second layer, where the initial output takes part in the step
    label_mean: sympy.Expr = _ZERO
    biased: bool = False  # whether neurons have biases
    raw: bool = False  # whether the initial output has a random mean, which takes part in the step
    alike: bool = False  # whether these are lengthened by one factor, which spikes with gaps depend on

    @property
    def lengthened(self) -> bool:
        """True if the spikes are those of neurons that the step lengthens; with biases only gaps in them matter."""
        return self.network == NetworkKind.LITERAL and (self.alike or not self.biased)

    @property
    def included(self) -> bool:
        """True if the initial output takes part in the step."""
        return self.gradient == GradientTarget.RESIDUAL

    @property
    def rho(self) -> sympy.Symbol:
        """The letter of the step's alignment."""
        return symbols.rho_tilde if self.included else symbols.rho

    @property
    def kappa(self) -> sympy.Symbol:
        """The letter of the step's squared length."""
        return symbols.kappa_tilde if self.included else symbols.kappa


THEOREM = Options()
