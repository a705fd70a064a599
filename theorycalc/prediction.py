"""predict(): from a Problem to its Prediction — the one function most people call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from theorycalc.activations.conditions import Condition
from theorycalc.activations.present import read_ell
from theorycalc.balls import float_of, nearest_float
from theorycalc.conditions import check_known, conditions_of, notes_of, spikes_of
from theorycalc.errors import ArgumentError, DomainError, checked_call, one_of, true_or_false
from theorycalc.exact import EnclosedNumber, check_digits, is_zero, require_exact
from theorycalc.points import check_float_range, exact_points, float_points, map_exact, map_floats
from theorycalc.theory.engines import ball_constants, ball_values, float_values
from theorycalc.theory.evaluation import Plan, Point, Values, float_constants
from theorycalc.theory.problem import Problem
from theorycalc.theory.windows import window

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMS = ("closed", "matrix")
_SLIDES = "Λ_ℓ as the slides print it, without the factor φ/(ψm_1²); L_te(F) follows from it"


@dataclass(frozen=True, repr=False, eq=False)
class Prediction:
    """What the theory says of one problem, or of all points of an array of problems.

    Numbers are floats, numpy arrays, or mpf whose ``digits`` digits are proven.
    """

    problem: Problem
    overrides: dict[str, Any]  # what replaced the problem's φ, ψ, λ and σ_ε
    ell: int | float
    alpha: Any
    spikes: tuple[int, ...] | str  # K, or "all", "odd", "1+even"
    m1: Any
    m2: Any
    m1_slope: Any
    m2_slope: Any
    kappa: Any
    rho: Any
    train_loss_initial: Any
    test_loss_initial: Any
    train_gain: Any
    test_gain: Any
    train_loss: Any
    test_loss: Any
    conditions: tuple[Condition, ...]
    notes: tuple[str, ...]
    guarantee: str  # "rounded" (float64), "enclosed" (proven by balls) or "estimated" (from estimated c_k)
    digits: int | None
    form: str
    as_printed: bool

    def plot(self, ax: Any = None, **style: Any) -> Figure:
        """Draw the losses before and after the step, and return the matplotlib figure.

        ``ax`` is an Axes to draw into; ``style`` are properties of the points or curves, such as ``color``.
        """
        from theorycalc.plots.predictions import prediction_figure

        return prediction_figure(self, ax, **style)

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as plain data for JSON: no NaN, infinity as text, exact numbers as text."""
        from theorycalc.tables import prediction_data

        return prediction_data(self)

    def __repr__(self) -> str:
        from theorycalc.tables import prediction_text

        return prediction_text(self)

    def _repr_html_(self) -> str:
        from theorycalc.tables import prediction_html

        return prediction_html(self)

    def _repr_latex_(self) -> str:
        from theorycalc.tables import prediction_latex

        return prediction_latex(self)


@checked_call
def predict(
    problem: Problem,
    *,
    ell: Any = None,
    alpha: Any = None,
    digits: int | None = None,
    form: str = "closed",
    as_printed: bool = False,
    phi: Any = None,
    psi: Any = None,
    ridge: Any = None,
    noise: Any = None,
) -> Prediction:
    """Predict losses and gains for ℓ spikes, or for a step n^α in whose window ℓ follows.

    ``phi``, ``psi``, ``ridge`` and ``noise`` replace the problem's, and may be arrays that broadcast.
    ``digits`` asks for that many proven digits.  ``form="matrix"`` goes through the paper's Ω instead of
    the closed form; ``as_printed=True`` gives Λ_1 or Λ_2 as the slides print them.

    >>> from theorycalc import Activation
    >>> problem = Problem(Activation.from_moments("1/2", "3/10"), ["1", "1/2"], "1/2", "2/3", "1/10", "1/2")
    >>> round(predict(problem, ell=2).test_gain, 6)
    0.401391
    >>> print(predict(problem, ell=2, digits=30).test_gain)
    0.401390549679759389871842424592
    """
    if not isinstance(problem, Problem):
        raise ArgumentError(f"predict() takes a Problem, not {type(problem).__name__}")
    given = {"phi": phi, "psi": psi, "ridge": ridge, "noise": noise}
    parameters = {name: getattr(problem, name) if value is None else value for name, value in given.items()}
    true_or_false(as_printed, "as_printed")
    degree = _read_ell(ell, alpha)
    plan = _plan(problem, degree, one_of(form, "form", FORMS), as_printed)
    if digits is None:
        points = float_points(parameters)
        _check_points(plan, Point(*points))
        _check_float_range(problem, Point(*points).noise)
        constants = float_constants(plan)
        values = map_floats(lambda *point: float_values(plan, constants, Point(*point)), points, len(Values._fields))
    else:
        digits = check_digits(digits)
        _check_exact(problem)
        points = exact_points(parameters)
        _check_points(plan, Point(*points))
        constants_at = ball_constants(plan)
        values = map_exact(
            lambda *point: ball_values(plan, constants_at, point, digits), points, len(Values._fields), digits
        )
    return Prediction(
        problem,
        {name: value for name, value in zip(given, points, strict=True) if given[name] is not None},
        degree,
        alpha,
        "all" if plan.spikes is None else plan.spikes,
        **dict(zip(Values._fields, values, strict=True)),
        conditions=conditions_of(problem, degree, plan.spikes),
        notes=notes_of(problem, degree, plan.spikes) + ((_SLIDES,) if as_printed else ()),
        guarantee=_guarantee(problem, digits),
        digits=digits,
        form=form,
        as_printed=as_printed,
    )


