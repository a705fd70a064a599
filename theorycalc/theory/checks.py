"""Checks that a problem can be computed: in float64, with proven digits, and with labels that do not all vanish."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import nullcontext

import numpy as np

from theorycalc.errors import ArgumentError, DomainError, PrecisionError, about, one_of, spelled
from theorycalc.model.enums import GradientTarget, LimitForm, NetworkKind, SecondLayer
from theorycalc.model.inputs import Inputs
from theorycalc.model.parameters import ANY_REAL, CHANNELS, COEFFICIENT, FROM_ZERO, LAYERS, SCALES
from theorycalc.model.points import check_float_range, float_points
from theorycalc.model.problem import Problem
from theorycalc.model.requirements import check_slope_variance
from theorycalc.model.spikes import NONE, Spikes
from theorycalc.model.supported import check_direction, check_steps
from theorycalc.numbers.balls import float_of, nearest_float, require_exact
from theorycalc.numbers.exact import EnclosedNumber, is_zero
from theorycalc.numbers.systems import FLOATS, Number
from theorycalc.theory.case import Case, case_at, float_constants
from theorycalc.theory.conditions import check_gradient, check_known, check_residual_mean, spikes_of
from theorycalc.theory.covariance import check_self_averaging
from theorycalc.theory.kind_spikes import check_exact_biases
from theorycalc.theory.plans import Plan, Point, Terms, float_terms, has_own_mean, needs_slope


def guarantee_of(problem: Problem, digits: int | None) -> str:
    """Return the guarantee of a problem's numbers: "rounded", "enclosed" or "estimated".

    >>> guarantee_of(Problem("relu", "H1", "1/2", "2/3", "1/10"), None)
    'rounded'
    """
    law = problem.biases is not None and not problem.biases.is_proven
    if law or problem.unit_activation.guarantee == "estimated" or not problem.teacher.is_proven:
        return "estimated"
    return "rounded" if digits is None else "enclosed"


def gradient_of(network: str, gradient: str | None = None) -> GradientTarget:
    """Return the target of a network's step: always "labels" for the theorem, by default "residual" otherwise.

    >>> gradient_of("theorem"), gradient_of("literal"), gradient_of("literal", "labels")
    ('labels', 'residual', 'labels')
    """
    literal = one_of(network, "network", NetworkKind) == NetworkKind.LITERAL
    if gradient is None:
        return GradientTarget.RESIDUAL if literal else GradientTarget.LABELS
    target = one_of(gradient, "gradient", GradientTarget)
    if target == GradientTarget.RESIDUAL and not literal:
        raise ArgumentError(
            f"{spelled('gradient', target)} is a literal network's: add {spelled('network', NetworkKind.LITERAL)}; "
            "the theorem's step is on the labels",
            argument="gradient",
        )
    return target


def check_closed(network: str, form: str, as_printed: bool) -> None:
    """Refuse the paper's form of the limit for literal networks.

    >>> check_closed("literal", "closed", as_printed=False)
    """
    if network == NetworkKind.LITERAL and (form == LimitForm.MATRIX or as_printed):
        asked = spelled("as_printed", True) if as_printed else spelled("form", form)
        raise ArgumentError(
            f"{asked} is the paper's form of the theorem; {spelled('network', network)} has the closed form only",
            argument="network",
        )


def plan_of(
    problem: Problem,
    ell: int | float,
    form: LimitForm,
    as_printed: bool,
    network: NetworkKind,
    gradient: GradientTarget,
) -> Plan:
    """Return the computation shared by all points; refuse combinations that no formula covers."""
    check_steps(problem, gradient)
    check_own_mean(problem, gradient)
    literal = network == NetworkKind.LITERAL
    spikes = spikes_of(problem, ell, lengthened=literal)
    check_known(problem, ell, spikes, gradient)
    if form == LimitForm.MATRIX and not spikes.is_finite:
        raise DomainError(
            f"{spelled('form', form)} needs a finite ℓ; {spelled('ell', 'inf')} has the closed form only",
            argument="form",
        )
    check_closed(network, form, as_printed)
    check_inputs(problem, form, gradient, spikes)
    slides_ell = None
    if as_printed:
        if ell not in (1, 2) or spikes != Spikes.up_to(int(ell)) or problem.first_layer != "sphere":
            raise DomainError(
                f"{spelled('as_printed', True)}: the slides print Λ_1 and Λ_2 only, for the sphere and c_1, …, c_ℓ ≠ 0",
                argument="as_printed",
            )
        for name in [one for one in problem.options if one not in LAYERS]:
            raise ArgumentError(
                f"{spelled('as_printed', True)} is for the network of the slides: leave {spelled(name)} out",
                argument="as_printed",
            )
        slides_ell = int(ell)
    if literal and spikes:
        check_gradient(problem.unit_activation)
        check_residual_mean(problem, ell, spikes, gradient)
    plan = Plan(problem, spikes, form, slides_ell, gradient, lengthened=literal, ell=ell)
    if needs_slope(plan) and problem.biases is None:
        check_slope_variance(problem.unit_activation)
    return plan


def check_inputs(problem: Problem, form: str, gradient: str, spikes: Spikes) -> None:
    """Refuse cases not derived for inputs with a covariance, and inputs for which the theory fails.

    >>> check_inputs(Problem("relu", "H1", 1, 1, 1, inputs="two_level(9, 1/4)"), "closed", "labels", NONE)
    """
    if problem.inputs is None:
        return
    if form == LimitForm.MATRIX:
        raise ArgumentError(
            f"{spelled('form', form)} is the paper's, for inputs without a covariance; leave it out", argument="form"
        )
    if has_own_mean(problem, gradient):
        raise ArgumentError(
            f"{spelled('centred', False)}: the mean over networks of a step on the residual is not derived for inputs "
            f"with a covariance; use {spelled('gradient', 'labels')} or centre the activation",
            argument="centred",
        )
    check_self_averaging(problem, gradient, stepped=bool(spikes))


def check_own_mean(problem: Problem, gradient: str) -> None:
    """Refuse a step on the residual if the initial output has a mean that grows with the network's width.

    >>> check_own_mean(Problem("relu", "H1", 1, 1, 1, centred=False, second_layer="constant"), "labels")
    """
    if has_own_mean(problem, gradient) and problem.second_layer == SecondLayer.CONSTANT:
        raise ArgumentError(
            f"{spelled('centred', False)} with {spelled('second_layer', SecondLayer.CONSTANT)}: the initial output has "
            f"the mean c_0√N, which grows without limit; use {spelled('gradient', 'labels')} or centre the activation",
            argument="second_layer",
        )


def check_points(plan: Plan, point: Point) -> None:
    """Refuse zeros that leave nothing to compute."""
    if (plan.form == "matrix" or plan.slides_ell) and np.any(np.asarray(point.ridge) == 0):
        what = spelled("as_printed", True) if plan.slides_ell else spelled("form", "matrix")
        raise DomainError(
            f"{what} needs ridge > 0, since m_1 may be infinite at 0; the closed form has the limit", argument="ridge"
        )
    linear = is_zero(plan.problem.unit_activation.c_rest)
    if linear and plan.problem.inputs is not None and np.any(np.asarray(point.ridge) == 0):
        raise linear_without_ridge()
    check_signal(plan.problem, point.noise, plan.gradient)


def linear_without_ridge() -> DomainError:
    """Return the error for linear networks without ridge whose inputs have a covariance."""
    return DomainError(
        f"{spelled('inputs')} and a linear activation need ridge > 0: their limit without ridge is not derived",
        argument="ridge",
    )


def check_signal(problem: Problem, noise: Number, gradient: str = "labels") -> None:
    """Refuse a zero teacher without noise.

    >>> check_signal(Problem("relu", "H0", "1/2", "2/3", "1/10"), 0)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: the teacher is zero and noise=0: all labels are zero, so the step has no direction
    """
    no_signal = problem.teacher.is_polynomial and all(is_zero(c) for c in problem.teacher.coefficients)
    no_signal = no_signal and is_zero(problem.label_mean)
    if no_signal and gradient == "labels" and np.any(np.asarray(noise) == 0):
        raise DomainError(
            f"the teacher is zero and {spelled('noise', 0)}: all labels are zero, so the step has no direction",
            argument="teacher",
        )


@functools.lru_cache(maxsize=256)
def checked_terms(plan: Plan) -> Terms:
    """Return the terms of a plan in float64; refuse constants outside its range."""
    check_constants(plan.problem)
    return float_terms(plan)


def check_labels(c_star: Sequence[float], noise: float) -> None:
    """Refuse a teacher and noise that are both too small or too large for float64, unless both are zero.

    >>> check_labels([1e-25], 1e-30)
    Traceback (most recent call last):
    ...
    theorycalc.errors.DomainError: the largest of noise and c_⋆=1e-25 is beyond the range of float64 here, \
