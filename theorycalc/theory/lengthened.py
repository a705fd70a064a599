"""The spikes of a network, whose neurons the step lengthens: what it gains in the place of the printed limit.

The rest of the gradient adds u²v to the squared length of a neuron, so its k-th spike is E_z(h + √τz)^k, where the
theorem has h^k: h² + τ, h³ + 3τh, ….  These are e^{τ∂²/2} h^k, and with H_k = e^{−∂²/2} h^k the closed form of theory
section 6 stays, with a factor √(1 + τ) for each degree in T and S (docs/theory/turning.md derives it).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb

from theorycalc.hermite.polynomials import double_factorial
from theorycalc.numbers import Number
from theorycalc.theory.gains import energy


def lengthening(spread: Number, c1: Number, kappa: Number) -> Number:
    """τ = v/(c_1²κ): what the length adds to a neuron's projection on the step, whose own part is u c_1√κ h.

    >>> lengthening(3, 2, 1)
    0.75
    """
    return spread / (c1**2 * kappa)


def lengthened_norm(M: int, tau: Number) -> Number:
    """S_M(τ) = Σ_{j≤M} C(2j, j)/4^j (1 + τ)^{2j}; at τ = 0 it is S_M.

    >>> from fractions import Fraction
    >>> lengthened_norm(2, Fraction(0)), lengthened_norm(1, Fraction(1))
    (Fraction(15, 8), Fraction(3, 1))
    """
    return sum(comb(2 * j, j) * (1 + tau) ** (2 * j) / 4**j for j in range(M + 1))


def lengthened_floor(c_star: Sequence[Number], t: Number, tau: Number) -> Number:
    """T_ℓ(τ) = Σ_j (−1)^j (2j−1)!! (1 + τ)^j c_{⋆,2j} t^j, for c_{⋆,1}, …, c_{⋆,ℓ} and t = ρ².

    >>> lengthened_floor([1, 2, 3, 5], 1, 0)
    13
    """
    even = c_star[1::2]
    return sum((-1) ** j * double_factorial(2 * j - 1) * (1 + tau) ** j * c * t**j for j, c in enumerate(even, start=1))


def lengthened_B(c_star: Sequence[Number], t: Number, tau: Number) -> Number:
    """B_ℓ(τ) = Σ_{2≤k≤ℓ} k! c_{⋆,k}² t^k − T_ℓ(τ)²/S_M(τ), for c_1, …, c_ℓ ≠ 0 and ℓ = len(c_star).

    >>> from fractions import Fraction
    >>> lengthened_B([1, 2], 1, Fraction(0))  # 4c_{⋆,2}²/3
    Fraction(16, 3)
    """
    explained = sum(energy(k, c) * t**k for k, c in enumerate(c_star[1:], start=2))
    return explained - lengthened_floor(c_star, t, tau) ** 2 / lengthened_norm(len(c_star) // 2, tau)
