"""Every formula by name, with its title, its place in the docs and its builder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

import sympy

from theorycalc.errors import ArgumentError, one_of
from theorycalc.model.enums import LimitForm, NetworkKind
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.symbolic import expressions, folding
from theorycalc.symbolic import ingredients as parts
from theorycalc.symbolic.cases import FormulaCase, case_of
from theorycalc.symbolic.input_formulas import direction_of_inputs, equations_of_inputs, gain_of_inputs
from theorycalc.symbolic.printer import Formula, Line, folded
from theorycalc.symbolic.symbols import PaperMatrix, alpha, indexed, tau
from theorycalc.symbolic.symbols import index as whole_index
from theorycalc.theory.checks import check_closed


@dataclass(frozen=True)
class Entry:
    """A formula's title, status, place and builder, a function of its index or of a :class:`FormulaCase`."""

    title: str
    place: str  # page of docs/theory, and anchor
    build: Callable[..., Formula]
    status: str = "new"  # or printed, or corrected
    index: str = "ell"  # the argument that is its index: ell, k or p; "" for none
    cases: bool = False  # whether spikes, a problem and its network change it

    @property
    def derivation(self) -> str:
        """The page in docs/ that derives it, with the anchor."""
        return f"theory/{self.place}"


def _gain(letter: str, which: str) -> Callable[..., Formula]:
    def build(case: FormulaCase, form: str = LimitForm.CLOSED, as_printed: bool = False) -> Formula:
        if as_printed:
            case.check_slides(form)
            return folding.slides_Lambda(case)
        return folding.matrix_gain(letter, case) if form == LimitForm.MATRIX else folding.gain(letter, which, case)

    return build


def _B(case: FormulaCase) -> Formula:
    zero = Line(indexed("B", case.ell), expressions.ZERO)
    statement, *where = folding.part_lines(case) or (zero,)
    full = expressions.explained(case.spikes, case.options)
    where += (*folding.direction_lines(case.options), *folding.output_lines(case.options))
    where += folding.lengthening_lines(full, case.options)
    return Formula((statement,), tuple(where), (Line(statement.left, folding.unfold(full, case.options)),))


def _direction(case: FormulaCase) -> Formula:
    options = case.options
    rho, kappa = folding.direction_lines(options)
    length, *spread = folding.lengthening_lines(tau, options) if options.lengthened else (None,)
    statement = (rho,) if length is None else (rho, length)
    full = {rho.left: folding.unfold(rho.right, options), tau: folding.unfold(tau, options)}
    unfolded = (*(Line(line.left, full[line.left]) for line in statement), kappa)
    law = folding.output_lines(options)
    means = folding.mean_square_lines(sympy.Tuple(kappa.right, *(line.right for line in law))) if options.biased else ()
    return Formula(statement, (kappa, *law, *spread, *means), unfolded)


def _plain(letter: str, make: Callable[[int], sympy.Basic], relation: str = "=") -> Callable[[int], Formula]:
    """Return the builder of a formula without named parts: of a matrix, of α, or of an indexed letter."""

    def build(index: int) -> Formula:
        left, right = alpha, make(index)
        if isinstance(right, sympy.MatrixBase):
            left = PaperMatrix(letter, right.rows, right.rows)
        elif letter != alpha.name:
            left = indexed(letter, index)
        return folded((Line(left, right, relation),))

    return build


_XI, _EQUATION = "hermite.md#powers-and-hermite-polynomials-ξ", "traces.md#one-monotone-equation"
_SIZE, _LEFT = "windows.md#how-large-each-term-is", "test_gain.md#what-is-left-without-a-subtraction"
_PRINTED, _CLOSED = "training_gain.md#the-printed-form", "training_gain.md#the-closed-form"
_CLEAN, _COVARIANCE = "channels.md#clean-labels", "inputs.md#the-gains"

