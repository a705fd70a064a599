"""A check that enough directions of the inputs count for a limit (docs/theory/inputs.md#validity).

The one place where limits and finite steps ask whether the theory holds for the inputs of a problem.
"""

from __future__ import annotations

from typing import NamedTuple

from theorycalc.errors import DomainError, spelled
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import Condition
from theorycalc.numbers.exact import is_zero
from theorycalc.numbers.systems import Number
from theorycalc.theory.covariance import InputSpectrum, float_spectrum

FEWEST = {"labels": 10, "residual": 5}  # directions below which the step's direction differs from draw to draw
FEWEST_OF_TEACHER = 30  # directions below which the features learn quadratic functions, too
LARGEST_SHARE = 0.05  # of the trace in one eigenvalue, from which neurons are no longer alike
MANY = 100  # directions from which nothing was seen of either


class Directions(NamedTuple):
    """How many equal directions would do as these, and the largest eigenvalue's share of the trace."""

    step: float  # d⟨τ²⟩²/⟨τ⁴⟩ of a step on the labels, d⟨τ³⟩²/⟨τ⁶⟩ of one on the residual
    teacher: float  # d/⟨τ⟩_v²
    largest: float  # τ_max/tr Σ


def equal_directions(spectrum: InputSpectrum, d: Number, power: int) -> Number:
    """Return d⟨τ^p⟩²/⟨τ^2p⟩: the sum of τ^p over d directions of random weight varies as that over so many equal ones.

    >>> from theorycalc.theory.covariance import InputLevel, spectrum_of
    >>> float(equal_directions(spectrum_of([InputLevel(1.5, 0.5, 0.5), InputLevel(0.5, 0.5, 0.5)]), 410, 2))
    250.0
    """
    return d * spectrum.mean(lambda tau: tau**power) ** 2 / spectrum.mean(lambda tau: tau ** (2 * power))


def teacher_directions(spectrum: InputSpectrum, d: Number) -> Number:
    """Return d/⟨τ⟩_v²: of degree 2 a kernel fits the teacher as it does one of so many equal directions."""
    return d / spectrum.teacher_mean(lambda tau: tau) ** 2


def directions_of(problem: Problem, gradient: str) -> Directions | None:
    """Return how many directions count, or None where each eigenvalue belongs to a share of infinitely many inputs.

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
    """Refuse inputs of which one eigenvalue, or a few, dominate; ``stepped`` says that the direction of a step counts.

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
    """Return the conditions on inputs with a covariance, which the theorems do not have."""
    if problem.inputs is None:
        return ()
    found = directions_of(problem, gradient)
    if found is None:
        return (Condition("inputs without a covariance", False),)
    least = min(found.step, found.teacher)
    words = f"many directions of the inputs count: they are as good as {least:.0f} equal ones, of {MANY} wanted"
    return Condition("inputs without a covariance", False), Condition(words, least >= MANY)
