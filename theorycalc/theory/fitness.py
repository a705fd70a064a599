"""Whether a problem can be computed as asked: in float64, with proven digits, and with labels that say something."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from theorycalc.errors import DomainError, PrecisionError, spelled
from theorycalc.model.parameters import COEFFICIENT, FIRST_COEFFICIENT
from theorycalc.model.points import check_float_range
from theorycalc.model.problem import Problem
from theorycalc.numbers.balls import float_of, nearest_float
from theorycalc.numbers.exact import EnclosedNumber, is_zero, require_exact
from theorycalc.theory.limits import Constants, Plan, Point, float_constants


def guarantee_of(problem: Problem, digits: int | None) -> str:
    """Return what numbers of a problem are worth: "rounded", "enclosed" or "estimated".

    >>> guarantee_of(Problem("relu", "H1", "1/2", "2/3", "1/10"), None)
    'rounded'
    """
    if problem.activation.guarantee == "estimated" or not problem.teacher.is_proven:
        return "estimated"
    return "rounded" if digits is None else "enclosed"


def check_points(plan: Plan, point: Point) -> None:
    """Refuse zeros that leave nothing to compute."""
    if (plan.form == "matrix" or plan.slides_ell) and np.any(np.asarray(point.ridge) == 0):
        what = "as_printed=True" if plan.slides_ell else "form='matrix'"
        raise DomainError(
            f"{what} needs ridge > 0, since m_1 may be infinite at 0; the closed form has the limit", argument="ridge"
        )
    check_signal(plan.problem, point.noise, plan.gradient)


def check_signal(problem: Problem, noise: Any, gradient: str = "labels") -> None:
    """Refuse a zero teacher without noise.

    >>> check_signal(Problem("relu", "H0", "1/2", "2/3", "1/10"), 0)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: the teacher is zero and noise=0: all labels are zero, so the step has no direction
    """
    no_signal = problem.teacher.is_polynomial and all(is_zero(c) for c in problem.teacher.coefficients)
    if no_signal and gradient == "labels" and np.any(np.asarray(noise) == 0):
        raise DomainError(
            "the teacher is zero and noise=0: all labels are zero, so the step has no direction", argument="teacher"
        )


@functools.lru_cache(maxsize=256)
def rounded(plan: Plan) -> tuple[Constants, float]:
    """Return the constants in float64, and the teacher's largest; refuse sizes that float64 is not used for."""
    problem, largest = plan.problem, 0.0
    for name in ("c1", "c_rest"):
        check_float_range(float_of(getattr(problem.activation, name), name), name)
    check_float_range(float_of(problem.step_ratio, "step_samples"), "step_samples")
    for k, c in enumerate(problem.teacher.coefficients, start=1):
        name = f"c_⋆{k}"
        value = nearest_float(c.enclosure(20), name) if isinstance(c, EnclosedNumber) else float_of(c, name, True)
        check_float_range(value, "c_⋆1" if k == 1 else "c_⋆", FIRST_COEFFICIENT if k == 1 else COEFFICIENT, "teacher")
        largest = max(largest, abs(value))
    return float_constants(plan), largest


def check_exact(problem: Problem) -> None:
    """Refuse binary floats and estimates where digits are to be proven."""
    for role in ("activation", "teacher"):
        if getattr(problem, role).is_sampled:
            raise PrecisionError(
                f"the {role} is known by its values: its coefficients are estimates, of which no digits are proven; "
                f"leave {spelled('digits')} out, or write it as text",
                argument=role,
            )
    activation = problem.activation
    require_exact(activation.c1, "c1")
    require_exact(activation.c_rest, "c_rest")
    if activation.c2 is not None:
        require_exact(activation.c2, "c2")
    teacher = problem.teacher
    for k, c in enumerate(teacher.coefficients, start=1):
        require_exact(c, f"teacher c_⋆{k}")
    if teacher.second_moment is not None:
        require_exact(teacher.second_moment, "teacher second_moment")
        require_exact(teacher.mean, "teacher mean")
    require_exact(problem.step_ratio, "step_samples")
