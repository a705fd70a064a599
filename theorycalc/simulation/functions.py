"""σ, σ' and σ⋆ of a Problem as functions of arrays: all that the simulated network shares with the theory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from theorycalc.activations.activation import Activation
from theorycalc.activations.teacher import Teacher
from theorycalc.errors import DomainError
from theorycalc.theory.problem import Problem

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Function: TypeAlias = Callable[[Array], Array]


@dataclass(frozen=True)
class Functions:
    """The activation less its Gaussian mean, its derivative, and the teacher less its Gaussian mean."""

    activation: Function
    slope: Function
    teacher: Function


def functions_of(problem: Problem) -> Functions:
    """Return the functions of a problem, or say which one is missing and how to give it.

    >>> functions = functions_of(Problem("relu", "H1 + H2", "1/2", "2/3", "1/10"))
    >>> functions.slope(np.array([-1.0, 2.0])), functions.teacher(np.array([2.0]))
    (array([0., 1.]), array([5.]))
    """
    activation: Activation = problem.activation
    if activation.tree is None and activation.function is None:
        raise DomainError(
            f"activation {activation.name} is known by its numbers only, and a network needs the function; "
            "write it as text, such as 'relu' or 'H1 + H2/2', or use Activation.from_callable(…, derivative=…)"
        )
    return Functions(activation.centered(), _slope(activation), _teacher(problem.teacher))


def _slope(activation: Activation) -> Function:
    if activation.tree is not None:  # compiled once; Activation.derivative compiles at every call
        from theorycalc.expressions.algebra import derivative
        from theorycalc.expressions.evaluate import compile_numpy

        return compile_numpy(derivative(activation.tree))
    if activation.slope is None:
        raise DomainError(
            f"activation {activation.name} has no derivative, which the gradient step needs; "
            "give Activation.from_callable(…, derivative=…)"
        )
    return activation.derivative


def _teacher(teacher: Teacher) -> Function:
    if teacher.is_polynomial:
        coefficients = [0.0, *(float(c) for c in teacher.coefficients)]
        return lambda z: np.asarray(np.polynomial.hermite_e.hermeval(z, coefficients))
    if teacher.name is None:
        raise DomainError(
            f"{teacher} is known by its moments only, and labels need the function; "
            "write the teacher as text, such as 'sin(x)', or as a list of Hermite coefficients"
        )
    from theorycalc.expressions.evaluate import compile_numpy
    from theorycalc.expressions.grammar import parse

    values, mean = compile_numpy(parse(teacher.name)), float(teacher.mean)
    return lambda z: values(z) - mean
