"""Every formula by name, with what a reader wants to know about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import sympy

from theorycalc.activations.present import read_indices
from theorycalc.errors import ArgumentError, checked_call, one_of
from theorycalc.prediction import FORMS
from theorycalc.symbolic import features, folding, gains, hermite, matrices, quantities
from theorycalc.symbolic.statements import Formula, Line, plain
from theorycalc.symbolic.symbols import alpha, indexed, matrix_name


@dataclass(frozen=True)
class Entry:
    """What a formula is, where it stands, and how it is made."""

    title: str
    status: str  # printed, corrected, or new
    section: str  # of the theory
    index: str  # the argument that is its index: ell, k or p; "" for none
    build: Callable[..., Formula]


def _Delta(ell: int, form: str = "closed", spikes: Iterable[int] | None = None) -> Formula:
    if form == "matrix":
        return folding.matrix_gain("Delta", ell, spikes)
    return folding.gain("Delta", "train_gain", quantities.case_of(ell, spikes=spikes))


def _Lambda(ell: int, form: str = "closed", as_printed: bool = False, spikes: Iterable[int] | None = None) -> Formula:
    if as_printed:
        gains.check_form(form)
        return folding.slides_Lambda(ell, spikes)
    if form == "matrix":
        return folding.matrix_gain("Lambda", ell, spikes)
    return folding.gain("Lambda", "test_gain", quantities.case_of(ell, spikes=spikes))


def _train_loss(ell: int, spikes: Iterable[int] | None = None) -> Formula:
    return folding.gain("L_tr", "train_loss", quantities.case_of(ell, spikes=spikes))


def _test_loss(ell: int, spikes: Iterable[int] | None = None) -> Formula:
    return folding.gain("L_te", "test_loss", quantities.case_of(ell, spikes=spikes))


def _B(ell: int, spikes: Iterable[int] | None = None) -> Formula:
    case = quantities.case_of(ell, spikes=spikes)
    statement, *where = folding.part_lines(case.spikes) or (Line(indexed("B", ell), sympy.Integer(0)),)
    full = folding.unfold(quantities.B(ell, spikes=spikes))
    return Formula("B", (statement,), (*where, *folding.direction_lines()), (Line(statement.left, full),))


def _direction() -> Formula:
    rho, kappa = folding.direction_lines()
    return Formula("direction", (rho,), (kappa,), (Line(rho.left, folding.unfold(rho.right)), kappa))


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
    "H": Entry("probabilists' Hermite polynomial", "printed", "2", "k", _H),
    "xi": Entry("powers in Hermite polynomials", "printed", "2", "ell", _matrix("xi", hermite.xi_matrix)),
    "xi_inverse": Entry("Hermite polynomials in powers", "printed", "2", "ell", _XI_INVERSE),
    "trace_equations": Entry("equations of m_1 and m_2", "printed", "3", "", folding.trace_equations),
    "reduced_equation": Entry("one increasing equation for m_1", "new", "3", "", folding.reduced_equation),
    "quartic": Entry("the same as a polynomial", "new", "3", "", folding.quartic),
    "m2_of_m1": Entry("m_2 from m_1", "new", "3", "", folding.m2_of_m1),
    "slopes": Entry("derivatives of m_1 and m_2 in λ", "new", "3", "", folding.slopes),
    "direction": Entry("alignment and length of the step", "printed", "4", "", _direction),
    "feature_expansion": Entry("features after the step", "printed", "5", "ell", _feature_expansion),
    "window": Entry("steps in window ℓ", "printed", "5", "ell", _window),
    "spike_order": Entry("order of the k-th spike", "printed", "5", "k", _spike_order),
    "Omega_inverse": Entry("Gram matrix of the spikes", "printed", "6", "ell", _OMEGA_INVERSE),
    "Omega": Entry("its inverse", "printed", "6", "ell", _matrix("Omega", matrices.Omega)),
    "r": Entry("correlation of teacher and spike", "printed", "6", "p", _r),
    "B": Entry("what the spikes explain beyond the linear part", "new", "6", "ell", _B),
    "Delta": Entry("gain in training loss", "printed; closed form new", "6", "ell", _Delta),
    "Lambda": Entry("gain in test loss", "corrected; new for ℓ > 2", "7", "ell", _Lambda),
    "train_loss": Entry("training loss before the step (ℓ = 0) or after", "new", "7", "ell", _train_loss),
    "test_loss": Entry("test loss before the step (ℓ = 0) or after", "new", "7", "ell", _test_loss),
}
_WITH_FORM = ("Delta", "Lambda")
_WITH_SPIKES = ("B", "Delta", "Lambda", "train_loss", "test_loss")


@checked_call
def formula(
    name: str,
    index: int | None = None,
    *,
    form: str = "closed",
    as_printed: bool = False,
    spikes: Iterable[int] | None = None,
) -> Formula:
    """Return a formula by the name of its function, with its parts named; ``index`` is its ℓ, k or p.

    >>> formula("Delta", 2).statement[0].right
    lambda*psi*(B_2*m_1 + c_star_1**2*m_2*rho**2)/phi
    """
    entry = ENTRIES[one_of(name, "name", tuple(ENTRIES))]
    if entry.index and index is None:
        raise ArgumentError(f"{name} needs its index {entry.index}: formula({name!r}, 3)")
    if index is not None and not entry.index:
        raise ArgumentError(f"{name} has no index: leave out {index!r}")
    arguments: dict[str, Any] = {entry.index: hermite.index(index, entry.index)} if entry.index else {}
    if one_of(form, "form", FORMS) != "closed":
        arguments["form"] = _only_for(_WITH_FORM, name, "form", form)
    if as_printed:
        arguments["as_printed"] = _only_for(("Lambda",), name, "as_printed", as_printed)
    if spikes is not None:
        arguments["spikes"] = read_indices(_only_for(_WITH_SPIKES, name, "spikes", spikes), "spikes")
    return entry.build(**arguments)


def _only_for(names: tuple[str, ...], name: str, argument: str, value: Any) -> Any:
    if name not in names:
        raise ArgumentError(f"{argument}= is for {', '.join(names)}, not for {name}")
    return value
