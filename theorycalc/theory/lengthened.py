"""By how much the step lengthens neurons, and what that makes of its spikes.

The rest of the gradient adds u²v to the squared length of a neuron, so its k-th spike is E_z(h + √τz)^k, where the
theorem has h^k: h² + τ, h³ + 3τh, ….  These are e^{τ∂²/2} h^k, and with H_k = e^{−∂²/2} h^k the closed form of
:mod:`~theorycalc.theory.gains` stays, with a factor √(1 + τ) for each degree in T and S (docs/theory/turning.md).
"""

from __future__ import annotations

from theorycalc.numbers.systems import Number


def gradient_spread(slope_variance: Number, scatter: Number) -> Number:
    """V = φ₀ Var σ'(Z) E r², the variance that the rest of the gradient adds per u².

    See docs/theory/direction.md#why-the-gradient-is-nearly-of-rank-one.

    >>> gradient_spread(2, 3)
    6
    """
    return slope_variance * scatter


def lengthening(spread: Number, c1: Number, kappa: Number) -> Number:
    """τ = v/(c_1²κ): what the length adds to a neuron's projection on the step, whose own part is u c_1√κ h.

    >>> lengthening(3, 2, 1)
    0.75
    """
    return spread / (c1**2 * kappa)


def stretched(t: Number, one_minus_t: Number, tau: Number) -> tuple[Number, Number, Number]:
    """Return the t and 1 − t at which T is taken for lengthened neurons, (1 + τ)t, and (1 + τ)², at which S_M is.

    >>> stretched(0.25, 0.75, 1)
    (0.5, 0.5, 4)
    """
    return (1 + tau) * t, one_minus_t - tau * t, (1 + tau) ** 2
