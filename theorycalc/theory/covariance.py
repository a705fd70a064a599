"""The covariance Σ of the inputs: its spectrum, the moments that set a step's direction, and whether limits hold.

See docs/theory/inputs.md#the-equations.  ⟨·⟩ is the mean over the eigenvalues τ, ⟨·⟩_v that with the teacher's shares.
This is the one place where limits and finite steps ask whether enough directions of the inputs of a problem count
(docs/theory/inputs.md#validity).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from theorycalc.errors import DomainError, spelled
from theorycalc.model.inputs import Inputs, ball_levels
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import Condition
from theorycalc.numbers.exact import is_zero
from theorycalc.numbers.systems import Array, Number

_AT_ONCE = 1_000_000  # numbers of an array of eigenvalues and points


class InputLevel(NamedTuple):
    """One eigenvalue τ of Σ, the weight of its inputs, and the teacher's share in it."""

    eigenvalue: Number
    weight: Number
    share: Number


@dataclass(frozen=True)
class InputSpectrum:
    """All eigenvalues with their weights and shares, in arrays of floats or of objects such as balls and symbols."""

    eigenvalues: Array
    weights: Array
    shares: Array

    def mean(self, value: Callable[[Array], Array], like: Number = 0) -> Number:
        """Return ⟨f(τ)⟩; ``like`` is a number or an array of points on which f also depends.

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
    """Return the spectrum of levels whose numbers are all floats or all from another system."""
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
    """The moments of Σ on which a step's direction depends."""

    aligned: Number  # ⟨τ⟩_v
    across: Number  # ⟨(τ − ⟨τ⟩_v)²⟩_v
    square: Number  # ⟨τ²⟩
    spread: Number  # ⟨(τ − 1)²⟩ = ⟨τ²⟩ − 1
    cube: Number  # ⟨τ³⟩


ISOTROPIC = InputMoments(aligned=1, across=0, square=1, spread=0, cube=1)


def input_moments(levels: Sequence[InputLevel]) -> InputMoments:
    """Return the moments of Σ, which is the identity without levels.

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


FEWEST = {"labels": 10, "residual": 5}  # directions below which the step's direction differs from draw to draw
FEWEST_OF_TEACHER = 30  # directions below which the features learn quadratic functions, too
LARGEST_SHARE = 0.05  # of the trace in one eigenvalue, from which neurons are no longer alike
MANY = 100  # directions from which nothing was seen of either


class Directions(NamedTuple):
    """The number of equal directions that would average as well, and the largest eigenvalue's share of the trace."""

    step: float  # d⟨τ²⟩²/⟨τ⁴⟩ of a step on the labels, d⟨τ³⟩²/⟨τ⁶⟩ of one on the residual
    teacher: float  # d/⟨τ⟩_v²
    largest: float  # τ_max/tr Σ


def equal_directions(spectrum: InputSpectrum, d: Number, power: int) -> Number:
    """Return d⟨τ^p⟩²/⟨τ^2p⟩, the number of equal directions whose randomly weighted sum varies as that of τ^p over d.

    >>> from theorycalc.theory.covariance import InputLevel, spectrum_of
    >>> float(equal_directions(spectrum_of([InputLevel(1.5, 0.5, 0.5), InputLevel(0.5, 0.5, 0.5)]), 410, 2))
    250.0
    """
    return d * spectrum.mean(lambda tau: tau**power) ** 2 / spectrum.mean(lambda tau: tau ** (2 * power))


def teacher_directions(spectrum: InputSpectrum, d: Number) -> Number:
    """Return d/⟨τ⟩_v², the number of equal directions in which a kernel would fit degree 2 of a teacher as well."""
    return d / spectrum.teacher_mean(lambda tau: tau) ** 2


def directions_of(problem: Problem, gradient: str) -> Directions | None:
    """Return the numbers of directions, or None if each eigenvalue belongs to a finite share of infinitely many inputs.

    >>> two = {"activation": "relu", "teacher": "H1", "ridge": 1, "inputs": "two_level(3, 1/2)"}
    >>> directions_of(Problem(**two, phi=1, psi=1), "labels")
    >>> round(directions_of(Problem(**two, n=600, d=410, N=450), "labels").step, 9)
    250.0
    """
    inputs = problem.inputs
    count = None if inputs is None else problem.d or inputs.count
    if inputs is None or count is None:
        return None
    spectrum = float_spectrum(inputs)
    return Directions(
        step=float(equal_directions(spectrum, count, 2 if gradient == "labels" else 3)),
        teacher=float(teacher_directions(spectrum, count)),
        largest=float(inputs.levels[0].eigenvalue) / count,
    )


def check_self_averaging(problem: Problem, gradient: str, stepped: bool = True) -> None:
    """Refuse inputs dominated by one or a few eigenvalues; ``stepped`` says that the direction of a step matters.

    >>> sizes = {"n": 600, "d": 300, "N": 450, "ridge": "1/10"}
    >>> check_self_averaging(Problem("relu", "H1", **sizes, inputs="two_level(9, 1/4)"), "labels")
    >>> check_self_averaging(Problem("relu", "H1", **sizes, inputs="power(3/2)"), "labels")
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: inputs='power(3/2, 3/2, 300)': the largest eigenvalue has 40 % of the trace, and \
the theory holds up to 5 %; for such inputs predict from features, tc.features(F, y)
    """
    found = directions_of(problem, gradient)
    if found is None or (not stepped and is_zero(problem.unit_activation.c_rest)):
        return  # features that are linear average over the points and the neurons alone
    if found.largest > LARGEST_SHARE:
        reason = (
            f"the largest eigenvalue has {100 * found.largest:.2g} % of the trace, and the theory holds up to "
            f"{100 * LARGEST_SHARE:.0f} %"
        )
    elif found.teacher < FEWEST_OF_TEACHER:
        reason = (
            f"of degree 2 they are as good as {found.teacher:.1f} equal ones (d/⟨τ⟩_v²), and below {FEWEST_OF_TEACHER} "
            "features learn quadratic functions, which the theory leaves to the step"
        )
    elif stepped and found.step < FEWEST[gradient]:
        reason = (
            f"in a step on the {gradient} they are as good as {found.step:.1f} equal ones, and below "
            f"{FEWEST[gradient]} its direction differs from draw to draw"
        )
    else:
        return
    assert problem.inputs is not None
    shown, remedy = spelled("inputs", problem.inputs.words), "for such inputs predict from features, tc.features(F, y)"
    raise DomainError(f"{shown}: {reason}; {remedy}", argument="inputs")


def input_conditions(problem: Problem, gradient: str) -> tuple[Condition, ...]:
    """Return the conditions on inputs with a covariance, which go beyond those of the theorems."""
    if problem.inputs is None:
        return ()
    found = directions_of(problem, gradient)
    if found is None:
        return (Condition("inputs without a covariance", False),)
    least = min(found.step, found.teacher)
    words = f"many directions of the inputs count: they are as good as {least:.0f} equal ones, and {MANY} are needed"
    return Condition("inputs without a covariance", False), Condition(words, least >= MANY)
