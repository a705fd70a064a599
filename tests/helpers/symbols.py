"""Options of formulas in symbols, and their unfolding."""

from __future__ import annotations

import sympy as sp

import theorycalc as tc
from tests.helpers.problems import problem as example
from theorycalc.symbolic.formula_options import Options
from theorycalc.symbolic.printer import Formula


def unfolded_by_hand(formula: Formula) -> list[sp.Basic]:
    """Put the definitions in, last first, as a reader would."""
    sides = [line.left - line.right if line.right == 0 else line.right for line in formula.statement]
    definitions = [
        line for line in formula.where if not line.left.is_number and not isinstance(line.right, sp.Derivative)
    ]
    for _ in range(len(definitions)):
        sides = [side.xreplace({line.left: line.right for line in definitions}) for side in sides]
    return sides


OPTIONS = {
    "gaussian": Options(gaussian=True),
    "literal": Options(network="literal", gradient="residual", constant=True),
    "labels": Options(network="literal", step_ratio=sp.Rational(1, 2)),
    "all": Options(gaussian=True, network="literal", gradient="residual", step_ratio=sp.Rational(1, 2)),
}
PROBLEMS = [
    example("relu", "H1 + H2/sqrt(2)"),
    tc.Problem("tanh", "H1 + H3/3", "3/2", "1/3", "1/100"),
    tc.Problem("tanh(x + 1)", "H1 + H2/2 + H3/7 - H4/9", "1/2", "2/3", "1", noise="1/3"),
    tc.Problem("gelu", "H1 + H2/2", "1/2", "2/3", "1/10", first_layer="gaussian"),
    tc.Problem("relu", "H1 + H2/2 + H4/5", "2", "2/3", "1/10", first_layer="gaussian"),
    tc.Problem("x + x**4/9", "H1 + H2/2 + H4/5", "2", "2/3", "1/10", step_samples="1/2"),
    tc.Problem("elu", "sin(x) + x**2", "1/2", "2/3", "1/10"),
    tc.Problem("softplus", "tanh", "1/2", "2/3", "1/10", second_layer="constant"),
    tc.Problem(tc.Activation.from_moments("1/2", "3/10"), ["1", "1/2", "1/3"], "1/2", "2/3", "1/10"),
]
