"""tc.latex(): LaTeX in the paper's notation, for amsmath and KaTeX; for a problem, its gains with values."""

from __future__ import annotations

from typing import Any

import sympy

from theorycalc.errors import ArgumentError, spelled, true_or_false
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.results.prediction import predict
from theorycalc.running.budget import one_budget
from theorycalc.symbolic.cases import case_of, trace_values
from theorycalc.symbolic.folding import both_gains
from theorycalc.symbolic.printer import Formula, Line, display, expression
from theorycalc.symbolic.symbols import indexed, m_1, m_2

_FLOAT_DIGITS = 6


@checked_call
@one_budget()
def latex(
    thing: Any,
    unfold: bool = False,
    *,
    ell: int | None = None,
    digits: int | None = None,
    network: str | None = None,
    gradient: str | None = None,
) -> str:
    r"""Return the LaTeX of a sympy object, a formula or a problem, without dollar signs.

    Parameters
    ----------
    thing
        A sympy object; a formula, which is written with its named parts, each defined once after "where"; or a
        problem, whose gains Δ_ℓ and Λ_ℓ are written with its own spikes and their values.
    unfold
        Substitute the named parts.
    ell
        Of a problem: the number ℓ of the window.
    digits
        Of a problem: proven digits of the values, instead of six of float64.
    network, gradient
        Of a problem: as in :func:`~theorycalc.predict`; the default is the theorem.

    Returns
    -------
    str
        LaTeX for amsmath and KaTeX.

    Raises
    ------
    TheoryError
        The thing cannot be written, or an argument does not apply to it.

    >>> from theorycalc import Problem
    >>> from theorycalc import symbolic as S
    >>> print(latex(S.Delta(2)))
    \frac{\lambda \psi}{\phi} \left( c_{\star,1}^{2} \rho^{2} m_2 + \frac{4}{3} c_{\star,2}^{2} \rho^{4} m_1 \right)
    >>> print(latex(S.formula("direction")))
    \begin{aligned}
    \rho &= \frac{c_{\star,1}}{\sqrt{\kappa}} \\
    \text{where}\quad \kappa &= c_{\star,1}^{2} + \phi \left( c_{\star}^{2} + \sigma_{\varepsilon}^{2} \right)
    \end{aligned}
    >>> print(latex(Problem("tanh", "H1 + H2", "1/2", "2/3", "1/10"), ell=2).splitlines()[1])
    \Delta_{2} &= \frac{\lambda \psi c_{\star,1}^{2} \rho^{2} m_2}{\phi} \approx 0.0922289 \\
    """
    true_or_false(unfold, "unfold")
    given = {"ell": ell, "digits": digits, "network": network, "gradient": gradient}
    if isinstance(thing, Problem):
        thing = gains_with_values(thing, ell, digits, network or "theorem", gradient)
    elif any(value is not None for value in given.values()):
        name = next(name for name, value in given.items() if value is not None)
        reason = f"{name}= is for a problem: latex(problem, ell=2); formula() takes it for a formula"
        raise ArgumentError(reason, argument=name)
    if isinstance(thing, Formula):
        return display(thing.unfolded) if unfold else display(thing.statement, thing.where)
    if unfold:
        reason = f"{spelled('unfold', True)} is for a formula with named parts, such as symbolic.formula('Delta', 3)"
        raise ArgumentError(reason, argument="unfold")
    if isinstance(thing, (tuple, list, sympy.Tuple)) and thing and all(isinstance(item, sympy.Eq) for item in thing):
        return display(Line(item.lhs, item.rhs) for item in thing)
    if isinstance(thing, (sympy.Basic, sympy.MatrixBase)):
        return expression(thing)
    reason = f"latex() takes a sympy object, a formula or a Problem, not {type(thing).__name__}"
    raise ArgumentError(reason, argument="thing")


def gains_with_values(
    problem: Problem, ell: int | None, digits: int | None, network: str, gradient: str | None
) -> Formula:
    """Return Δ_ℓ and Λ_ℓ for a problem's spikes, with a value for each quantity computed by predict().

    >>> problem = Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10")
    >>> [str(line.value) for line in gains_with_values(problem, 3, None, "theorem", None).statement]
    ['0.244904', '0.482775']
    """
    if ell is None:
        reason = f"latex() of a problem needs {spelled('ell')}, the number of the window: latex(problem, ell=2)"
        raise ArgumentError(reason, argument="ell")
    case = case_of(ell, problem, network=network, gradient=gradient, exact=digits is not None)
    case.check_ridge()
    found = predict(problem, ell=case.ell, digits=digits, network=network, gradient=gradient)
    values = {
        indexed("Delta", case.ell): found.train_gain,
        indexed("Lambda", case.ell): found.test_gain,
        **trace_values(found),
    }
    if not case.options.raw:  # of which these are functions of f̄₀, and the prediction has means
        values |= {case.options.kappa: found.kappa, case.options.rho: found.rho}
    shown = {symbol: sympy.Float(str(value), digits or _FLOAT_DIGITS) for symbol, value in values.items()}

    def valued(lines: tuple[Line, ...]) -> tuple[Line, ...]:
        return tuple(line if line.right.is_number else line._replace(value=shown.get(line.left)) for line in lines)

    formula = both_gains(case)
    solved = tuple(Line(m, shown[m], r"\approx") for m in (m_1, m_2) if case.spikes)
    return Formula(valued(formula.statement), valued(formula.where) + solved, valued(formula.unfolded))
