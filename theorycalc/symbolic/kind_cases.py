"""Cases of formulas whose neurons have biases: their numbers, and spikes with gaps of literal networks.

See docs/theory/kinds.md#formulas.
"""

from __future__ import annotations

from fractions import Fraction

import sympy

from theorycalc.errors import DomainError, called, spelled
from theorycalc.functions.build import add, mul, number
from theorycalc.model.biases import kind_numbers
from theorycalc.model.enclosed import HermiteCoefficient, RootMeanSquare
from theorycalc.model.enums import NetworkKind
from theorycalc.model.formula import FormulaActivation
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import Spikes
from theorycalc.numbers.exact import Exact
from theorycalc.symbolic import symbols
from theorycalc.symbolic.formula_options import Options
from theorycalc.theory.kind_spikes import lengthened_alike, moving_kinds


def with_gaps(problem: Problem, options: Options, spikes: Spikes) -> Options:
    """Return the options of a literal network whose spikes have gaps, or refuse kinds that are lengthened apart."""
    if problem.biases is None or options.network != NetworkKind.LITERAL or not spikes.has_gaps:
        return options
    if not lengthened_alike(problem):
        raise DomainError(
            f"{spelled('network', options.network)} and {spelled('biases')}: the polynomials of spikes K = {spikes} "
            "with gaps depend on Var σ_b' and c_{1,b} of each kind of neuron, which have no symbols here; "
            f"{called('predict')} computes the numbers",
            argument="biases",
        )
    return options._replace(alike=True)


def numbers_of_kinds(problem: Problem, options: Options) -> dict[sympy.Symbol, Exact]:
    """Return c_1 and c_{>1} as root mean squares over the kinds of neurons, by which f₀ depends on them.

    Where all a_i are equal f₀ has the mean of c_2, too; kinds that the step lengthens alike have one Var σ'(Z).
    """
    assert problem.biases is not None
    known = kind_numbers(problem.activation, problem.first_scale, problem.biases)
    numbers: dict[sympy.Symbol, Exact] = {
        symbols.c_1: RootMeanSquare(tuple((one.share, one.c1) for one in known)),
        symbols.c_rest: RootMeanSquare(tuple((one.share, one.c_rest) for one in known)),
    }
    if options.constant and problem.biases.law is None:
        kinds = [kind for kind in problem.unit_kinds if isinstance(kind, FormulaActivation)]
        trees = [mul(number(Fraction(one.share)), kind.tree) for one, kind in zip(known, kinds, strict=False)]
        if len(trees) == len(known):
            numbers[symbols.c(2)] = HermiteCoefficient(add(*trees), 2)
    spread = moving_kinds(problem)[0].slope_variance if options.lengthened else None
    return numbers if spread is None else numbers | {symbols.slope_variance: spread}
