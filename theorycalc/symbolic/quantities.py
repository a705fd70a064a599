"""What ``tc.symbolic`` offers of sections 4, 6, 7 and 8: Δ, Λ, the losses, B, κ and ρ."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import sympy

from theorycalc.activations.present import read_indices
from theorycalc.conditions import spikes_of
from theorycalc.errors import ArgumentError, DomainError, checked_call, one_of
from theorycalc.exact import check_digits
from theorycalc.prediction import FORMS
from theorycalc.symbolic import gains
from theorycalc.symbolic.gains import Options
from theorycalc.symbolic.hermite import index
from theorycalc.symbolic.problems import check_problem, decimal_values, exact_values, options_of
from theorycalc.symbolic.symbols import kappa, rho
from theorycalc.theory.problem import Problem

_LARGEST_ELL = 200
LARGEST_MATRIX = 20  # of a symbolic Ω


@checked_call
def Delta(
    ell: int,
    problem: Problem | None = None,
    *,
    form: str = "closed",
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
) -> sympy.Expr:
    """Return the training gain Δ_ℓ in φ, ψ, λ, m_1, m_2, ρ and c_{⋆,k} (docs/theory/training_gain.md).

    ``form="matrix"`` goes through the paper's Ω; ``spikes`` are the k ≤ ℓ with c_k ≠ 0 (default: all).  With a
    ``problem``, its exact numbers take the place of their symbols, and K is its own; ``digits`` puts in so many
    proven digits of m_1 and m_2, too.

    >>> Delta(1)
    c_star_1**2*lambda*m_2*psi*rho**2/phi
    >>> Delta(2, Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10"))
    m_1/45 + m_2/15
    """
    return _gain("train_gain", ell, problem, form, spikes, digits)


@checked_call
def Lambda(
    ell: int,
    problem: Problem | None = None,
    *,
    form: str = "closed",
    as_printed: bool = False,
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
) -> sympy.Expr:
    """Return the test gain Λ_ℓ, with the slopes m_1', m_2' in λ (docs/theory/test_gain.md).

    ``as_printed=True`` gives Λ_1 or Λ_2 as the slides have them, without the factor φ/(ψm_1²).

    >>> Lambda(1)
    -c_star_1**2*m_2_slope*phi*rho**2/(m_1**2*psi)
    >>> Lambda(1, as_printed=True)
    -c_star_1**4*m_2_slope/kappa
    """
    if not as_printed:
        return _gain("test_gain", ell, problem, form, spikes, digits)
    gains.check_form(form)
    case = _gain_case(ell, problem, spikes)
    gains.check_slides(case.ell, case.spikes, case.options)
    return case.put_in(gains.slides_Lambda(case.ell), digits)


@checked_call
def train_loss(
    ell: int = 0, problem: Problem | None = None, *, spikes: Iterable[int] | None = None, digits: int | None = None
) -> sympy.Expr:
    """Return the training loss: L_tr(F₀) for ℓ = 0, and after the step with ℓ spikes (docs/theory/test_gain.md).

    >>> train_loss()
    lambda*psi*(c_star_1**2*m_2 + m_1*(c_star**2 - c_star_1**2 + noise**2))/phi
    """
    return _gain("train_loss", ell, problem, "closed", spikes, digits)


@checked_call
def test_loss(
    ell: int = 0, problem: Problem | None = None, *, spikes: Iterable[int] | None = None, digits: int | None = None
) -> sympy.Expr:
    """Return the test loss, noise included: L_te(F₀) for ℓ = 0, else after the step with ℓ spikes.

    It is derived in docs/theory/test_gain.md.

    >>> test_loss()
    -phi*(c_star_1**2*m_2_slope + m_1_slope*(c_star**2 - c_star_1**2 + noise**2))/(m_1**2*psi)
    """
    return _gain("test_loss", ell, problem, "closed", spikes, digits)


test_loss.__test__ = False  # type: ignore[attr-defined] # a loss, not a test for pytest to collect


@dataclass(frozen=True)
class Case:
    """One ℓ: its spikes, the options that change formulas, and the problem whose numbers are put in."""

    ell: int
    spikes: tuple[int, ...]
    options: Options
    problem: Problem | None

    def put_in(self, expression: sympy.Expr, digits: int | None = None) -> sympy.Expr:
        """Return an expression with the problem's numbers in the place of its symbols."""
        if self.options.gaussian:
            expression = gains.without_gaussian_names(expression)
        if self.problem is None:
            if digits is not None:
                raise ArgumentError("digits= needs a problem, whose numbers they are digits of")
            return expression
        expression = expression.subs(exact_values(self.problem, max(self.spikes, default=1)))
        if digits is None:
            return expression
        return expression.subs(decimal_values(self.problem, self.ell, check_digits(digits)))


def case_of(ell: int, problem: Problem | None = None, spikes: Iterable[int] | None = None) -> Case:
    """Read ℓ, the spikes K and a problem.

    >>> case_of(4, spikes=(1, 3)).spikes
    (1, 3)
    """
    ell = index(ell, "ell", most=_LARGEST_ELL)
    if problem is None:
        chosen = tuple(range(1, ell + 1)) if spikes is None else read_spikes(ell, spikes)
        return Case(ell, chosen, Options(), None)
    check_problem(problem)
    if spikes is not None:
        raise ArgumentError("give spikes= or a problem, whose activation has its own")
    return case_of_problem(ell, problem)


def case_of_problem(ell: int, problem: Problem) -> Case:
    """Return the spikes and options of a problem, which need not be exact."""
    found = spikes_of(problem, ell)
    assert isinstance(found, tuple)
    return Case(ell, found, options_of(problem), problem)


def read_spikes(ell: int, spikes: Iterable[int]) -> tuple[int, ...]:
    """Return the spikes K ⊂ {1, …, ℓ}, which contains 1."""
    chosen = read_indices(spikes, "spikes")
    if chosen[:1] != (1,) or chosen[-1] > ell:
        raise DomainError(f"spikes={chosen} must contain 1 and none beyond ell={ell}: they are the k ≤ ℓ with c_k ≠ 0")
    return chosen


def _gain_case(ell: int, problem: Problem | None, spikes: Iterable[int] | None) -> Case:
    """Return a case whose gains have a formula: at λ = 0 they are limits, in which λm_1 is 0 · ∞."""
    case = case_of(ell, problem, spikes)
    if problem is not None and problem.ridge == 0:
        raise DomainError("ridge=0: the formulas are for λ > 0; predict() gives their limits as λ → 0⁺")
    return case


def _gain(
    which: str,
    ell: int,
    problem: Problem | None,
    form: str,
    spikes: Iterable[int] | None,
    digits: int | None,
) -> sympy.Expr:
    case = _gain_case(ell, problem, spikes)
    if one_of(form, "form", FORMS) == "matrix":
        if max(case.spikes, default=0) > LARGEST_MATRIX:
            raise DomainError(
                f"form='matrix' is symbolic up to ℓ = {LARGEST_MATRIX}; the closed form has no such limit"
            )
        expression = gains.matrix_gain(case.spikes, which == "test_gain", case.options)
    else:
        expression = getattr(gains.losses(case.spikes, case.options, after=which.endswith("loss")), which)
    return case.put_in(expression, digits)


@checked_call
def B(ell: int, *, spikes: Iterable[int] | None = None) -> sympy.Expr:
    """Return B_ℓ, which Δ_ℓ and Λ_ℓ share (docs/theory/training_gain.md).

    >>> B(3)
    4*c_star_2**2*rho**4/3 + 6*c_star_3**2*rho**6
    """
    return gains.B(case_of(ell, spikes=spikes).spikes)


@checked_call
def direction(problem: Problem | None = None) -> sympy.Tuple:
    """Return the equations of κ and ρ (docs/theory/direction.md), with a problem's options and numbers.

    >>> direction()[0]
    Eq(kappa, c_star_1**2 + phi*(c_star**2 + noise**2))
    """
    case = case_of(1, problem)
    step = gains.direction(case.options)
    folded = step.rho.xreplace({step.kappa: kappa}) if problem is None else step.rho
    sides = ((kappa, step.kappa), (rho, folded))
    return sympy.Tuple(*(sympy.Eq(symbol, case.put_in(value), evaluate=False) for symbol, value in sides))
