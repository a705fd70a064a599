"""Steps of spectra: whether one is asked for, its size, and the words that spectra of features and weights share."""

from __future__ import annotations

import math
from collections.abc import Mapping

from theorycalc.errors import ArgumentError, DomainError, spelled
from theorycalc.model.enums import GradientTarget
from theorycalc.model.problem import Problem
from theorycalc.model.sizes import LARGEST_ETA, Sizes, realised, step_size
from theorycalc.numbers.exact import NumberLike
from theorycalc.results.quantities import shown
from theorycalc.theory.pencil.outliers import StepSize

SUMMED = "several steps count as one of their sum, and after large ones outliers are elsewhere"


def between_networks(deviation: float, full: bool = False) -> str:
    """Return the deviation of a place over networks in words.

    >>> between_networks(0.25)
    '± 0.25 between networks; '
    """
    return f"± {shown(deviation, full, '.2g')} between networks; "


def has_step(problem: Problem, n: NumberLike | None, given: Mapping[str, NumberLike | None]) -> bool:
    """Return whether a spectrum is one after a step, or refuse arguments of a step without sizes.

    >>> has_step(Problem("relu", "H1", 1, 1, 1), None, {"eta": None})
    False
    """
    if n is not None or (problem.has_sizes and any(given.get(name) is not None for name in ("alpha", "eta"))):
        return True
    for name, value in given.items():
        if value is not None:
            raise ArgumentError(
                f"{spelled(name)} describes a step of a finite network, which needs {spelled('n')}, too", argument=name
            )
    return False


def sized_step(
    problem: Problem, sizes: Sizes, alpha: NumberLike | None, eta: NumberLike | None, gradient: GradientTarget
) -> tuple[Problem, StepSize]:
    """Return the problem at the ratios that its sizes realise, and the step."""
    exponent, size = step_size(sizes.n, alpha, eta)
    if size > LARGEST_ETA:
        raise DomainError(
            f"the step η = {size:g} is beyond {LARGEST_ETA:g}, the largest that float64 is used for here",
            argument="eta" if alpha is None else "alpha",
        )
    if exponent is None:
        if sizes.n == 1:
            raise DomainError(f"n=1: {spelled('eta')} is compared with powers of n, which needs n ≥ 2", argument="n")
        exponent = math.log(size) / math.log(sizes.n) if size else -math.inf
    return realised(problem, sizes), StepSize(sizes.n, sizes.N, exponent, size, gradient)
