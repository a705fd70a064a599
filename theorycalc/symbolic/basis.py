"""ξ, ξ⁻¹ and H_k as sympy objects (docs/theory/hermite.md#powers-and-hermite-polynomials-ξ)."""

from __future__ import annotations

from collections.abc import Callable

import sympy

from theorycalc.functions import polynomials
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import whole
from theorycalc.symbolic.symbols import x

_LARGEST = 1000  # of an index: ξ has then numbers of 2600 digits
_LARGEST_MATRIX = 200


def index(value: int | None, name: str, least: int = 0, most: int = _LARGEST) -> int:
    """Return a whole number that an index may be."""
    return whole(value, name, f"a whole number from {least} to {most}", least, most)


@checked_call
def xi(p: int, i: int) -> sympy.Integer:
    """Return ξ_{p,i}, with x^p = Σ_i ξ_{p,i} H_i(x).

    >>> xi(5, 3)
    10
    """
    return sympy.Integer(polynomials.xi(index(p, "p"), index(i, "i")))


@checked_call
def xi_matrix(ell: int) -> sympy.ImmutableMatrix:
    """Return (ξ_{p,i}) for p, i = 0, …, ℓ.

    >>> xi_matrix(2)
    Matrix([
    [1, 0, 0],
    [0, 1, 0],
    [1, 0, 1]])
    """
    return _table(polynomials.xi, ell)


@checked_call
def xi_inverse_matrix(ell: int) -> sympy.ImmutableMatrix:
    """Return ξ⁻¹ for indices 0, …, ℓ: row p holds the coefficients of H_p in powers of x.

    >>> xi_inverse_matrix(3).row(3)
    Matrix([[0, -3, 0, 1]])
    """
    return _table(polynomials.xi_inverse, ell)


def _table(entry: Callable[[int, int], int], ell: int) -> sympy.ImmutableMatrix:
    size = index(ell, "ell", most=_LARGEST_MATRIX) + 1
    return sympy.ImmutableMatrix([[entry(p, i) for i in range(size)] for p in range(size)])


@checked_call
def H(k: int) -> sympy.Expr:
    """Return the probabilists' Hermite polynomial H_k(x): sympy's ``hermite`` is the physicists'.

    >>> H(4)
    x**4 - 6*x**2 + 3
    """
    k = index(k, "k")
    return sympy.Add(*(polynomials.xi_inverse(k, i) * x**i for i in range(k + 1)))
