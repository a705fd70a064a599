"""The covariance Σ of the inputs in one number system: its spectrum, and the moments that the step's direction takes.

See docs/theory/inputs.md#the-equations.  ⟨·⟩ is the mean over the eigenvalues τ, ⟨·⟩_v that with the teacher's shares.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.model.inputs import Inputs, ball_levels
from theorycalc.numbers.systems import Array, Number

_AT_ONCE = 1_000_000  # numbers of an array of eigenvalues and points


class InputLevel(NamedTuple):
    """One eigenvalue τ of Σ, the weight of the inputs that have it, and the teacher's share in it."""

    eigenvalue: Number
    weight: Number
    share: Number


@dataclass(frozen=True)
class InputSpectrum:
    """All eigenvalues with their weights and shares, in arrays: of floats, or of objects such as balls and symbols."""

    eigenvalues: Array
    weights: Array
    shares: Array

    def mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩; ``like`` is a number or an array of points on which f depends, too.

        >>> spectrum_of([InputLevel(2.0, 0.25, 0.5), InputLevel(0.5, 0.75, 0.5)]).mean(lambda tau: tau**2)
        np.float64(1.1875)
        """
        return self._weighted(self.weights, value, like)

    def teacher_mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩_v, as :meth:`mean` does."""
        return self._weighted(self.shares, value, like)

    def _weighted(self, weights: Array, value: Callable[[Array], Array], like: Number) -> Number:
        size = max(1, _AT_ONCE // max(1, np.size(like)))
        total: Number = 0
        for first in range(0, len(weights), size):
            block = slice(first, first + size)
            eigenvalues = self.eigenvalues[block].reshape(-1, *[1] * np.ndim(like))
            total = total + np.tensordot(weights[block], value(eigenvalues), 1)[()]
        return total


def spectrum_of(levels: Sequence[InputLevel]) -> InputSpectrum:
    """Return the spectrum of levels, whose numbers are all floats or all of another system."""
    kind = float if isinstance(levels[0].eigenvalue, float) else object
    return InputSpectrum(*np.array(levels, dtype=kind).T)


def in_balls(inputs: Inputs) -> tuple[InputLevel, ...]:
    """Return the levels of inputs as balls of the current precision."""
    return tuple(InputLevel(*level) for level in ball_levels(inputs))


def float_spectrum(inputs: Inputs) -> InputSpectrum:
    """Return the spectrum of inputs in float64.

    >>> from theorycalc.model.inputs import Inputs
    >>> float_spectrum(Inputs.two_level(3, "1/4")).eigenvalues
    array([2.        , 0.66666667])
    """
    return spectrum_of([InputLevel(*map(float, level)) for level in inputs.levels])


class InputMoments(NamedTuple):
    """The moments of Σ by which the direction of a step depends on it."""

    aligned: Number  # ⟨τ⟩_v
    across: Number  # ⟨(τ − ⟨τ⟩_v)²⟩_v
    square: Number  # ⟨τ²⟩
    spread: Number  # ⟨(τ − 1)²⟩ = ⟨τ²⟩ − 1
    cube: Number  # ⟨τ³⟩


ISOTROPIC = InputMoments(aligned=1, across=0, square=1, spread=0, cube=1)


def input_moments(levels: Sequence[InputLevel]) -> InputMoments:
    """Return the moments of Σ; without levels it is the identity.

    >>> input_moments([InputLevel(2.0, 0.25, 1.0), InputLevel(2 / 3, 0.75, 0.0)])[:2]
    (np.float64(2.0), np.float64(0.0))
    """
    return moments_of(spectrum_of(levels)) if levels else ISOTROPIC


def moments_of(spectrum: InputSpectrum) -> InputMoments:
    """Return the moments of a spectrum."""
    aligned = spectrum.teacher_mean(lambda tau: tau)
    return InputMoments(
        aligned,
        across=spectrum.teacher_mean(lambda tau: (tau - aligned) ** 2),
        square=spectrum.mean(lambda tau: tau**2),
        spread=spectrum.mean(lambda tau: (tau - 1) ** 2),
        cube=spectrum.mean(lambda tau: tau**3),
    )
