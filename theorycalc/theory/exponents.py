"""Exponents of scaling laws that are known for power laws of eigenvalues and of the teacher's shares.

See docs/theory/power_laws.md#known-exponents.
"""

from __future__ import annotations

from theorycalc.numbers.systems import Number


def exponent_over_samples(decay: Number, share_decay: Number) -> Number:
    """Return min(b − 1, 2a), by which the loss of a kernel without ridge and noise falls with n.

    >>> exponent_over_samples(1.5, 2), exponent_over_samples(1.5, 6)
    (1, 3.0)
    """
    return min(share_decay - 1, 2 * decay)


def exponent_over_neurons(decay: Number, share_decay: Number) -> Number:
    """Return min(b − 1, a), by which the loss of random features falls with N where samples abound.

    >>> exponent_over_neurons(1.5, 2), exponent_over_neurons(1.5, 6)
    (1, 1.5)
    """
    return min(share_decay - 1, decay)
