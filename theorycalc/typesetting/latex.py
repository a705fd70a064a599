"""tc.latex(): LaTeX in the paper's notation, for amsmath and KaTeX."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import sympy

from theorycalc.errors import ArgumentError, checked_call, true_or_false
from theorycalc.symbolic.statements import Formula, Line
from theorycalc.typesetting.printer import PaperPrinter

_PRINTER = PaperPrinter({"mat_delim": "", "mat_str": "pmatrix"})


@checked_call
def latex(thing: Any, unfold: bool = False) -> str:
    r"""Return the LaTeX of a sympy object or of a formula, without dollar signs.

    A formula is written with its named parts, each defined once after "where"; ``unfold=True`` puts them in.

    >>> from theorycalc import symbolic as S
    >>> print(latex(S.Delta(2)))
    \frac{\lambda \psi}{\phi} \left( c_{\star,1}^{2} \rho^{2} m_2 + \frac{4}{3} c_{\star,2}^{2} \rho^{4} m_1 \right)
    >>> print(latex(S.formula("direction")))
    \begin{aligned}
    \rho &= \frac{c_{\star,1}}{\sqrt{\kappa}} \\
    \text{where}\quad \kappa &= c_{\star,1}^{2} + \phi \left( c_{\star}^{2} + \sigma_{\varepsilon}^{2} \right)
    \end{aligned}
    """
    true_or_false(unfold, "unfold")
    if isinstance(thing, Formula):
        return display(thing.unfolded) if unfold else display(thing.statement, thing.where)
    if unfold:
        raise ArgumentError("unfold=True is for a formula with named parts, such as symbolic.formula('Delta', 3)")
    if isinstance(thing, (tuple, list, sympy.Tuple)) and thing and all(isinstance(item, sympy.Eq) for item in thing):
        return display(Line(item.lhs, item.rhs) for item in thing)
    if isinstance(thing, (sympy.Basic, sympy.MatrixBase)):
        return expression(thing)
    raise ArgumentError(f"latex() takes a sympy object or a formula, not {type(thing).__name__}")


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


def _line(line: Line) -> str:
    return f"{expression(line.left)} &{line.relation} {expression(line.right)}"
