"""The gains of a problem as a display: formulas of its own spikes, with their values."""

from __future__ import annotations

from typing import Any

import sympy

from theorycalc.errors import ArgumentError, spelled
from theorycalc.model.problem import Problem
from theorycalc.results.prediction import predict
from theorycalc.symbolic.cases import case_of
from theorycalc.symbolic.folding import both_gains
from theorycalc.symbolic.statements import Formula, Line
from theorycalc.symbolic.symbols import indexed, m_1, m_1_slope, m_2, m_2_slope

_FLOAT_DIGITS = 6


def gains_with_values(
    problem: Problem, ell: int | None, digits: int | None, network: str, gradient: str | None
) -> Formula:
    """Return Δ_ℓ and Λ_ℓ of a problem's spikes, and with every quantity that predict() computes its value.

    >>> problem = Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10")
    >>> [str(line.value) for line in gains_with_values(problem, 3, None, "theorem", None).statement]
    ['0.244904', '0.482775']
    """
    if ell is None:
        raise ArgumentError(
            f"latex() of a problem needs {spelled('ell')}, the number of the window: latex(problem, ell=2)",
            argument="ell",
        )
    case = case_of(ell, problem, network=network, gradient=gradient, exact=digits is not None)
    case.check_ridge()
    found = predict(problem, ell=case.ell, digits=digits, network=network, gradient=gradient)
    values = {
        indexed("Delta", case.ell): found.train_gain,
        indexed("Lambda", case.ell): found.test_gain,
        case.options.kappa: found.kappa,
        case.options.rho: found.rho,
        m_1: found.m1,
        m_2: found.m2,
        m_1_slope: found.m1_slope,
        m_2_slope: found.m2_slope,
    }
    shown = {symbol: _number(value, digits) for symbol, value in values.items()}

    def valued(lines: tuple[Line, ...]) -> tuple[Line, ...]:
        return tuple(line if line.right.is_number else line._replace(value=shown.get(line.left)) for line in lines)

    formula = both_gains(case)
    solved = tuple(Line(m, shown[m], r"\approx") for m in (m_1, m_2) if case.spikes)
    where = valued(formula.where) + solved
    return Formula(formula.name, valued(formula.statement), where, valued(formula.unfolded))


def _number(value: Any, digits: int | None) -> sympy.Float:
    return sympy.Float(str(value), _FLOAT_DIGITS if digits is None else digits)
