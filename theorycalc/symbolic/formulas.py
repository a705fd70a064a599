"""Every formula by name, with its title, its place and how it is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import sympy

from theorycalc.errors import ArgumentError, one_of
from theorycalc.model.problem import Problem
from theorycalc.model.signatures import checked_call
from theorycalc.results.prediction import FORMS, check_closed
from theorycalc.symbolic import basis as hermite
from theorycalc.symbolic import expressions as gains
from theorycalc.symbolic import features, folding, matrices
from theorycalc.symbolic.cases import FormulaCase, case_of
from theorycalc.symbolic.statements import Formula, Line, plain
from theorycalc.symbolic.symbols import alpha, indexed, matrix_name, tau


@dataclass(frozen=True)
class Entry:
    """What a formula is, where it stands, and how it is made: of its index, or of the :class:`Case` it is for."""

    title: str
    status: str  # printed, corrected, or new
    derivation: str  # page of docs/ and anchor
    index: str  # the argument that is its index: ell, k or p; "" for none
    build: Callable[..., Formula]
    cases: bool = False  # whether spikes, a problem and its network change it


def _Delta(case: FormulaCase, form: str = "closed") -> Formula:
    return folding.matrix_gain("Delta", case) if form == "matrix" else folding.gain("Delta", "train_gain", case)


def _Lambda(case: FormulaCase, form: str = "closed", as_printed: bool = False) -> Formula:
    if as_printed:
        gains.check_form(form)
        return folding.slides_Lambda(case)
    return folding.matrix_gain("Lambda", case) if form == "matrix" else folding.gain("Lambda", "test_gain", case)


def _loss(name: str, which: str) -> Callable[[FormulaCase], Formula]:
    return lambda case: folding.gain(name, which, case)


def _B(case: FormulaCase) -> Formula:
    zero = Line(indexed("B", case.ell), sympy.Integer(0))
    statement, *where = folding.part_lines(case.spikes, case.options) or (zero,)
    full = gains.B(case.spikes, case.options)
    where += (*folding.direction_lines(case.options), *folding.lengthening_lines(full, case.options))
    return Formula("B", (statement,), tuple(where), (Line(statement.left, folding.unfold(full, case.options)),))


def _direction(case: FormulaCase) -> Formula:
    options = case.options
    rho, kappa = folding.direction_lines(options)
    length, *spread = folding.lengthening_lines(tau, options) if options.lengthened else (None,)
    statement = (rho,) if length is None else (rho, length)
    full = {rho.left: folding.unfold(rho.right, options), tau: folding.unfold(tau, options)}
    unfolded = (*(Line(line.left, full[line.left]) for line in statement), kappa)
    return Formula("direction", statement, (kappa, *spread), unfolded)


def _matrix(name: str, make: Callable[[int], sympy.Matrix]) -> Callable[[int], Formula]:
    def build(ell: int) -> Formula:
        matrix = make(ell)
        return plain(name, Line(matrix_name(name, matrix.rows), matrix))

    return build


def _H(k: int) -> Formula:
    return plain("H", Line(indexed("H", k), hermite.H(k)))


def _feature_expansion(ell: int) -> Formula:
    return plain("feature_expansion", Line(indexed("F", ell), features.feature_expansion(ell)))


def _window(ell: int) -> Formula:
    return plain("window", Line(alpha, features.window(ell), r"\in"))


def _spike_order(k: int) -> Formula:
    return plain("spike_order", Line(indexed("spike", k), features.spike_order(k), r"\asymp"))


def _r(p: int) -> Formula:
    return plain("r", Line(indexed("r", p), matrices.r(p)))


_OMEGA_INVERSE = _matrix("Omega_inverse", matrices.Omega_inverse)
_XI_INVERSE = _matrix("xi_inverse", hermite.xi_inverse_matrix)

ENTRIES = {
    "H": Entry("probabilists' Hermite polynomial", "printed", "theory/hermite.md#the-polynomials", "k", _H),
    "xi": Entry(
        "powers in Hermite polynomials",
        "printed",
        "theory/hermite.md#powers-and-hermite-polynomials-ξ",
        "ell",
        _matrix("xi", hermite.xi_matrix),
    ),
    "xi_inverse": Entry(
        "Hermite polynomials in powers",
        "printed",
        "theory/hermite.md#powers-and-hermite-polynomials-ξ",
        "ell",
        _XI_INVERSE,
    ),
    "trace_equations": Entry(
        "equations of m_1 and m_2", "printed", "theory/traces.md#the-printed-equations", "", folding.trace_equations
    ),
    "reduced_equation": Entry(
        "one increasing equation for m_1", "new", "theory/traces.md#one-monotone-equation", "", folding.reduced_equation
    ),
    "quartic": Entry("the same as a polynomial", "new", "theory/traces.md#one-monotone-equation", "", folding.quartic),
    "m2_of_m1": Entry("m_2 from m_1", "new", "theory/traces.md#where-the-equations-come-from", "", folding.m2_of_m1),
    "slopes": Entry("derivatives of m_1 and m_2 in λ", "new", "theory/traces.md#slopes-in-λ", "", folding.slopes),
    "direction": Entry(
        "alignment and length of the step", "printed", "theory/direction.md#κ-and-ρ", "", _direction, cases=True
    ),
    "feature_expansion": Entry(
        "features after the step", "printed", "theory/windows.md#what-the-step-adds", "ell", _feature_expansion
    ),
    "window": Entry("steps in window ℓ", "printed", "theory/windows.md#how-large-each-term-is", "ell", _window),
    "spike_order": Entry(
        "order of the k-th spike", "printed", "theory/windows.md#how-large-each-term-is", "k", _spike_order
    ),
    "Omega_inverse": Entry(
        "Gram matrix of the spikes", "printed", "theory/training_gain.md#the-printed-form", "ell", _OMEGA_INVERSE
    ),
    "Omega": Entry(
        "its inverse", "printed", "theory/training_gain.md#the-printed-form", "ell", _matrix("Omega", matrices.Omega)
    ),
    "r": Entry("correlation of teacher and spike", "printed", "theory/training_gain.md#the-printed-form", "p", _r),
    "B": Entry(
        "what the spikes explain beyond the linear part",
        "new",
        "theory/training_gain.md#the-closed-form",
        "ell",
        _B,
        cases=True,
    ),
    "Delta": Entry(
        "gain in training loss (penalty included)",
        "printed; closed form new",
        "theory/training_gain.md#the-closed-form",
        "ell",
        _Delta,
        cases=True,
    ),
    "Lambda": Entry(
        "gain in test loss",
        "corrected; new for ℓ > 2",
        "theory/test_gain.md#after-the-step",
        "ell",
        _Lambda,
        cases=True,
    ),
    "train_loss": Entry(
        "training loss (ridge objective, penalty included)",
        "new",
        "theory/test_gain.md#what-is-left-without-a-subtraction",
        "ell",
        _loss("L_tr", "train_loss"),
        cases=True,
    ),
    "train_error": Entry(
        "training error (without the penalty)",
        "new",
        "theory/test_gain.md#the-training-error-without-the-penalty",
        "ell",
        _loss("E_tr", "train_error"),
        cases=True,
    ),
    "test_loss": Entry(
        "test loss (noise included)",
        "new",
        "theory/test_gain.md#what-is-left-without-a-subtraction",
        "ell",
        _loss("L_te", "test_loss"),
        cases=True,
    ),
}
_WITH_FORM = ("Delta", "Lambda")
_WITH_CASES = tuple(name for name, entry in ENTRIES.items() if entry.cases)
_WITH_SPIKES = tuple(name for name in _WITH_CASES if ENTRIES[name].index)


@checked_call
def formula(
    name: str,
    index: int | None = None,
    *,
    form: str = "closed",
    as_printed: bool = False,
    spikes: Iterable[int] | None = None,
    problem: Problem | None = None,
    network: str = "theorem",
    gradient: str | None = None,
) -> Formula:
    """Return a formula by the name of its function, with its parts named.

    Parameters
    ----------
    name
        A name such as "Delta" or "trace_equations"; the command ``theorycalc latex`` lists them.
    index
        Its ℓ, k or p, where it has one.
    form, as_printed
        As in :func:`Delta` and :func:`Lambda`.
    spikes
        K, the k ≤ ℓ with c_k ≠ 0 (default: all); or
    problem
        a problem, whose K and laws the formula is for.  Its numbers are not put in.
    network, gradient
        As in :func:`~theorycalc.predict`: the theorem's formula, or that of literal networks.

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
        raise ArgumentError(f"{name} needs its index {entry.index}: formula({name!r}, 3)", argument=name)
    if index is not None and not entry.index:
        raise ArgumentError(f"{name} has no index: leave out {index!r}", argument=name)
    value = hermite.index(index, entry.index) if entry.index else 1
    how: dict[str, Any] = {}
    if one_of(form, "form", FORMS) != "closed":
        how["form"] = _only_for(_WITH_FORM, name, "form", form)
    if as_printed:
        how["as_printed"] = _only_for(("Lambda",), name, "as_printed", as_printed)
    if spikes is not None:
        _only_for(_WITH_SPIKES, name, "spikes", spikes)
    if problem is not None:
        _only_for(_WITH_CASES, name, "problem", problem)
    if (network, gradient) != ("theorem", None):
        _only_for(_WITH_CASES, name, "network", network)
        check_closed(network, form, as_printed)
    if entry.cases:
        return entry.build(case_of(value, problem, spikes, network, gradient, exact=False), **how)
    return entry.build(value) if entry.index else entry.build()


def _only_for(names: tuple[str, ...], name: str, argument: str, value: Any) -> Any:
    if name not in names:
        raise ArgumentError(f"{argument}= is for {', '.join(names)}, not for {name}", argument=argument)
    return value
