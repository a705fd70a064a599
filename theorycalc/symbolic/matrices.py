"""Ω and r_p as the paper prints them (docs/theory/training_gain.md#the-printed-form)."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from theorycalc.model.signatures import checked_call
from theorycalc.symbolic import expressions as gains
from theorycalc.symbolic.basis import index
from theorycalc.symbolic.cases import LARGEST_MATRIX, case_of
from theorycalc.symbolic.symbols import kappa, lam, rho
from theorycalc.theory import printed
from theorycalc.theory.traces import HermiteWeights


@checked_call
def Omega_inverse(ell: int, *, spikes: Iterable[int] | None = None) -> sympy.ImmutableMatrix:
    """Return Ω⁻¹ for i, j ∈ K, as printed (docs/theory/training_gain.md).

    >>> Omega_inverse(2)
    Matrix([
    [kappa*m_2*psi/phi,                       0],
    [                0, 3*kappa**2*m_1*psi/phi]])
    """
    chosen = _matrix_spikes(ell, spikes)
    return sympy.ImmutableMatrix(printed.Omega_inverse(chosen, _printed_weights(), kappa)).applyfunc(sympy.factor)


@checked_call
def Omega(ell: int, *, spikes: Iterable[int] | None = None) -> sympy.ImmutableMatrix:
    """Return Ω for i, j ∈ K (docs/theory/training_gain.md).

    >>> Omega(1)
    Matrix([[phi/(kappa*m_2*psi)]])
    """
    inverse = sympy.Matrix(Omega_inverse(ell, spikes=spikes)).to_DM().to_field().inv()
    return sympy.ImmutableMatrix(inverse.to_Matrix().applyfunc(sympy.factor))


@checked_call
def r(p: int) -> sympy.Expr:
    """Return r_p, as printed (docs/theory/training_gain.md).

    >>> r(1), r(3)
    (m_2*psi*rho/phi, 6*m_1*psi*rho**3/phi)
    """
    return printed.r(index(p, "p"), _printed_weights(), rho)


def _printed_weights() -> HermiteWeights:
    """Return w_k: what training weighs H_k with, without its factor λ."""
    train, _ = gains.train_weights()
    return HermiteWeights(*(weight / lam for weight in train))


def _matrix_spikes(ell: int, spikes: Iterable[int] | None) -> tuple[int, ...]:
    return case_of(index(ell, "ell", 1, LARGEST_MATRIX), spikes=spikes).spikes
