"""Networks with options reduced to simpler ones: the share of a label that is kept, and the step of unit scales."""

from __future__ import annotations

from fractions import Fraction

from theorycalc.numbers.exact import Scalar
from theorycalc.numbers.systems import Number

_WHOLE = Fraction(1)


def fidelity(corrupt: Scalar, flip: Scalar) -> Scalar:
    """Return a = (1 − p)(1 − 2q), the part of its label that a point keeps in the mean.

    See docs/theory/channels.md.

    >>> fidelity(Fraction(1, 2), Fraction(1, 4))
    Fraction(1, 4)
    """
    if not corrupt and not flip and isinstance(corrupt, Fraction):
        return _WHOLE  # of most problems: this is asked for each prediction
    return (1 - corrupt) * (1 - 2 * flip)


def mean_sign(flip: Scalar) -> Scalar:
    """Return b = 1 − 2q, by which flips multiply the mean of labels (docs/theory/channels.md#labels-with-a-mean).

    >>> mean_sign(Fraction(1, 4))
    Fraction(1, 2)
    """
    return 1 - 2 * flip if flip else _WHOLE


def flipped_energy(sign: Number, mean: Number) -> Number:
    """Return (1 − b²)μ², the energy of the mean of labels that flips make noise.

    See docs/theory/channels.md#labels-with-a-mean.

    >>> flipped_energy(0.5, 2)
    3.0
    """
    return (1 - sign**2) * mean**2


def unit_step(steps: Scalar | int, first_scale: Scalar, second_scale: Scalar) -> Scalar:
    """Return T g_a/g_w², by which T steps of a network are one step of a network whose scales are 1.

    See docs/theory/options.md#scales.

    >>> unit_step(1, Fraction(2), Fraction(3))
    Fraction(3, 4)
    """
    return steps * second_scale / first_scale**2
