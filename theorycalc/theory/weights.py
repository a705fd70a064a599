"""How a loss weighs the linear and the other parts of a function (docs/theory/test_gain.md#before-the-step).

Every loss and gain is  linear_weight · (linear part) + rest_weight · (the rest), once with the
train weights λψm_2/φ, λψm_1/φ and once with the test weights φ(−m_2')/(ψm_1²), φ(−m_1')/(ψm_1²).
"""

from __future__ import annotations

from math import factorial
from typing import NamedTuple

from theorycalc.numbers.systems import Number
from theorycalc.theory.traces import Traces, in_resolvent


class Weights(NamedTuple):
    """The weights of the losses; ``test_rest = test_constant + test_bulk``."""

    train_linear: Number
    train_rest: Number
    test_linear: Number
    test_rest: Number
    test_constant: Number  # 1/(s · stiffness)
    test_bulk: Number  # χp/(s · stiffness)
    spread: Number  # sθ/ψ: ζ = 2c_2² · spread is what a Gaussian first layer adds to S_M


def weights_of(traces: Traces, phi: Number, psi: Number, lam: Number) -> Weights:
    """Return the weights for λ > 0.

    See docs/theory/test_gain.md#before-the-step and docs/theory/options.md#gaussian-first-layer.
    """
    m1, m2, m1_slope, m2_slope, theta, chi_p, stiffness = traces
    s = in_resolvent(m1, phi, psi)
    test_constant = 1 / (s * stiffness)
    return Weights(
        train_linear=lam * in_resolvent(m2, phi, psi),
        train_rest=lam * s,
        test_linear=-m2_slope / m1 / s,
        test_rest=-m1_slope / m1 / s,
        test_constant=test_constant,
        test_bulk=chi_p * test_constant,
        spread=s * theta / psi,
    )


def constant_spread(c2: Number, spread: Number) -> Number:
    """ζ = 2c_2² sθ/ψ, which a Gaussian first layer adds to S_M (docs/theory/options.md#gaussian-first-layer).

    >>> constant_spread(3, 2)
    36
    """
    return 2 * c2**2 * spread


class HermiteWeights(NamedTuple):
    """How H_k is weighed: w_0, w_1, and w_k = k!·rest for k ≥ 2."""

    constant: Number
    linear: Number
    rest: Number

    def __call__(self, k: int) -> Number:
        """Return w_k."""
        return self.constant if k == 0 else self.linear if k == 1 else factorial(k) * self.rest


def hermite_weights(s: Number, linear: Number, zeta: Number) -> HermiteWeights:
    """w_0 = s/(1 + ζ), w_1 = (ψ/φ)m_2, w_k = k! s: how the resolvent weighs H_k (docs/theory/missing_coefficients.md).

    >>> hermite_weights(6, 2, 1)
    HermiteWeights(constant=3.0, linear=2, rest=6)
    """
    return HermiteWeights(s / (1 + zeta), linear, s)
