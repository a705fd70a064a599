"""Options of a problem that change formulas, the letters they introduce, and numbers in closed form."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

import sympy

from theorycalc.errors import DomainError
from theorycalc.functions.build import mul
from theorycalc.functions.properties import derivative
from theorycalc.functions.tree import Tree
from theorycalc.hermite.coefficients import exact_coefficients
from theorycalc.model.enclosed import HermiteCoefficient, RestNorm, RootMeanSquare, SecondMoment, SlopeVariance
from theorycalc.model.enums import FirstLayer, GradientTarget, NetworkKind, SecondLayer
from theorycalc.model.problem import Problem
from theorycalc.numbers.exact import Exact, is_zero
from theorycalc.symbolic import symbols
from theorycalc.theory.plans import has_own_mean

_ZERO, _ONE = sympy.Integer(0), sympy.Integer(1)


class Options(NamedTuple):
    """The options of a problem that change formulas, not only their numbers."""

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
        """True if the step lengthens the neurons that give the spikes; with biases this matters only for gaps."""
        return self.network == NetworkKind.LITERAL and (self.alike or not self.biased)

    @property
    def included(self) -> bool:
        """True if the initial output enters the step."""
        return self.gradient == GradientTarget.RESIDUAL

    @property
    def rho(self) -> sympy.Symbol:
        """The letter for the alignment of the step."""
        return symbols.rho_tilde if self.included else symbols.rho

    @property
    def kappa(self) -> sympy.Symbol:
        """The letter for the squared length of the step."""
        return symbols.kappa_tilde if self.included else symbols.kappa


THEOREM = Options()


def options_of(problem: Problem, network: NetworkKind, gradient: GradientTarget) -> Options:
    """Return the options and laws of a problem that change formulas."""
    return Options(
        gaussian=problem.first_layer == FirstLayer.GAUSSIAN,
        constant=gradient == GradientTarget.RESIDUAL and problem.second_layer == SecondLayer.CONSTANT,
        step_ratio=(closed_form(problem.step_ratio) or sympy.Float(problem.step_ratio)) * problem.steps,
        network=network,
        gradient=gradient,
        free_constant=problem.has_free_constant,
        step_fidelity=1 if problem.step_fidelity == 1 else symbols.a_s,
        fit_fidelity=1 if problem.fit_fidelity == 1 else symbols.a_f,
        step_sign=symbols.b_s if problem.step_sign != 1 and problem.teacher.has_mean else 1,
        fit_sign=symbols.b_f if problem.fit_sign != 1 and problem.teacher.has_mean else 1,
        output_scale=symbols.g_a if gradient == GradientTarget.RESIDUAL and problem.second_scale != 1 else 1,
        label_mean=0 if is_zero(problem.label_mean) else symbols.label_mean,
        biased=problem.biases is not None,
        raw=has_own_mean(problem, gradient),
    )


def closed_form(number: Exact) -> sympy.Expr | None:
    """Return a number as sympy writes it exactly, or None if no closed form is known.

    >>> closed_form(Fraction(1, 3))
    1/3
    """
    match number:
        case Fraction():
            return sympy.Rational(number.numerator, number.denominator)
        case sympy.Expr():
            return number
        case HermiteCoefficient(tree, index):
            return _coefficient(tree, index)
        case SecondMoment(tree):
            return _coefficient(mul(tree, tree), 0)
        case RestNorm(tree):
            mean, first, square = _coefficient(tree, 0), _coefficient(tree, 1), _coefficient(mul(tree, tree), 0)
            if mean is None or first is None or square is None:
                return None
            return sympy.sqrt(sympy.expand(square - mean**2 - first**2))
        case RootMeanSquare(parts):
            forms = [(closed_form(share), closed_form(number)) for share, number in parts]
            terms = [share * form**2 for share, form in forms if share is not None and form is not None]
            return sympy.sqrt(sympy.expand(sympy.Add(*terms))) if len(terms) == len(forms) else None
        case SlopeVariance(tree):
            slope = derivative(tree)
            mean, square = _coefficient(slope, 0), _coefficient(mul(slope, slope), 0)
            return None if mean is None or square is None else sympy.expand(square - mean**2)
        case _:
            return None


def _coefficient(tree: Tree, index: int) -> sympy.Expr | None:
    try:
        return exact_coefficients(tree, index)[index]
    except DomainError:
        return None