ENTRIES = {
    "H": Entry("probabilists' Hermite polynomial", "hermite.md#the-polynomials", _plain("H", parts.H), "printed", "k"),
    "xi": Entry("powers in Hermite polynomials", _XI, _plain("xi", parts.xi_matrix), "printed"),
    "xi_inverse": Entry("Hermite polynomials in powers", _XI, _plain("xi_inverse", parts.xi_inverse_matrix), "printed"),
    "trace_equations": Entry(
        "equations of m_1 and m_2", "traces.md#the-printed-equations", folding.trace_equations, "printed", "",
    ),
    "kind_equations": Entry(
        "equations of m_1 and m_2 for neurons with biases", "kinds.md#the-equations", folding.equations_of_kinds,
        index="",
    ),
    "spectral_equations": Entry(
        "equations of s and θ for inputs with a covariance", "inputs.md#the-equations", equations_of_inputs, index="",
    ),
    "reduced_equation": Entry("one increasing equation for m_1", _EQUATION, folding.reduced_equation, index=""),
    "quartic": Entry("the same as a polynomial", _EQUATION, folding.quartic, index=""),
    "m2_of_m1": Entry("m_2 from m_1", "traces.md#where-the-equations-come-from", folding.m2_of_m1, index=""),
    "slopes": Entry("derivatives of m_1 and m_2 in λ", "traces.md#slopes-in-λ", folding.slopes, index=""),
    "direction": Entry(
        "alignment and length of the step", "direction.md#κ-and-ρ", _direction, "printed", "", cases=True,
    ),
    "inputs_direction": Entry(
        "alignment and length of the step for inputs with a covariance", "inputs.md#the-direction", direction_of_inputs,
        index="",
    ),
    "error_rate_initial": Entry(
        "error rate of a sign before the step", "error_rate.md#how-often-the-sign-is-wrong", folding.error_rate_initial,
        index="",
    ),
    "weight_outlier": Entry(
        "outlier of the weights, to leading order", "weights.md#leading-order", folding.weight_outlier, index="",
    ),
    "feature_expansion": Entry(
        "features after the step", "windows.md#what-the-step-adds", _plain("F", parts.feature_expansion), "printed",
    ),
    "window": Entry("steps in window ℓ", _SIZE, _plain("alpha", parts.window, r"\in"), "printed"),
    "spike_order": Entry(
        "order of the k-th spike", _SIZE, _plain("spike", parts.spike_order, r"\asymp"), "printed", "k",
    ),
    "Omega_inverse": Entry(
        "Gram matrix of the spikes", _PRINTED, _plain("Omega_inverse", parts.Omega_inverse), "printed",
    ),
    "Omega": Entry("its inverse", _PRINTED, _plain("Omega", parts.Omega), "printed"),
    "r": Entry("correlation of teacher and spike", _PRINTED, _plain("r", parts.r), "printed", "p"),
    "B": Entry("share of the teacher that the spikes explain beyond the linear part", _CLOSED, _B, cases=True),
    "Delta": Entry(
        "gain in training loss (penalty included)", _CLOSED, _gain("Delta", "train_gain"), "printed; closed form new",
        cases=True,
    ),
    "Lambda": Entry(
        "gain in test loss", "test_gain.md#after-the-step", _gain("Lambda", "test_gain"), "corrected; new for ℓ > 2",
        cases=True,
    ),
    "inputs_Delta": Entry("gain in training loss for inputs with a covariance", _COVARIANCE, gain_of_inputs("Delta")),
    "inputs_Lambda": Entry("gain in test loss for inputs with a covariance", _COVARIANCE, gain_of_inputs("Lambda")),
    "train_loss": Entry(
        "training loss (ridge objective, penalty included)", _LEFT, _gain("L_tr", "train_loss"), cases=True,
    ),
    "train_error": Entry(
        "training error (without the penalty)", "test_gain.md#the-training-error-without-the-penalty",
        _gain("E_tr", "train_error"), cases=True,
    ),
    "test_loss": Entry("test loss (noise included)", _LEFT, _gain("L_te", "test_loss"), cases=True),
    "Lambda_clean": Entry(
        "gain in test loss on clean labels", _CLEAN, _gain("Lambda_clean", "test_gain_clean"), cases=True,
    ),
    "test_loss_clean": Entry(
        "test loss on clean labels (noise included)", _CLEAN, _gain("L_clean", "test_loss_clean"), cases=True,
    ),
}  # fmt: skip
_WITH_FORM = ("Delta", "Lambda")
_WITH_CASES = tuple(name for name, entry in ENTRIES.items() if entry.cases)
_WITH_SPIKES = tuple(name for name in _WITH_CASES if ENTRIES[name].index)


@checked_call
def formula(
    name: str,
    index: int | None = None,
    problem: Problem | None = None,
    *,
    form: str = "closed",
    as_printed: bool = False,
    spikes: Iterable[int] | None = None,
    network: str = "theorem",
    gradient: str | None = None,
    intercept: bool = False,
) -> Formula:
    """Return a formula, with its parts named, by the name of its function.

    Parameters
    ----------
    name
        A name such as "Delta" or "trace_equations"; the command ``theorycalc latex`` lists them.
    index
        Its ℓ, k or p, where it has one.
    spikes
        K, the k ≤ ℓ with c_k ≠ 0 (default: all), where no problem is given.
    intercept
        Whether a constant is free, if no problem is given.
    problem
        A problem whose K and laws the formula is for.  Its numbers are not put in.

    Returns
    -------
    Formula
        The statement and the definitions of its parts; :func:`~theorycalc.latex` writes it.

    Raises
    ------
    TheoryError
        The name is not known, or an argument is not for this formula.

    >>> formula("Delta", 2).statement[0].right
    lambda*psi*(B_2*m_1 + c_star_1**2*m_2*rho**2)/phi
    """
    entry = ENTRIES[one_of(name, "name", tuple(ENTRIES))]
    if entry.index and index is None:
        raise ArgumentError(f"{name} needs its index {entry.index}: formula({name!r}, 3)", argument="index")
    if index is not None and not entry.index:
        raise ArgumentError(f"{name} has no index: leave out {index!r}", argument="index")
    value = whole_index(index, entry.index) if entry.index else 1
    how: dict[str, Any] = {}
    if one_of(form, "form", LimitForm) != LimitForm.CLOSED:
        how["form"] = _only_for(_WITH_FORM, name, "form", form)
    if as_printed:
        how["as_printed"] = _only_for(("Lambda",), name, "as_printed", as_printed)
    if spikes is not None:
        _only_for(_WITH_SPIKES, name, "spikes", spikes)
    if problem is not None:
        _only_for(_WITH_CASES, name, "problem", problem)
    if (network, gradient) != (NetworkKind.THEOREM, None):
        _only_for(_WITH_CASES, name, "network", network)
        check_closed(network, form, as_printed)
    if intercept:
        _only_for(_WITH_SPIKES, name, "intercept", intercept)
    given: tuple[Any, ...] = (value,) if entry.index else ()
    if entry.cases:
        given = (case_of(value, problem, spikes, network, gradient, exact=False, intercept=intercept),)
    return replace(entry.build(*given, **how), name=name)


def _only_for(names: tuple[str, ...], name: str, argument: str, value: Any) -> Any:
    if name not in names:
        raise ArgumentError(f"{argument}= is for {', '.join(names)}, not for {name}", argument=argument)
    return value
