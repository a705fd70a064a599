"""One entry of the handbook, and helpers that make statements from the functions that compute the numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import sympy

from theorycalc.model.problem import Problem
from theorycalc.symbolic.formulas import ENTRIES, formula
from theorycalc.symbolic.latex import latex
from theorycalc.symbolic.printer import Line, display

Example = Callable[[], dict[str, Any]]

NOT_IN_SOURCE = "not in the source; derived for this package"
SIZES = "φ, ψ > 0"
PROBLEM = Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10", "1/2")
PROBLEM_TEXT = "ReLU, teacher H_1 + H_2/√2, φ = 1/2, ψ = 2/3, λ = 1/10, σ_ε = 1/2"


@dataclass(frozen=True)
class HandbookEntry:
    """One formula.

    ``statement`` returns its LaTeX, made by calling the code with symbols, or is :class:`Typed`.  ``code`` names the
    functions that compute it, as "module: function".
    """

    title: str
    status: str  # printed, corrected or new
    derivation: str  # page of docs/ and anchor
    source: str
    domain: str
    code: tuple[str, ...]
    statement: Callable[[], str]
    example: Example
    setting: str = ""  # of the example, where its labels do not say it


def of_symbolic(
    name: str, index: int | None, source: str, domain: str, code: tuple[str, ...], example: Example
) -> HandbookEntry:
    """Return the entry of a formula that ``tc.symbolic`` has, typeset at an index.

    >>> of_symbolic("r", 2, "the slides", "p ≥ 1", ("theory.printed: r",), dict).title
    'correlation of teacher and spike'
    """
    known = ENTRIES[name]
    return HandbookEntry(
        known.title, known.status, known.derivation, source, domain, code, lambda: latex(formula(name, index)), example
    )


class Typed(NamedTuple):
    """A typed statement, and the reason why the code takes no symbols."""

    text: str
    reason: str

    def __call__(self) -> str:
        """Return the LaTeX."""
        return self.text


def lines(*pairs: tuple[str, Any]) -> str:
    r"""Return a display of "name = expression" lines; names are LaTeX.

    >>> print(lines(("S", sympy.Integer(2))))
    \begin{aligned}
    S &= 2
    \end{aligned}
    """
    return display([Line(named(left), _as_sympy(right)) for left, right in pairs])


def _as_sympy(value: Any) -> Any:
    """Return a number as a sympy number, and a matrix as it is."""
    return value if isinstance(value, sympy.MatrixBase) else value + sympy.Integer(0)


def named(text: str) -> sympy.Symbol:
    r"""Return a positive symbol that is written as the LaTeX given.

    >>> latex(named(r"\hat{w}") + 1)
    '1 + \\hat{w}'
    """
    return sympy.Symbol(text, positive=True)
