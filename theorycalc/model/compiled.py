"""σ, σ' and σ⋆ of a Problem as functions of arrays: all that the simulated network shares with the theory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from theorycalc.errors import DomainError
from theorycalc.model.activation import Activation
from theorycalc.model.problem import Problem
from theorycalc.numbers.exact import Floats

_GRID = (np.arange(24_000) + 0.5) / 1000 - 12  # of a standard normal Z
_SLOPE_TOLERANCE = 0.1  # generous, for slopes with a pole; a step function misses all of its c_1

FloatFunction: TypeAlias = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Functions:
    """The activation less its Gaussian mean, its derivative, and the teacher less its Gaussian mean."""

    activation: FloatFunction
    slope: FloatFunction
    teacher: FloatFunction


def functions_of(problem: Problem) -> Functions:
    """Return the functions of a problem, or say which one is missing and how to give it.

    >>> functions = functions_of(Problem("relu", "H1 + H2", "1/2", "2/3", "1/10"))
    >>> functions.slope(np.array([-1.0, 2.0])), functions.teacher(np.array([2.0]))
    (array([0., 1.]), array([5.]))
    """
    activation: Activation = problem.activation
    if not activation.has_values:
        raise DomainError(
            f"activation {activation.name} is known by its numbers only, and a network needs the function; "
            "write it as text, such as 'relu' or 'H1 + H2/2', or pass the function itself",
            argument="activation",
        )
    return Functions(activation.centered(), activation.compiled_derivative(), problem.teacher.centered_values())


def check_slope(activation: Activation, slope: FloatFunction) -> None:
    """Refuse a slope that is not the derivative of the activation: E σ'(Z) = c_1 holds where σ has no jump.

    >>> problem = Problem("sign(x)", ["1"], "1/2", "2/3", "1/10")
    >>> check_slope(problem.activation, functions_of(problem).slope)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: activation sign(x) has c_1 = 0.797885, but the mean slope is 0: it jumps, or its \
derivative is wrong, and the gradient step needs it
    """
    with np.errstate(all="ignore"):
        parts = slope(_GRID) * np.exp(-(_GRID**2) / 2) / np.sqrt(2 * np.pi) / 1000
    mean, scale, c1 = float(np.sum(parts)), float(np.sum(np.abs(parts))), float(activation.c1)
    if not abs(mean - c1) <= _SLOPE_TOLERANCE * (scale + abs(c1)):
        raise DomainError(
            f"activation {activation.name} has c_1 = {c1:g}, but the mean slope is {mean:g}: it jumps, or its "
            "derivative is wrong, and the gradient step needs it",
            argument="activation",
        )
