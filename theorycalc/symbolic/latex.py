"""tc.latex(): LaTeX in the paper's notation, for amsmath and KaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import sympy

from theorycalc.errors import ArgumentError, spelled, true_or_false
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call, documented
from theorycalc.symbolic.printer import PaperPrinter
from theorycalc.symbolic.statements import Formula, Line
from theorycalc.symbolic.valued import gains_with_values

_PRINTER = PaperPrinter({"mat_delim": "", "mat_str": "pmatrix"})


@documented
@checked_call
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
        Put the named parts in.
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
        The thing cannot be written, or an argument is not for it.

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
        raise ArgumentError(
            f"{name}= is for a problem: latex(problem, ell=2); formula() takes it for a formula", argument=name
        )
    if isinstance(thing, Formula):
        return display(thing.unfolded) if unfold else display(thing.statement, thing.where)
    if unfold:
        raise ArgumentError(
            f"{spelled('unfold', True)} is for a formula with named parts, such as symbolic.formula('Delta', 3)",
            argument="unfold",
        )
    if isinstance(thing, (tuple, list, sympy.Tuple)) and thing and all(isinstance(item, sympy.Eq) for item in thing):
        return display(Line(item.lhs, item.rhs) for item in thing)
    if isinstance(thing, (sympy.Basic, sympy.MatrixBase)):
        return expression(thing)
    raise ArgumentError(
        f"latex() takes a sympy object, a formula or a Problem, not {type(thing).__name__}", argument="thing"
    )


def expression(thing: sympy.Basic) -> str:
    r"""Return one sympy object as LaTeX.

    >>> expression(sympy.Rational(1, 2))
    '\\frac{1}{2}'
    """
    return str(_PRINTER.doprint(thing))


def display(statement: Iterable[Line], where: Iterable[Line] = ()) -> str:
    """Return lines aligned at their relations, with definitions after "where"."""
    return "\\begin{aligned}\n" + aligned(statement, where, _line) + "\n\\end{aligned}"


def aligned(statement: Iterable[Line], where: Iterable[Line], write: Callable[[Line], str]) -> str:
    """Return the lines of a display, each as ``write`` has it."""
    lines = [write(line) for line in statement]
    lines += [("" if i else r"\text{where}\quad ") + write(line) for i, line in enumerate(where)]
    return " \\\\\n".join(lines)


def right_side(line: Line) -> str:
    """Return the right-hand side of a line, with its value."""
    value = "" if line.value is None else rf" \approx {expression(line.value)}"
    return expression(line.right) + value


def _line(line: Line) -> str:
    return f"{expression(line.left)} &{line.relation} {right_side(line)}"
