"""Exponents: the windows of α in which a step n^α teaches ℓ features, the order of each spike, and scaling laws.

See docs/theory/windows.md#how-large-each-term-is and, for power laws of eigenvalues and of the teacher's shares,
docs/theory/power_laws.md#known-exponents.
"""

from __future__ import annotations

import math
from fractions import Fraction

from theorycalc.errors import DomainError, called, spelled
from theorycalc.model.signatures import checked_call
from theorycalc.numbers.exact import read_rational, whole
from theorycalc.numbers.systems import Number

ULPS_ON_BOUNDARY = 4  # of a float, which is then taken to be on it


@checked_call
def window_bounds(ell: int) -> tuple[Fraction, Fraction]:
    """Return the ends of window ℓ: (ℓ−1)/(2ℓ) < α < ℓ/(2ℓ+2).

    Parameters
    ----------
    ell : int
        The number ℓ = 1, 2, … of the window.

    Returns
    -------
    tuple of Fraction
        The lower and the upper end of α.

    Raises
    ------
    TheoryError
        ``ell`` is not a whole number, or less than 1.

    >>> window_bounds(2)
    (Fraction(1, 4), Fraction(1, 3))
    """
    return window_ends(Fraction(whole(ell, "ell", "one of 1, 2, 3, …, as windows are numbered")))


def window_ends(ell: Number) -> tuple[Number, Number]:
    """Return (ℓ−1)/(2ℓ) and ℓ/(2ℓ+2), between which ℓ features leave the bulk, as in the paper.

    >>> window_ends(Fraction(1))
    (Fraction(0, 1), Fraction(1, 4))
    """
    return (ell - 1) / (2 * ell), ell / (2 * ell + 2)


def spikes_outside(alpha: Fraction) -> int:
    """Return the largest k with α > (k−1)/(2k), the lower end of its window: k ≥ 1 for 0 < α < 1/2.

    >>> spikes_outside(Fraction(3, 10)), spikes_outside(Fraction(1, 4))
    (2, 1)
    """
    return math.ceil(1 / (1 - 2 * alpha)) - 1


def spike_exponent(k: Number, alpha: Number) -> Number:
    """Return e in n^e, the order of the k-th spike at a step n^α, as in the paper; the bulk has e = 1/2.

    >>> spike_exponent(2, Fraction(1, 4))
    Fraction(1, 2)
    """
    return (2 * alpha - 1) * k / 2 + 1


def amplitude(k: int, c1: Number, c_k: Number, eta: Number) -> Number:
    """Return c_1^k c_k η^k, which multiplies (X̃β)^{∘k}(a^{∘k})ᵀ in F_ℓ, as in the paper.

    >>> amplitude(2, 3, 5, 2)
    180
    """
    return c1**k * c_k * eta**k


@checked_call
def window(alpha: object) -> int:
    """Return the ℓ of the window that contains α.

    Text and fractions are compared exactly; a float within 4 ulp of a boundary counts as on it.

    Parameters
    ----------
    alpha : number or text
        The exponent of the step η = n^α, 0 < α < 1/2.

    Returns
    -------
    int
        The number ℓ of features that leave the bulk.

    Raises
    ------
    TheoryError
        The theorem says nothing about α: on a boundary between windows, for α ≤ 0 and for α ≥ 1/2.

    >>> window("3/10"), window(0.1)
    (2, 1)
    """
    value = read_rational(alpha, "alpha")
    finite = f" {called('step')} predicts a network of real size for any step."
    exact = Fraction(value)
    slack = ULPS_ON_BOUNDARY * Fraction(math.ulp(value)) if isinstance(value, float) else Fraction(0)
    if exact <= slack:
        raise DomainError(
            f"{spelled('alpha', alpha)}: the theorem needs α > 0; the nearest window is ℓ = 1, 0 < α < 1/4.{finite}",
            argument="alpha",
        )
    if exact >= Fraction(1, 2) - slack:
        raise DomainError(
            f"{spelled('alpha', alpha)}: the theorem needs α < 1/2; the windows ℓ → ∞ accumulate there, "
            f"and {spelled('ell', 'inf')} is their limit.{finite}",
            argument="alpha",
        )
    ell = spikes_outside(exact)
    low, high = window_bounds(ell)
    for boundary, below in ((low, ell - 1), (high, ell)):
        nearest = Fraction(float(boundary)) if slack else boundary  # the boundary as a float
        if abs(exact - nearest) <= slack and below >= 1:
            raise DomainError(
                f"{spelled('alpha', alpha)} is on the boundary {boundary} between {_describe(below)} and "
                f"{_describe(below + 1)}; "
                f"the theorem holds inside a window.{finite}",
                argument="alpha",
            )
    return ell


def _describe(ell: int) -> str:
    low, high = window_bounds(ell)
    return f"window ℓ = {ell} ({low} < α < {high})"


def exponent_over_samples(decay: Number, share_decay: Number) -> Number:
    """Return min(b − 1, 2a), the exponent with which a kernel's loss falls in n without ridge and noise.

    >>> exponent_over_samples(1.5, 2), exponent_over_samples(1.5, 6)
    (1, 3.0)
    """
    return min(share_decay - 1, 2 * decay)


def exponent_over_neurons(decay: Number, share_decay: Number) -> Number:
    """Return min(b − 1, a), the exponent with which the loss of random features falls in N given many samples.

    >>> exponent_over_neurons(1.5, 2), exponent_over_neurons(1.5, 6)
    (1, 1.5)
    """
    return min(share_decay - 1, decay)
