"""The error rate before a step, in symbols (docs/theory/error_rate.md#how-often-the-sign-is-wrong).

The law of the fit is that of :func:`~theorycalc.theory.learned.fit_of`, called with symbols.
"""

from __future__ import annotations

from types import SimpleNamespace

import sympy

from theorycalc.symbolic import ingredients
from theorycalc.symbolic.printer import Formula, Line
from theorycalc.symbolic.symbols import c_star, c_star_of, fit_variance, k, m_1, m_2, noise, rate
from theorycalc.theory.fit_scatter import Scatter
from theorycalc.theory.learned import LearnedFit, LeftOver, fit_of

_ZERO, _ONE = sympy.Integer(0), sympy.Integer(1)


def untrained_fit() -> LearnedFit:
    """Return the law of the fit before the step: its slope in t, and its variance given t.

    >>> untrained_fit().slope
    c_star_1*(1 - k)
    """
    weights, linear = ingredients.weights(gaussian=False), c_star_of(1) ** 2
    scatter = Scatter(k, 1 - k, weights.test_linear - k**2, weights.test_rest - 1, _ZERO, _ZERO)
    left = LeftOver(lambda h: _ZERO * h, _ZERO, linear, c_star**2 - linear + noise**2)
    case = SimpleNamespace(c_star=(c_star_of(1),))
    return fit_of(case, left, scatter, _ZERO)  # type: ignore[arg-type]


def error_rate_initial() -> Formula:
    """Return the error rate before a step for labels sign(t): an angle between t and the fit."""
    fit = untrained_fit()
    angle = sympy.acos(fit.slope / sympy.sqrt(fit.slope**2 + fit_variance)) / sympy.pi
    where = Line(fit_variance, fit.variance), Line(k, m_2 / m_1)
    full = angle.xreplace({fit_variance: fit.variance}).xreplace({k: m_2 / m_1})
    return Formula((Line(rate, angle),), where, (Line(rate, full),))