def _guarantee(problem: Problem, digits: int | None) -> str:
    if problem.activation.guarantee == "estimated" or not problem.teacher.is_proven:
        return "estimated"
    return "rounded" if digits is None else "enclosed"


def _read_ell(ell: Any, alpha: Any) -> int | float:
    if (ell is None) == (alpha is None):
        raise ArgumentError("give either ell= or alpha= (the step is n^α, and ℓ follows from its window)")
    return read_ell(ell) if alpha is None else window(alpha)


def _plan(problem: Problem, ell: int | float, form: str, as_printed: bool) -> Plan:
    spikes = spikes_of(problem, ell)
    check_known(problem, ell, spikes)
    if form == "matrix" and not isinstance(spikes, tuple):
        raise DomainError("form='matrix' needs a finite ℓ; ell='inf' has the closed form only")
    slides_ell = None
    if as_printed:
        printed = problem.first_layer == "sphere" and problem.initial_output == "neglected"
        if ell not in (1, 2) or spikes != tuple(range(1, int(ell) + 1)) or not printed:
            raise DomainError(
                "as_printed=True: the slides print Λ_1 and Λ_2 only, for the sphere, the initial output neglected "
                "and c_1, …, c_ℓ ≠ 0"
            )
        slides_ell = int(ell)
    return Plan(problem, spikes, form, slides_ell)


def _check_points(plan: Plan, point: Point) -> None:
    """Refuse zeros that leave nothing to compute."""
    if (plan.form == "matrix" or plan.slides_ell) and np.any(np.asarray(point.ridge) == 0):
        what = "as_printed=True" if plan.slides_ell else "form='matrix'"
        raise DomainError(f"{what} needs ridge > 0, since m_1 may be infinite at 0; the closed form has the limit")
    check_signal(plan.problem, point.noise)


def check_signal(problem: Problem, noise: Any) -> None:
    """Refuse a zero teacher without noise.

    >>> check_signal(Problem("relu", "H0", "1/2", "2/3", "1/10"), 0)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: the teacher is zero and noise=0: all labels are zero, so the step has no direction
    """
    no_signal = problem.teacher.is_polynomial and all(is_zero(c) for c in problem.teacher.coefficients)
    if no_signal and problem.initial_output == "neglected" and np.any(np.asarray(noise) == 0):
        raise DomainError("the teacher is zero and noise=0: all labels are zero, so the step has no direction")


def _check_float_range(problem: Problem, noise: Any) -> None:
    """Refuse an activation, a teacher or labels whose size float64 is not used for."""
    for name in ("c1", "c_rest"):
        check_float_range(float_of(getattr(problem.activation, name), name), name)
    if problem.step_samples is not None:
        check_float_range(float_of(problem.step_samples, "step_samples"), "step_samples")
    largest = float(np.min(noise))
    for k, c in enumerate(problem.teacher.coefficients, start=1):
        name = f"c_⋆{k}"
        value = nearest_float(c.enclosure(20), name) if isinstance(c, EnclosedNumber) else float_of(c, name, True)
        check_float_range(value, "c_⋆1" if k == 1 else "c_⋆")
        largest = max(largest, abs(value))
    check_float_range(largest, "the largest of noise and c_⋆")


def _check_exact(problem: Problem) -> None:
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
    if problem.step_samples is not None:
        require_exact(problem.step_samples, "step_samples")
