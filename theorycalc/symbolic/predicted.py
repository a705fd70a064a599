"""The public quantities of the limit as symbols: Δ, Λ, the losses, B, κ, ρ and τ.

See docs/theory/direction.md, docs/theory/training_gain.md, docs/theory/test_gain.md and
docs/theory/missing_coefficients.md.

Each is the theorem's or, with ``network="literal"``, that of the limit of real networks.
"""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from theorycalc.errors import DomainError, one_of, spelled
from theorycalc.model.enums import LimitForm
from theorycalc.model.problem import Problem
from theorycalc.symbolic import expressions
from theorycalc.symbolic.cases import FormulaCase, case_of
from theorycalc.symbolic.symbols import LARGEST_MATRIX, public, tau, v
from theorycalc.theory.checks import check_closed

__all__ = [
    "B", "Delta", "Lambda", "Lambda_clean", "direction", "test_loss", "test_loss_clean", "train_error", "train_loss",
]  # fmt: skip


@public
def Delta(
    ell: int,
    problem: Problem | None = None,
    *,
    form: str = "closed",
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> sympy.Expr:
    """Return the training gain Δ_ℓ in φ, ψ, λ, m_1, m_2, ρ and c_{⋆,k} (docs/theory/training_gain.md).

    With ``network="literal"`` it has τ, by which the step lengthens neurons, and ρ̃ in place of ρ unless
    ``gradient="labels"``; :func:`direction` defines them.

    >>> Delta(1)
    c_star_1**2*lambda*m_2*psi*rho**2/phi
    >>> Delta(2, Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10"))
    m_1/45 + m_2/15
    """
    case = case_of(ell, problem, spikes, network, gradient, intercept=intercept)
    check_closed(network, one_of(form, "form", LimitForm), as_printed=False)
    return _gain("train_gain", case, digits, form)


@public
def Lambda(
    ell: int,
    problem: Problem | None = None,
    *,
    form: str = "closed",
    as_printed: bool = False,
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> sympy.Expr:
    """Return the test gain Λ_ℓ, in terms of the slopes m_1', m_2' in λ, too (docs/theory/test_gain.md).

    ``as_printed=True`` gives Λ_1 or Λ_2 as the slides print them, without the factor φ/(ψm_1²).

    >>> Lambda(1)
    -c_star_1**2*m_2_slope*phi*rho**2/(m_1**2*psi)
    >>> Lambda(1, as_printed=True)
    -c_star_1**4*m_2_slope/kappa
    >>> sorted(map(str, Lambda(2, network="literal").free_symbols - Lambda(2).free_symbols))
    ['rho_tilde', 'tau']
    """
    case = case_of(ell, problem, spikes, network, gradient, intercept=intercept)
    check_closed(network, one_of(form, "form", LimitForm), as_printed)
    if not as_printed:
        return _gain("test_gain", case, digits, form)
    case.check_slides(form)
    case.check_ridge()
    return case.put_in(expressions.slides_Lambda(case.ell), digits)


@public
def train_loss(
    ell: int = 0,
    problem: Problem | None = None,
    *,
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> sympy.Expr:
    """Return the training loss, the ridge objective with its penalty (docs/theory/test_gain.md).

    It is L_tr(F₀) for ℓ = 0, else the loss after the step with ℓ spikes.

    >>> train_loss()
    lambda*psi*(c_star_1**2*m_2 + m_1*(c_star**2 - c_star_1**2 + noise**2))/phi
    """
    return _gain("train_loss", case_of(ell, problem, spikes, network, gradient, intercept=intercept), digits)


@public
def train_error(
    ell: int = 0,
    problem: Problem | None = None,
    *,
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> sympy.Expr:
    """Return the training error without the penalty, (1/n)‖ỹ − Fâ‖²: (λψm_1/φ)² times the test loss.

    It is E_tr(F₀) for ℓ = 0, else the error after the step with ℓ spikes.

    >>> train_error()
    -lambda**2*psi*(c_star_1**2*m_2_slope + m_1_slope*(c_star**2 - c_star_1**2 + noise**2))/phi
    """
    return _gain("train_error", case_of(ell, problem, spikes, network, gradient, intercept=intercept), digits)


@public
def test_loss(
    ell: int = 0,
    problem: Problem | None = None,
    *,
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> sympy.Expr:
    """Return the test loss, including noise (docs/theory/test_gain.md).

    It is L_te(F₀) for ℓ = 0, else the loss after the step with ℓ spikes.

    >>> test_loss()
    -phi*(c_star_1**2*m_2_slope + m_1_slope*(c_star**2 - c_star_1**2 + noise**2))/(m_1**2*psi)
    """
    return _gain("test_loss", case_of(ell, problem, spikes, network, gradient, intercept=intercept), digits)


test_loss.__test__ = False  # type: ignore[attr-defined] # a loss, not a test for pytest to collect


@public
def Lambda_clean(
    ell: int,
    problem: Problem | None = None,
    *,
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> sympy.Expr:
    """Return the gain in test loss on clean labels if the fit's are corrupted (docs/theory/channels.md).

    >>> from theorycalc.symbolic import a_f
    >>> Lambda_clean(1) - a_f**2 * Lambda(1)
    2*a_f*c_star_1**2*m_2*rho**2*(1 - a_f)/m_1
    """
    return _gain("test_gain_clean", case_of(ell, problem, spikes, network, gradient, intercept=intercept), digits)


@public
def test_loss_clean(
    ell: int = 0,
    problem: Problem | None = None,
    *,
    spikes: Iterable[int] | None = None,
    digits: int | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> sympy.Expr:
    """Return the test loss on clean labels if the fit's are corrupted (docs/theory/channels.md).

    It is that of the untrained features for ℓ = 0, else the loss after the step with ℓ spikes.

    >>> from theorycalc.symbolic import a_f
    >>> test_loss_clean().subs(a_f, 1) == test_loss()
    True
    """
    return _gain("test_loss_clean", case_of(ell, problem, spikes, network, gradient, intercept=intercept), digits)


test_loss_clean.__test__ = False  # type: ignore[attr-defined] # nor is this


def _gain(which: str, case: FormulaCase, digits: int | None, form: str = LimitForm.CLOSED) -> sympy.Expr:
    case.check_ridge()
    if form == LimitForm.MATRIX:
        if max(case.spikes, default=0) > LARGEST_MATRIX:
            reason = f"{spelled('form', 'matrix')} is symbolic up to ℓ = {LARGEST_MATRIX}"
            raise DomainError(f"{reason}; the closed form has no such limit", argument="form")
        expression = expressions.matrix_gain(case.spikes, which == "test_gain", case.options)
    else:
        expression = expressions.quantity(which, case.spikes, case.options, after="gain" not in which)
    return case.put_in(expression, digits)


@public
def B(
    ell: int,
    *,
    spikes: Iterable[int] | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> sympy.Expr:
    """Return B_ℓ, the part of Δ_ℓ and Λ_ℓ beyond the linear one (docs/theory/training_gain.md).

    >>> B(3)
    4*c_star_2**2*rho**4/3 + 6*c_star_3**2*rho**6
    >>> B(3, intercept=True)
    2*c_star_2**2*rho**4 + 6*c_star_3**2*rho**6
    >>> B(2, network="literal", gradient="labels")
    -c_star_2**2*rho**4*(tau + 1)**2/((tau + 1)**2/2 + 1) + 2*c_star_2**2*rho**4
    """
    case = case_of(ell, None, spikes, network, gradient, intercept=intercept)
    return expressions.explained(case.spikes, case.options)


@public
def direction(problem: Problem | None = None, *, network: str = "theorem", gradient: str | None = None) -> sympy.Tuple:
    """Return the equations of κ and ρ (docs/theory/direction.md), with the options and numbers of a problem.

    A literal network's are κ̃ and ρ̃, unless ``gradient="labels"``, followed by τ and v (docs/theory/turning.md).

    >>> direction()[0]
    Eq(kappa, c_star_1**2 + phi*(c_star**2 + noise**2))
    >>> direction(network="literal")[2]
    Eq(tau, v/(c_1**2*kappa_tilde))
    """
    case = case_of(1, problem, None, network, gradient)
    options, step = case.options, expressions.direction(case.options)
    sides = {options.kappa: step.kappa, options.rho: step.rho.xreplace({step.kappa: options.kappa})}
    if options.lengthened:
        sides |= expressions.lengthening_parts(options)
    if problem is not None and options.lengthened:
        sides[tau] = sides[tau].xreplace({v: sides[v]})
    return sympy.Tuple(*(sympy.Eq(symbol, case.put_in(value), evaluate=False) for symbol, value in sides.items()))
