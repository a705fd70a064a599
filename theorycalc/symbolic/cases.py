"""The case that a formula is for: ℓ, the spikes K, what changes formulas, and a problem whose numbers are put in."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy

from theorycalc.errors import ArgumentError, DomainError, spelled
from theorycalc.model.problem import Problem
from theorycalc.model.spikes import read_indices
from theorycalc.numbers.exact import check_digits
from theorycalc.results.prediction import gradient_of
from theorycalc.symbolic import expressions as gains
from theorycalc.symbolic.basis import index
from theorycalc.symbolic.expressions import THEOREM, Options
from theorycalc.symbolic.problems import check_problem, decimal_values, exact_values, options_of
from theorycalc.theory.conditions import spikes_of

_LARGEST_ELL = 200
LARGEST_MATRIX = 20  # of a symbolic Ω


@dataclass(frozen=True)
class FormulaCase:
    """One ℓ: its spikes, the options that change formulas, and the problem whose numbers are put in."""

    ell: int
    spikes: tuple[int, ...]
    options: Options = THEOREM
    problem: Problem | None = None

    def put_in(self, expression: sympy.Expr, digits: int | None = None) -> sympy.Expr:
        """Return an expression with the problem's numbers in the place of its symbols."""
        if self.options.gaussian:
            expression = gains.without_gaussian_names(expression)
        if self.problem is None:
            if digits is not None:
                raise ArgumentError(
                    f"{spelled('digits')} needs a problem, whose numbers they are digits of", argument="digits"
                )
            return expression
        expression = expression.subs(exact_values(self.problem, max(self.spikes, default=1), self.options))
        if digits is None:
            return expression
        return expression.subs(decimal_values(self.problem, self.ell, check_digits(digits), self.options))

    def check_ridge(self) -> None:
        """Refuse λ = 0, where gains are limits in which λm_1 is 0 · ∞."""
        if self.problem is not None and self.problem.ridge == 0:
            raise DomainError(
                "ridge=0: the formulas are for λ > 0; predict() gives their limits as λ → 0⁺", argument="ridge"
            )


def case_of(
    ell: int,
    problem: Problem | None = None,
    spikes: Iterable[int] | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    exact: bool = True,
) -> FormulaCase:
    """Read ℓ, the spikes K, a problem, which must be ``exact`` for its numbers to be put in, and its network.

    >>> case_of(4, spikes=(1, 3)).spikes
    (1, 3)
    """
    ell = index(ell, "ell", most=_LARGEST_ELL)
    gradient = gradient_of(network, gradient)
    if problem is None:
        chosen = tuple(range(1, ell + 1)) if spikes is None else read_spikes(ell, spikes)
        return FormulaCase(ell, chosen, Options(network=network, gradient=gradient))
    check_problem(problem, exact)
    if spikes is not None:
        raise ArgumentError(f"give {spelled('spikes')} or a problem, whose activation has its own", argument="spikes")
    return FormulaCase(ell, spikes_of(problem, ell).listed, options_of(problem, network, gradient), problem)


def read_spikes(ell: int, spikes: Iterable[int]) -> tuple[int, ...]:
    """Return the spikes K ⊂ {1, …, ℓ}, which contains 1."""
    chosen = read_indices(spikes, "spikes")
    if chosen[:1] != (1,) or chosen[-1] > ell:
        raise DomainError(
            f"spikes={chosen} must contain 1 and none beyond ell={ell}: they are the k ≤ ℓ with c_k ≠ 0",
            argument="spikes",
        )
    return chosen