1e-20 to 1e+20; use digits=
    """
    signal = max(noise, *map(abs, c_star))
    check_float_range(signal, "the largest of noise and c_⋆", FROM_ZERO, "teacher")


@functools.lru_cache(maxsize=256)
def check_constants(problem: Problem) -> None:
    """Refuse constants out of the range of float64.

    >>> check_constants(Problem("relu", "H1", "1/2", "2/3", "1/10"))
    """
    for name in SCALES:  # before the coefficients, which grow with them
        check_float_range(float_of(getattr(problem, name), name), name)
    with about("activation"):
        for name in ("c1", "c_rest") if problem.biases is None else ():
            check_float_range(float_of(getattr(problem.unit_activation, name), name), name)
    check_float_range(float_of(problem.step_ratio, "step_samples"), "step_samples")
    with about("teacher"):
        for k, c in enumerate(problem.teacher.coefficients, start=1):
            name = f"c_⋆{k}"
            value = nearest_float(c.enclosure(20), name) if isinstance(c, EnclosedNumber) else float_of(c, name, True)
            check_float_range(value, "c_⋆1" if k == 1 else "c_⋆", ANY_REAL if k == 1 else COEFFICIENT)


def checked_case(problem: Problem, gradient: str) -> Case:
    """Return the case of a problem in float64; refuse constants outside its range and labels that all vanish.

    >>> checked_case(Problem("relu", "H1", "1/2", "2/3", "1/10"), "labels").kappa
    1.5
    """
    check_direction(problem)
    check_known(problem, 0, NONE, gradient)
    points = float_points({name: getattr(problem, name) for name in ("phi", "psi", "noise")})
    phi, psi, noise = (float(np.asarray(point)) for point in points)
    check_signal(problem, noise, gradient)
    check_constants(problem)
    constants = float_constants(problem, gradient)
    check_labels(constants.c_star, noise)
    return case_at(FLOATS, constants, phi, psi, noise)


def check_estimates(problem: Problem, roles: Sequence[str] = ("activation", "teacher")) -> None:
    """Refuse functions with estimated coefficients if digits are to be proven.

    >>> check_estimates(Problem("relu", "H1", "1/2", "2/3", "1/10"))
    """
    for role in roles:
        if not getattr(problem, role).is_sampled:
            continue
        several = role == "teacher" and problem.teacher.directions > 1
        known = (
            "this teacher is not a polynomial: its coefficients come from quadrature"
            if several
            else f"the {role} is known by its values: its coefficients are estimates"
        )
        remedy = "" if several else ", or write it as text"
        raise PrecisionError(
            f"{known}, for which no digits can be proven; leave {spelled('digits')} out{remedy}",
            argument=role,
        )


def check_exact(problem: Problem) -> None:
    """Refuse binary floats and estimates if digits are to be proven."""
    check_estimates(problem)
    if problem.biases is not None:
        check_exact_biases(problem.biases)
    check_exact_inputs(problem.inputs)
    activation, teacher = problem.unit_activation, problem.teacher
    numbers = [("activation", name, getattr(activation, name)) for name in ("c1", "c_rest", "c2")]
    numbers += [("teacher", f"teacher c_⋆{k}", c) for k, c in enumerate(teacher.coefficients, start=1)]
    if teacher.second_moment is not None:
        numbers += [("teacher", f"teacher {name}", getattr(teacher, name)) for name in ("second_moment", "mean")]
    numbers += [("", name, getattr(problem, name)) for name in ("step_ratio", *SCALES, *CHANNELS)]
    numbers += [] if problem.centred else [("activation", "mean", activation.mean)]
    numbers += [] if problem.centred_labels else [("teacher", "teacher mean", teacher.mean)]
    for role, name, value in numbers:
        with about(role) if role else nullcontext():
            if role != "activation" or value is not None:
                require_exact(value, "step_samples" if name == "step_ratio" else name)


def check_exact_inputs(inputs: Inputs | None) -> None:
    """Refuse inputs with binary floats if digits are to be proven.

    >>> check_exact_inputs(None)
    """
    if inputs is not None and not inputs.is_exact:
        raise PrecisionError(
            f"{spelled('inputs', inputs.words)} has binary floats, for which no digits can be proven: leave "
            f"{spelled('digits')} out, or give fractions",
            argument="inputs",
        )


def check_proof(plan: Plan) -> None:
    """Refuse to prove digits of a mean over networks that no enclosed integral covers."""
    endless = not plan.spikes.is_finite and not plan.problem.teacher.has_all_coefficients
    if endless and has_own_mean(plan.problem, plan.gradient):
        raise PrecisionError(
            f"{spelled('ell', 'inf')} of a raw activation is a mean over networks, whose digits are proven for "
            f"polynomial teachers only; leave {spelled('digits')} out, or use {spelled('gradient', 'labels')}",
            argument="digits",
        )
