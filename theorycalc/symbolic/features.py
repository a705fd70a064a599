"""Which features a step n^α teaches, in symbols (docs/theory/windows.md#what-the-step-adds)."""

from __future__ import annotations

from collections.abc import Iterable

import sympy

from theorycalc.model.signatures import checked_call
from theorycalc.symbolic import symbols
from theorycalc.symbolic.basis import index
from theorycalc.symbolic.cases import case_of
from theorycalc.symbolic.symbols import F_0, X, a_vector, alpha, beta, c, c_1, eta, n
from theorycalc.theory import windows


@checked_call
def feature_expansion(ell: int, *, spikes: Iterable[int] | None = None) -> sympy.MatrixExpr:
    """Return F_ℓ = F₀ + Σ_k c_1^k c_k η^k (X̃β)^{∘k}(a^{∘k})ᵀ (docs/theory/windows.md).

    >>> feature_expansion(1)
    (c_1**2*eta)*X*beta*a.T + F_0
    """
    chosen = case_of(index(ell, "ell", 1), spikes=spikes).spikes
    terms = (windows.amplitude(k, c_1, c(k), eta) * _power(X * beta, k) * _power(a_vector, k).T for k in chosen)
    return sympy.MatAdd(F_0, *terms)


def _power(vector: sympy.MatrixExpr, k: int) -> sympy.MatrixExpr:
    return vector if k == 1 else sympy.HadamardPower(vector, k)


@checked_call
def window(ell: int | None = None) -> sympy.Interval:
    """Return the α for which ℓ features appear: an open interval (docs/theory/windows.md).

    >>> window(2)
    Interval.open(1/4, 1/3)
    """
    value = symbols.ell if ell is None else sympy.Integer(index(ell, "ell", 1))
    return sympy.Interval.open(*windows.window_ends(value))


@checked_call
def spike_order(k: int) -> sympy.Expr:
    """Return the order of the k-th spike at a step n^α; the bulk has √n (docs/theory/windows.md).

    >>> spike_order(2)
    n**(2*alpha)
    """
    return n ** sympy.expand(windows.spike_exponent(sympy.Integer(index(k, "k", 1)), alpha))
