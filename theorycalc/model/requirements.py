"""Requirements on an activation: the conditions of the theorems, and the functions that a simulated network needs.

See docs/theory/hermite.md#what-the-theorems-ask-for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from theorycalc.errors import DomainError, spelled
from theorycalc.model.spikes import ALL
from theorycalc.numbers.exact import Floats, is_zero

if TYPE_CHECKING:
    from theorycalc.model.activation import Activation
    from theorycalc.model.problem import Problem
    from theorycalc.model.teacher import Teacher

FloatFunction: TypeAlias = Callable[[Floats], Floats]

_SMOOTH = "the activation has three bounded derivatives almost everywhere and k! c_k² decays faster than k^(−3/2)"
_GRID = (np.arange(24_000) + 0.5) / 1000 - 12  # of a standard normal Z
_SIGN_TOLERANCE = 1e-9  # of ±1, from which a mean was taken and to which it was added
_SLOPE_TOLERANCE = 0.1  # generous, for slopes with a pole; a step function misses all of its c_1


@dataclass(frozen=True)
class Condition:
    """One condition of the theorems: True, False, or None if unknown and assumed."""

    statement: str
    holds: bool | None

    def __str__(self) -> str:
        mark = {True: "holds", False: "FAILS", None: "assumed"}[self.holds]
        return f"{mark}: {self.statement}"


def activation_conditions(activation: Activation, ell: int | float) -> tuple[Condition, ...]:
    """Return the conditions on the activation alone.

    >>> from theorycalc.model.activation import Activation
    >>> print(activation_conditions(Activation.from_text("sign"), 1)[2])
    FAILS: the activation has three bounded derivatives almost everywhere and k! c_k² decays faster than k^(−3/2)
    """
    window = "∞" if ell == math.inf else ell
    return (
        Condition("c_1 ≠ 0", not is_zero(activation.c1)),
        Condition(f"c_k ≠ 0 for all k ≤ ℓ = {window}", _all_present(activation, ell)),
        Condition(_SMOOTH, activation.is_smooth),
    )


def _all_present(activation: Activation, ell: int | float) -> bool | None:
    if ell <= 1:
        return ell < 1 or not is_zero(activation.c1)
    if not activation.knows_zeros or (ell == math.inf and activation.infinite_spikes() == ALL):
        return None
    return ell != math.inf and len(activation.spikes(int(ell))) == ell


@dataclass(frozen=True)
class Functions:
    """σ and σ⋆, both less their Gaussian mean, and σ': all that a simulated network shares with the theory."""

    activation: FloatFunction
    slope: FloatFunction
    teacher: FloatFunction


def functions_of(problem: Problem) -> Functions:
    """Return the functions of a problem, or raise an error that names a missing one and says how to give it.

    >>> from theorycalc.model.problem import Problem
    >>> functions = functions_of(Problem("relu", "H1 + H2", "1/2", "2/3", "1/10"))
    >>> functions.slope(np.array([-1.0, 2.0])), functions.teacher(np.array([2.0]))
    (array([0., 1.]), array([5.]))
    """
    activation = problem.activation
    if not activation.has_values:
        reason = f"activation {activation.name} is known by its numbers only, and a network needs the function"
        remedy = "write it as text, such as 'relu' or 'H1 + H2/2', or pass the function itself"
        raise DomainError(f"{reason}; {remedy}", argument="activation")
    return Functions(activation.centered(), activation.derivative, problem.teacher.centered_values())


def unit_functions(problem: Problem) -> Functions:
    """Return the functions used by the theory: σ(g_w x) less its mean for rows of length 1, and its slope.

    >>> from theorycalc.model.problem import Problem
    >>> unit_functions(Problem("x", "H1", 1, 1, 1, first_scale=2)).activation(np.array([3.0]))
    array([6.])
    """
    found, activation = functions_of(problem), problem.unit_activation
    return Functions(activation.centered(), activation.derivative, found.teacher)


def literal_functions(problem: Problem) -> Functions:
    """Return the functions used by the network: σ and σ⋆ with or without their means, as the problem says.

    σ is less its mean over neurons with rows of the problem's length; with biases it has a mean for each of them, and
    is left as it is written.

    >>> from theorycalc.model.problem import Problem
    >>> raw = Problem("relu", "H1", 1, 1, 1, intercept=True, centred=False, first_scale=2)
    >>> literal_functions(raw).activation(np.array([-1.0, 3.0]))
    array([0., 3.])
    """
    found, activation, mean = functions_of(problem), problem.activation, float(problem.label_mean)
    centred = problem.centred and problem.biases is None
    values = replace(activation, mean=problem.unit_activation.mean, is_centered=centred)
    teacher = (lambda z: found.teacher(z) + mean) if mean else found.teacher
    return Functions(values, found.slope, teacher)


def takes_signs(teacher: Teacher) -> bool:
    """Return True if a teacher, including its mean, is ±1 at all points of a sample.

    >>> from theorycalc.model.teacher import Teacher
    >>> takes_signs(Teacher.from_text("sign(x - 1)")), takes_signs(Teacher.from_text("x"))
    (True, False)
    """
    with np.errstate(all="ignore"):
        r = teacher.directions
        points = _GRID if r == 1 else np.random.default_rng(0).standard_normal((len(_GRID), r))
        values = teacher.centered_values()(points) + float(teacher.mean)
    return bool(np.all(np.abs(np.abs(values) - 1) < _SIGN_TOLERANCE))


def check_slope(activation: Activation, slope: FloatFunction) -> None:
    """Refuse a slope that is not the derivative of the activation: E σ'(Z) = c_1 holds if σ has no jump.

    >>> from theorycalc.model.activation import Activation
    >>> sign = Activation.from_text("sign(x)")
    >>> check_slope(sign, sign.derivative)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: activation sign(x) has c_1 = 0.797885, but the mean slope is 0: it jumps, or its \
derivative is wrong, and the gradient step needs it
    """
    with np.errstate(all="ignore"):
        parts = slope(_GRID) * np.exp(-(_GRID**2) / 2) / np.sqrt(2 * np.pi) / 1000
    mean, scale, c1 = float(np.sum(parts)), float(np.sum(np.abs(parts))), float(activation.c1)
    if not abs(mean - c1) <= _SLOPE_TOLERANCE * (scale + abs(c1)):
        reason = f"activation {activation.name} has c_1 = {c1:g}, but the mean slope is {mean:g}"
        detail = "it jumps, or its derivative is wrong, and the gradient step needs it"
        raise DomainError(f"{reason}: {detail}", argument="activation")


def check_slope_variance(activation: Activation) -> None:
    """Refuse an activation whose Var σ' is unknown.

    >>> from theorycalc.model.activation import Activation
    >>> check_slope_variance(Activation.from_moments("1/2", "3/10"))
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: network='literal' needs Var σ'(Z) of moments(c1=1/2, c_rest=3/10), by which the \
step lengthens neurons; write the activation as text, or use Activation.from_coefficients
    """
    if activation.slope_variance is None:
        raise DomainError(
            f"{spelled('network', 'literal')} needs Var σ'(Z) of {activation.name}, by which the step lengthens "
            "neurons; write the activation as text, or use Activation.from_coefficients",
            argument="network",
        )
