"""From a problem and its sizes to what the dressed features need of it.

See docs/theory/dressed.md#the-network-after-the-step and docs/theory/options.md#the-initial-output.
"""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np

from theorycalc.model.compiled import check_slope, functions_of
from theorycalc.model.problem import Problem
from theorycalc.theory.case import float_case
from theorycalc.theory.dressed.neurons import DressedStep
from theorycalc.theory.dressed.responses import Function, responses
from theorycalc.theory.lengthened import gradient_spread

_FINEST = 6
_SLOPE_TOLERANCE = 1e-12


def step_of(problem: Problem, N: int, gradient: str, isotropic: bool = False) -> DressedStep:
    """Return the step of a problem at its ratios, for a network of N neurons; ``isotropic`` as in :class:`DressedStep`.

    >>> step = step_of(Problem("relu", "H1 + H2/sqrt(2)", "1/2", "2/3", "1/10"), N=1500, gradient="labels")
    >>> step.case.kappa, round(step.spread, 6)  # Var σ' = 1/4, φ E y² = 1
    (2.0, 0.25)
    """
    return dataclasses.replace(_step_of(dataclasses.replace(problem, ridge=1), N, gradient), isotropic=isotropic)


@functools.lru_cache(maxsize=32)
def _step_of(problem: Problem, N: int, gradient: str) -> DressedStep:  # without its ridge: one for a whole path
    case = float_case(problem, gradient)
    functions = functions_of(problem)
    check_slope(problem.activation, functions.slope)
    kinks = problem.activation.kink_floats
    return DressedStep(
        case=case,
        N=N,
        c2=float(problem.activation.coefficients(2)[2]),
        spread=gradient_spread(slope_variance(Function(functions.slope, kinks)), case.scatter),
        activation=Function(functions.activation, kinks),
        teacher=Function(functions.teacher, problem.teacher.kink_floats),
    )


def slope_variance(slope: Function) -> float:
    """Return Var σ'(Z), by a rule that is refined until it changes nothing.

    >>> round(slope_variance(Function(lambda z: (z > 0) * 1.0, (0.0,))), 12)
    0.25
    """
    before = math.inf
    for level in range(_FINEST):
        value = float(responses(slope, np.zeros(1), np.ones(1), level).variance[0])
        if abs(value - before) <= _SLOPE_TOLERANCE * value:
            break
        before = value
    return value
