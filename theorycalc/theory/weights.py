"""How a loss weighs the linear and the other parts of a function (docs/theory/test_gain.md#before-the-step).

Every loss and gain is  linear_weight · (linear part) + rest_weight · (the rest), once with the
train weights λψm_2/φ, λψm_1/φ and once with the test weights φ(−m_2')/(ψm_1²), φ(−m_1')/(ψm_1²).
"""

from __future__ import annotations

from typing import NamedTuple

from theorycalc.numbers.systems import Number
from theorycalc.theory.traces import Traces


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
    s = psi * m1 / phi
    test_constant = 1 / (s * stiffness)
    return Weights(
        train_linear=lam * psi * m2 / phi,
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
