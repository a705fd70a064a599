"""The change of basis ξ between powers and Hermite polynomials.

See docs/theory/hermite.md#powers-and-hermite-polynomials-ξ.

H_k are the probabilists' polynomials: H_{k+1} = x H_k − k H_{k−1}, E[H_j H_k] = k! δ_jk.
All numbers here are integers or Fractions.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, factorial


def double_factorial(k: int) -> int:
    """Return k!! for odd k ≥ −1: the Gaussian moments are E Z^{2j} = (2j − 1)!!.

    >>> [double_factorial(k) for k in (-1, 1, 3, 5, 7)]
    [1, 1, 3, 15, 105]
    """
    half = (k + 1) // 2
    return (factorial(2 * half) // factorial(half)) >> half


def xi(p: int, i: int) -> int:
    """Return ξ_{p,i}, with x^p = Σ_i ξ_{p,i} H_i(x).

    >>> [xi(4, i) for i in range(5)]
    [3, 0, 6, 0, 1]
    """
    if i > p or (p - i) % 2:
        return 0
    j = (p - i) // 2
    return (factorial(p) // (factorial(j) * factorial(i))) >> j


def xi_inverse(p: int, i: int) -> int:
    """Return the coefficient of x^i in H_p(x).

    >>> [xi_inverse(4, i) for i in range(5)]
    [3, 0, -6, 0, 1]
    """
    return -xi(p, i) if (p - i) % 4 == 2 else xi(p, i)


def kernel_norm(M: int) -> Fraction:
    """Return S_M = Σ_{j≤M} C(2j, j)/4^j = (2M + 1) C(2M, M)/4^M (docs/theory/training_gain.md#the-closed-form).

    1/S_M is the squared distance of the constant 1 from span{x², x⁴, …, x^{2M}}.

    >>> kernel_norm(0), kernel_norm(1), kernel_norm(2)
    (Fraction(1, 1), Fraction(3, 2), Fraction(15, 8))
    """
    return Fraction((2 * M + 1) * comb(2 * M, M), 4**M)
